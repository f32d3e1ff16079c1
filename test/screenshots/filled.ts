import type { Page } from 'playwright-core'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, type Clone } from '../support/clone.ts'
import { press } from '../support/press.ts'

type Take = (page: Page, name: string) => Promise<void>

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const NAMES = [
  '王小明',
  '🦊 fox',
  'Ada Lovelace',
  'amélie',
  '李娜',
  'Jürgen Groß',
  'bob',
  'grace.hopper@example.org',
  '陈建国',
  '🐼 panda',
  'Administratorenarbeitsplatzrechner-im-dritten-Stock',
  'Олег',
]
const BROWSERS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36',
  'rclone/v1.69.0',
  'curl/8.11.0',
]
const TITLES = [
  'Laptop',
  '办公室台式机',
  'NAS in the cellar',
  '🖥️ build server',
  'ada@workshop',
  'Phone (Termux)',
  'Backup of the photographs',
  'deploy',
  'old desktop',
  'Raspberry Pi',
  'iPad (Blink)',
  'Second laptop, the one with the broken hinge that is kept for travelling',
]
const NETWORKS = ['203.0.113.0', '198.51.100.24', '2001:db8:1234:5678::/64', '192.0.2.77']

const pick = (items: readonly string[], place: number): string => items[place % items.length] ?? ''

