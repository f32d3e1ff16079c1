import { storedMethods } from '../../../core/access/sign-in-methods.ts'
import { own } from '../../../core/base/own.ts'
import { HOUR_MILLISECONDS } from '../../../core/base/time.ts'
import type { StoredSession as Session } from '../record.ts'
import { Change } from '../../../web/kit/confirm.tsx'
import { Alert } from '../../../web/kit/fields.tsx'
import type { Problem } from '../../../web/kit/form.ts'
import type { IconName } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import { Row } from '../../../web/kit/rows.tsx'
import { Time, TimeFact } from '../../../web/kit/time.tsx'
import { describeUserAgent } from '../../../web/kit/user-agent.ts'
import type { View } from '../../../web/kit/view.ts'
import { EndEverything } from './end-everything.tsx'

interface SessionsProps {
  view: View
  sessions: Session[]
  /** Id of the visitor's session. */
  currentId: string
  problem?: Problem | undefined
}

export function SessionsPage({ view, sessions, currentId, problem }: SessionsProps) {
  const t = view.t.sessions
  const current = sessions.filter(({ id }) => id === currentId)
  const others = sessions
    .filter(({ id }) => id !== currentId)
    .toSorted((a, b) => b.lastActiveAt - a.lastActiveAt)
  return (
    <AccountPage view={view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      <Alert problem={problem} fields={[]} />
      <ul class="rows">
        {[...current, ...others].map((session) => (
          <SessionRow view={view} session={session} isCurrent={session.id === currentId} />
        ))}
      </ul>
      {others.length === 0 ? (
        <p class="aside">{t.onlyThis}</p>
      ) : (
        <Change
          view={view}
          label={t.endOthers}
          question={t.endOthersQuestion}
          action="/account/sessions/end-others"
          submit={t.endOthers}
        />
      )}
      <EndEverything view={view} />
    </AccountPage>
  )
}

interface RowProps {
  view: View
  session: Session
  isCurrent: boolean
}

function SessionRow({ view, session, isCurrent }: RowProps) {
  const t = view.t.sessions
  return (
    <Row
      icon={deviceIcon(session.userAgent)}
      tone={isCurrent ? 'green' : 'blue'}
      title={
        <>
          {browserOf(view, session.userAgent)}
          {isCurrent && <span class="badge good">{t.current}</span>}
        </>
      }
    >
      <p class="facts">
        <span>
          {isCurrent ? t.activeNow : <LastActive view={view} at={session.lastActiveAt} />}
        </span>
        <span>{session.network}</span>
      </p>
      <p class="facts">
        <TimeFact view={view} at={session.createdAt} phrase={t.since} />
        <Methods view={view} amr={session.amr} />
        <TimeFact view={view} at={session.expiresAt} phrase={t.expires} />
      </p>
      {!isCurrent && (
        <form method="post" action="/account/sessions/end">
          <button class="secondary" name="id" value={session.id}>
            {t.end}
          </button>
        </form>
      )}
    </Row>
  )
}

/** The icon of the device that a User-Agent describes. */
export function deviceIcon(userAgent: string): IconName {
  const { program, system } = describeUserAgent(userAgent)
  if (['iPhone', 'iPad', 'Android'].includes(system ?? '')) return 'phone'
  return system === undefined && program !== undefined ? 'terminal' : 'laptop'
}

/** How a session was made, as in “with password and code”; nothing for one of an earlier version. */
export function Methods({ view: { t }, amr }: { view: View; amr: string }) {
  const names = storedMethods(amr).flatMap((method) => own(t.sessions.methods, method) ?? [])
  return names.length === 0 ? <></> : <span>{t.sessions.madeWith(names.join(t.sessions.and))}</span>
}

/** The use of a session is noted to the hour, so minutes would say more than is known. */
function LastActive({ view, at }: { view: View; at: number }) {
  const { activeLately, active } = view.t.sessions
  if (view.now - at < HOUR_MILLISECONDS) return <>{activeLately}</>
  return <Time view={view} at={at} phrase={active} />
}

/** Describes a User-Agent, as in “Firefox on Linux”. */
export function browserOf({ t }: View, userAgent: string): string {
  const { program, system } = describeUserAgent(userAgent)
  if (program === undefined) return system ?? t.sessions.unknownBrowser
  return system === undefined ? program : t.sessions.browserOn(program, system)
}
