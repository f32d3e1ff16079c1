import type { PropsWithChildren } from 'hono/jsx'
import type { Account } from '../../../../core/accounts/accounts.ts'
import { GENERAL, GUEST } from '../../../../core/accounts/roles.ts'
import { countText } from './needy-count.ts'
import { type findUsers, MAX_LISTED_USERS } from '../../find-users.ts'
import type { PartOfUser, Remaining } from '../../../../web/kit/part-of-user.ts'
import { isBySeen, MAX_ORDERED_BY_SEEN, USER_GROUPS, type UserOrder } from '../../list-store.ts'
import { RemainingAccessLists } from '../../../me/pages/remaining-access.tsx'
import { Avatar } from '../../../../web/kit/avatar.tsx'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { Alert, Field, FormButtons } from '../../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../../web/kit/form.ts'
import { LANGUAGE_TAGS } from '../../../../web/kit/language.ts'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { NumberedPages } from '../../../../web/kit/pager.tsx'
import { Back, Breakable, Heading, ShownOnce } from '../../../../web/kit/parts.tsx'
import { Empty, Row, Rows } from '../../../../web/kit/rows.tsx'
import { Time, TimeFact } from '../../../../web/kit/time.tsx'
import type { View } from '../../../../web/kit/view.ts'
import { PermissionField } from './permission-fields.tsx'
import { pageFor } from './user-props.ts'
import { Pick, PickAll, Selection } from './selected.tsx'
import { StopFacts, Unlock } from './stops.tsx'
import { userAddress, usersAddress, USERS_PATH, type UserSearch } from './user-address.ts'
import { newUser, PasswordField, USER_FIELDS, UserFields } from './user-fields.tsx'

type ListedUser = Awaited<ReturnType<typeof findUsers>>['users'][number]

interface UsersProps extends UserSearch {
  view: View
  users: ListedUser[]
  /** Of the lists that have one, at most `MAX_COUNTED`. */
  counts: ReadonlyMap<string, number>
  /** At most `MAX_LISTED_USERS + 1`, which means more. */
  total: number
  page: number
  pages: number
  /** The parts of capabilities in the list. */
  parts: readonly PartOfUser[]
  /** What can be done with selected users. */
  actions: Parameters<typeof Selection>[0]['actions']
}

export function UsersPage(props: UsersProps) {
  const { view, users, counts, total, page, pages, parts, actions, ...fields } = props
  const t = view.t.adminUsers
  const list = usersAddress(fields, page).split('?')[1] ?? ''
  return (
    <AccountPage view={view} title={t.title}>
      <header class="bar find">
        <Heading title={t.title} lead={totalText(view, total)} />
        <form class="search" action={USERS_PATH}>
          {fields.group !== '' && <input type="hidden" name="group" value={fields.group} />}
          {fields.sort !== 'made' && <input type="hidden" name="sort" value={fields.sort} />}
          <input
            type="search"
            name="search"
            value={fields.search}
            aria-label={t.search}
            maxlength={255}
            placeholder={t.search}
          />
          <button class="secondary">{t.searchSubmit}</button>
        </form>
        <a role="button" href={`${USERS_PATH}/new`}>
          {t.add}
        </a>
      </header>
      <div class="tabs" role="navigation" aria-label={t.groupsLabel}>
        {(['', ...USER_GROUPS] as const).map((group) => (
          <a
            href={usersAddress({ ...fields, group })}
            aria-current={group === fields.group ? 'page' : undefined}
          >
            {t.groups[group === '' ? 'all' : group]}
            <GroupCount count={counts.get(group) ?? 0} />
          </a>
        ))}
      </div>
      {users.length === 0 ? (
        <NoUsers view={view} {...fields} />
      ) : fields.group === 'waiting' ? (
        <WaitingUsers view={view} users={users} list={list} parts={parts} />
      ) : fields.group === 'locked' ? (
        <LockedUsers view={view} users={users} list={list} />
      ) : (
        <UserTable view={view} users={users} list={list} fields={fields} />
      )}
      <Selection view={view} actions={actions} users={users} list={list} />
      {isBySeen(fields.sort) && total > MAX_ORDERED_BY_SEEN && (
        <p class="aside">{t.seenOfFirst(numberIn(view, MAX_ORDERED_BY_SEEN))}</p>
      )}
      <NumberedPages
        label={t.pages}
        page={page}
        pages={pages}
        address={(to) => usersAddress(fields, to)}
        words={t}
      />
    </AccountPage>
  )
}

