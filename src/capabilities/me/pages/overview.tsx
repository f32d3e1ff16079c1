import type { Child } from 'hono/jsx'
import type { Account } from '../../../core/accounts/accounts.ts'
import { NEAR_END_MILLISECONDS } from '../../../core/accounts/near-end.ts'
import { RECOVERY_CODE_COUNT } from '../../two-factor/recovery.ts'
import type { readOverview } from '../overview.ts'
import { type CheckName, type Protection, protectionOf } from '../protection.ts'
import { Avatar } from '../../../web/kit/avatar.tsx'
import { ClosedNote } from './closed-credentials.tsx'
import { EventList } from '../../activity/pages/event-list.tsx'
import { WasItYou } from '../../sessions/pages/new-network.tsx'
import { Icon } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Heading, Pins } from '../../../web/kit/parts.tsx'
import { PasskeyScript } from '../../../web/kit/passkey-button.tsx'
import { Fold } from '../../../web/kit/rows.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'

interface OverviewProps extends Awaited<ReturnType<typeof readOverview>> {
  view: View
}

export function OverviewPage(props: OverviewProps) {
  const { view, account, passkeys, events } = props
  const { overview: t } = view.t
  const protection = protectionOf({
    ...props,
    hasTwoFactor: account.hasTwoFactor,
    mayAddPasskeys: view.rpId !== undefined,
  })
  return (
    <AccountPage view={view} title={t.title}>
      <div class="person hello">
        <Avatar name={account.username} isLarge />
        <Heading title={t.greeting(account.username)} lead={t.roles[account.role] ?? ''} />
      </div>
      {account.endsAt !== null && account.endsAt - view.now < NEAR_END_MILLISECONDS && (
        <p class="note">
          {t.endsAt} <Time view={view} at={account.endsAt} exact />
        </p>
      )}
      <ClosedNote {...props} />
      {props.newNetwork !== undefined && <WasItYou view={view} found={props.newNetwork} />}
      <Guard {...props} protection={protection} />
      <section>
        <header class="bar">
          <h2>{t.latest}</h2>
          <a href="/account/activity">{t.allActivity}</a>
        </header>
        <EventList view={view} events={events} reader="owner" path="/account/activity" />
      </section>
      <Rights view={view} account={account} groups={props.groups} />
      {view.parts.map(({ overview }) => overview?.(view, props.address))}
      {passkeys === 0 && view.rpId !== undefined && protection.next !== 'passkey' && (
        <Nudge view={view} />
      )}
    </AccountPage>
  )
}

/** The protection of the account: the checks, and the one thing to do next. */
function Guard({ protection, ...props }: OverviewProps & { protection: Protection }) {
  const t = props.view.t.overview
  const { checks, next, level } = protection
  // Above it stands a warning.
  const isAsking = level === 'good' && props.newNetwork !== undefined
  const good = checks.filter(({ isGood }) => isGood).length
  const missingFirst = checks.toSorted((a, b) => Number(a.isGood) - Number(b.isGood))
  return (
    <article class={`guard ${isAsking ? 'fair' : level}`}>
      <Pins states={checks.map(({ isGood }) => isGood)} />
      <div>
        <h2>{isAsking ? t.openQuestion : t.levels[level]}</h2>
        <p class="hint">{t.score(good, checks.length)}</p>
      </div>
      <ul class="checks">
        {missingFirst.map(({ name, isGood }) => (
          <li class={isGood ? 'good' : undefined}>
            <Icon name={isGood ? 'done' : 'missing'} />
            <span>{checkText(props, name, isGood)}</span>
          </li>
        ))}
      </ul>
      {next !== undefined && (
        <p class="buttons">
          <a role="button" href={STEPS[next]}>
            {t.steps[next]}
          </a>
        </p>
      )}
    </article>
  )
}

const STEPS: Record<CheckName, string> = {
  factor: '/account/security',
  codes: '/account/security',
  passkey: '/account/security/passkeys/add',
  spare: '/account/security/passkeys/add',
}

function checkText(props: OverviewProps, name: CheckName, isGood: boolean): Child {
  const t = props.view.t.overview
  const texts: Record<CheckName, () => Child> = {
    factor: () => factorText(props, isGood),
    codes: () => codesText(props),
    passkey: () => (isGood ? t.hasPasskey : t.noPasskey),
    spare: () => (isGood ? t.hasSpare : t.noSpare),
  }
  return texts[name]()
}

function factorText({ view, account }: OverviewProps, isGood: boolean): string {
  const t = view.t.overview
  if (account.hasTwoFactor) return t.twoFactorOn
  return isGood ? t.passkeyOnly : `${t.twoFactorOff}${view.t.sentenceGap}${t.twoFactorOffHint}`
}

function codesText({ view, codesLeft }: OverviewProps): string {
  const t = view.t.security
  return codesLeft === 0 ? t.noCodes : t.codesLeft(codesLeft, RECOVERY_CODE_COUNT)
}

/** The permissions and groups of the user; folded, because they seldom change. */
interface RightsProps {
  view: View
  account: Account
  groups: readonly string[]
}

function Rights({ view, account, groups }: RightsProps) {
  const t = view.t.overview
  return (
    <Fold title={t.rights} about={t.roles[account.role] ?? ''}>
      <dl>
        <dt>{t.name}</dt>
        <dd>{account.username}</dd>
        <dt>{t.role}</dt>
        <dd>{t.roles[account.role]}</dd>
        {groups.length > 0 && (
          <>
            <dt>{t.groups}</dt>
            <dd>
              <Chips names={groups} />
            </dd>
          </>
        )}
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
  )
}

/**
 * Offers a passkey to a user who signs in with a password only. The script shows it where the
 * device can hold one, and remembers in the browser that the user closed it. It stands last, so
 * that nothing moves.
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
  return <Chips names={allowed} />
}

function Chips({ names }: { names: readonly string[] }) {
  return (
    <ul class="chips">
      {names.map((name) => (
        <li>{name}</li>
      ))}
    </ul>
  )
}
