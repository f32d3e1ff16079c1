import type { Child } from 'hono/jsx'
import { MAX_COUNTED_USERS, type readSiteState } from '../../site-state.ts'
import { Avatar } from '../../../../web/kit/avatar.tsx'
import { EventList } from '../../../activity/pages/event-list.tsx'
import { Icon } from '../../../../web/kit/icons.tsx'
import { LANGUAGE_TAGS } from '../../../../web/kit/language.ts'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Heading, Pins } from '../../../../web/kit/parts.tsx'
import { Row, Tiles } from '../../../../web/kit/rows.tsx'
import type { CheckedPart, FindAttention } from '../../../../web/kit/capability.ts'
import type { View } from '../../../../web/kit/view.ts'
import { StopFacts, Unlock } from '../../../users/pages/admin/stops.tsx'

type State = Awaited<
  ReturnType<typeof readSiteState<CheckedPart, Awaited<ReturnType<FindAttention>>>>
>

interface SiteProps {
  view: View
  state: State
}

const USERS = '/account/admin/users'
const EVENTS = '/account/admin/events'
const MEBIBYTE = 1024 * 1024

/** The state of the site: first of all pages for operators. */
export function SitePage({ view, state }: SiteProps) {
  const { adminSite: t, nav, adminUsers } = view.t
  const format = new Intl.NumberFormat(LANGUAGE_TAGS[view.language])
  const users = (total: number) =>
    total > MAX_COUNTED_USERS ? `${format.format(MAX_COUNTED_USERS)}+` : format.format(total)
  return (
    <AccountPage view={view} title={t.title}>
      <header class="bar">
        <Heading title={t.title} lead={t.lead(view.site.title)} />
        {view.parts.map(({ siteState }) => siteState?.(view))}
      </header>
      <Health view={view} state={state} />
      <Attention view={view} state={state} />
      <Tiles
        tiles={[
          [USERS, 'users', nav.users, users(state.users)],
          [
            `${USERS}?group=without-two-factor`,
            'unprotected',
            adminUsers.groups['without-two-factor'],
            users(state.factorless),
          ],
          [EVENTS, 'events', t.newEvents, format.format(state.events)],
          [EVENTS, 'database', t.database, t.mebibytes(sizeOf(view, state.databaseBytes))],
        ]}
      />
      <Growth view={view} counts={state.eventsPerDay} />
      <section>
        <header class="bar">
          <h2>{t.changes}</h2>
          <a href={EVENTS}>{t.allEvents}</a>
        </header>
        <EventList view={view} events={state.changes} reader="operator" path={EVENTS} />
      </section>
    </AccountPage>
  )
}

function sizeOf({ language }: View, bytes: number): string {
  const format = new Intl.NumberFormat(LANGUAGE_TAGS[language], { maximumFractionDigits: 1 })
  return format.format(bytes / MEBIBYTE)
}

/** The sizes of the picture, in units of its own. */
const [BAR_WIDTH, BAR_STEP, BAR_HEIGHT] = [8, 10, 40]

/** The events of each day, as bars. */
function Growth({ view, counts }: { view: View; counts: number[] }) {
  const t = view.t.adminSite
  const most = Math.max(...counts)
  if (most === 0) return <></>
  const bars = counts.map((count, day) => {
    const height = Math.round((count / most) * BAR_HEIGHT)
    return `M${day * BAR_STEP} ${BAR_HEIGHT}v-${height}h${BAR_WIDTH}v${height}z`
  })
  return (
    <article class="growth">
      <h2>{t.eventsPerDay}</h2>
      <svg
        viewBox={`0 0 ${counts.length * BAR_STEP} ${BAR_HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={bars.join('')} />
      </svg>
      <p class="facts">
        <span>{t.busiest(most)}</span>
      </p>
    </article>
  )
}

function Health({ view, state: { parts } }: SiteProps) {
  const t = view.t.adminSite
  const checks = [
    ...(['d1', 'kv', 'hasher', 'migrations'] as const).map((name) => ({
      ...parts.own[name],
      title: t.parts[name],
      problem: t.silent(t.parts[name]),
    })),
    ...parts.others.map(({ health, title, problem }) => ({
      ...health,
      title: title(view.t),
      problem: t.problem(title(view.t), problem(view.t)),
    })),
  ]
  const works = checks.every(({ ok }) => ok)
  const isFair = works && parts.others.some((part) => part.isFair)
  return (
    <article class={works ? (isFair ? 'guard fair' : 'guard good') : 'guard weak'}>
      <Pins states={checks.map(({ ok }) => ok)} />
      <div>
        <h2>{works && !isFair ? t.works : t.fails}</h2>
        {!works && <p class="hint">{t.failsHint}</p>}
      </div>
      <ul class="checks">
        {checks.map(({ ok, milliseconds, title, problem }) => (
          <li class={ok ? 'good' : undefined}>
            <Icon name={ok ? 'done' : 'missing'} />
            <span>{ok ? t.answers(title, milliseconds) : problem}</span>
          </li>
        ))}
      </ul>
    </article>
  )
}

/** The users who are stopped, each with what stops them. */
function stoppedUsers(stops: State['stops']) {
  const users = new Map(stops.map(({ userId, username }) => [userId, username]))
  return Array.from(users, ([userId, username]) => ({
    userId,
    username,
    stops: stops.filter((stop) => stop.userId === userId),
  }))
}

/** The tasks that wait for an operator; nothing when there are none. */
function Attention({ view, state: { waiting, stops, attention, parts } }: SiteProps): Child {
  const t = view.t.adminSite
  const ofParts = parts.others.flatMap((part) => part.attention(view) ?? [])
  const others = attention.flatMap((rowsIn) => rowsIn(view))
  if (waiting + stops.length + ofParts.length + others.length === 0) return null
  return (
    <section>
      <h2>{t.attention}</h2>
      <ul class="rows">
        {waiting > 0 && (
          <Row
            icon="new-user"
            tone="amber"
            level={3}
            title={<a href={`${USERS}?group=waiting`}>{t.waiting(waiting)}</a>}
          />
        )}
        {ofParts}
        {stoppedUsers(stops).map(({ userId, username, stops: own }) => (
          <Row
            icon="lock"
            tone="red"
            level={3}
            title={
              <>
                <Avatar name={username} />
                <a href={`${USERS}/${userId}`}>{username}</a>
              </>
            }
          >
            <StopFacts view={view} stops={own} />
            <Unlock view={view} userId={userId} action={`${USERS}/${userId}/unlock`} />
          </Row>
        ))}
        {others}
      </ul>
    </section>
  )
}
