import type { Child } from 'hono/jsx'
import { MAX_COUNTED_USERS, type readSiteState } from '../../site-state.ts'
import { Avatar } from '../../../../web/kit/avatar.tsx'
import { EventList } from '../../../activity/pages/event-list.tsx'
import { Icon } from '../../../../web/kit/icons.tsx'
import { LANGUAGE_TAGS } from '../../../../web/kit/language.ts'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Heading, Pins } from '../../../../web/kit/parts.tsx'
import { Row, Tiles } from '../../../../web/kit/rows.tsx'
import { TimeFact } from '../../../../web/kit/time.tsx'
import type { View } from '../../../../web/kit/view.ts'
import { StopFacts, Unlock } from '../../../users/pages/admin/stops.tsx'

type State = Awaited<ReturnType<typeof readSiteState>>

interface SiteProps {
  view: View
  state: State
}

const USERS = '/account/admin/users'
const EVENTS = '/account/admin/events'
const MEBIBYTE = 1024 * 1024

/** What an operator should know first. */
export function SitePage({ view, state }: SiteProps) {
  const { adminSite: t, nav, adminUsers } = view.t
  const format = new Intl.NumberFormat(LANGUAGE_TAGS[view.language])
  const users = (total: number) =>
    total > MAX_COUNTED_USERS ? `${format.format(MAX_COUNTED_USERS)}+` : format.format(total)
  return (
    <AccountPage view={view} title={t.title}>
      <header class="bar">
        <Heading title={t.title} lead={t.lead(view.site.title)} />
        {view.files && (
          <a role="button" class="secondary" href={view.files.manage}>
            {view.t.files.manage}
          </a>
        )}
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
  const { files } = parts
  const checks = [
    ...(['d1', 'kv', 'hasher', 'migrations'] as const).map((name) => ({ name, ...parts[name] })),
    ...(files === undefined ? [] : [{ name: 'files' as const, ...files }]),
  ]
  const works = checks.every(({ ok }) => ok)
  const isFair = works && files?.links === 'refused'
  return (
    <article class={works ? (isFair ? 'guard fair' : 'guard good') : 'guard weak'}>
      <Pins states={checks.map(({ ok }) => ok)} />
      <div>
        <h2>{works && !isFair ? t.works : t.fails}</h2>
        {!works && <p class="hint">{t.failsHint}</p>}
      </div>
      <ul class="checks">
        {checks.map(({ name, ok, milliseconds }) => (
          <li class={ok ? 'good' : undefined}>
            <Icon name={ok ? 'done' : 'missing'} />
            <span>
              {ok
                ? t.answers(t.parts[name], milliseconds)
                : name === 'files' && files?.problem !== undefined
                  ? t.filesProblem(t.parts.files, t.filesProblems[files.problem])
                  : t.silent(t.parts[name])}
            </span>
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

/** What waits for an operator; nothing when nothing does. */
function Attention({ view, state: { waiting, stops, failing, parts } }: SiteProps): Child {
  const t = view.t.adminSite
  const links = parts.files?.links ?? 'signed'
  if (waiting + stops.length + failing.length === 0 && links === 'signed') return null
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
        {links !== 'signed' && (
          <Row icon="lock" tone="red" level={3} title={t.links[links]}>
            <p class="facts">
              <span>{t.signAll}</span>
            </p>
          </Row>
        )}
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
        {failing.map(({ name, kind, target, lastFailedAt }) => (
          <Row
            icon="channels"
            tone="red"
            level={3}
            title={<a href="/account/admin/notices">{name || view.t.channels.kinds[kind]}</a>}
          >
            <p class="facts">
              <span>{target}</span>
              {lastFailedAt !== null && (
                <TimeFact view={view} at={lastFailedAt} phrase={t.failing} />
              )}
            </p>
          </Row>
        ))}
      </ul>
    </section>
  )
}
