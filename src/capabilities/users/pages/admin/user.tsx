import { GUEST } from '../../../../core/accounts/roles.ts'
import { NO_REMAINING_ACCESS } from '../../../me/remaining-access.ts'
import { RemainingAccessLists } from '../../../me/pages/remaining-access.tsx'
import { browserOf, deviceIcon, Methods } from '../../../sessions/pages/sessions.tsx'
import { Avatar } from '../../../../web/kit/avatar.tsx'
import { CONFIRM_FIELDS, Change, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { EventList } from '../../../activity/pages/event-list.tsx'
import { Alert } from '../../../../web/kit/fields.tsx'
import { problemIn } from '../../../../web/kit/form.ts'
import { Icon } from '../../../../web/kit/icons.tsx'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Fold, Row, Rows } from '../../../../web/kit/rows.tsx'
import { TimeFact } from '../../../../web/kit/time.tsx'
import { EVENTS_PATH } from '../../../activity/pages/admin/events.tsx'
import { PermissionField } from './permission-fields.tsx'
import { StopFacts, Unlock } from './stops.tsx'
import { EndForms, HelpForms } from './user-access.tsx'
import { UserAppPasswords } from '../../../app-passwords/pages/admin/user-app-passwords.tsx'
import { USERS_PATH } from './user-address.ts'
import { UserDetails } from './user-details.tsx'
import { fieldsOf, USER_FIELDS, UserFields } from './user-fields.tsx'
import { UserIdentities } from '../../../sso/pages/admin/user-identities.tsx'
import { UserPasskeys } from '../../../passkeys/pages/admin/user-passkeys.tsx'
import { userAction, type UserProps } from './user-props.ts'
import { Decisions, RegistrationFacts, UserBadges } from './users.tsx'

/**
 * The page lists the latest sessions only; “End all sessions and app passwords” ends the others
 * too.
 */
const MAX_LISTED_SESSIONS = 20

