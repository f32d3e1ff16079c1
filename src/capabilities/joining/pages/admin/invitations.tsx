import { readGroupNames } from '../../../../core/accounts/groups.ts'
import { cleanFolder } from '../../../../core/base/clean-folder.ts'
import { DAY_MILLISECONDS } from '../../../../core/base/time.ts'
import { hiddenBy } from '../../hidden-folders.ts'
import type { MadeInvitation, MadeLink } from '../../invitations.ts'
import { LIFETIMES } from '../../links.ts'
import { type ListedLink, readJoined } from '../../link-store.ts'
import { Change, CONFIRM_FIELDS, ConfirmFields, Press } from '../../../../web/kit/confirm.tsx'
import { Alert, Choice, Field, FormButtons } from '../../../../web/kit/fields.tsx'
import {
  echo,
  type Fields,
  type Problem,
  problemIn,
  type ShownRefused,
} from '../../../../web/kit/form.ts'
import { ListPage } from '../../../../web/kit/frames.tsx'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Pager } from '../../../../web/kit/pager.tsx'
import { Back, ShownOnce } from '../../../../web/kit/parts.tsx'
import { Empty, Fold, NEWEST, Row, Rows } from '../../../../web/kit/rows.tsx'
import { Time, TimeFact } from '../../../../web/kit/time.tsx'
import type { View } from '../../../../web/kit/view.ts'
import { PermissionField } from '../../../users/pages/admin/permission-fields.tsx'

const DEFAULT_DAYS = LIFETIMES.invitation.milliseconds / DAY_MILLISECONDS

export const INVITATIONS_PATH = '/account/admin/invitations'

interface InvitationsProps {
  view: View
  links: ListedLink[]
  page: number
  pages: number
  problem?: Problem | undefined
  refused?: ShownRefused | undefined
}

/** Returns the address of a page of the list. */
export function invitationsAddress(page: number): string {
  return page === 1 ? INVITATIONS_PATH : `${INVITATIONS_PATH}?page=${page}`
}

/** The invitations, for operators. */
export function InvitationsPage({ view, links, page, pages, ...shown }: InvitationsProps) {
  const { problem, refused } = shown
  const t = view.t.adminInvitations
  const live = links.filter(({ state }) => state === 'live')
  const spent = links.filter(({ state }) => state !== 'live')
  const row = (link: ListedLink) => (
    <InvitationRow
      view={view}
      link={link}
      refused={refused}
      id={page === 1 && link === links[0] ? NEWEST : undefined}
    />
  )
  return (
    <ListPage
      view={view}
      title={t.title}
      lead={t.lead}
      problem={refused?.form === 'again' ? undefined : problem}
      add={{ href: `${INVITATIONS_PATH}/add`, label: t.add }}
      rows={live.map(row)}
      none={spent.length === 0 && <Empty icon="invitations" title={t.none} hint={t.noneHint} />}
    >
      {spent.length > 0 && (
        <Fold title={t.spent} count={spent.length}>
          <Rows rows={spent.map(row)} none="" />
        </Fold>
      )}
      <Pager view={view} page={page} pages={pages} address={invitationsAddress} />
    </ListPage>
  )
}

interface InvitationRowProps {
  view: View
  link: ListedLink
  refused: ShownRefused | undefined
  id: string | undefined
}

function InvitationRow({ view, link, refused, id }: InvitationRowProps) {
  const t = view.t.adminInvitations
  const { state, username, email } = link
  const isLive = state === 'live'
  const isMailed = view.hasMail && email !== '' && state !== 'used'
  const title = link.name || username || email || t.unnamed(link.id)
  return (
    <Row id={id} icon="invitations" tone={isLive ? 'green' : 'amber'} title={title}>
      <p class="facts">
        <span class={isLive ? 'good' : undefined}>{t.states[state]}</span>
        <span>{t.used(link.used, link.uses)}</span>
        <InvitationEnd view={view} link={link} />
      </p>
      <InvitationUse view={view} link={link} title={title} />
      {(isLive || isMailed) && (
        <div class="decide">
          {isMailed && (
            <Press
              view={view}
              label={t.again}
              action={`${INVITATIONS_PATH}/again`}
              values={{ id: link.id }}
              problem={problemIn(refused, 'again', { id: String(link.id) })}
              confirmedAs={`again-${link.id}`}
            />
          )}
          {isLive && (
            <Change
              view={view}
              label={t.withdraw}
              question={t.withdrawQuestion(title)}
              action={`${INVITATIONS_PATH}/withdraw`}
              values={{ id: link.id }}
              named={title}
              submit={t.withdraw}
            />
          )}
        </div>
      )}
    </Row>
  )
}

