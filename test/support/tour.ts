import { settings } from '../../schema/tables.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { forgetSettings } from '../../src/capabilities/settings/copy.ts'
import { ED1 } from '../reference/keys.ts'
import { parsePublicKey } from '../../src/capabilities/ssh-keys/openssh.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import type { CheapSite } from './cheap-site.ts'
import type { Envelope } from './envelope.ts'
import { SoftwarePasskey } from './passkey.ts'
import { ADMIN_PASSWORD, SECOND } from './site.ts'

const PASSWORD = 'alice-Passw0rd'

/** The cost of a request. */
export interface Cost {
  call: string
  code: number
  roundTrips: number
  rowsRead: number
  rowsWritten: number
}

/** Asks everything of a site that can be asked, as alice (id 3) and as admin, once each. */
export class Tour {
  readonly costs: Cost[] = []
  readonly #site: CheapSite
  #token = ''

  private constructor(site: CheapSite) {
    this.#site = site
  }

  /** @param site One that has its first users, alice and no more that matter. */
  static async of(site: CheapSite): Promise<Cost[]> {
    const tour = new Tour(site)
    await tour.#public()
    await tour.#signIn()
    await tour.#keys()
    await tour.#twoFactor()
    await tour.#passkeys()
    await tour.#profile()
    await tour.#operatorsPages()
    await tour.#operator()
    await tour.#ldapDoor()
    await tour.#servers()
    return tour.costs
  }

  async #ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Envelope['data']> {
    // A request that is given nothing to work with costs nothing.
    this.#site.meter = createMeter()
    const isPage = path.startsWith('/account')
    const credential = isPage
      ? { headers: { ...headers, Cookie: `session=${this.#token}` } }
      : { token: this.#token, headers }
    const response = await this.#site.fetch(method, path, { ...credential, body })
    const text = await response.text()
    const isEnvelope = text.startsWith('{"code"')
    const { code, data }: Envelope = isEnvelope
      ? JSON.parse(text)
      : { code: response.status, message: '', data: text }
    const { roundTrips, rowsRead, rowsWritten } = this.#site.meter
    const call = `${method} ${isPage ? path : path.replace(/\?.*/, '')}`
    this.costs.push({ call, code, roundTrips, rowsRead, rowsWritten })
    return data
  }