function totalText(view: View, total: number): string {
  const t = view.t.adminUsers
  if (total <= MAX_LISTED_USERS) return t.total(total)
  return t.totalOver(numberIn(view, MAX_LISTED_USERS))
}

function numberIn({ language }: View, number: number): string {
  return new Intl.NumberFormat(LANGUAGE_TAGS[language]).format(number)
}

function GroupCount({ count }: { count: number }) {
  if (count === 0) return <></>
  return <b>{countText(count)}</b>
}

/** Nobody in them is how it should be. */
const GOOD_NONE: readonly UserSearch['group'][] = ['without-two-factor', 'waiting', 'locked']

function NoUsers({ view: { t }, search, group }: UserSearch & { view: View }) {
  const { none, noneIn, noneHint, showAll } = t.adminUsers
  const all = (
    <a role="button" class="secondary" href={USERS_PATH}>
      {showAll}
    </a>
  )
  return (
    <>
      {search === '' && group !== '' ? (
        <Empty icon={GOOD_NONE.includes(group) ? 'done' : 'users'} title={noneIn[group]}>
          {all}
        </Empty>
      ) : (
        <Empty icon="users" title={none} hint={search === '' ? '' : noneHint(search)}>
          {all}
        </Empty>
      )}
    </>
  )
}

interface UserTableProps {
  view: View
  users: ListedUser[]
  list: string
  fields: UserSearch
}

/**
 * A table of users. The roles are written out, because browsers drop those of a table whose rows
 * are grids.
 */
function UserTable({ view, users, list, fields }: UserTableProps) {
  const t = view.t.adminUsers
  return (
    <table class="rows users" role="table">
      <thead role="rowgroup">
        <tr role="row">
          <SortedColumn fields={fields} label={t.name} up="name" down="-name">
            <PickAll view={view} />
          </SortedColumn>
          <Column label={t.role} />
          <Column label={t.secondFactor} />
          <SortedColumn fields={fields} label={t.lastSeen} up="seen" down="-seen" downFirst />
          <SortedColumn fields={fields} label={t.made} up="made" down="-made" downFirst />
          <Column label={t.keysOf} />
        </tr>
      </thead>
      <tbody role="rowgroup">
        {users.map((user) => (
          <UserRow view={view} user={user} list={list} />
        ))}
      </tbody>
    </table>
  )
}

function Column({ label }: { label: string }) {
  return (
    <th role="columnheader" scope="col">
      {label}
    </th>
  )
}

interface SortedColumnProps {
  fields: UserSearch
  label: string
  /** The two orders of the column. */
  up: UserOrder
  down: UserOrder
  /** Whether its first click gives `down`. */
  downFirst?: boolean
}

/** A heading that sorts the list; once more, it reverses the order. */
function SortedColumn(props: PropsWithChildren<SortedColumnProps>) {
  const { fields, label, up, down, downFirst = false, children } = props
  const { sort } = fields
  const isSorted = sort === up || sort === down
  const first = downFirst ? down : up
  const next = sort === first ? (downFirst ? up : down) : first
  return (
    <th
      role="columnheader"
      scope="col"
      class={children === undefined ? undefined : 'person'}
      aria-sort={isSorted ? (sort === up ? 'ascending' : 'descending') : undefined}
    >
      {children}
      <a href={usersAddress({ ...fields, sort: next })}>{label}</a>
    </th>
  )
}