/** For whom the invitation is, and the users who joined with it, the first ones by name. */
function InvitationUse(props: { view: View; link: ListedLink; title: string }) {
  const { view, link, title } = props
  const t = view.t.adminInvitations
  const { username, email } = link
  const groups = readGroupNames(link.groupNames)
  const joined = readJoined(link)
  const more = link.used - joined.length
  const said = [
    username !== '' && username !== title && t.forName(username),
    email !== '' && t.mailedTo(email),
    groups.length > 0 && t.inGroups(groups.join(view.t.listSeparator)),
  ].filter((text) => text !== false)
  if (said.length === 0 && joined.length === 0) return <></>
  return (
    <p class="facts">
      {said.map((text) => (
        <span>{text}</span>
      ))}
      {joined.length > 0 && (
        <span>
          {t.joined}
          {joined.map(({ id, name }, place) => (
            <>
              {place > 0 && view.t.listSeparator}
              <a href={`/account/admin/users/${id}`}>{name}</a>
            </>
          ))}
          {more > 0 && t.joinedMore(more)}
        </span>
      )}
    </p>
  )
}

/** The end is not shown for a link that was used up or withdrawn before it. */
function InvitationEnd({ view, link: { state, endsAt } }: { view: View; link: ListedLink }) {
  const t = view.t.adminInvitations
  const isOver = endsAt <= view.now
  if (state !== 'live' && !isOver) return <></>
  return <TimeFact view={view} at={endsAt} phrase={isOver ? t.ended : t.ends} />
}

/** Begins the name of the box of a group. */
const GROUP_FIELD = 'groups-'

/** Returns the names of the groups whose boxes are checked. */
export function groupsIn(fields: Fields): string[] {
  return Object.keys(fields).flatMap((field) =>
    field.startsWith(GROUP_FIELD) ? [field.slice(GROUP_FIELD.length)] : [],
  )
}

/** The fields of a new invitation that stand in its fold. */
const FOLDED = ['uses', 'ends_at', 'username', 'account_ends_at', 'account_days']
/** The fields that show their own problems. */
const SHOWN = ['who', 'base_path', ...FOLDED]

interface NewInvitationProps {
  view: View
  /** The folders that the rules of each group open, by its name. */
  groups: ReadonlyMap<string, readonly { path: string | null }[]>
  fields?: Fields | undefined
  problem?: Problem | undefined
}

