import { eq } from 'drizzle-orm'
import {
  identities,
  passkeys,
  reservedNames,
  sessions,
  settings,
  sshKeys,
  throttleCounters,
  users,
} from '../../../schema/tables.ts'
import type { Deps } from '../../../src/core/deps.ts'
import type { Given } from '../../../scripts/openapi/operation.ts'
import { KEY_LINE } from '../../../scripts/openapi/operations/examples.ts'
import { Refusal } from '../../../src/core/base/refusals.ts'
import { verifyToken } from '../../../src/core/access/token.ts'
import { APP_PASSWORD_SCOPES } from '../../../src/core/access/scopes.ts'
import { addServiceToken } from '../../../src/core/access/service-tokens.ts'
import { addAppPassword } from '../../support/app-passwords.ts'
import { CheapSite } from '../../support/cheap-site.ts'
import { GITHUB_ISSUER } from '../../../src/core/base/sso-platforms.ts'
import { BROWSER, type Mischief } from '../../support/identity-provider.ts'
import { SsoSite } from '../../support/sso-site.ts'
import { base64url, SoftwarePasskey } from '../../support/passkey.ts'
import {
  CALLBACK,
  codeFor,
  exchangeCode,
  register,
  signedIn as visitorOf,
  withClient,
} from '../../support/openid.ts'
import { GroupsSite } from '../../groups/groups-site.ts'
import { JoiningSite, secretOf } from '../../support/joining.ts'
import { prepared } from '../../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR, NOW, SECOND } from '../../support/site.ts'
import { Visitor } from '../../support/visitor.ts'

const GITHUB_TOKENS = '/login/oauth/access_token'
const PASSWORD = 'alice-Passw0rd'
/** Bits 10 and 11. */
const SFTP = 3 << 10

/** How a documented example is asked. */
export interface Asked {
  site: CheapSite
  token?: string
  /** What no document can know: codes of the moment, secrets, the id of a session. */
  body?: Record<string, unknown>
  query?: Record<string, string>
  headers?: Record<string, string>
  /** Sent to an endpoint that `account:write` may call. */
  otherToken?: string
  /** The fields of a form that no document can know. */
  form?: Record<string, string>
  /** Sent instead of the documented body. */
  rawBody?: string
}

async function withCode() {
  const site = new CheapSite()
  const client = await withClient(site)
  const code = await codeFor(await visitorOf(site), client)
  return { site, client, code }
}

