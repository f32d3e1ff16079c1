import { readAs } from '../../access/act-as.ts'
import { selectSessions } from '../../access/session-store.ts'
import type { Account } from '../../accounts/accounts.ts'
import { ownEvent } from '../../activity/own-events.ts'
import { selectAppPasswords } from '../../app-passwords/store.ts'
import { selectEvents } from '../../audit/events.ts'
import { selectAccessOf } from '../../openid/grant-store.ts'
import { selectPasskeys } from '../../passkeys/store.ts'
import { countKeys } from '../../ssh-keys/store.ts'
import { countUnusedCodes } from '../../two-factor/store.ts'
import type { AppContext } from '../../http/context.ts'
import { sessionOf } from '../../http/guard.ts'
import { AccountPage } from '../layout.tsx'
import { Avatar, distanceOf, Fold, Icon, type IconName, Tiles } from '../parts.tsx'
import { PasskeyScript } from '../passkey.tsx'
import { readView, showPage, type View } from '../view.ts'
import { EventList } from './activity.tsx'

/** With so few recovery codes left, the page asks for new ones. */
const FEW_CODES = 2
const SHOWN_EVENTS = 3
/** The latest sign-ins among which one from another network is looked for. */
const SEARCHED_SIGN_INS = { limit: 10, offset: 0 }

/** Answers with the overview of the user's account, which is read in one round trip. */
export async function showOverview(c: AppContext) {
  const [deps, actor] = [c.get('deps'), sessionOf(c)]
  const { db } = deps
  const { userId } = actor
  const read = await readAs(deps, actor, {
    codes: countUnusedCodes(db, userId),
    passkeys: selectPasskeys(db, userId),
    events: selectEvents(db, userId, { limit: SHOWN_EVENTS, offset: 0 }),
    signIns: selectEvents(db, userId, SEARCHED_SIGN_INS, { kind: 'sign_in' }),
    keys: countKeys(db, userId),
    sessions: selectSessions(db, userId, deps.now()),
    appPasswords: selectAppPasswords(db, userId),
    programs: selectAccessOf(db, userId),
  })
  const { account, signIns } = read
  const props: OverviewProps = {
    view: await readView(c, account),
    account,
    codesLeft: read.codes[0]?.total ?? 0,
    passkeys: read.passkeys.length,
    events: read.events.map(ownEvent),
    elsewhere: signIns.find(({ network }) => network !== '' && network !== actor.network),
    counts: {
      keys: read.keys[0]?.total ?? 0,
      sessions: read.sessions.length,
      appPasswords: read.appPasswords.length,
      programs: read.programs.length,
    },
  }
  return showPage(c, <OverviewPage {...props} />)
}

interface OverviewProps {
  view: View
  account: Account
  /** Number of unused recovery codes. */
  codesLeft: number
  passkeys: number
  events: ReturnType<typeof ownEvent>[]
  /** The latest sign-in from another network than this one. */
  elsewhere: { at: number; network: string } | undefined
  counts: Record<'keys' | 'sessions' | 'appPasswords' | 'programs', number>
}

function OverviewPage(props: OverviewProps) {
  const { view, account, events, counts } = props
  const t = view.t.overview
  return (
    <AccountPage view={view} title={t.title}>
      <header class="person">
        <Avatar name={account.username} />
        <h1>{t.greeting(account.username)}</h1>
      </header>
      <Protection {...props} />
      {!account.hasPasskey && view.rpId !== undefined && <Nudge view={view} />}
      <Tiles
        tiles={[
          { href: '/account/keys', icon: 'keys', name: t.count.keys, value: counts.keys },
          {
            href: '/account/app-passwords',
            icon: 'app-passwords',
            name: t.count.appPasswords,
            value: counts.appPasswords,
          },
          {
            href: '/account/programs',
            icon: 'programs',
            name: t.count.programs,
            value: counts.programs,
          },
          {
            href: '/account/sessions',
            icon: 'sessions',
            name: t.count.sessions,
            value: counts.sessions,
          },
        ]}
      />
      <section>
        <h2>{t.latest}</h2>
        <EventList
          view={view}
          events={events}
          reader="owner"
          path="/account/activity"
          isFiltered={false}
        />
        <p class="aside">
          <a href="/account/activity">{t.latestAll}</a>
        </p>
      </section>
      <Fold title={t.account} about={t.roles[account.role] ?? ''}>
        <dl>
          <dt>{t.name}</dt>
          <dd>{account.username}</dd>
          <dt>{t.role}</dt>
          <dd>{t.roles[account.role]}</dd>
          <dt>{t.basePath}</dt>
          <dd>
            <code>{account.basePath}</code>
          </dd>
          <dt>{t.permissions}</dt>
          <dd>
            <Permissions view={view} permission={account.permission} />
          </dd>
        </dl>
      </Fold>
    </AccountPage>
  )
}

