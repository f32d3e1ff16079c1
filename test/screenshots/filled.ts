import type { Browser, Page } from 'playwright-core'
import { FREQUENT_CRON } from '../../src/core/base/crons.ts'
import { phoneCode } from '../support/authenticator.ts'
import type { Client } from '../support/client.ts'
import type { ClockedSite } from '../support/clocked-site.ts'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import { accept, type Envelope } from '../support/envelope.ts'
import { newKey, newRsaKey } from '../support/new-key.ts'
import { SoftwarePasskey } from '../support/passkey.ts'
import { registerAt, signInAt } from '../support/passkey-client.ts'
import { type OidcProvider, signInAt as signInAtProvider } from '../support/oidc-provider.ts'
import { press } from '../support/press.ts'
import type { Receiver } from '../support/receiver.ts'
import { runTrigger } from '../support/run-trigger.ts'
import { sessionOf } from '../support/session-of.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'
import { turnOnTwoFactorAt } from '../support/two-factor-client.ts'

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
/** Addresses of devices. The site keeps the /64 of the third. */
const ADDRESSES = ['203.0.113.0', '198.51.100.24', '2001:db8:1234:5678::1', '192.0.2.77']
const ADMIN_ADDRESS = ADDRESSES[0] ?? ''
const PASSWORD = 'three unrelated words'
const SSO_PATH = '/account/sign-in/sso'
/** Users who an operator creates; the others join by invitations. */
const CREATED = 28
/** How long the events of the last days are apart. */
const EVENT_MILLISECONDS = 47 * MINUTE
/** The codes of a secret can be used one by one. */
const CODE_MILLISECONDS = 30_000

const pick = <Item>(items: readonly Item[], place: number): Item => {
  const item = items[place % items.length]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}
const nameOf = (id: number): string => (id - 3 < NAMES.length ? pick(NAMES, id - 3) : `user${id}`)

const passwordOf = (name: string): string => (name === 'admin' ? ADMIN_PASSWORD : PASSWORD)

/** The user who is locked out. */
const LOCKED = nameOf(4)
/** The second administrator. */
const SECOND_ADMIN = 5

/** What stands around a site. */
interface Surroundings {
  /** Gets notices. */
  receiver: Receiver
  /** Signs users in. */
  provider: OidcProvider
  /** In which they sign in there. */
  browser: Browser
}

/**
 * Fills a site by doing what its users, its administrator and its servers did in more than a year.
 * Each step is done at its own time.
 */
export async function fill(
  site: ClockedSite,
  { receiver, provider, browser }: Surroundings,
): Promise<Filled> {
  const history = new History(site, browser)
  const token = await serviceTokenOf(site)
  history.createUsers()
  history.useProvider(provider)
  for (const name of ['admin', nameOf(3)]) history.useAccount(name, token)
  history.registerPrograms()
  history.invite()
  history.register()
  history.addChannels(receiver)
  history.signInDaily()
  history.actLately()
  await history.run()
  return history
}

/** What the pages of a filled site need to know. */
export interface Filled {
  /** A code of the administrator's app that was not used. */
  nextCode: () => Promise<string>
  /** A user who waits for approval. */
  waitingId: number
}

/** The token with which a file server asks for keys and tells of their use. */
async function serviceTokenOf({ clone }: ClockedSite): Promise<string> {
  const { code, stdout, stderr } = await clone.latchkey([
    'service-token',
    'add',
    'files.example.org',
    '--json',
  ])
  if (code !== 0) throw new Error(stderr)
  const { token }: { token: string } = JSON.parse(stdout)
  return token
}

type Step = () => Promise<unknown>

/** What happens at a site, step by step. Each step has its time, in milliseconds before the end. */
class History implements Filled {
  readonly #site: ClockedSite
  readonly #browser: Browser
  readonly #end: number
  readonly #steps: { ago: number; step: Step }[] = []
  /** The secrets of authenticator apps. */
  readonly #secrets = new Map<string, string>()
  /** The administrator at work. */
  readonly #admin: Client
  #adminSession = { token: '', since: 0, provenAt: 0 }
  /** The passkeys of users with which they still sign in. */
  readonly #passkeys = new Map<string, SoftwarePasskey>()
  readonly #ids = new Map<string, number>()
  /** The time step of the last code of each app. */
  readonly #usedSteps = new Map<string, number>()
  waitingId = 0

