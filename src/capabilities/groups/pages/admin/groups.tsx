import { CONFIRM_FIELDS, ConfirmFields, Change } from '../../../../web/kit/confirm.tsx'
import { Alert, Field } from '../../../../web/kit/fields.tsx'
import {
  echo,
  type Fields,
  type Problem,
  problemIn,
  type ShownRefused,
} from '../../../../web/kit/form.ts'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Pager } from '../../../../web/kit/pager.tsx'
import { Back, Heading } from '../../../../web/kit/parts.tsx'
import { Empty, Row, Rows } from '../../../../web/kit/rows.tsx'
import { Time } from '../../../../web/kit/time.tsx'
import type { View } from '../../../../web/kit/view.ts'
import type { ListedGroup, ListedMember } from '../../group-store.ts'
import type { ListedRule } from '../../rule-store.ts'
import { FOLDERS_PATH, newRightOf } from './folder-props.ts'

export const GROUPS_PATH = '/account/admin/groups'

/** Returns the address of the page of a group. */
export function groupAddress(id: number, page = 1): string {
  return page === 1 ? `${GROUPS_PATH}/${id}` : `${GROUPS_PATH}/${id}?page=${page}`
}

interface GroupsProps {
  view: View
  groups: ListedGroup[]
  problem?: Problem | undefined
  fields?: Fields | undefined
}

/** The groups of the site, for operators. */
export function GroupsPage({ view, groups, problem, fields }: GroupsProps) {
  const t = view.t.groups
  return (
    <AccountPage view={view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      <Rows
        rows={groups.map((group) => (
          <Row icon="groups" title={<a href={groupAddress(group.id)}>{group.name}</a>}>
            <p class="facts">
              <span>{t.members(group.members)}</span>
              <span>{t.rules(group.rules)}</span>
              {group.note !== '' && <span>{group.note}</span>}
            </p>
          </Row>
        ))}
        none={<Empty icon="groups" title={t.none} hint={t.noneHint} />}
      />
      <p class="hint">{t.builtIn}</p>
      <article>
        <h2>{t.add}</h2>
        <form method="post" action={`${GROUPS_PATH}/add`}>
          <Alert problem={problem} fields={['name', 'note', ...CONFIRM_FIELDS]} />
          <NameFields
            view={view}
            problem={problem}
            name={echo(fields, 'name')}
            note={echo(fields, 'note')}
          />
          <ConfirmFields view={view} form="add" problem={problem} />
          <button>{t.create}</button>
        </form>
      </article>
    </AccountPage>
  )
}

interface NameFieldsProps {
  view: View
  problem: Problem | undefined
  name: string
  note: string
}

function NameFields({ view, problem, name, note }: NameFieldsProps) {
  const t = view.t.groups
  return (
    <>
      <Field
        name="name"
        label={t.name}
        hint={t.nameHint}
        value={name}
        problem={problem}
        spellcheck
      />
      <Field name="note" label={t.note} value={note} problem={problem} optional spellcheck />
    </>
  )
}

export type GroupForm = 'save' | 'join' | 'remove' | 'delete'

interface GroupProps {
  view: View
  group: ListedGroup
  members: ListedMember[]
  page: number
  pages: number
  rules: ListedRule[]
  refused?: ShownRefused<GroupForm> | undefined
}

/** One group: its members, its folders, its name. */
export function GroupPage(props: GroupProps) {
  const { view, group, members, page, pages, rules, refused } = props
  const t = view.t.groups
  const action = (form: GroupForm) => `${groupAddress(group.id)}/${form}`
  const [joining, saving] = [problemIn(refused, 'join'), problemIn(refused, 'save')]
  const shown = saving === undefined ? group : undefined
  return (
    <AccountPage view={view} title={group.name}>
      <Back href={GROUPS_PATH}>{t.back}</Back>
      <Heading
        title={group.name}
        lead={group.note === '' ? t.members(group.members) : group.note}
      />
      <Rows
        rows={members.map((member) => (
          <Row
            icon="users"
            title={<a href={`/account/admin/users/${member.id}`}>{member.username}</a>}
          >
            <p class="facts">
              <span>{addedBy(view, member)}</span>
              <span>
                <Time view={view} at={member.addedAt} />
              </span>
            </p>
            <Change
              view={view}
              label={t.remove}
              question={t.removeQuestion(member.username)}
              action={action('remove')}
              values={{ uid: member.id }}
              submit={t.remove}
              confirmedAs={`remove-${member.id}`}
              problem={problemIn(refused, 'remove', { uid: String(member.id) })}
            />
          </Row>
        ))}
        none={<Empty icon="users" title={t.noMembers} hint={t.noMembersHint} />}
      />
      <Pager
        view={view}
        page={page}
        pages={pages}
        address={(number) => groupAddress(group.id, number)}
        words={view.t.pager}
      />
      <article>
        <h2>{t.join}</h2>
        <form method="post" action={action('join')}>
          <Alert problem={joining} fields={['username', ...CONFIRM_FIELDS]} />
          <Field
            name="username"
            label={t.username}
            value={joining === undefined ? '' : echo(refused?.fields, 'username')}
            problem={joining}
          />
          <ConfirmFields view={view} form="join" problem={joining} />
          <button>{t.joinSubmit}</button>
        </form>
      </article>
      <article>
        <h2>{t.folders}</h2>
        {rules.length === 0 ? (
          <p>{t.noFolders}</p>
        ) : (
          <ul>
            {rules.map(({ path, access }) => (
              <li>
                <code>{path}</code>: {view.t.folders.decided[access]}
              </li>
            ))}
          </ul>
        )}
        <p class="buttons">
          <a role="button" class="secondary" href={newRightOf(group.name)}>
            {view.t.folders.add}
          </a>
          <a role="button" class="secondary" href={FOLDERS_PATH}>
            {t.toFolders}
          </a>
        </p>
      </article>
      <article>
        <h2>{t.nameAndNote}</h2>
        <form method="post" action={action('save')}>
          <Alert problem={saving} fields={['name', 'note', ...CONFIRM_FIELDS]} />
          <NameFields
            view={view}
            problem={saving}
            name={shown?.name ?? echo(refused?.fields, 'name')}
            note={shown?.note ?? echo(refused?.fields, 'note')}
          />
          <ConfirmFields view={view} form="save" problem={saving} />
          <button>{t.save}</button>
        </form>
      </article>
      <Change
        view={view}
        label={t.delete}
        question={group.rules === 0 ? t.deleteQuestion(group.members) : t.deleteFirst(group.rules)}
        action={action('delete')}
        submit={t.delete}
        confirmedAs="delete"
        problem={problemIn(refused, 'delete')}
      />
    </AccountPage>
  )
}

/** Says how somebody became a member. */
function addedBy(view: View, { source, adder }: ListedMember): string {
  const t = view.t.groups
  return source === 'operator' && adder !== null ? t.addedBy(adder) : (t.sources[source] ?? '')
}