/** One thing that protects the account, or is missing. */
interface Safeguard {
  icon: IconName
  isThere: boolean
  words: string
  hint?: string
  /** What to do about it. */
  step?: { href: string; words: string }
}

function safeguardsOf(props: OverviewProps): Safeguard[] {
  const { view, account, codesLeft, passkeys, elsewhere } = props
  const { overview: t, passkeys: words } = view.t
  const hasFactor = account.hasTwoFactor || account.hasPasskey
  const security = '/account/security'
  const factor: Safeguard = {
    icon: hasFactor ? 'security' : 'unprotected',
    isThere: hasFactor,
    words: account.hasTwoFactor ? t.twoFactorOn : hasFactor ? t.factorGood : t.twoFactorOff,
    ...(!hasFactor && {
      hint: t.twoFactorOffHint,
      step: { href: security, words: t.twoFactorTurnOn },
    }),
  }
  const hasCodes = codesLeft > FEW_CODES
  const codes: Safeguard = {
    icon: 'recovery',
    isThere: hasCodes,
    words: hasCodes ? t.codesGood(codesLeft) : t.codesFew(codesLeft),
    ...(!hasCodes && {
      hint: t.codesFewHint,
      step: { href: security, words: t.codesMake },
    }),
  }
  const hasSpare = passkeys > 1
  const passkey: Safeguard = {
    icon: 'passkeys',
    isThere: hasSpare,
    words: hasSpare ? t.passkeyMany(passkeys) : passkeys === 1 ? t.passkeyOne : t.passkeyNone,
    ...(!hasSpare && {
      hint: passkeys === 1 ? t.passkeyOneHint : t.passkeyNoneHint,
      step: { href: `${security}/passkeys/add`, words: words.add },
    }),
  }
  const place: Safeguard = {
    icon: 'sessions',
    isThere: elsewhere === undefined,
    words:
      elsewhere === undefined
        ? t.sameNetwork
        : t.elsewhere(elsewhere.network, distanceOf(view, elsewhere.at)),
    ...(elsewhere !== undefined && {
      hint: t.elsewhereHint,
      step: { href: '/account/sessions', words: t.elsewhereLook },
    }),
  }
  return [
    factor,
    ...(account.hasTwoFactor ? [codes] : []),
    ...(view.rpId === undefined && passkeys === 0 ? [] : [passkey]),
    place,
  ]
}

/** How well the account is protected, with the one step that matters most. */
function Protection(props: OverviewProps) {
  const { view } = props
  const t = view.t.overview
  const safeguards = safeguardsOf(props)
  const [factor] = safeguards
  const done = safeguards.filter(({ isThere }) => isThere).length
  const isWell = done === safeguards.length
  const next = safeguards.find(({ isThere }) => !isThere)
  return (
    <article class={factor?.isThere === true ? 'protection good' : 'protection bad'}>
      <header>
        <span class="lock">
          <Icon name={factor?.isThere === true ? 'security' : 'unprotected'} />
        </span>
        <div>
          <h2>{isWell ? t.well : factor?.isThere === true ? t.fairly : t.badly}</h2>
          <p class="hint">{t.meter(done, safeguards.length)}</p>
        </div>
        {next?.step !== undefined && (
          <a role="button" href={next.step.href}>
            {next.step.words}
          </a>
        )}
      </header>
      <div class="meter" aria-hidden="true">
        {safeguards
          .toSorted((one, other) => Number(other.isThere) - Number(one.isThere))
          .map(({ isThere }) => (
            <span class={isThere ? 'full' : undefined} />
          ))}
      </div>
      <ul class="safeguards">
        {safeguards.map(({ icon, isThere, words, hint }) => (
          <li class={isThere ? 'good' : undefined}>
            <Icon name={isThere ? 'check' : icon} />
            <div>
              {words}
              {hint !== undefined && <p class="hint">{hint}</p>}
            </div>
          </li>
        ))}
      </ul>
    </article>
  )
}

/**
 * Offers a passkey. The script shows it where the device can hold one. It remembers in the browser
 * that the user closed it.
 */
function Nudge({ view }: { view: View }) {
  const t = view.t.passkeys
  return (
    <article class="status" data-nudge hidden>
      <Icon name="passkeys" />
      <div>
        <h2>{t.nudge}</h2>
        <p>{t.nudgeHint}</p>
      </div>
      <p class="buttons">
        <a role="button" href="/account/security/passkeys/add">
          {t.add}
        </a>
        <button type="button" class="secondary">
          {t.nudgeClose}
        </button>
      </p>
      <PasskeyScript />
    </article>
  )
}

function Permissions({ view: { t }, permission }: { view: View; permission: number }) {
  const allowed = t.permissions.filter((_, bit) => (permission & (1 << bit)) !== 0)
  if (allowed.length === 0) return <>{t.overview.noPermissions}</>
  return (
    <ul class="chips">
      {allowed.map((name) => (
        <li>{name}</li>
      ))}
    </ul>
  )
}
