import type { listSessions } from '../../sessions/own-sessions.ts'
import type { Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, Confirm, Time } from '../parts.tsx'
import { describeUserAgent } from '../user-agent.ts'
import type { View } from '../view.ts'

type Session = Awaited<ReturnType<typeof listSessions>>['sessions'][number]

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
  const others = sessions.filter(({ id }) => id !== currentId)
  return (
    <AccountPage view={view} title={t.title}>
      <hgroup>
        <h1>{t.title}</h1>
        <p>{t.lead}</p>
      </hgroup>
      <Alert problem={problem} fields={[]} />
      <ul class="rows">
        {[...current, ...others].map((session) => (
          <SessionRow view={view} session={session} isCurrent={session.id === currentId} />
        ))}
      </ul>
      {others.length === 0 ? (
        <p class="aside">{t.onlyThis}</p>
      ) : (
        <Confirm label={t.endOthers} question={t.endOthersQuestion}>
          <form method="post" action="/account/sessions/end-others">
            <button class="danger">{t.endOthers}</button>
          </form>
        </Confirm>
      )}
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
    <li>
      <h2>
        {browserOf(view, session.userAgent)}
        {isCurrent && <span class="badge good">{t.current}</span>}
      </h2>
      <p class="facts">
        <span>{session.network}</span>
        <span>
          {t.since} <Time view={view} at={session.createdAt} />
        </span>
        <span>
          {t.expires} <Time view={view} at={session.expiresAt} />
        </span>
      </p>
      {!isCurrent && (
        <form method="post" action="/account/sessions/end">
          <button class="secondary" name="id" value={session.id}>
            {t.end}
          </button>
        </form>
      )}
    </li>
  )
}

/** Describes a User-Agent, as in “Firefox on Linux”. */
export function browserOf({ t }: View, userAgent: string): string {
  const { program, system } = describeUserAgent(userAgent)
  if (program === undefined) return system ?? t.sessions.unknownBrowser
  return system === undefined ? program : t.sessions.browserOn(program, system)
}