  constructor(site: ClockedSite, browser: Browser) {
    this.#site = site
    this.#browser = browser
    this.#end = site.now
    this.#admin = site.device(ADMIN_ADDRESS, BROWSERS[1])
  }

  /** A code that was not used; empty for a user without an app. */
  async nextCode(name = 'admin'): Promise<string> {
    const secret = this.#secrets.get(name)
    if (secret === undefined) return ''
    const next = ((this.#usedSteps.get(name) ?? 0) + 1) * CODE_MILLISECONDS
    if (this.#site.now < next) await this.#site.moveTo(next)
    this.#usedSteps.set(name, Math.floor(this.#site.now / CODE_MILLISECONDS))
    return phoneCode(secret, this.#site.now)
  }

  async run(): Promise<void> {
    let reached = 0
    for (const { ago, step } of this.#steps.toSorted((one, next) => next.ago - one.ago)) {
      // What takes longer than the time to the next step must not turn the clock back.
      await this.#site.moveTo(Math.max(this.#end - ago, reached))
      await step()
      reached = this.#site.now
    }
    await this.#site.moveTo(Date.now())
  }

  #at(ago: number, step: Step): void {
    this.#steps.push({ ago, step })
  }

  createUsers(): void {
    for (const id of Array.from({ length: CREATED }, (_, place) => 3 + place)) {
      const name = nameOf(id)
      // The first of them has keys that are as old as the site.
      this.#at(id === 3 ? 401 * DAY : (75 - id) * DAY, async () => {
        await this.#manage('/api/admin/user/create', {
          username: name,
          password: PASSWORD,
          permission: id % 2 === 0 || id === 3 ? 0xff9 : 0x30,
          base_path: `/homes/${name}`,
        })
      })
      if (id === 3) this.#at(400.5 * DAY, () => this.#secure(name))
      if (id % 3 === 1) this.#at((74 - id) * DAY, () => this.#secure(name))
      if (id % 9 === 0)
        this.#at(5 * DAY + id * MINUTE, () => this.#change(name, { disabled: true }))
    }
    this.#at(60 * DAY, () => this.#appoint(SECOND_ADMIN))
    this.#at(399 * DAY, () => this.#secure('admin'))
    this.#at(398 * DAY, () => this.#change('admin', { permission: 0xffff }))
    this.#at(398 * DAY, () =>
      this.#manage('/api/admin/setting/save', [{ key: 'webauthn_login_enabled', value: 'true' }]),
    )
  }

  /** Single sign-on, to which users link their accounts. */
  useProvider({ issuer }: OidcProvider): void {
    const values = {
      sso_login_enabled: 'true',
      sso_login_platform: 'OIDC',
      sso_client_id: CLIENT_ID,
      sso_client_secret: CLIENT_SECRET,
      sso_endpoint_name: issuer,
      sso_oidc_username_key: 'preferred_username',
    }
    const items = Object.entries(values).map(([key, value]) => ({ key, value }))
    this.#at(100 * DAY, () => this.#manage('/api/admin/setting/save', items))
  }

  /** Keys, passkeys, app passwords and sessions of a user, and their use. */
  useAccount(name: string, serviceToken: string): void {
    const device = this.#site.device(ADMIN_ADDRESS, BROWSERS[3])
    for (const [place, title] of TITLES.entries()) {
      const { line, fingerprint } = place % 4 === 1 ? newRsaKey() : newKey()
      this.#at((400 - place * 30) * DAY, () =>
        this.#visit(device, name, (token) =>
          device.ask('/api/me/sshkey/add', { token, body: { title, key: line } }),
        ),
      )
      if (place % 3 !== 0)
        this.#at(place * 5 * HOUR, () => this.#useKey(serviceToken, name, fingerprint, place))
    }
    for (const [place, title] of ['iPhone', 'YubiKey 5C', '密码管理器'].entries())
      this.#usePasskey(name, title, place)
    for (const [place, title] of ['rclone on the laptop', '照片备份', 'Home Assistant'].entries())
      this.#useAppPassword(name, title, place)
    this.#at(90 * DAY, async () => {
      const token = await this.#signInByProvider(device, name)
      await device.ask('/api/auth/logout', { token, method: 'GET' })
    })
    for (let place = 0; place < 8; place++) this.#stay(name, place)
  }

  async #useKey(token: string, username: string, fingerprint: string, place: number) {
    const body = { username, fingerprint, address: pick(ADDRESSES, place) }
    await this.#admin.ask('/api/sftp/used', { token: `Bearer ${token}`, body })
  }

  #usePasskey(name: string, title: string, place: number): void {
    const device = this.#site.device(ADMIN_ADDRESS, BROWSERS[0])
    const passkey = SoftwarePasskey.make('ES256', { origin: this.#site.url })
    this.#at((place + 1) * 60 * DAY, () =>
      this.#visit(device, name, async (token) => {
        const made = await passkey
        made.isSynced = place !== 1
        if (place === 0) this.#passkeys.set(name, made)
        accept(await registerAt(device, made, token, title))
      }),
    )
    if (place < 2)
      this.#at(place * DAY + 2 * HOUR, async () => {
        const { token } = accept(await signInAt(device, await passkey))
        await device.ask('/api/auth/logout', { token, method: 'GET' })
      })
  }

  #useAppPassword(name: string, title: string, place: number): void {
    const device = this.#site.device(pick(ADDRESSES, place), BROWSERS[5])
    const scopes = pick([['files:read', 'files:write'], ['files:read'], ['account:read']], place)
    const ends = [this.#end + 200 * DAY, this.#end - DAY, undefined][place]
    let made = ''
    this.#at(place * 40 * DAY + DAY, () =>
      this.#visit(device, name, async (token) => {
        const expires = ends === undefined ? null : new Date(ends).toISOString().slice(0, 19)
        const body = { name: title, scopes, expires_at: expires && `${expires}Z` }
        made = (await device.ask('/api/me/tokens/create', { token, body })).token
      }),
    )
    if (place < 2)
      this.#at(place * 3 * DAY + HOUR, async () => {
        const headers = {
          ...device.headers,
          Authorization: `Bearer ${made}`,
          'X-Forwarded-Method': 'GET',
        }
        const response = await fetch(new URL('/api/forward_auth', this.#site.url), { headers })
        if (!response.ok) throw new Error(await response.text())
      })
  }

  /** A session that lasts, with its last request later. */
  #stay(name: string, place: number): void {
    const device = this.#site.device(pick(ADDRESSES, place), pick(BROWSERS, place))
    const begins = (place + 1) * 5.5 * HOUR
    let token = ''
    this.#at(begins, async () => {
      if (place % 4 === 1) token = await this.#signInByPasskey(device, name)
      else if (place % 4 === 3) token = await this.#signInByProvider(device, name)
      else token = await this.#signIn(device, name)
    })
    const lastUse = place * place * 50 * MINUTE
    if (lastUse < begins - HOUR)
      this.#at(lastUse, () => device.ask('/api/me', { token, method: 'GET' }))
  }

  registerPrograms(): void {
    const programs: [name: string, uri: string, more: Record<string, string>][] = [
      [
        'OpenList',
        'https://files.example.org/api/auth/sso_callback?method=sso_get_token',
        { first_party: 'on' },
      ],
      ['Grafana', 'https://grafana.example.org/login/generic_oauth', { admins_only: 'on' }],
      ['家庭相册', 'https://photos.example.org/oauth/callback', {}],
      ['Wiki', 'https://wiki.example.org/auth/oidc.callback', { is_public: 'on' }],
    ]
    for (const [place, [name, uri, more]] of programs.entries()) {
      const fields = { name, redirect_uris: uri, ...more }
      this.#at(place * 20 * DAY + 12 * HOUR, () => this.#register(fields))
      this.#at(place * 3 * DAY + 2.5 * HOUR, () => this.#signInTo(name, uri))
    }
  }

  #register(fields: Record<string, string>): Promise<void> {
    return this.#visit(this.#admin, 'admin', async (token) => {
      const { status } = await this.#open(token, '/account/admin/programs/add', fields)
      if (status !== 200) throw new Error(`${fields['name'] ?? ''} is not registered`)
    })
  }

  /** Signs the administrator in to a program. */
  #signInTo(name: string, uri: string): Promise<void> {
    return this.#visit(this.#admin, 'admin', async (token) => {
      const html = await (await this.#open(token, '/account/admin/programs')).text()
      const row = html.slice(html.indexOf(`>${name}<`))
      const parameters = {
        client_id: /edit\?id=([^"]+)"/.exec(row)?.[1] ?? '',
        redirect_uri: uri,
        response_type: 'code',
        scope: 'openid profile',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      }
      const request = new URLSearchParams(parameters).toString()
      const { status } = await this.#open(token, `/oauth/authorize?${request}`)
      // It belongs to the site, so nobody is asked.
      if (status !== 200) return
      const answer = { request, user: '1', answer: 'allow' }
      const consent = await this.#open(token, '/oauth/authorize/consent', answer)
      if (!consent.headers.has('Refresh')) throw new Error(`no consent for ${name}`)
    })
  }

  /** Opens a page as a browser does, or sends a form of it. */
  #open(token: string, path: string, fields?: Record<string, string>): Promise<Response> {
    const { origin } = new URL(this.#site.url)
    const headers = { ...this.#admin.headers, Cookie: `session=${token}`, Origin: origin }
    const form = fields && { method: 'POST', body: new URLSearchParams(fields) }
    return fetch(new URL(path, origin), { headers, redirect: 'manual', ...form })
  }

  invite(): void {
    const day = (days: number) => `${new Date(this.#end + days * DAY).toISOString().slice(0, 19)}Z`
    const links: { ago: number; body: Record<string, unknown>; joining: number[] }[] = [
      { ago: DAY, body: { name: 'Family', uses: 5, ends_at: day(6) }, joining: [41, 42] },
      {
        ago: 2 * DAY,
        body: { username: 'olga', email: 'olga@example.org', uses: 1, ends_at: day(5) },
        joining: [],
      },
      {
        ago: 3 * DAY,
        body: { name: '上海的同事', uses: 10, ends_at: day(4) },
        joining: [31, 32, 33, 34, 35, 36, 37, 38, 39, 40],
      },
      { ago: 4 * DAY, body: { uses: 1, ends_at: day(-1) }, joining: [] },
    ]
    for (const { ago, body, joining } of links) {
      let invitation = ''
      this.#at(ago, async () => {
        const { link } = await this.#manage('/api/admin/invitation/create', body)
        // The link to an address stands in its mail only.
        if (joining.length > 0) invitation = new URL(link).pathname.split('/').at(-1) ?? ''
      })
      for (const [place, id] of joining.entries())
        this.#at(ago - (place + 1) * 11 * MINUTE, async () => {
          const joined = { username: nameOf(id), password: PASSWORD, invitation }
          await this.#site.device(`203.0.113.${id}`).ask('/api/auth/register', { body: joined })
          if (id % 3 === 1) await this.#secure(nameOf(id))
        })
    }
  }

  /** Users who have registered. Those who the administrator refused are no more. */
  register(): void {
    this.#at(4 * DAY, () =>
      this.#manage('/api/admin/setting/save', [
        { key: 'allow_register', value: 'true' },
        { key: 'register_approval', value: 'true' },
      ]),
    )
    const join = (username: string, place: number) =>
      this.#site.device(pick(ADDRESSES, place)).ask('/api/auth/register', {
        body: { username, password: PASSWORD },
      })
    for (const [place, name] of ['win-a-prize', 'cheap-watches'].entries()) {
      this.#at(40 * HOUR - place * MINUTE, () => join(name, 3))
      this.#at(39 * HOUR - place * MINUTE, async () => {
        await this.#admin.ask(`/api/admin/user/reject?id=${await this.#idOf(name)}`, {
          token: await this.#freshToken(),
          body: {},
        })
      })
    }
    for (const [place, name] of ['nina', '赵敏', 'Óscar'].entries())
      this.#at((place * 5 + 1) * HOUR, async () => {
        await join(name, place)
        if (place === 0) this.waitingId = await this.#idOf(name)
      })
  }

  /** Channels of the operators. No server has the name of the last one. */
  addChannels(receiver: Receiver): void {
    const channels = [
      {
        kind: 'email',
        name: 'Post of the administrators',
        address: 'admins@example.org',
        sender: 'accounts@files.example.org',
      },
      { kind: 'ntfy', name: '手机', address: `${receiver.url}/a-topic` },
      { kind: 'webhook', name: 'Monitoring', address: 'https://alerts.example.org/site' },
    ]
    for (const [place, channel] of channels.entries())
      this.#at((place * 9 + 2) * DAY, () =>
        this.#manage('/api/admin/notice/create', { ...channel, topics: ['registration'] }),
      )
    // The platform runs this every five minutes; here it is enough when something is due.
    for (const ago of [39.9 * HOUR, 36 * HOUR, 12 * HOUR, 3 * HOUR])
      this.#at(ago, () => runTrigger(this.#site.clone, FREQUENT_CRON))
  }

  /** Sign-ins of a month. */
  signInDaily(): void {
    for (let i = 0; i <= 400; i++) {
      const id = 4 + (i % (CREATED - 1))
      if (id % 9 === 0) continue
      const ago = 30 * DAY - (i * DAY) / 16 + Math.abs((i % 40) - 20) * HOUR
      const device = this.#site.device(`203.0.113.${id}`)
      this.#at(ago, () => this.#signIn(device, nameOf(id)))
    }
  }

  /** A hundred events of the last days: what users do, guesses in a row, and the administrator's. */
  actLately(): void {
    for (let place = 99; place >= 0; place--) {
      const id = place % 5 < 3 ? 1 : 3 + (place % 11)
      const name = id === 1 || id === 9 ? 'admin' : nameOf(id)
      const round = Math.floor(place / 14)
      const device = this.#site.device(pick(ADDRESSES, round), pick(BROWSERS, round))
      const step = this.#stepOf(place % 14, name, device, place)
      this.#at(place * EVENT_MILLISECONDS + MINUTE, step)
    }
  }

  #stepOf(kind: number, name: string, device: Client, place: number): Step {
    const isOdd = place % 28 === kind
    const grace = nameOf(10)
    const steps: Record<number, Step> = {
      1: async () => {
        const token = await this.#signInByPasskey(device, 'admin')
        await device.ask('/api/auth/logout', { token, method: 'GET' })
      },
      6: () =>
        this.#visit(device, grace, (token) => {
          const body = { title: `办公室台式机 ${place}`, key: newKey().line }
          return device.ask('/api/me/sshkey/add', { token, body })
        }),
      7: () =>
        this.#change(LOCKED, {
          base_path: isOdd ? '/homes/fox' : `/homes/${LOCKED}`,
          permission: isOdd ? 304 : 48,
        }),
      8: () =>
        this.#visit(device, grace, (token) => {
          const body = { name: `rclone ${place}`, scopes: ['files:read'] }
          return device.ask('/api/me/tokens/create', { token, body })
        }),
      9: () =>
        this.#manage('/api/admin/setting/save', [
          { key: 'site_title', value: isOdd ? 'Files' : 'Family files' },
          { key: 'announcement', value: isOdd ? 'No uploads on Sunday.' : '' },
        ]),
      11: () =>
        this.#visit(device, grace, async (token) => {
          const passkey = await SoftwarePasskey.make('ES256', { origin: this.#site.url })
          accept(await registerAt(device, passkey, token, `iPhone ${place}`))
        }),
      12: async () => {
        for (let failures = 0; failures < 5; failures++)
          await device.signIn(nameOf(11), 'wrong-Passw0rd')
        await runTrigger(this.#site.clone, FREQUENT_CRON)
      },
      13: () => this.#change(nameOf(12), { disabled: isOdd }),
    }
    if (kind >= 3 && kind <= 5) return () => device.signIn(name, 'wrong-Passw0rd')
    return steps[kind] ?? (() => this.#visit(device, name, () => Promise.resolve()))
  }

  /** Turns two-step verification on, and takes recovery codes. */
  async #secure(name: string): Promise<void> {
    const device = this.#site.device(ADMIN_ADDRESS, BROWSERS[3])
    const session = await this.#signIn(device, name)
    const { secret, token } = await turnOnTwoFactorAt(device, session, this.#site.now)
    this.#secrets.set(name, secret)
    this.#usedSteps.set(name, Math.floor(this.#site.now / CODE_MILLISECONDS))
    const body = { otp_code: await this.nextCode(name) }
    await device.ask('/api/auth/2fa/recovery_codes', { token, body })
    await device.ask('/api/auth/logout', { token, method: 'GET' })
  }

  /** Signs in for some work, and out. */
  async #visit(device: Client, name: string, work: (token: string) => Promise<unknown>) {
    const token = await this.#signIn(device, name)
    await work(token)
    await device.ask('/api/auth/logout', { token, method: 'GET' })
  }

  async #signIn(device: Client, username: string): Promise<string> {
    const password = passwordOf(username)
    const body = { username, password, otp_code: await this.nextCode(username) }
    return (await device.ask('/api/auth/login', { body })).token
  }

  async #signInByPasskey(device: Client, name: string): Promise<string> {
    const passkey = this.#passkeys.get(name)
    if (passkey === undefined) throw new Error(`${name} has no passkey`)
    return accept(await signInAt(device, passkey)).token
  }

  /** Signs in at the provider and with a code; the first time, also with the password, which links. */
  async #signInByProvider({ url, headers }: Client, name: string): Promise<string> {
    const { 'User-Agent': userAgent = '', ...extraHTTPHeaders } = headers
    const options = { baseURL: url, userAgent, extraHTTPHeaders }
    const context = await this.#browser.newContext(options)
    const page = await context.newPage()
    const submit = () => press(page.locator('form[action*="/sso/"] button:not([type])'))
    await page.goto(SSO_PATH)
    await signInAtProvider(page, name === 'admin' ? 'ada' : 'xiaoming')
    await page.waitForURL('**/sso/step')
    if ((await page.locator('#password').count()) > 0) {
      await page.locator('#username').fill(name)
      await page.locator('#password').fill(passwordOf(name))
      await submit()
      await page.locator('#password').fill(passwordOf(name))
    }
    await page.locator('#code').fill(await this.nextCode(name))
    await submit()
    await page.waitForURL('**/account')
    const token = await sessionOf(page)
    await context.close()
    return token
  }

  /** Makes a user an administrator. */
  async #appoint(id: number): Promise<void> {
    await this.#visit(this.#admin, 'admin', async (token) => {
      const fields = {
        username: nameOf(id),
        role: '2',
        base_path: '/',
        'permission-level': 'everything',
      }
      const { status } = await this.#open(token, `/account/admin/users/${id}/change`, fields)
      if (status !== 303) throw new Error(`${nameOf(id)} is no administrator`)
    })
  }

  /** Does something as the administrator. */
  async #manage(path: string, body: unknown): Promise<Envelope['data']> {
    return this.#admin.ask(path, { token: await this.#freshToken(), body })
  }

  async #change(username: string, change: Record<string, unknown>): Promise<void> {
    const id = await this.#idOf(username)
    await this.#manage('/api/admin/user/update', { id, username, ...change })
  }

  /** The token of the administrator at work, who has just shown who they are. */
  async #freshToken(): Promise<string> {
    const session = this.#adminSession
    if (this.#site.now - session.since > 40 * HOUR) {
      const token = await this.#signIn(this.#admin, 'admin')
      this.#adminSession = { token, since: this.#site.now, provenAt: this.#site.now }
      return token
    }
    if (this.#site.now - session.provenAt > 9 * MINUTE) {
      const body = { password: ADMIN_PASSWORD }
      await this.#admin.ask('/api/me/confirm', { token: session.token, body })
      session.provenAt = this.#site.now
    }
    return session.token
  }

  async #idOf(username: string): Promise<number> {
    const known = this.#ids.get(username)
    if (known !== undefined) return known
    const path = '/api/admin/user/list?page=1&per_page=200'
    const { content } = await this.#admin.ask(path, {
      token: await this.#freshToken(),
      method: 'GET',
    })
    const users: { id: number; username: string }[] = content
    for (const user of users) this.#ids.set(user.username, user.id)
    const id = this.#ids.get(username)
    if (id === undefined) throw new Error(`there is no ${username}`)
    return id
  }
}

