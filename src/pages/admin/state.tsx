import type { EventKind } from '../../audit/events.ts'
import { checkHealth } from '../../health/health.ts'
import { listNoticeChannels } from '../../notices/manage.ts'
import { findUsers } from '../../users/manage-users.ts'
import { listSiteEvents } from '../../activity/operator-events.ts'
import type { AppContext } from '../../http/context.ts'
import { actorOf } from '../../http/guard.ts'
import { EventList } from '../account/activity.tsx'
import { AccountPage } from '../layout.tsx'
import { Icon, type IconName, Row, Rows, Tiles, type Tone } from '../parts.tsx'
import { showPage, type View } from '../view.ts'
import { EVENTS_PATH } from './events.tsx'
import { NOTICES_PATH } from './notices.tsx'
import { usersAddress } from './users.tsx'
import { adminView } from './view.ts'

const LATEST_EVENTS = { limit: 6, offset: 0 }
/** More refused sign-ins are not counted: `100+`. */
const MAX_COUNTED = 100
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000
const PARTS = ['d1', 'kv', 'hasher', 'migrations'] as const

/** Shows operators how the site is and what needs them. */
export async function showState(c: AppContext) {
  const view = await adminView(c)
  return showPage(c, <StatePage view={view} state={await readState(c)} />)
}

async function readState(c: AppContext) {
  const [deps, operator] = [c.get('deps'), actorOf(c)]
  const since = deps.now() - DAY_MILLISECONDS
  const lately = (kind: EventKind) =>
    listSiteEvents(deps, operator, { kind, since }, { limit: MAX_COUNTED, offset: 0 })
  const users = async (...groups: ('disabled' | 'without-two-factor')[]) =>
    (await findUsers(deps, operator, { search: '', groups }, 1, 1)).total
  const [health, channels, latest, locked, refused, all, disabled, withoutFactor] =
    await Promise.all([
      checkHealth(deps, operator),
      listNoticeChannels(deps, operator),
      listSiteEvents(deps, operator, {}, LATEST_EVENTS),
      lately('account_locked'),
      lately('sign_in_refused'),
      users(),
      users('disabled'),
      users('without-two-factor'),
    ])
  return {
    health,
    channels,
    events: latest.events,
    lockedUsers: new Set(locked.events.map(({ userId }) => userId)).size,
    refused: `${refused.events.length}${refused.more ? '+' : ''}`,
    users: { all, disabled, withoutFactor },
  }
}

interface StateProps {
  view: View
  state: Awaited<ReturnType<typeof readState>>
}

function StatePage({ view, state }: StateProps) {
  const t = view.t.adminState
  const { users } = state
  return (
    <AccountPage view={view} title={t.title}>
      <h1>{t.title}</h1>
      <Health view={view} state={state} />
      <Tasks view={view} state={state} />
      <Tiles
        tiles={[
          { href: usersAddress({ search: '', group: '' }), name: t.users, value: users.all },
          {
            href: usersAddress({ search: '', group: 'without-two-factor' }),
            name: t.withoutFactor,
            value: users.withoutFactor,
          },
          {
            href: usersAddress({ search: '', group: 'disabled' }),
            name: t.disabled,
            value: users.disabled,
          },
          { href: `${EVENTS_PATH}?kind=sign_in_refused`, name: t.refused, value: state.refused },
        ]}
      />
      <section>
        <h2>{t.latest}</h2>
        <EventList
          view={view}
          events={state.events}
          reader="operator"
          path={EVENTS_PATH}
          isFiltered={false}
        />
        <p class="aside">
          <a href={EVENTS_PATH}>{t.allEvents}</a>
        </p>
      </section>
    </AccountPage>
  )
}

function Health({ view, state: { health } }: StateProps) {
  const t = view.t.adminState
  const isGood = PARTS.every((part) => health[part].ok)
  return (
    <article class={isGood ? 'status good' : 'status warn'}>
      <Icon name={isGood ? 'security' : 'unprotected'} />
      <div>
        <h2>{isGood ? t.healthy : t.unhealthy}</h2>
        <p class="facts">
          {PARTS.map((part) => (
            <span class={health[part].ok ? undefined : 'problem'}>
              {t.parts[part]} {health[part].ok ? t.works(health[part].milliseconds) : t.fails}
            </span>
          ))}
        </p>
      </div>
    </article>
  )
}

interface Task {
  icon: IconName
  tone: Tone
  title: string
  href: string
  hint?: string
}

/** What an operator should look at; says so when there is nothing. */
function Tasks({ view, state: { channels, lockedUsers } }: StateProps) {
  const t = view.t.adminState
  const failing = channels.filter(({ failure }) => failure !== '').length
  const tasks: (Task | false)[] = [
    lockedUsers > 0 && {
      icon: 'lock',
      tone: 'red',
      title: t.locked(lockedUsers),
      href: `${EVENTS_PATH}?kind=account_locked`,
    },
    failing > 0 && {
      icon: 'channels',
      tone: 'red',
      title: t.failing(failing),
      href: NOTICES_PATH,
    },
    channels.length === 0 && {
      icon: 'channels',
      tone: 'amber',
      title: t.noChannel,
      hint: t.noChannelHint,
      href: `${NOTICES_PATH}/add`,
    },
  ]
  return (
    <div class="choices">
      <Rows
        rows={tasks
          .filter((task) => task !== false)
          .map(({ icon, tone, title, href, hint }) => (
            <Row icon={icon} tone={tone} title={<a href={href}>{title}</a>}>
              {hint !== undefined && <p class="facts">{hint}</p>}
            </Row>
          ))}
        none={<></>}
      />
    </div>
  )
}
