import type { Account } from '../../accounts/accounts.ts'
import type { listSessionsOf } from '../../sessions/operator-sessions.ts'
import { GUEST } from '../../accounts/roles.ts'
import { NOTHING_REMAINS, type RemainingAccess } from '../../users/remaining-access.ts'
import { browserOf, Methods } from '../account/sessions.tsx'
import { RemainingAccessLists } from '../account/remaining-access.tsx'
import { CONFIRM_FIELDS, Change, ConfirmFields } from '../confirm.tsx'
import type { Fields, Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, Rows, Time } from '../parts.tsx'
import type { View } from '../view.ts'
import { AccessForms } from './user-access.tsx'
import type { UserForm } from './user-actions.ts'
import { fieldsOf, PermissionBoxes, USER_FIELDS, UserFields } from './user-fields.tsx'
import type { listIdentitiesOf } from '../../sso/manage.ts'
import { UserAppPasswords } from './user-app-passwords.tsx'
import { UserIdentities } from './user-identities.tsx'
import { UserPasskeys } from './user-passkeys.tsx'
import { UserBadges } from './users.tsx'

/**
 * The page lists the latest sessions only; “End all sessions and app passwords” ends the others
 * too.
 */
const MAX_LISTED_SESSIONS = 20

export interface UserProps extends RemainingAccess {
  view: View
  user: Account
  sessions: Awaited<ReturnType<typeof listSessionsOf>>
  identities: Awaited<ReturnType<typeof listIdentitiesOf>>
  /** Programs sign users in here, and know them by their names. */
  hasPrograms: boolean
  /** The form that was refused, the problem, and the form's values. */
  refused?: { form: UserForm; problem: Problem; fields: Fields } | undefined
}

export function UserPage(props: UserProps) {
  const { view, user, channels } = props
  const t = view.t.adminUsers
  const eventsOf = new URLSearchParams({ user: user.username })
  return (
    <AccountPage view={view} title={user.username}>
      <h1>
        {user.username} <UserBadges view={view} user={user} />
      </h1>
      <ChangeForm {...props} />
      <AccessForms {...props} />
      {user.role !== GUEST && (
        <>
          <Sessions {...props} />
          <UserPasskeys {...props} />
          <UserIdentities {...props} />
          <Keys {...props} />
          <UserAppPasswords
            view={view}
            userId={user.id}
            appPasswords={props.appPasswords}
            problem={
              props.refused?.form === 'delete-app-password' ? props.refused.problem : undefined
            }
          />
          <section>
            <RemainingAccessLists
              view={view}
              surviving={{ ...NOTHING_REMAINS, channels }}
              ofOther
            />
          </section>
        </>
      )}
      <p class="aside">
        <a href={`/account/admin/events?${String(eventsOf)}`}>{t.events}</a>
      </p>
    </AccountPage>
  )
}

function ChangeForm({ view, user, hasPrograms, refused }: UserProps) {
  const t = view.t.adminUsers
  const nameHint = hasPrograms ? view.t.adminPrograms.renameHint : undefined
  const isRefused = refused?.form === 'change'
  const problem = isRefused ? refused.problem : undefined
  // The guest's form sends no role.
  const fields = isRefused ? { role: String(user.role), ...refused.fields } : fieldsOf(user)
  return (
    <article>
      <h2>{t.account}</h2>
      <form class="wide" method="post" action={`/account/admin/users/${user.id}/change`}>
        <Alert problem={problem} fields={[...USER_FIELDS, ...CONFIRM_FIELDS]} />
        <UserFields view={view} fields={fields} problem={problem} nameHint={nameHint} />
        <PermissionBoxes view={view} fields={fields} />
        <ConfirmFields view={view} form="change" problem={problem} onlyWhenAsked />
        <button>{t.save}</button>
      </form>
    </article>
  )
}

function Sessions({ view, user, sessions, refused }: UserProps) {
  const t = view.t.adminUsers
  const more = sessions.length - MAX_LISTED_SESSIONS
  return (
    <section>
      <h2>{t.sessions}</h2>
      <Alert problem={refused?.form === 'end-session' ? refused.problem : undefined} fields={[]} />
      {sessions.length === 0 ? (
        <p class="hint">{t.noSessions}</p>
      ) : (
        <ul class="rows compact">
          {sessions.slice(0, MAX_LISTED_SESSIONS).map((session) => (
            <li class="bar">
              <div>
                <h3>{browserOf(view, session.userAgent)}</h3>
                <p class="facts">
                  <span>{session.network}</span>
                  <span>
                    <Time view={view} at={session.createdAt} phrase={view.t.sessions.since} />
                  </span>
                  <Methods view={view} amr={session.amr} />
                </p>
              </div>
              <form method="post" action={`/account/admin/users/${user.id}/end-session`}>
                <button class="secondary" name="id" value={session.id}>
                  {t.endSession}
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="hint">{t.moreSessions(more)}</p>}
    </section>
  )
}

function Keys({ view, user, keys, refused }: UserProps) {
  const { adminUsers: t, keys: words } = view.t
  return (
    <section>
      <h2>{t.keys}</h2>
      <Alert problem={refused?.form === 'delete-key' ? refused.problem : undefined} fields={[]} />
      <Rows
        rows={keys.map((key) => (
          <li>
            <h3>{key.title}</h3>
            <p class="facts">
              <span>{key.type}</span>
              <span>
                <Time view={view} at={key.addedAt} phrase={words.added} />
              </span>
            </p>
            <code>{key.fingerprint}</code>
            <Change
              view={view}
              label={words.delete}
              question={words.deleteQuestion(key.title)}
              action={`/account/admin/users/${user.id}/delete-key`}
              values={{ id: key.id }}
              submit={words.deleteSubmit}
            />
          </li>
        ))}
        none={<p class="hint">{t.noKeys}</p>}
        actions="small"
      />
    </section>
  )
}