/** Mistypes a password until the user is stopped. */
export async function lockOut(site: ClockedSite): Promise<void> {
  const device = site.device('198.51.100.25')
  for (let failures = 0; failures < 5; failures++) await device.signIn(LOCKED, 'wrong-Passw0rd')
}

/** The pages of a site that is used, in the language of the browser. */
export async function filledStates(page: Page, filled: Filled, take: Take): Promise<void> {
  await page.goto('/account/sign-in')
  await take(page, 'filled-sign-in')
  await page.locator('#username').fill('admin')
  await page.locator('#password').fill(ADMIN_PASSWORD)
  await press(page.locator('form[action="/account/sign-in"] button:not([type])'))
  await page.locator('#code').fill(await filled.nextCode())
  await press(page.locator('form[action="/account/sign-in/code"] button:not([type])').first())
  for (const [name, path] of pagesOf(filled)) {
    await page.goto(path)
    // The reference of the interface is drawn by a script.
    await page.getByRole('heading').first().waitFor()
    await take(page, `filled-${name}`)
  }
  await page.goto('/account/keys')
  await page.locator('.rows > li').nth(1).locator('summary').first().click()
  await take(page, 'filled-keys-asked')
}

const pagesOf = ({ waitingId }: Filled): [name: string, path: string][] => [
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
  ['admin-user-waiting', `/account/admin/users/${waitingId}`],
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