/** The fields of a user's badge: they decide whether the user can sign in. */
type ShownState = Pick<ListedUser, 'waiting' | 'disabled' | 'endsAt'> & {
  stops: readonly unknown[]
}

/** Why a user can not sign in, if so. */
function StateBadge({ view, user }: { view: View; user: ShownState }) {
  const t = view.t.adminUsers
  if (user.waiting) return <span class="badge">{t.waiting}</span>
  if (user.disabled) return <span class="badge bad">{t.disabled}</span>
  const hasEnded = user.endsAt !== null && user.endsAt <= view.now
  if (hasEnded) return <span class="badge bad">{t.hasEnded}</span>
  return user.stops.length > 0 ? <span class="badge bad">{t.locked}</span> : <></>
}

/** Users to whom something is refused after too many wrong attempts, and what ends that. */
function LockedUsers({ view, users, list }: { view: View; users: ListedUser[]; list: string }) {
  return (
    <>
      <PickAll view={view} isNamed />
      <Rows
        rows={users.map(({ id, username, stops }) => (
          <Row
            icon="lock"
            tone="red"
            title={
              <>
                <Pick view={view} user={{ id, username }} />
                <a href={userAddress(id, list)}>{username}</a>
              </>
            }
          >
            <StopFacts view={view} stops={stops} />
            <Unlock view={view} user={{ id, username }} action={userAddress(id, list, '/unlock')} />
          </Row>
        ))}
        none={<></>}
      />
    </>
  )
}

interface WaitingUsersProps {
  view: View
  users: ListedUser[]
  list: string
  parts: readonly PartOfUser[]
}

/** Users who have registered, with the two answers that they wait for. */
function WaitingUsers({ view, users, list, parts }: WaitingUsersProps) {
  return (
    <>
      <PickAll view={view} isNamed />
      <Rows
        rows={users.map((user) => (
          <Row
            icon="new-user"
            tone="amber"
            title={
              <>
                <Pick view={view} user={user} />
                <a href={userAddress(user.id, list)}>{user.username}</a>
              </>
            }
          >
            <RegistrationFacts view={view} registration={user} />
            {parts.map(({ decisions }) =>
              decisions?.(pageFor({ view, user, list, refused: undefined })),
            )}
          </Row>
        ))}
        none={<></>}
      />
    </>
  )
}

/** When and from where somebody has registered. */
export function RegistrationFacts({
  view,
  registration: { registeredAt, registeredNetwork },
}: {
  view: View
  registration: { registeredAt: number; registeredNetwork: string }
}) {
  return (
    <p class="facts">
      <TimeFact view={view} at={registeredAt} phrase={view.t.adminUsers.registered} />
      <span>{registeredNetwork}</span>
    </p>
  )
}

/** A row of the table. Its link covers the whole row (`style.css`). */
function UserRow({ view, user, list }: { view: View; user: ListedUser; list: string }) {
  const t = view.t.adminUsers
  const isGuest = user.role === GUEST
  return (
    <tr role="row">
      <th role="rowheader" scope="row" class="person">
        {isGuest ? <span class="pick" /> : <Pick view={view} user={user} />}
        <Avatar name={user.username} />
        <span>
          <a href={userAddress(user.id, list)}>
            <Breakable text={user.username} />
          </a>
          <StateBadge view={view} user={user} />
        </span>
      </th>
      <td role="cell" class={user.role === GENERAL ? 'none' : undefined}>
        {view.t.overview.roles[user.role]}
      </td>
      <td role="cell" class={user.hasTwoFactor || user.hasPasskey ? undefined : 'none'}>
        {isGuest ? '' : <SecondFactor view={view} user={user} />}
      </td>
      <td role="cell" class={user.lastSeenAt === null ? 'none' : undefined} data-label={t.seen}>
        {isGuest ? '' : <LastSeen view={view} at={user.lastSeenAt} />}
      </td>
      <td role="cell" data-label={t.made}>
        {isGuest ? '' : <Time view={view} at={user.registeredAt} />}
      </td>
      <td role="cell" class={user.keys === 0 ? 'none' : undefined} data-label={t.keysOf}>
        {isGuest ? '' : user.keys}
      </td>
    </tr>
  )
}

