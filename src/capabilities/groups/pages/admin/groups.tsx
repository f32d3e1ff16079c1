import { Change } from '../../../../web/kit/confirm.tsx'
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
import { Back, Breakable, Heading } from '../../../../web/kit/parts.tsx'
import { ActionLabel, Empty, Row, Rows } from '../../../../web/kit/rows.tsx'
import { TimeFact } from '../../../../web/kit/time.tsx'
import type { View } from '../../../../web/kit/view.ts'
import type { ListedGroup, ListedMember } from '../../group-store.ts'
import type { ListedRule } from '../../rule-store.ts'
import { FOLDERS_PATH, newRightOf, placeOfRule } from './folder-props.ts'
import { AccessBadge } from './right-parts.tsx'

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
      <header class="bar">
        <Heading title={t.title} lead={t.lead} />
        <Change
          view={view}
          label={t.add}
          action={`${GROUPS_PATH}/add`}
          submit={t.create}
          confirmedAs="add"
          fields={['name', 'note']}
          problem={problem}
          isHarmless
          isPrimary
        >
          <NameFields
            view={view}
            problem={problem}
            name={echo(fields, 'name')}
            note={echo(fields, 'note')}
            isNew
          />
        </Change>
      </header>
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
    </AccountPage>
  )
}

interface NameFieldsProps {
  view: View
  problem: Problem | undefined
  name: string
  note: string
  isNew?: boolean
}

function NameFields({ view, problem, name, note, isNew = false }: NameFieldsProps) {
  const t = view.t.groups
  return (
    <>
      <Field
        name="name"
        label={t.name}
        hint={isNew ? t.newNameHint : t.nameHint}
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
  const { view, group, members, page, pages, refused } = props
  const t = view.t.groups
  const joining = problemIn(refused, 'join')
  return (
    <AccountPage view={view} title={group.name}>
      <Back href={GROUPS_PATH}>{t.back}</Back>
      <header class="bar">
        <Heading
          title={group.name}
          lead={group.note === '' ? t.members(group.members) : group.note}
        />
        <Change
          view={view}
          label={t.join}
          action={formOf(group, 'join')}
          submit={t.joinSubmit}
          confirmedAs="join"
          fields={['username']}
          problem={joining}
          isHarmless
          isPrimary
        >
          <Field
            name="username"
            label={t.username}
            value={joining === undefined ? '' : echo(refused?.fields, 'username')}
            problem={joining}
          />
        </Change>
      </header>
      <Rows
        rows={members.map((member) => (
          <Member {...props} member={member} />
        ))}
        none={<Empty icon="groups" title={t.noMembers} hint={t.noMembersHint} />}
      />
      <Pager
        view={view}
        page={page}
        pages={pages}
        address={(number) => groupAddress(group.id, number)}
      />
      <Folders {...props} />
      <Others {...props} />
    </AccountPage>
  )
}

function formOf(group: ListedGroup, form: GroupForm): string {
  return `${groupAddress(group.id)}/${form}`
}

function Member({ view, group, member, refused }: GroupProps & { member: ListedMember }) {
  const t = view.t.groups
  const { id, username, addedAt } = member
  return (
    <Row
      icon="users"
      user={username}
      title={
        <a href={`/account/admin/users/${id}`}>
          <Breakable text={username} />
        </a>
      }
    >
      <p class="facts">
        <TimeFact view={view} at={addedAt} phrase={t.added} />
        <span class="minor">{addedBy(view, member)}</span>
      </p>
      <Change
        view={view}
        label={t.remove}
        question={t.removeQuestion(username)}
        action={formOf(group, 'remove')}
        named={username}
        values={{ uid: id }}
        submit={t.remove}
        confirmedAs={`remove-${id}`}
        problem={problemIn(refused, 'remove', { uid: String(id) })}
      />
    </Row>
  )
}

/** What the group may do in folders. */
function Folders({ view, group, rules }: GroupProps) {
  const t = view.t.groups
  return (
    <article>
      <h2>{t.folders}</h2>
      {rules.length === 0 ? (
        <p class="hint">{t.noFolders}</p>
      ) : (
        <ul class="rights">
          {rules.map(({ id, path, access }) => (
            <li>
              <div>
                <a href={placeOfRule(id)}>
                  <code>{path}</code>
                </a>
                <AccessBadge view={view} access={access} />
              </div>
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
  )
}

/** Its name, and its end. */
function Others({ view, group, refused }: GroupProps) {
  const t = view.t.groups
  const [saving, deleting] = [problemIn(refused, 'save'), problemIn(refused, 'delete')]
  const shown = saving === undefined ? group : undefined
  return (
    <ul class="rows actions">
      <li>
        <Change
          view={view}
          label={
            <ActionLabel
              icon="settings"
              tone="amber"
              title={t.nameAndNote}
              hint={t.nameAndNoteLead}
            />
          }
          action={formOf(group, 'save')}
          submit={t.save}
          confirmedAs="save"
          fields={['name', 'note']}
          problem={saving}
          isHarmless
        >
          <NameFields
            view={view}
            problem={saving}
            name={shown?.name ?? echo(refused?.fields, 'name')}
            note={shown?.note ?? echo(refused?.fields, 'note')}
          />
        </Change>
      </li>
      {group.rules > 0 ? (
        <li class="row-note">
          <Alert problem={deleting} fields={[]} />
          {t.deleteFirst(group.rules)}
        </li>
      ) : (
        <li>
          <Change
            view={view}
            label={
              <ActionLabel
                icon="delete"
                tone="red"
                title={t.delete}
                hint={t.deleteQuestion(group.members)}
              />
            }
            action={formOf(group, 'delete')}
            named={group.name}
            submit={t.delete}
            confirmedAs="delete"
            problem={deleting}
          />
        </li>
      )}
    </ul>
  )
}

/** Says how somebody became a member. */
function addedBy(view: View, { source, adder }: ListedMember): string {
  const t = view.t.groups
  return source === 'operator' && adder !== null ? t.addedBy(adder) : (t.sources[source] ?? '')
}
