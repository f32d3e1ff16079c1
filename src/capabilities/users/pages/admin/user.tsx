import { GUEST } from '../../../../core/accounts/roles.ts'
import { Avatar } from '../../../../web/kit/avatar.tsx'
import { CONFIRM_FIELDS, ConfirmFields, Press } from '../../../../web/kit/confirm.tsx'
import { EventList } from '../../../activity/pages/event-list.tsx'
import { Alert } from '../../../../web/kit/fields.tsx'
import { problemIn } from '../../../../web/kit/form.ts'
import { Icon } from '../../../../web/kit/icons.tsx'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Back, Breakable } from '../../../../web/kit/parts.tsx'
import { Fold } from '../../../../web/kit/rows.tsx'
import { TimeFact } from '../../../../web/kit/time.tsx'
import { EVENTS_PATH } from '../../../activity/pages/admin/events.tsx'
import { PermissionField } from './permission-fields.tsx'
import { StopFacts, Unlock } from './stops.tsx'
import { EndForms, HelpForms } from './user-access.tsx'
import { listAddress } from './user-address.ts'
import { UserDetails } from './user-details.tsx'
import { fieldsOf, USER_FIELDS, UserFields } from './user-fields.tsx'
import { pageFor, userAction, type UserProps } from './user-props.ts'
import { RegistrationFacts, UserBadges } from './users.tsx'

export function UserPage(props: UserProps) {
  const { view, user, details, stops, list } = props
  const t = view.t.adminUsers
  const state = { ...user, waiting: details.waiting, stops }
  const eventsOf = new URLSearchParams({ user: user.username })
  return (
    <AccountPage view={view} title={user.username}>
      <Back href={listAddress(list)}>{t.backToList}</Back>
      <header class="person hello">
        <Avatar name={user.username} isLarge />
        <div>
          <h1>
            <Breakable text={user.username} /> <UserBadges view={view} user={state} />
          </h1>
          {user.role !== GUEST && <UserFacts {...props} />}
        </div>
      </header>
      <Waiting {...props} />
      <Disabled {...props} />
      <LockedOut {...props} />
      <div class="folds">
        <ChangeForm {...props} />
        {user.role !== GUEST && <UserDetails {...props} />}
      </div>
      {!details.waiting && <HelpForms {...props} />}
      {user.role !== GUEST && <Access {...props} />}
      {!details.waiting && <EndForms {...props} />}
      <section>
        <header class="bar">
          <h2>{t.latestEvents}</h2>
          <a href={`${EVENTS_PATH}?${String(eventsOf)}`}>{t.events}</a>
        </header>
        <EventList view={view} events={props.events} reader="operator" path={EVENTS_PATH} />
      </section>
    </AccountPage>
  )
}

/** When the user was made and last seen, the address, and the sign-ins of this week. */
function UserFacts({ view, details, use, sections }: UserProps) {
  const t = view.t.adminUsers
  const { email, emailVerified, registeredAt } = details
  return (
    <p class="facts">
      <TimeFact view={view} at={registeredAt} phrase={t.madeAt} />
      <TimeFact view={view} at={use?.lastSeenAt ?? null} phrase={t.lastSeenAt} none={t.neverSeen} />
      <span>
        {email === '' ? t.noEmail : email}
        {email !== '' && !emailVerified && ` (${t.emailUnconfirmed})`}
      </span>
      <span>{t.signInsOfWeek(use?.signIns ?? 0)}</span>
      {sections.map(({ tell }) => tell?.(view))}
    </p>
  )
}

/** The user's present access, kind by kind; the kinds without any are one line. */
function Access(props: UserProps) {
  const { view, sections, refused } = props
  const t = view.t.adminUsers
  const page = pageFor(props)
  const shown = sections.flatMap(({ show, forms }) => {
    const section = show?.(page)
    return section === undefined ? [] : [{ ...section, isRefused: isOneOf(forms, refused) }]
  })
  const isEmpty = ({ count, isRefused }: (typeof shown)[number]) => count === 0 && !isRefused
  const none = shown.filter(isEmpty).map(({ title }) => title)
  return (
    <section>
      <h2>{t.access}</h2>
      <div class="folds">
        {shown
          .filter((section) => !isEmpty(section))
          .map(({ content, isRefused, ...fold }) => (
            <Fold {...fold} open={isRefused}>
              {content}
            </Fold>
          ))}
      </div>
      {none.length > 0 && <p class="hint">{t.hasNone(none.join(view.t.listSeparator))}</p>}
    </section>
  )
}

const isOneOf = (forms: readonly string[], refused: UserProps['refused']) =>
  refused !== undefined && forms.includes(refused.form)

/** Says that the user can not sign in, and ends that. Who waits is approved instead. */
function Disabled(props: UserProps) {
  const { view, user, details, refused } = props
  const t = view.t.adminUsers
  if (!user.disabled || details.waiting) return <></>
  return (
    <article class="status warn">
      <Icon name="lock" />
      <div>
        <h2>{t.isDisabled(user.username)}</h2>
        {user.role !== GUEST && <p>{t.isDisabledLead}</p>}
      </div>
      <Press
        view={view}
        label={t.enable}
        action={userAction(props, 'enable')}
        named={user.username}
        problem={problemIn(refused, 'enable')}
        confirmedAs="enable"
        isPrimary
      />
    </article>
  )
}

/** Asks what becomes of a user who has registered. */
function Waiting(props: UserProps) {
  const { view, user, details, parts } = props
  if (!details.waiting) return <></>
  return (
    <article class="status warn">
      <Icon name="new-user" />
      <div>
        <h2>{view.t.adminUsers.waits(user.username)}</h2>
        <RegistrationFacts view={view} registration={details} />
      </div>
      {parts.map(({ decisions }) => decisions?.(pageFor(props)))}
    </article>
  )
}

/** Says what is refused to the user after too many wrong attempts, and ends that. */
function LockedOut(props: UserProps) {
  const { view, user, stops, refused } = props
  const t = view.t.adminUsers
  if (stops.length === 0 && refused?.form !== 'unlock') return <></>
  return (
    <article class="status warn">
      <Icon name="lock" />
      <div>
        <h2>{t.lockedOut}</h2>
        <StopFacts view={view} stops={stops} />
      </div>
      <Unlock
        view={view}
        user={user}
        action={userAction(props, 'unlock')}
        problem={problemIn(refused, 'unlock')}
      />
    </article>
  )
}

function ChangeForm(props: UserProps) {
  const { view, user, hasPrograms, refused } = props
  const t = view.t.adminUsers
  const nameHint = hasPrograms ? t.renameHint : undefined
  const isRefused = refused?.form === 'change'
  const problem = isRefused ? refused.problem : undefined
  // The guest's form sends no role.
  const fields = isRefused ? { role: String(user.role), ...refused.fields } : fieldsOf(user)
  return (
    <Fold
      icon="settings"
      tone="amber"
      title={t.account}
      about={`${t.basePath} ${user.basePath}`}
      open={isRefused}
    >
      <form class="wide beside" method="post" action={userAction(props, 'change')}>
        <Alert problem={problem} fields={[...USER_FIELDS, ...CONFIRM_FIELDS]} />
        <UserFields view={view} fields={fields} problem={problem} nameHint={nameHint} />
        <PermissionField
          view={view}
          name="permission"
          label={t.permissions}
          permission={user.permission}
          fields={isRefused ? refused.fields : undefined}
        />
        <ConfirmFields view={view} form="change" problem={problem} onlyWhenAsked />
        <button>{t.save}</button>
      </form>
    </Fold>
  )
}