/** What every `given` of a documented example means. */
export const givens: Record<Given, () => Promise<Asked>> = {
  'alice is signed in': signedIn,
  'alice signed in an hour ago': async () => {
    const asked = await signedIn()
    asked.site.now += HOUR
    return asked
  },
  'alice is signed in twice': async () => {
    const asked = await signedIn()
    const other = await asked.site.token('alice', PASSWORD)
    const { data } = await asked.site.get('/api/me/sessions', { token: other })
    const another = data.content.find((session: { current: boolean }) => !session.current)
    return { ...asked, token: other, query: { id: another.id } }
  },
  'alice has the key "laptop"': async () => {
    const asked = await signedIn()
    await addLaptop(asked)
    return asked
  },
  'alice has made 200 changes': async () => {
    const asked = await signedIn()
    const { sessionId } = await verifyToken(await asked.site.deps.keyRing(), asked.token, NOW)
    const parts = JSON.stringify({ [`change ${sessionId}`]: 100 })
    const row = { key: 'change/3', failures: 200, parts, expiresAt: asked.site.now + HOUR }
    await asked.site.db.insert(throttleCounters).values(row)
    return asked
  },
  'alice has 100 keys': async () => {
    const asked = await signedIn()
    const rows = Array.from({ length: 100 }, (_, n) => ({
      userId: 3,
      title: `key ${n}`,
      fingerprint: `SHA256:${n}`,
      type: 'ssh-ed25519',
      bits: 256,
      line: '',
      addedAt: NOW,
      lastUsedAt: NOW,
    }))
    for (const row of rows) await asked.site.db.insert(sshKeys).values(row)
    return asked
  },
  'alice has an app password': async () => {
    const asked = await signedIn()
    await addAppPassword(asked.site, 3, ['files:read'], { name: 'rclone' })
    return asked
  },
  'the caller has an app password': async () => {
    const { site } = await signedIn()
    return { site, token: (await addAppPassword(site, 3, ['account:read'])).token }
  },
  'alice has an app password of another scope': async () => {
    const { site } = await signedIn()
    // No endpoint of the interface needs this pair.
    const { token } = await addAppPassword(site, 3, ['account:write'])
    const { token: other } = await addAppPassword(site, 3, ['files:read'])
    return { site, token, otherToken: other }
  },
  'a password alone made what alice has, who uses two-step verification': async () => {
    const asked = await signedIn()
    await addAppPassword(asked.site, 3, ['files:read'], { amr: 'pwd' })
    await addLaptop(asked)
    await asked.site.enrol(asked.token)
    return asked
  },
  'the site demands a second factor, and a password alone made the app password': async () => {
    const { site } = await signedIn()
    // An admin's, because only admins have the scope `admin`.
    const scopes = [...APP_PASSWORD_SCOPES]
    const { token } = await addAppPassword(site, 1, scopes, { amr: 'pwd' })
    return demandFactor({ site, token })
  },
  'alice has 50 app passwords': async () => {
    const asked = await signedIn()
    for (let n = 0; n < 50; n++)
      await addAppPassword(asked.site, 3, ['files:read'], { name: `program ${n}` })
    return asked
  },
  'a server has a service token, alice has an app password': async () => {
    const { site } = await signedIn()
    const service = await addServiceToken(site.deps, 'files', 'introspect')
    const { token } = await addAppPassword(site, 3, ['files:read'])
    return { site, token: `Bearer ${service}`, form: { token } }
  },
  'alice may use WebDAV and has an app password for files': () => withFiles('files:write'),
  'alice may use WebDAV and has an app password for reading files': () => withFiles('files:read'),
  'the admin is signed in, alice has an app password': async () => {
    const { site } = await signedIn()
    await addAppPassword(site, 3, ['files:read'], { name: 'rclone' })
    return { site, token: await site.token('admin', ADMIN_PASSWORD) }
  },
  'alice has a channel': withOwnChannel,
  'alice has a channel and has just tested it': async () =>
    withTest(await withOwnChannel(), '/api/me/notices/test'),
  'the admin is signed in, there is a channel': () => withChannels(1),
  'the admin is signed in and has just tested the channel': async () =>
    withTest(await withChannels(1), '/api/admin/notice/test?id=1'),
  'the admin is signed in, there are 20 channels': () => withChannels(20),
  'a program has a code of alice': async () => {
    const { site, client, code } = await withCode()
    const { clientId, secret } = client
    return {
      site,
      form: { code, redirect_uri: CALLBACK, client_id: clientId, client_secret: secret },
    }
  },
  'a program has an access token of alice': async () => {
    const { site, client, code } = await withCode()
    const { access_token: token } = await exchangeCode(site, client, code)
    return { site, token: `Bearer ${token}` }
  },
  'a program has a token that is not in force': async () => {
    const { site } = await signedIn()
    return { site, token: 'Bearer lka_unknown' }
  },
  'alice was shown a QR code': async () => {
    const asked = await signedIn()
    const { data } = await asked.site.post('/api/auth/2fa/generate', undefined, asked)
    return { ...asked, body: { secret: data.secret, code: asked.site.code(data.secret) } }
  },
  'alice uses two-step verification': withTwoFactor,
  'the site demands a second factor, alice has only an authenticator app': async () =>
    demandFactor(await withTwoFactor()),
  'the site demands a second factor, alice has only the passkey "phone"': async () => {
    const asked = await withPhone()
    await asked.site.db.update(sessions).set({ amr: 'pwd passkey' })
    return demandFactor(asked)
  },
  'the site demands a second factor, the admin has only an authenticator app': async () => {
    const { site } = await signedIn()
    const token = await site.token('admin', ADMIN_PASSWORD)
    await site.enrol(token)
    return demandFactor({ site, token })
  },
  'alice keeps files under her name': async () => {
    const asked = await signedIn()
    await asked.site.db.update(users).set({ permission: SFTP }).where(eq(users.id, 3))
    return asked
  },
  'alice has had ten other names': async () => {
    const asked = await signedIn()
    const names = Array.from({ length: 10 }, (_, i) => `alice${i}`)
    await asked.site.db
      .insert(reservedNames)
      .values(
        names.map((name) => ({ usernameKey: name, username: name, userId: 3, reservedAt: 0 })),
      )
    return asked
  },
  'alice failed to sign in five times': async () => {
    const asked = await signedIn()
    for (let n = 0; n < 5; n++) await asked.site.login('alice', 'wrong')
    return { site: asked.site }
  },
  'alice entered ten wrong codes': async () => {
    const asked = await withTwoFactor()
    for (let n = 0; n < 10; n++) {
      await asked.site.post('/api/auth/2fa/disable', { otp_code: 'wrong' }, asked)
      const wrong = { username: 'alice', password: 'another-Passw0rd', old_password: 'wrong' }
      await asked.site.post('/api/me/update', wrong, asked)
    }
    return asked
  },
  'the admin is signed in': adminSignedIn,
  'the admin signed in an hour ago': async () => {
    const asked = await adminSignedIn()
    asked.site.now += HOUR
    return asked
  },
  'root made alice an admin': async () => {
    const asked = await signedIn()
    const { site } = asked
    await site.addUser('root', { password: ADMIN_PASSWORD, role: 2 })
    const root = new Visitor(site)
    await root.signIn('root', ADMIN_PASSWORD)
    await root.post('/account/admin/users/3/change', {
      username: 'alice',
      role: '2',
      base_path: '/',
    })
    return asked
  },
  'the admin is signed in, alice has the key "laptop"': async () => {
    const asked = await signedIn()
    await addLaptop(asked)
    return { site: asked.site, token: await asked.site.token('admin', ADMIN_PASSWORD) }
  },
  'a server has a service token, alice has the key "laptop" and may use SFTP': async () => {
    const asked = await signedIn()
    await addLaptop(asked)
    await asked.site.db.update(users).set({ permission: SFTP }).where(eq(users.id, 3))
    const token = await addServiceToken(asked.site.deps, 'files', 'sftp')
    return { site: asked.site, token: `Bearer ${token}` }
  },
  'an LDAP door has a service token, alice may use SFTP': async () => {
    const { site } = await signedIn()
    await site.db.update(users).set({ permission: SFTP }).where(eq(users.id, 3))
    const token = await addServiceToken(site.deps, 'files', 'ldap')
    return { site, token: `Bearer ${token}` }
  },
  'nobody is signed in': async () => ({ site: await withAlice() }),
  'nobody is signed in, the guest is enabled': async () => {
    const site = await withAlice()
    await site.db.update(users).set({ disabled: false }).where(eq(users.username, 'guest'))
    return { site }
  },
  'nobody is signed in, an administrator set a security contact': async () => {
    const site = await withAlice()
    const row = { key: 'security_contact', value: 'mailto:security@example.org' }
    await site.db.insert(settings).values(row)
    return { site }
  },
  'the session has ended': async () => {
    const asked = await signedIn()
    await asked.site.get('/api/auth/logout', asked)
    return asked
  },
  'the token has expired': async () => {
    const asked = await signedIn()
    asked.site.now += 48 * HOUR + SECOND
    return asked
  },
  'the password was changed since': async () => {
    const asked = await signedIn()
    const change = { username: 'alice', password: 'another-Passw0rd' }
    await asked.site.post('/api/me/update', change, asked)
    return asked
  },
  'the account was disabled since': async () => {
    const asked = await signedIn()
    await asked.site.db.update(users).set({ disabled: true }).where(eq(users.id, 3))
    return asked
  },
  'the site demands a second factor, and alice has none': async () =>
    demandFactor(await signedIn()),
  'the site demands a second factor, and alice did not show hers': async () =>
    demandFactor(await withPhone()),
  'the admin is signed in, bob was deleted': async () => {
    const asked = await adminSignedIn()
    // Names are reserved where a program knows users by them.
    await register(asked.site, { name: 'files' })
    await asked.site.addUser('bob')
    await asked.site.db.delete(users).where(eq(users.username, 'bob'))
    return asked
  },
  'alice is signed in, and the site signs users in to a program': async () => {
    const site = new CheapSite()
    await withClient(site)
    return { site, token: await site.token('alice', PASSWORD) }
  },
  'alice says no at GitHub': () => refusedAtGithub({}),
  'GitHub does not answer': () =>
    refusedAtGithub({ [GITHUB_TOKENS]: () => Promise.reject(new TypeError('network')) }),
  'GitHub refuses the client secret': () =>
    refusedAtGithub({
      [GITHUB_TOKENS]: () => Response.json({ error: 'incorrect_client_credentials' }),
    }),
  'octocat at GitHub is the only way in of alice': async () => {
    const { site } = await withProvider()
    const token = await site.token('alice', PASSWORD)
    const only = { passwordHash: null, ssoId: '583231' }
    await site.db.update(users).set(only).where(eq(users.username, 'alice'))
    return { site, token }
  },
  'the body is larger than 64 KiB': async () => ({
    ...(await signedIn()),
    rawBody: 'x'.repeat(64 * 1024 + 1),
  }),
  'single sign-on is off': async () => ({ site: await withAlice() }),
  'single sign-on has no provider': () => withProvider({ sso_login_platform: '' }),
  'GitHub is the provider': () => withProvider(),
  'alice comes back from GitHub': () => comingBack('sso_get_token', false),
  'alice comes back from GitHub in compatibility mode': () => comingBack('sso_get_token', true),
  'alice comes back from GitHub to bind her account': () => comingBack('get_sso_id', true),
  'passkeys are off': signedIn,
  'nobody is signed in, an administrator set a related origin': async () => {
    const site = await withAlice()
    const row = { key: 'passkey_related_origins', value: 'https://example.com' }
    await site.db.insert(settings).values(row)
    return { site }
  },
  'alice began to add a passkey': addingPasskey,
  'alice has the passkey "phone"': withPhone,
  'alice has 20 passkeys': async () => {
    const asked = await signedIn()
    await addPasskeys(asked.site, ...Array.from({ length: 20 }, (_, n) => `passkey ${n}`))
    return asked
  },
  'nobody is signed in, alice answers with her passkey': async () => {
    const { site, passkey, ...adding } = await addingPasskey()
    await site.post('/api/authn/webauthn_finish_registration', adding.body, adding)
    const { data } = await site.get('/api/authn/webauthn_begin_login')
    const body = await passkey.get(data.options.publicKey)
    return { site, body, headers: { session: data.session } }
  },
  'the admin is signed in, alice has the passkey "phone"': async () => {
    const { site } = await withPhone()
    return { site, token: await site.token('admin', ADMIN_PASSWORD) }
  },
  'the admin is signed in, alice is linked with octocat at GitHub': async () => {
    const { site } = await withProvider()
    return { site, token: await site.token('admin', ADMIN_PASSWORD) }
  },
  'the admin is signed in, octocat at GitHub is the only way in of alice': async () => {
    const { site } = await withProvider()
    await site.db.update(users).set({ passwordHash: null }).where(eq(users.username, 'alice'))
    return { site, token: await site.token('admin', ADMIN_PASSWORD) }
  },
  'nobody is signed in, registration is open': withRegistration,
  'nobody is signed in, registration is open and ten have registered': async () => {
    const asked = await withRegistration()
    const row = { key: 'register/192.0.2.1', failures: 10, expiresAt: asked.site.now + HOUR }
    await asked.site.db.insert(throttleCounters).values({ ...row, chargedAt: asked.site.now })
    return asked
  },
  'nobody is signed in, the site sends mail': async () => {
    await withAlice()
    return { site: new JoiningSite() }
  },
  'nobody is signed in, alice has a link for a new password': async () => {
    const { site, token } = await adminSignedIn()
    const { data } = await site.post(
      '/api/admin/user/reset_link',
      { id: 3 },
      { token: token ?? '' },
    )
    return { site, body: { link: secretOf(data.link) } }
  },
  'alice is signed in, and the site sends mail': withMail,
  'alice has an address that is not confirmed': withAddress,
  'alice has a confirmed address': async () => {
    const given = await withAddress()
    await given.site.db.update(users).set({ emailVerified: true })
    return given
  },
  'alice was mailed a link for her address': withMailedLink,
  'alice was mailed a link for her address, and bob is signed in': async () => {
    const asked = await withMailedLink()
    await asked.site.addUser('bob', { password: PASSWORD })
    return { ...asked, token: await asked.site.token('bob', PASSWORD) }
  },
  'the admin is signed in, there is a group': async () => {
    const asked = await adminSignedIn()
    await addGroup(asked)
    return asked
  },
  'the admin is signed in, a group may write a folder': async () => {
    const { token = '' } = await adminSignedIn()
    const site = new GroupsSite()
    site.openlist.folders.push('/photos', '/music')
    await addGroup({ site, token })
    const rule = { path: '/photos', group: 'editors', access: 'write' }
    await site.post('/api/admin/folder_rule/create', rule, { token })
    return { site, token }
  },
  'the admin is signed in, there is an invitation': async () => {
    const asked = await adminSignedIn()
    const token = asked.token ?? ''
    const invitation = { name: 'family', uses: 5 }
    await asked.site.post('/api/admin/invitation/create', invitation, { token })
    return asked
  },
  'the admin is signed in, bob waits for an approval': async () => {
    const asked = await adminSignedIn()
    const waiting = { disabled: true, waiting: true, registeredNetwork: '192.0.2.9' }
    await asked.site.addUser('bob', waiting)
    return asked
  },
  'the database is unavailable': () =>
    afterSigningIn({
      get db(): Deps['db'] {
        throw new Refusal('unavailable')
      },
    }),
  'no secret is configured': () =>
    afterSigningIn({ keyRing: () => Promise.reject(new Refusal('internal')) }),
}