function SecondFactor({ view, user }: { view: View; user: ListedUser }) {
  const t = view.t.adminUsers
  const has = [user.hasTwoFactor && t.hasCode, user.hasPasskey && t.hasPasskey].filter(Boolean)
  return has.length === 0 ? <>{t.hasNoFactor}</> : <span class="good">{has.join(' · ')}</span>
}

function LastSeen({ view, at }: { view: View; at: number | null }) {
  return at === null ? <>{view.t.adminUsers.noSignIn}</> : <Time view={view} at={at} />
}

/** Badges for role, second factors or their absence, and why the user can not sign in. */
export function UserBadges({ view, user }: { view: View; user: Account & ShownState }) {
  const { t } = view
  return (
    <>
      {user.role !== GENERAL && <span class="badge">{t.overview.roles[user.role]}</span>}{' '}
      {user.hasTwoFactor && <span class="badge good">{t.adminUsers.twoFactor}</span>}{' '}
      {user.hasPasskey && <span class="badge good">{t.adminUsers.hasPasskey}</span>}{' '}
      <StateBadge view={view} user={user} />{' '}
      {user.role !== GUEST && !user.hasTwoFactor && !user.hasPasskey && (
        <span class="badge">{t.adminUsers.withoutFactor}</span>
      )}
    </>
  )
}

interface NewUserProps {
  view: View
  /** The form that was refused. */
  fields?: Fields | undefined
  problem?: Problem | undefined
}

export function NewUserPage({ view, fields, problem }: NewUserProps) {
  const t = view.t.adminUsers
  return (
    <AccountPage view={view} title={t.add}>
      <Back href={USERS_PATH}>{t.backToList}</Back>
      <h1>{t.add}</h1>
      <article>
        <form class="wide beside" method="post" action="/account/admin/users/new">
          <Alert
            problem={problem}
            fields={[...USER_FIELDS, 'email', 'password', ...CONFIRM_FIELDS]}
          />
          <UserFields view={view} fields={fields ?? newUser(view)} problem={problem} isNew />
          <Field
            name="email"
            label={t.email}
            hint={t.newEmailHint}
            value={echo(fields, 'email')}
            problem={problem}
            optional
          />
          <PasswordField view={view} problem={problem} />
          <PermissionField
            view={view}
            name="permission"
            label={t.permissions}
            permission={0}
            fields={fields}
          />
          <ConfirmFields view={view} form="new" problem={problem} />
          <FormButtons view={view} submit={t.create} back={USERS_PATH} />
        </form>
      </article>
    </AccountPage>
  )
}

interface GeneratedProps {
  view: View
  user: { id: number; username: string }
  /** Access that remains after the new password. */
  remaining: readonly Remaining[]
  password: string
}

/** Shows a generated password once, in the answer to the form that asked for it. */
export function GeneratedPasswordPage(props: GeneratedProps) {
  const { view, user, remaining, password } = props
  const t = view.t.adminUsers
  return (
    <AccountPage view={view} title={t.generatedTitle}>
      <h1>{t.generatedTitle}</h1>
      <article>
        <p>{t.generatedLead}</p>
        <ShownOnce
          view={view}
          id="password"
          label={t.generatedLabel(user.username)}
          secret={password}
          rows={1}
          next={`/account/admin/users/${user.id}`}
          done={t.generatedDone}
        />
      </article>
      {remaining.length > 0 && (
        <article>
          <p>{t.remaining}</p>
          <RemainingAccessLists view={view} remaining={remaining} ofOther />
        </article>
      )}
    </AccountPage>
  )
}