export function NewInvitationPage({ view, groups, fields, ...props }: NewInvitationProps) {
  const t = view.t.adminInvitations
  const chosen = groupsIn(fields ?? {})
  const base = cleanFolder(echo(fields, 'base_path') || view.usualFolder)
  const boxes = Array.from(groups, ([name, folders]) => {
    const hidden = hiddenBy(base, folders).join(view.t.listSeparator)
    return { name, hint: hidden === '' ? undefined : t.hidden(base, hidden) }
  })
  // One field is both.
  const isOfWho = ['name', 'email'].includes(props.problem?.field ?? '')
  const problem = props.problem && isOfWho ? { ...props.problem, field: 'who' } : props.problem
  const field = (name: string, value = '') => ({
    name,
    value: fields === undefined ? value : echo(fields, name),
    problem,
  })
  return (
    <AccountPage view={view} title={t.add}>
      <Back href={INVITATIONS_PATH}>{t.title}</Back>
      <h1>{t.add}</h1>
      <article>
        <form class="wide" method="post" action={`${INVITATIONS_PATH}/add`}>
          <Alert problem={problem} fields={[...SHOWN, ...CONFIRM_FIELDS]} />
          <Field
            {...field('who')}
            label={view.hasMail ? t.who : t.whoName}
            hint={view.hasMail ? t.whoHint : t.whoNameHint}
            optional
            focus
          />
          <PermissionField
            view={view}
            name="permission"
            label={view.t.adminUsers.permissions}
            permission={0}
            fields={fields}
          />
          {boxes.length > 0 && (
            <fieldset class="field">
              <legend>{t.groups}</legend>
              <div class="boxes">
                {boxes.map(({ name, hint }) => (
                  <Choice
                    type="checkbox"
                    name={GROUP_FIELD + name}
                    isChecked={chosen.includes(name)}
                    title={name}
                    hint={hint}
                  />
                ))}
              </div>
            </fieldset>
          )}
          <Field
            {...field('base_path', view.usualFolder)}
            label={view.t.adminUsers.basePath}
            hint={view.t.adminUsers.newBasePathHint}
            optional
          />
          <details
            class="older"
            open={problem?.field !== undefined && FOLDED.includes(problem.field)}
          >
            <summary>{t.more}</summary>
            <Field {...field('uses', '1')} label={t.uses} type="number" optional />
            <Field
              {...field('ends_at')}
              label={t.endsAt}
              hint={t.endsAtHint(DEFAULT_DAYS)}
              type="date"
              optional
            />
            <Field {...field('username')} label={t.username} hint={t.usernameHint} optional />
            <Field
              {...field('account_ends_at')}
              label={t.accountEndsAt}
              hint={t.accountEndsAtHint}
              type="date"
              optional
            />
            <Field {...field('account_days')} label={t.accountDays} type="number" optional />
          </details>
          <ConfirmFields view={view} form="new" problem={problem} />
          <FormButtons view={view} submit={t.create} back={INVITATIONS_PATH} />
        </form>
      </article>
    </AccountPage>
  )
}

interface MadeLinkProps {
  view: View
  title: string
  /** Tells the operator to hand the link over. */
  lead: string
  label: string
  made: MadeLink
  /** What the operator should know of it. */
  note?: string | undefined
  /** Where the button below leads, and its words. */
  next: string
  done: string
}

/** Shows a link once, in the answer to the form that made it. */
export function MadeLinkPage(props: MadeLinkProps) {
  const { view, title, lead, note, label, made, next, done } = props
  return (
    <AccountPage view={view} title={title}>
      <h1>{title}</h1>
      <article>
        <p>{lead}</p>
        {note !== undefined && <p class="note">{note}</p>}
        <ShownOnce
          view={view}
          id="link"
          label={label}
          secret={made.link}
          rows={2}
          next={next}
          done={done}
          isLink
        />
        <p class="hint">
          <Time view={view} at={made.endsAt} phrase={view.t.adminInvitations.madeEnds} />
        </p>
      </article>
    </AccountPage>
  )
}

interface MadeInvitationProps {
  view: View
  made: MadeInvitation
  /** Whom it is for, or empty. */
  name: string
  /** The names of the groups of the accounts. */
  groups: readonly string[]
}

export function MadeInvitationPage({ view, made, name, groups }: MadeInvitationProps) {
  const t = view.t.adminInvitations
  const inGroups = groups.length === 0 ? '' : ` ${t.madeGroups(groups.join(view.t.listSeparator))}`
  const hidden = made.hidden.join(view.t.listSeparator)
  return (
    <MadeLinkPage
      view={view}
      title={t.madeTitle(name)}
      lead={`${t.madeLead}${inGroups}`}
      note={hidden === '' ? undefined : t.madeHidden(made.basePath, hidden)}
      label={t.madeLabel}
      made={made}
      next={`${INVITATIONS_PATH}#${NEWEST}`}
      done={t.madeDone}
    />
  )
}