/** Fills the database of a clone like that of a site that is used. */
export function fill(clone: Clone, now = Date.now()): void {
  for (let id = 3; id <= 42; id++) {
    const name = id - 3 < NAMES.length ? pick(NAMES, id - 3) : `user${id}`
    clone.sql(
      `insert into users (id, username, username_key, disabled, role, permission, base_path, created_at, totp_seed)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      name,
      name.toLowerCase(),
      id % 9 === 0 ? 1 : 0,
      id === 5 ? 2 : 0,
      id % 2 === 0 ? 0xcf9 : 0x30,
      `/homes/${name}`,
      now - id * DAY,
      id % 3 === 0 ? 'x' : null,
    )
  }
  for (const user of [1, 3]) fillAccount(clone, user, now)
  fillSite(clone, now)
  fillPeople(clone, now)
  fillChannels(clone, now)
  fillEvents(clone, now)
}

function fillAccount(clone: Clone, user: number, now: number): void {
  for (const [place, title] of TITLES.entries())
    clone.sql(
      `insert into ssh_keys (user_id, title, fingerprint, type, bits, line, added_at, last_used_at, last_used_network)
       values (?, ?, ?, ?, ?, 'x', ?, ?, ?)`,
      user,
      title,
      `SHA256:${String(place).padStart(2, '0')}${'kW3xR9vQ7mT1zB5nL8cH4dF6gJ2pS0aYeUiOoXqVbNm'.slice(2)}`,
      place % 4 === 1 ? 'ssh-rsa' : 'ssh-ed25519',
      place % 4 === 1 ? 4096 : 256,
      now - (400 - place * 30) * DAY,
      place % 3 === 0 ? now - (400 - place * 30) * DAY : now - place * 5 * HOUR,
      place % 3 === 0 ? '' : pick(NETWORKS, place),
    )
  for (let place = 0; place < 8; place++)
    clone.sql(
      `insert into sessions (id, user_id, created_at, expires_at, last_active_at, network, user_agent, amr)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      `filled-${place}`,
      user,
      now - (place + 1) * 7 * HOUR,
      now + (48 - place * 5) * HOUR,
      now - place * place * 50 * MINUTE,
      pick(NETWORKS, place),
      pick(BROWSERS, place),
      pick(['pwd otp', 'passkey', 'pwd', 'sso otp'], place),
    )
  for (const [place, name] of ['rclone on the laptop', '照片备份', 'Home Assistant'].entries())
    clone.sql(
      `insert into app_passwords (user_id, name, token_hash, scopes, created_at, expires_at, last_used_at, last_network)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      user,
      name,
      `filled-${user}-${place}`,
      pick(['files:read files:write', 'files:read', 'account:read'], place),
      now - place * 40 * DAY - DAY,
      place === 1 ? now - DAY : place === 2 ? null : now + 200 * DAY,
      place === 2 ? null : now - place * 3 * DAY - HOUR,
      place === 2 ? null : pick(NETWORKS, place),
    )
  for (const [place, name] of ['iPhone', 'YubiKey 5C', '密码管理器'].entries())
    clone.sql(
      `insert into passkeys (credential_id, user_id, public_key, algorithm, sign_count, backup_eligible, backed_up,
         transports, aaguid, rp_id, name, created_at, last_used_at)
       values (?, ?, 'x', -7, 0, 1, ?, '', '', 'localhost', ?, ?, ?)`,
      `filled-${user}-${place}`,
      user,
      place === 1 ? 0 : 1,
      name,
      now - (place + 1) * 60 * DAY,
      place === 2 ? null : now - place * DAY - 2 * HOUR,
    )
}

function fillSite(clone: Clone, now: number): void {
  const programs = [
    ['OpenList', 'https://files.example.org/api/auth/sso_callback?method=sso_get_token'],
    ['Grafana', 'https://grafana.example.org/login/generic_oauth'],
    ['家庭相册', 'https://photos.example.org/oauth/callback'],
    ['Wiki', 'https://wiki.example.org/auth/oidc.callback'],
  ]
  for (const [place, [name = '', uri = '']] of programs.entries()) {
    clone.sql(
      `insert into openid_clients (id, name, secret_hash, redirect_uris, post_logout_uris, first_party, admins_only, created_at)
       values (?, ?, ?, ?, '[]', ?, ?, ?)`,
      `client-${place}`,
      name,
      place === 3 ? null : 'x',
      JSON.stringify([uri]),
      place === 0 ? 1 : 0,
      place === 1 ? 1 : 0,
      now - place * 20 * DAY,
    )
    clone.sql(
      'insert into openid_consents (user_id, client_id, scope, given_at) values (1, ?, ?, ?)',
      `client-${place}`,
      'openid profile',
      now - place * 3 * DAY,
    )
  }
}

/** People who have registered or were invited. */
function fillPeople(clone: Clone, now: number): void {
  for (const [place, name] of ['nina', '赵敏', 'Óscar'].entries())
    clone.sql(
      `insert into users (id, username, username_key, disabled, waiting, registered_network, created_at)
       values (?, ?, ?, 1, 1, ?, ?)`,
      43 + place,
      name,
      name.toLowerCase(),
      pick(NETWORKS, place),
      now - (place * 5 + 1) * HOUR,
    )
  const links: [name: string, username: string, email: string, uses: number, used: number][] = [
    ['Family', '', '', 5, 2],
    ['', 'olga', 'olga@example.org', 1, 0],
    ['上海的同事', '', '', 10, 10],
    ['', '', '', 1, 0],
  ]
  for (const [place, [name, username, email, uses, used]] of links.entries())
    clone.sql(
      `insert into links (kind, token_hash, created_by, name, username, email, uses, used, created_at, ends_at)
       values ('invitation', ?, 1, ?, ?, ?, ?, ?, ?, ?)`,
      `filled-${place}`,
      name,
      username,
      email,
      uses,
      used,
      now - (place + 1) * DAY,
      now + (place === 3 ? -1 : 6 - place) * DAY,
    )
}

function fillChannels(clone: Clone, now: number): void {
  const channels: [kind: string, name: string, target: string, failure: string][] = [
    ['email', 'Post of the administrators', 'admins@example.org', ''],
    ['ntfy', '手机', 'ntfy.sh', ''],
    ['webhook', 'Monitoring', 'alerts.example.org', 'no connection'],
  ]
  for (const [place, [kind, name, target, failure]] of channels.entries())
    clone.sql(
      `insert into notice_channels (kind, name, target, config, topics, language, origin, since_event_id, created_at,
         last_sent_at, last_failed_at, failure, lost)
       values (?, ?, ?, 'x', 'registration', 'en', '', 0, ?, ?, ?, ?, ?)`,
      kind,
      name,
      target,
      now - place * 9 * DAY,
      place === 0 ? null : now - place * 2 * DAY,
      failure === '' ? null : now - 3 * HOUR,
      failure,
      failure === '' ? 0 : 2,
    )
}

/** Events of a site: sign-ins, guesses in a row, keys, and what administrators changed. */
function fillEvents(clone: Clone, now: number): void {
  const kinds: [kind: string, detail: string, changes: string | null][] = [
    ['sign_in', 'pwd otp', null],
    ['sign_in', 'passkey', null],
    ['key_used', 'Laptop', null],
    ['sign_in_refused', 'credentials', null],
    ['sign_in_refused', 'credentials', null],
    ['sign_in_refused', 'credentials', null],
    ['key_added', '办公室台式机', null],
    [
      'user_changed',
      '',
      JSON.stringify([
        { field: 'base_path', from: '/', to: '/homes/fox' },
        { field: 'permission', from: 48, to: 304 },
      ]),
    ],
    ['token_created', 'rclone on the laptop', null],
    ['settings_changed', 'site_title, announcement', null],
    ['session_ended', 'logout', null],
    ['passkey_added', 'iPhone', null],
    ['account_locked', '', null],
    ['user_disabled', '', null],
  ]
  clone.sql(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < 400)
     insert into audit_events (at, kind, user_id, detail, network, user_agent)
     select ? + i * ? - abs(i % 40 - 20) * ?, 'sign_in', 3 + i % 40, 'pwd', '203.0.113.0', '' from n`,
    now - 30 * DAY,
    DAY / 16,
    HOUR,
  )
  for (let place = 99; place >= 0; place--) {
    const [kind, detail, changes] = kinds[place % kinds.length] ?? ['sign_in', '', null]
    const isSite = kind === 'settings_changed'
    clone.sql(
      `insert into audit_events (at, kind, user_id, detail, network, user_agent, actor_id, changes, times)
       values (?, ?, ?, ?, ?, ?, ?, ?, 1)`,
      now - place * 47 * MINUTE - MINUTE,
      kind,
      isSite ? null : place % 5 < 3 ? 1 : 3 + (place % 11),
      detail,
      pick(NETWORKS, Math.floor(place / 14)),
      pick(BROWSERS, Math.floor(place / 14)),
      /user_|settings/.test(kind) ? 1 : null,
      changes,
    )
  }
}

/** The user who is locked out. */
const LOCKED = '🦊 fox'

/** Mistypes a password until the user is stopped. */
export async function lockOut(site: Pick<Client, 'signIn'>): Promise<void> {
  for (let failures = 0; failures < 5; failures++) await site.signIn(LOCKED, 'wrong-Passw0rd')
}

/** The pages of a site that is used, in the language of the browser. */
export async function filledStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/sign-in')
  await take(page, 'filled-sign-in')
  await page.locator('#username').fill('admin')
  await page.locator('#password').fill(ADMIN_PASSWORD)
  await press(page.locator('form[action="/account/sign-in"] button:not([type])'))
  for (const [name, path] of FILLED_PAGES) {
    await page.goto(path)
    await take(page, `filled-${name}`)
  }
  await page.goto('/account/keys')
  await page.locator('.rows summary').nth(1).click()
  await take(page, 'filled-keys-asked')
}