/** Switches `/api/authn` on, unless it is on. */
export async function switchPasskeysOn({ db }: CheapSite): Promise<void> {
  await db
    .insert(settings)
    .values({ key: 'webauthn_login_enabled', value: 'true' })
    .onConflictDoNothing()
}

async function addPasskeys({ db }: CheapSite, ...names: string[]): Promise<void> {
  for (const name of names) {
    await db.insert(passkeys).values({
      credentialId: base64url(new TextEncoder().encode(name)),
      userId: 3,
      publicKey: '',
      algorithm: -7,
      signCount: 0,
      backupEligible: true,
      backedUp: true,
      transports: 'internal',
      aaguid: 'a0a1a2a3a4a5a6a7a8a9aaabacadaeaf',
      rpId: 'localhost',
      name,
      createdAt: NOW,
    })
  }
}

async function withProvider(values: Record<string, string> = {}): Promise<{ site: SsoSite }> {
  const site = new SsoSite()
  await site.addFirstUsers()
  const id = await site.addUser('alice', { password: PASSWORD })
  await site.setUp({ sso_login_platform: 'Github', ...values })
  const octocat = { issuer: GITHUB_ISSUER, subject: '583231', userId: id, name: 'octocat' }
  await site.db
    .insert(identities)
    .values({ ...octocat, platform: 'Github', linkedAt: NOW, linkedBy: 'user' })
  return { site }
}

