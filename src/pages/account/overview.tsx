import { AccountPage } from '../layout.tsx'
import { Icon } from '../parts.tsx'
import type { Account } from '../../accounts/accounts.ts'
import type { View } from '../view.ts'

export function OverviewPage({ view, account }: { view: View; account: Account }) {
  const t = view.t.overview
  return (
    <AccountPage view={view} title={t.title}>
      <h1>{t.greeting(account.username)}</h1>
      <article class={account.hasTwoFactor ? 'status good' : 'status warn'}>
        <Icon name="security" />
        <div>
          <h2>{account.hasTwoFactor ? t.twoFactorOn : t.twoFactorOff}</h2>
          {!account.hasTwoFactor && <p>{t.twoFactorOffHint}</p>}
        </div>
        <a href="/account/security">
          {account.hasTwoFactor ? t.twoFactorManage : t.twoFactorTurnOn}
        </a>
      </article>
      <article>
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
      </article>
    </AccountPage>
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
