import type { Child } from 'hono/jsx'
import { MAX_COUNTED_USERS, type readSiteState } from '../../site-state.ts'
import { Avatar } from '../../../../web/kit/avatar.tsx'
import { EventList } from '../../../activity/pages/event-list.tsx'
import { Alert } from '../../../../web/kit/fields.tsx'
import type { Problem } from '../../../../web/kit/form.ts'
import { Icon } from '../../../../web/kit/icons.tsx'
import { LANGUAGE_TAGS } from '../../../../web/kit/language.ts'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Heading, Pins } from '../../../../web/kit/parts.tsx'
import { Row, Tiles } from '../../../../web/kit/rows.tsx'
import type { CheckedPart, FindAttention } from '../../../../web/kit/capability.ts'
import type { View } from '../../../../web/kit/view.ts'
import { StopFacts, Unlock } from '../../../users/pages/admin/stops.tsx'
import { Checklist } from './checklist.tsx'
import { SignInChart } from './sign-in-chart.tsx'

type State = Omit<
  Awaited<ReturnType<typeof readSiteState<CheckedPart, Awaited<ReturnType<FindAttention>>>>>,
  'read'
>

interface SiteProps {
  view: View
  state: State
  /** Of a form that was refused. */
  problem?: Problem | undefined
}

const SITE = '/account/admin'
const USERS = '/account/admin/users'
const EVENTS = '/account/admin/events'

/** The status of the site: first of all pages for administrators. */
export function SitePage({ view, state, problem }: SiteProps) {
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
      <Alert problem={problem} fields={[]} />
      <Attention view={view} state={state} />
      {state.hasChecklist && (
        <Checklist
          view={view}
          users={state.users}
          hasBackup={state.hasBackup}
          action={`${SITE}/checklist/hide`}
        />
      )}
      <Tiles
        tiles={[
          [USERS, 'users', nav.users, users(state.users)],
          [
            `${USERS}?group=without-two-factor`,
            'unprotected',
            adminUsers.groups['without-two-factor'],
            users(state.factorless),
          ],
        ]}
      />
      <SignInChart view={view} days={state.days} />
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

/** The checks of the parts of the site, with what a page says of one that does not work. */
function checksIn({ t }: View, { own, others }: State['parts']) {
  return [
    ...(['d1', 'kv', 'hasher', 'migrations'] as const).map((name) => ({
      ok: own[name].ok,
      title: t.adminSite.parts[name],
      problem: t.adminSite.silent(t.adminSite.parts[name]),
      isShown: name !== 'kv',
    })),
    ...others.map(({ health, title, problem }) => ({
      ok: health.ok,
      title: title(t),
      problem: t.adminSite.problem(title(t), problem(t)),
      isShown: true,
    })),
  ]
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

/** What waits for an administrator, first what does not work; below it whether the rest works. */
function Attention({ view, state: { waiting, stops, attention, parts } }: SiteProps): Child {
  const t = view.t.adminSite
  const checks = checksIn(view, parts)
  const works = checks.every(({ ok }) => ok)
  const isFair = parts.others.some((part) => part.isFair)
  const ofParts = parts.others.flatMap((part) => part.attention(view) ?? [])
  const others = attention.flatMap((rowsIn) => rowsIn(view))
  const isNeeded = !works || waiting + stops.length + ofParts.length + others.length > 0
  const good = checks.filter(({ ok, isShown }) => ok && isShown).map(({ title }) => title)
  return (
    <article class={`guard ${works ? (isNeeded ? 'fair' : 'good') : 'weak'}`}>
      <Pins states={checks.map(({ ok }) => ok)} />
      <h2>{isNeeded ? t.attention : t.noAttention}</h2>
      {isNeeded && (
        <ul class="rows">
          {checks
            .filter(({ ok }) => !ok)
            .map(({ problem }) => (
              <Row icon="unprotected" tone="red" level={3} title={problem}>
                <p class="facts">{t.failsHint}</p>
              </Row>
            ))}
          {waiting > 0 && (
            <Row icon="new-user" tone="amber" level={3} title={t.waiting(waiting)}>
              <a role="button" href={`${USERS}?group=waiting`}>
                {t.review}
              </a>
            </Row>
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
              <Unlock
                view={view}
                user={{ id: userId, username }}
                action={`${USERS}/${userId}/unlock`}
              />
            </Row>
          ))}
          {others}
        </ul>
      )}
      {works && !isFair ? (
        <p class="mark good">
          <Icon name="done" />
          <span class="hint">{isNeeded ? t.othersWork : t.works}</span>
        </p>
      ) : (
        <p class="hint">
          <b>{t.fails}</b> {t.working(good.join(view.t.listSeparator))}
        </p>
      )}
    </article>
  )
}