/** Alice, when GitHub has sent her browser back. */
async function comingBack(method: string, isCompatible: boolean) {
  const { site } = await withProvider({ sso_compatibility_mode: String(isCompatible) })
  const visitor = new Visitor(site)
  const { location } = await visitor.get(`/api/auth/sso?method=${method}`)
  const back = site.providers.signIn(location ?? '', { sub: '583231', name: 'octocat' })
  const { searchParams } = new URL(back, 'http://localhost')
  const query = { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' }
  const cookie = `sso=${visitor.cookies.get('sso')}`
  return { site, query, headers: { Cookie: cookie, ...BROWSER } }
}

/** As `comingBack`, of a program that gets envelopes. */
async function refusedAtGithub(answers: Mischief['answers'] & object): Promise<Asked> {
  const asked = await comingBack('sso_get_token', false)
  asked.site.providers.mischief = { answers }
  const { Cookie } = asked.headers
  return { ...asked, headers: { Cookie } }
}

async function demandFactor(asked: Asked): Promise<Asked> {
  await asked.site.db.insert(settings).values({ key: 'require_second_factor', value: 'everybody' })
  return asked
}

async function withPhone(): Promise<Asked & { token: string }> {
  const asked = await signedIn()
  await addPasskeys(asked.site, 'phone')
  return asked
}

/** Alice, with the answer of a new passkey to the options that she got. */
async function addingPasskey() {
  const { site, token } = await signedIn()
  await switchPasskeysOn(site)
  const passkey = await SoftwarePasskey.make()
  const { data } = await site.get('/api/authn/webauthn_begin_registration', { token })
  const body = await passkey.create(data.options.publicKey)
  return { site, token, body, headers: { session: data.session }, passkey }
}

async function withFiles(scope: 'files:read' | 'files:write'): Promise<Asked> {
  const { site } = await signedIn()
  // Bits 8 and 9.
  await site.db
    .update(users)
    .set({ permission: 3 << 8 })
    .where(eq(users.id, 3))
  const { token } = await addAppPassword(site, 3, [scope])
  return { site, token: `Basic ${btoa(`alice:${token}`)}` }
}
const signInAlice = prepared((site) => site.addSignedInUser('alice', PASSWORD))

const signInBoth = prepared(async (site) => {
  await site.addSignedInUser('alice', PASSWORD)
  return site.token('admin', ADMIN_PASSWORD)
})

const enrolAlice = prepared(async (site) => {
  const token = await site.addSignedInUser('alice', PASSWORD)
  return { token, secret: await site.enrol(token) }
})

async function withAlice(): Promise<CheapSite> {
  const site = new CheapSite()
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD })
  return site
}

