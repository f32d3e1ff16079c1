import { settings } from '../../schema/tables.ts'
import { CheapSite } from './cheap-site.ts'
import type { Envelope } from './envelope.ts'
import { type KeyType, SoftwarePasskey, type Tampering } from './passkey.ts'
import type { Call } from './site.ts'

const AUTHN = '/api/authn'

/** Adds `https://` to a path, for sites under another host name than localhost. */
export interface At {
  /** The origin that the request is sent to. */
  origin?: string
  headers?: Record<string, string>
}

/** A site with passkeys, and its users who have some. */
export class PasskeySite extends CheapSite {
  async switchOn(): Promise<void> {
    const row = { key: 'webauthn_login_enabled', value: 'true' }
    await this.db.insert(settings).values(row).onConflictDoNothing()
  }

  beginLogin(username = '', { origin = '', headers = {} }: At = {}): Promise<Envelope> {
    const query = username === '' ? '' : `?username=${encodeURIComponent(username)}`
    return this.get(`${origin}${AUTHN}/webauthn_begin_login${query}`, { headers })
  }

  finishLogin(answer: unknown, session: string, { origin = '', headers = {} }: At = {}) {
    const call: Call = { headers: { session, ...headers } }
    return this.post(`${origin}${AUTHN}/webauthn_finish_login`, answer, call)
  }

  beginRegistration(token: string, name = '', { origin = '' }: At = {}): Promise<Envelope> {
    const query = name === '' ? '' : `?name=${encodeURIComponent(name)}`
    return this.get(`${origin}${AUTHN}/webauthn_begin_registration${query}`, { token })
  }

  finishRegistration(token: string, answer: unknown, session: string, { origin = '' }: At = {}) {
    const call: Call = { token, headers: { session } }
    return this.post(`${origin}${AUTHN}/webauthn_finish_registration`, answer, call)
  }

  /** Registers a passkey. */
  async register(
    token: string,
    passkey: SoftwarePasskey,
    change: Tampering = {},
    { name = '', ...at }: At & { name?: string } = {},
  ): Promise<Envelope> {
    const { data, ...refused } = await this.beginRegistration(token, name, at)
    if (data === null) return { ...refused, data }
    const answer = await passkey.create(data.options.publicKey, change)
    return this.finishRegistration(token, answer, data.session, at)
  }

  /** Signs in with a passkey. */
  async signInWith(
    passkey: SoftwarePasskey,
    change: Tampering = {},
    { username = '', ...at }: At & { username?: string } = {},
  ): Promise<Envelope> {
    const { data, ...refused } = await this.beginLogin(username, at)
    if (data === null) return { ...refused, data }
    const answer = await passkey.get(data.options.publicKey, change)
    return this.finishLogin(answer, data.session, at)
  }

  /** A signed-in user's passkey that works. */
  async passkeyOf(
    token: string,
    {
      keyType = 'ES256',
      isSynced = false,
      name = 'phone',
    }: { keyType?: KeyType; isSynced?: boolean; name?: string } = {},
  ): Promise<SoftwarePasskey> {
    const passkey = await SoftwarePasskey.make(keyType)
    passkey.isSynced = isSynced
    const { code, message } = await this.register(token, passkey, {}, { name })
    if (code !== 200) throw new Error(`not registered: ${message}`)
    return passkey
  }
}
