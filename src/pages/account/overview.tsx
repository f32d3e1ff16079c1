import { AccountPage } from '../layout.tsx'
import { Icon, Time } from '../parts.tsx'
import { PasskeyScript } from '../passkey.tsx'
import type { Account } from '../../accounts/accounts.ts'
import type { View } from '../view.ts'

/** For so long before its end, the page says when the account ends. */
const END_SHOWN_MILLISECONDS = 14 * 24 * 60 * 60 * 1000

export function OverviewPage({ view, account }: { view: View; account: Account }) {
  const t = view.t.overview
  return (
    <AccountPage view={view} title={t.title}>
      <h1>{t.greeting(account.username)}</h1>
      <article class={account.hasTwoFactor ? 'status good' : 'status warn'}>
        <Icon name={account.hasTwoFactor ? 'security' : 'unprotected'} />
        <div>
          <h2>{account.hasTwoFactor ? t.twoFactorOn : t.twoFactorOff}</h2>
          {!account.hasTwoFactor && <p>{t.twoFactorOffHint}</p>}
        </div>
        <a href="/account/security">
          {account.hasTwoFactor ? t.twoFactorManage : t.twoFactorTurnOn}
        </a>
      </article>
      {!account.hasPasskey && view.rpId !== undefined && <Nudge view={view} />}
      <article>
        <dl>
          <dt>{t.name}</dt>
          <dd>{account.username}</dd>
          <dt>{t.role}</dt>
          <dd>{t.roles[account.role]}</dd>
          <dt>{view.t.joining.ownTitle}</dt>
          <dd>
            <a href="/account/email">{view.t.joining.manage}</a>
          </dd>
          <dt>{t.basePath}</dt>
          <dd>
            <code>{account.basePath}</code>
          </dd>
          <dt>{t.permissions}</dt>
          <dd>
            <Permissions view={view} permission={account.permission} />
          </dd>
          {account.endsAt !== null && account.endsAt - view.now < END_SHOWN_MILLISECONDS && (
            <>
              <dt>{view.t.joining.endsAt}</dt>
              <dd>
                <Time view={view} at={account.endsAt} exact />
              </dd>
            </>
          )}
        </dl>
      </article>
    </AccountPage>
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