const FILLED_PAGES: [name: string, path: string][] = [
  ['overview', '/account'],
  ['security', '/account/security'],
  ['keys', '/account/keys'],
  ['keys-add', '/account/keys/add'],
  ['app-passwords', '/account/app-passwords'],
  ['programs', '/account/programs'],
  ['sessions', '/account/sessions'],
  ['activity', '/account/activity'],
  ['notices', '/account/notices'],
  ['notices-ntfy', '/account/notices?kind=ntfy'],
  ['admin-state', '/account/admin'],
  ['admin-users', '/account/admin/users'],
  ['admin-waiting', '/account/admin/users?group=waiting'],
  ['admin-user', '/account/admin/users/3'],
  ['admin-users-locked', '/account/admin/users?group=locked'],
  ['admin-user-locked', '/account/admin/users/4'],
  ['admin-user-waiting', '/account/admin/users/43'],
  ['admin-user-new', '/account/admin/users/new'],
  ['admin-invitations', '/account/admin/invitations'],
  ['admin-invitation-new', '/account/admin/invitations/add'],
  ['admin-programs', '/account/admin/programs'],
  ['admin-program-kinds', '/account/admin/programs/add'],
  ['admin-program-new', '/account/admin/programs/add?preset=grafana'],
  ['admin-program-other', '/account/admin/programs/add?preset=other'],
  ['admin-channel-kinds', '/account/admin/notices/add'],
  ['admin-channel-new', '/account/admin/notices/add?kind=ntfy'],
  ['app-password-new', '/account/app-passwords/add'],
  ['admin-settings', '/account/admin/settings/site'],
  ['admin-settings-accounts', '/account/admin/settings/accounts'],
  ['admin-settings-style', '/account/admin/settings/style'],
  ['admin-settings-files', '/account/admin/settings/files'],
  ['admin-settings-preview', '/account/admin/settings/preview'],
  ['admin-settings-sso', '/account/admin/settings/sso'],
  ['admin-events', '/account/admin/events'],
  ['admin-notices', '/account/admin/notices'],
  ['not-found', '/account/nope'],
  ['docs', '/docs'],
]
