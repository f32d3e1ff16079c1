import { storedMethods } from '../../../core/access/sign-in-methods.ts'
import { own } from '../../../core/base/own.ts'
import { HOUR_MILLISECONDS } from '../../../core/base/time.ts'
import type { StoredSession as Session } from '../record.ts'
import { CHECK_PATH } from '../../../web/kit/checking.ts'
import { Change } from '../../../web/kit/confirm.tsx'
import { Alert } from '../../../web/kit/fields.tsx'
import { placeName } from '../../../web/kit/country.ts'
import { problemIn, type ShownRefused } from '../../../web/kit/form.ts'
import { Icon } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Named } from '../../../web/kit/named.tsx'
import { Badge, Heading } from '../../../web/kit/parts.tsx'
import { Row } from '../../../web/kit/rows.tsx'
import { Time, TimeFact } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'
import { browserOf, deviceIcon } from './device.ts'
import { EndEverything } from './end-everything.tsx'
import { type NewNetwork, WasItYou } from './new-network.tsx'

/** What `listOwnSessions` finds. */
export interface Found {
  sessions: Session[]
  /** The countries of networks; empty where they are not known. */
  countries: ReadonlyMap<string, string>
  newNetworks: NewNetwork[]
}

interface SessionsProps extends Found {
  view: View
  /** Id of the visitor's session. */
  currentId: string
  /** True when the user has just ended one or more. */
  hasEnded: boolean
  refused: ShownRefused | undefined
}

export function SessionsPage(props: SessionsProps) {
  const { view, sessions, currentId, hasEnded, refused, newNetworks } = props
  const t = view.t.sessions
  const current = sessions.filter(({ id }) => id === currentId)
  const others = othersOf(props)
  return (
    <AccountPage view={view} title={t.title}>
      <header class="bar">
        <Heading title={t.title} lead={t.lead} />
        {others.length > 0 && <EndOthers view={view} />}
      </header>
      <Alert problem={refused?.form === 'known' ? undefined : refused?.problem} fields={[]} />
      {hasEnded && newNetworks.length === 0 && (
        <article class="status">
          <Icon name="security" />
          <div>
            <h2>{t.afterEnd}</h2>
            <p>{t.afterEndHint}</p>
          </div>
          <a role="button" href={CHECK_PATH}>
            {t.secure}
          </a>
        </article>
      )}
      {newNetworks.map((found) => (
        <WasItYou
          view={view}
          found={found}
          problem={problemIn(refused, 'known', { network: found.network })}
        />
      ))}
      <ul class="rows">
        {[...current, ...others].map((session) => (
          <SessionRow {...props} session={session} isCurrent={session.id === currentId} />
        ))}
      </ul>
      {others.length === 0 && <p class="aside">{t.onlyThis}</p>}
      <div id="everything">
        <EndEverything view={view} />
      </div>
      {others.length > 0 && !hasEnded && newNetworks.length === 0 && (
        <p class="aside">
          <a href={CHECK_PATH}>{t.unknownDevice}</a>
        </p>
      )}
    </AccountPage>
  )
}

/** Tells whether a session is of a network that is new to its user. */
export function isOfNewNetwork({ network }: Session, { newNetworks }: Pick<Found, 'newNetworks'>) {
  return newNetworks.some((found) => found.network === network)
}

/** The other sessions: those of new networks first, then the latest. */
export function othersOf({ currentId, ...found }: Found & { currentId: string }) {
  const isNew = (session: Session) => isOfNewNetwork(session, found)
  return found.sessions
    .filter(({ id }) => id !== currentId)
    .toSorted((a, b) => Number(isNew(b)) - Number(isNew(a)) || b.lastActiveAt - a.lastActiveAt)
}

interface EndOthersProps {
  view: View
  /** How many there are, on the page of the check, which asks for it and follows. */
  ofCheck?: number
}

export function EndOthers({ view, ofCheck }: EndOthersProps) {
  const t = view.t.sessions
  return (
    <Change
      view={view}
      isPrimary={ofCheck !== undefined}
      label={ofCheck === undefined ? t.endOthers : t.endAll(ofCheck)}
      question={t.endOthersQuestion}
      action="/account/sessions/end-others"
      submit={t.endOthers}
      values={ofCheck === undefined ? {} : { from: 'check' }}
    />
  )
}

interface RowProps extends Found {
  view: View
  session: Session
  isCurrent: boolean
  /** Names the page that follows the end, if not this one. */
  from?: 'check'
  level?: 2 | 3
}

export function SessionRow({ view, session, isCurrent, from, level = 2, ...found }: RowProps) {
  const t = view.t.sessions
  const isNew = isOfNewNetwork(session, found)
  return (
    <Row
      level={level}
      icon={deviceIcon(session.userAgent)}
      tone={isCurrent ? 'green' : isNew ? 'amber' : 'blue'}
      title={
        <>
          {browserOf(view, session.userAgent)}
          {isCurrent && <Badge tone="good">{t.current}</Badge>}
          {isNew && <Badge tone="warn">{t.newNetwork}</Badge>}
        </>
      }
    >
      <p class="facts">
        <span>
          {isCurrent ? t.activeNow : <LastActive view={view} at={session.lastActiveAt} />}
        </span>
      </p>
      <p class="facts">
        <span>{placeName(view, session.network, found.countries.get(session.network) ?? '')}</span>
        <TimeFact view={view} at={session.createdAt} phrase={t.since} />
        <Methods view={view} amr={session.amr} isMinor />
        <TimeFact view={view} at={session.expiresAt} phrase={t.expires} isMinor />
      </p>
      {!isCurrent && (
        <form method="post" action="/account/sessions/end">
          <Named name={browserOf(view, session.userAgent)} />
          {from !== undefined && <input type="hidden" name="from" value={from} />}
          <button class="secondary" name="id" value={session.id}>
            {t.end}
          </button>
        </form>
      )}
    </Row>
  )
}

/** How a session was made, as in “with password and code”; nothing for one of an earlier version. */
export function Methods({ view: { t }, amr, isMinor = false }: MethodsProps) {
  const names = storedMethods(amr).flatMap((method) => own(t.sessions.methods, method) ?? [])
  if (names.length === 0) return <></>
  return (
    <span class={isMinor ? 'minor' : undefined}>
      {t.sessions.madeWith(names.join(t.sessions.and))}
    </span>
  )
}

interface MethodsProps {
  view: View
  amr: string
  /** Left out on phones. */
  isMinor?: boolean
}

/** The use of a session is noted to the hour, so minutes would say more than is known. */
function LastActive({ view, at }: { view: View; at: number }) {
  const { activeLately, active } = view.t.sessions
  if (view.now - at < HOUR_MILLISECONDS) return <>{activeLately}</>
  return <Time view={view} at={at} phrase={active} />
}