  async #public(): Promise<void> {
    await this.#ask('GET', '/api/public/settings')
    for (const path of [
      '/ping',
      '/api/public/settings',
      '/robots.txt',
      '/.well-known/security.txt',
      '/api/me',
    ])
      await this.#ask('GET', path)
  }

  async #login(username: string, password: string, code?: string): Promise<string> {
    const data = await this.#ask('POST', '/api/auth/login', {
      username,
      password,
      otp_code: code,
    })
    return data?.token ?? ''
  }

  async #signIn(): Promise<void> {
    await this.#login('alice', 'wrong-Passw0rd')
    await this.#login('nobody', PASSWORD)
    this.#token = await this.#login('alice', PASSWORD)
    await this.#ask('GET', '/api/auth/logout')
    await this.#ask('GET', '/api/me')
    const other = await this.#login('alice', PASSWORD)
    this.#token = await this.#login('alice', PASSWORD)
    await this.#ask('GET', '/api/me')
    const { content } = await this.#ask('GET', '/api/me/sessions')
    const { id } = content.find((session: { current: boolean }) => !session.current)
    await this.#ask('POST', `/api/me/sessions/delete?id=${id}`)
    await this.#ask('POST', '/api/me/sessions/delete_others')
    if (other === '') throw new Error('not signed in twice')
  }

  async #keys(): Promise<void> {
    await this.#ask('POST', '/api/me/sshkey/add', { title: 'laptop', key: ED1 })
    await this.#ask('POST', '/api/me/sshkey/add', { title: 'laptop', key: ED1 })
    const { content } = await this.#ask('GET', '/api/me/sshkey/list')
    await this.#ask('GET', '/api/me/events')
    await this.#ask('POST', `/api/me/sshkey/delete?id=${content[0].id}`)
    await this.#ask('POST', '/api/me/sshkey/add', { title: 'laptop', key: ED1 })
  }

  async #twoFactor(): Promise<void> {
    const { secret } = await this.#ask('POST', '/api/auth/2fa/generate')
    const code = (steps = 0) => this.#site.code(secret, steps)
    await this.#ask('POST', '/api/auth/2fa/verify', { secret, code: code() })
    await this.#login('alice', PASSWORD)
    await this.#login('alice', PASSWORD, '000000')
    this.#token = await this.#login('alice', PASSWORD, code())
    this.#site.now += 30 * SECOND
    const { recovery_codes: recoveryCodes } = await this.#ask(
      'POST',
      '/api/auth/2fa/recovery_codes',
      { otp_code: code() },
    )
    await this.#login('alice', PASSWORD, recoveryCodes[0])
    await this.#ask('POST', '/api/auth/2fa/disable', { otp_code: recoveryCodes[1] })
  }

  async #passkeys(): Promise<void> {
    const site = this.#site
    const row = { key: 'webauthn_login_enabled', value: 'true' }
    await site.db.insert(settings).values(row)
    // The public settings of this isolate are read again.
    forgetSettings(site.deps)
    const passkey = await SoftwarePasskey.make()
    const begun = await this.#ask('GET', '/api/authn/webauthn_begin_registration?name=phone')
    const created = await passkey.create(begun.options.publicKey)
    const { session } = begun
    await this.#ask('POST', '/api/authn/webauthn_finish_registration', created, { session })
    const cases = [{}, { signature: new Uint8Array(70) }, { counter: 0 }]
    for (const [path, name, field] of [
      ['/api/authn/webauthn_finish_login', '', undefined],
      ['/api/me/confirm', 'alice', 'assertion'],
    ] as const) {
      for (const change of cases) {
        const query = name === '' ? '' : `?username=${name}`
        const login = await this.#ask('GET', `/api/authn/webauthn_begin_login${query}`)
        const answer = await passkey.get(login.options.publicKey, change)
        const body = field === undefined ? answer : { [field]: answer }
        await this.#ask('POST', path, body, { session: login.session })
      }
    }
    const stranger = await SoftwarePasskey.make()
    const login = await this.#ask('GET', '/api/authn/webauthn_begin_login')
    const answer = await stranger.get(login.options.publicKey, { userHandle: passkey.userHandle })
    await this.#ask('POST', '/api/authn/webauthn_finish_login', answer, { session: login.session })
    await this.#ask('GET', '/api/authn/getcredentials')
    const id = passkey.listedId
    await this.#ask('POST', '/api/authn/rename_authn', { id, name: 'my phone' })
    await this.#ask('POST', '/api/authn/delete_authn', { id })
  }

  async #profile(): Promise<void> {
    await this.#ask('POST', '/api/me/update', { username: 'alice', sso_id: 'a' })
    await this.#ask('POST', '/api/me/confirm', { password: 'wrong-Passw0rd' })
    await this.#ask('POST', '/api/me/confirm', { password: PASSWORD })
    const body = { username: 'alice', password: 'new-Passw0rd', old_password: 'wrong-Passw0rd' }
    await this.#ask('POST', '/api/me/update', body)
    await this.#ask('POST', '/api/me/update', { ...body, old_password: PASSWORD })
  }

  /** The lists of operators, with each filter. */
  async #operatorsPages(): Promise<void> {
    this.#token = await this.#login('admin', ADMIN_PASSWORD)
    const filters = [
      'user=alice',
      'kind=sign_in',
      'kind=user_made',
      'from=2026-11-21&to=2026-11-21',
    ]
    for (const filter of ['', ...filters]) {
      await this.#ask('GET', `/account/admin/events?${filter}`)
      await this.#ask('GET', `/account/admin/events/events.csv?${filter}`)
    }
    for (const filter of ['', ...filters.slice(1)]) {
      await this.#ask('GET', `/account/activity?${filter}`)
      await this.#ask('GET', `/account/activity/events.csv?${filter}`)
    }
    for (const filter of [
      'group=admins',
      'group=disabled',
      'group=without-two-factor',
      'search=lic',
      '',
    ])
      await this.#ask('GET', `/account/admin/users?${filter}`)
    for (const path of ['/account', '/account/admin']) await this.#ask('GET', path)
  }

  async #operator(): Promise<void> {
    this.#token = await this.#login('admin', ADMIN_PASSWORD)
    await this.#ask('GET', '/api/admin/user/list?page=1&per_page=10')
    await this.#ask('GET', '/api/admin/user/get?id=3')
    await this.#ask('GET', '/api/admin/user/sshkey/list?uid=3')
    const created = { username: 'bob', password: 'bob-Passw0rd' }
    await this.#ask('POST', '/api/admin/user/create', created)
    await this.#ask('POST', '/api/admin/user/update', { id: 3, username: 'alice', disabled: false })
    await this.#ask('POST', '/api/admin/user/update', { id: 1, username: 'admin', disabled: true })
    await this.#ask('GET', '/api/admin/user/passkey/list?uid=3')
    await this.#ask('POST', '/api/admin/user/passkey/delete?uid=3', { id: 'AAAA' })
    await this.#ask('GET', '/api/admin/user/identity/list?uid=3')
    const identity = { issuer: 'https://idp.example.org', subject: '4711' }
    await this.#ask('POST', '/api/admin/user/identity/delete?uid=3', identity)
    await this.#ask('POST', '/api/admin/user/cancel_2fa?id=3')
    await this.#ask('POST', '/api/admin/user/cancel_2fa?id=3&passkeys=true')
  }

  async #ldapDoor(): Promise<void> {
    const admin = this.#token
    const door = (await addServiceToken(this.#site.deps, 'nas', 'ldap')) ?? ''
    this.#token = `Bearer ${door}`
    for (const known of ['', '*'])
      await this.#ask('GET', '/api/ldap/entries', undefined, { 'If-None-Match': known })
    for (const password of ['wrong-Passw0rd', 'new-Passw0rd', `lk_${'0'.repeat(43)}`]) {
      const body = { username: 'alice', password, scope: 'files:write' }
      await this.#ask('POST', '/api/ldap/bind', body)
    }
    this.#token = admin
  }

  async #servers(): Promise<void> {
    await this.#ask('POST', '/api/admin/user/update', { id: 3, permission: 0xc00 })
    const service = await addServiceToken(this.#site.deps, 'files', 'sftp')
    const admin = this.#token
    this.#token = service ?? ''
    const keys = await this.#ask('GET', '/api/sftp/authorized_keys?username=alice')
    if (!keys.includes('ssh-ed25519')) throw new Error('alice has no key')
    const { fingerprint } = parsePublicKey(ED1)
    const use = { username: 'alice', fingerprint, address: '192.0.2.9' }
    await this.#ask('POST', '/api/sftp/used', use)
    for (const proof of [{ public_key: ED1 }, { password: 'new-Passw0rd' }]) {
      const attempt = { username: 'alice', protocol: 'SSH', ip: '192.0.2.9', ...proof }
      await this.#ask('POST', '/api/sftp/external_auth', attempt)
    }
    this.#token = admin
    await this.#ask('POST', '/api/admin/user/sshkey/delete?uid=3&id=1')
    await this.#ask('POST', '/api/admin/user/delete?id=3')
  }
}