async function signedIn(): Promise<Asked & { token: string }> {
  const site = new CheapSite()
  return { site, token: await signInAlice(site) }
}

/** A site whose notices are taken. */
function siteWithReceiver(): CheapSite {
  return new CheapSite({ sendOut: async () => new Response('ok') })
}

async function withOwnChannel(): Promise<Asked> {
  const { token } = await signedIn()
  const site = siteWithReceiver()
  const wish = {
    kind: 'ntfy',
    address: 'https://ntfy.sh/a-topic-that-nobody-guesses',
    topics: ['new_network', 'password'],
  }
  await site.post('/api/me/notices/save', wish, { token })
  return { site, token }
}

/** @param path The request that sends a test. */
async function withTest({ site, token = '' }: Asked, path: string): Promise<Asked> {
  await site.post(path, undefined, { token })
  return { site, token }
}

async function withChannels(count: number): Promise<Asked> {
  const { token = '' } = await adminSignedIn()
  const site = siteWithReceiver()
  const wish = {
    kind: 'slack',
    name: 'ops',
    address: 'https://hooks.slack.com/services/T000/B000/x',
    topics: ['new_admin', 'locked_out'],
  }
  for (let n = 0; n < count; n++) await site.post('/api/admin/notice/create', wish, { token })
  return { site, token }
}