export function UserPage(props: UserProps) {
  const { view, user, details, stops, list } = props
  const t = view.t.adminUsers
  const state = { ...user, waiting: details.waiting, stops }
  const eventsOf = new URLSearchParams({ user: user.username })
  return (
    <AccountPage view={view} title={user.username}>
      <p class="back">
        <a href={list === '' ? USERS_PATH : `${USERS_PATH}?${list}`}>‹ {t.backToList}</a>
      </p>
      <header class="person hello">
        <Avatar name={user.username} isLarge />
        <h1>
          {user.username} <UserBadges view={view} user={state} />
        </h1>
      </header>
      <Waiting {...props} />
      <LockedOut {...props} />
      <div class="folds">
        <ChangeForm {...props} />
        {user.role !== GUEST && <UserDetails {...props} />}
      </div>
      <HelpForms {...props} />
      {user.role !== GUEST && <Access {...props} />}
      <EndForms {...props} />
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

/** What gives the user access now, kind by kind. */
function Access(props: UserProps) {
  const { view, channels, passkeys, identities, keys, appPasswords, refused } = props
  const t = view.t.adminUsers
  const hasIdentities = identities.length > 0 || view.platform !== undefined
  return (
    <section>
      <h2>{t.access}</h2>
      <div class="folds">
        <Fold
          icon="sessions"
          title={t.sessions}
          count={props.sessions.length}
          {...(props.maxSessions !== undefined && { about: t.maxSessions(props.maxSessions) })}
          open={refused?.form === 'end-session'}
        >
          <Sessions {...props} />
        </Fold>
        <Fold
          icon="passkeys"
          tone="green"
          title={view.t.passkeys.title}
          count={passkeys.length}
          open={refused?.form === 'delete-passkey'}
        >
          <UserPasskeys {...props} />
        </Fold>
        {hasIdentities && (
          <Fold
            icon="sso"
            tone="violet"
            title={view.t.sso.title}
            count={identities.length}
            open={refused?.form === 'unlink-identity'}
          >
            <UserIdentities {...props} />
          </Fold>
        )}
        <Fold icon="keys" title={t.keys} count={keys.length} open={refused?.form === 'delete-key'}>
          <Keys {...props} />
        </Fold>
        <Fold
          icon="app-passwords"
          tone="teal"
          title={view.t.appPasswords.title}
          count={appPasswords.length}
          open={refused?.form === 'delete-app-password'}
        >
          <UserAppPasswords {...props} />
        </Fold>
        {channels.length > 0 && (
          <Fold icon="notices" title={view.t.channels.title} count={channels.length}>
            <RemainingAccessLists
              view={view}
              remaining={{ ...NO_REMAINING_ACCESS, channels }}
              ofOther
            />
          </Fold>
        )}
      </div>
    </section>
  )
}

/** Asks what becomes of a user who has registered. */
function Waiting({ view, user, details, list, refused }: UserProps) {
  if (!details.waiting) return <></>
  return (
    <article class="status warn">
      <Icon name="new-user" />
      <div>
        <h2>{view.t.adminUsers.waits(user.username)}</h2>
        <RegistrationFacts view={view} registration={details} />
      </div>
      <Decisions view={view} user={user} list={list} refused={refused} />
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
        <p>{t.unlockLead}</p>
      </div>
      <Unlock
        view={view}
        userId={user.id}
        action={userAction(props, 'unlock')}
        problem={problemIn(refused, 'unlock')}
      />
    </article>
  )
}

function ChangeForm(props: UserProps) {
  const { view, user, hasPrograms, refused } = props
  const t = view.t.adminUsers
  const nameHint = hasPrograms ? view.t.adminPrograms.renameHint : undefined
  const isRefused = refused?.form === 'change'
  const problem = isRefused ? refused.problem : undefined
  // The guest's form sends no role.
  const fields = isRefused ? { role: String(user.role), ...refused.fields } : fieldsOf(user)
  return (
    <Fold
      icon="settings"
      tone="amber"
      title={t.account}
      about={`${view.t.overview.roles[user.role] ?? ''} · ${user.basePath}`}
      open={isRefused}
    >
      <form class="wide beside" method="post" action={userAction(props, 'change')}>
        <Alert problem={problem} fields={[...USER_FIELDS, ...CONFIRM_FIELDS]} />
        <UserFields view={view} fields={fields} problem={problem} nameHint={nameHint} />
        <PermissionField
          view={view}
          name="permission"
          legend={t.permissions}
          permission={user.permission}
          fields={isRefused ? refused.fields : undefined}
        />
        <ConfirmFields view={view} form="change" problem={problem} onlyWhenAsked />
        <button>{t.save}</button>
      </form>
    </Fold>
  )
}

function Sessions(props: UserProps) {
  const { view, sessions, refused } = props
  const t = view.t.adminUsers
  const more = sessions.length - MAX_LISTED_SESSIONS
  return (
    <>
      <Alert problem={problemIn(refused, 'end-session')} fields={[]} />
      <Rows
        rows={sessions.slice(0, MAX_LISTED_SESSIONS).map((session) => (
          <Row
            icon={deviceIcon(session.userAgent)}
            title={browserOf(view, session.userAgent)}
            level={3}
          >
            <p class="facts">
              <span>{session.network}</span>
              <TimeFact view={view} at={session.createdAt} phrase={view.t.sessions.since} />
              <Methods view={view} amr={session.amr} />
            </p>
            <form method="post" action={userAction(props, 'end-session')}>
              <button class="secondary" name="id" value={session.id}>
                {t.endSession}
              </button>
            </form>
          </Row>
        ))}
        none={<p class="hint">{t.noSessions}</p>}
      />
      {more > 0 && <p class="hint">{t.moreSessions(more)}</p>}
    </>
  )
}

function Keys(props: UserProps) {
  const { view, keys, refused } = props
  const { adminUsers: t, keys: words } = view.t
  return (
    <>
      <Alert problem={problemIn(refused, 'delete-key')} fields={[]} />
      <Rows
        rows={keys.toReversed().map((key) => (
          <Row icon="keys" title={key.title} level={3}>
            <p class="facts">
              <span>{key.type}</span>
              <TimeFact view={view} at={key.addedAt} phrase={words.added} />
            </p>
            <code>{key.fingerprint}</code>
            <Change
              view={view}
              label={words.delete}
              question={words.deleteQuestion(key.title)}
              action={userAction(props, 'delete-key')}
              values={{ id: key.id }}
              submit={words.deleteSubmit}
            />
          </Row>
        ))}
        none={<p class="hint">{t.noKeys}</p>}
      />
    </>
  )
}