async function withRegistration() {
  const site = await withAlice()
  await site.db.insert(settings).values({ key: 'allow_register', value: 'true' })
  return { site }
}

async function withMail() {
  const { token } = await signedIn()
  return { site: new JoiningSite(), token }
}

async function withAddress() {
  const asked = await withMail()
  await asked.site.db.update(users).set({ email: 'alice@example.org' }).where(eq(users.id, 3))
  return asked
}

async function withMailedLink() {
  const asked = await withAddress()
  await asked.site.post('/api/me/email/send', undefined, { token: asked.token })
  const [mail] = await asked.site.mail()
  return { ...asked, body: { link: secretOf(mail?.text ?? '') } }
}

async function adminSignedIn(): Promise<Asked> {
  const site = new CheapSite()
  return { site, token: await signInBoth(site) }
}

/** Makes the group `editors`, which alice is in. */
async function addGroup({ site, token = '' }: Asked): Promise<void> {
  await site.post('/api/admin/group/create', { name: 'editors' }, { token })
  await site.post('/api/admin/group/member/add', { id: 1, users: [3] }, { token })
}

async function withTwoFactor(): Promise<Asked & { token: string }> {
  const site = new CheapSite()
  const { token, secret } = await enrolAlice(site)
  return { site, token, body: { otp_code: site.code(secret) } }
}

async function addLaptop({ site, token }: Asked & { token: string }): Promise<void> {
  await site.post('/api/me/sshkey/add', { title: 'laptop', key: KEY_LINE }, { token })
}

/** The same accounts and sessions, in a world that lacks something. */
async function afterSigningIn(faults: Partial<Deps>): Promise<Asked> {
  const { token } = await signedIn()
  const site = new CheapSite()
  Object.defineProperties(site.deps, Object.getOwnPropertyDescriptors(faults))
  return { site, token }
}
