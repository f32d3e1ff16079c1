import { env } from 'cloudflare:workers'
import { asc, eq, notLike } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  auditEvents,
  passkeys,
  sessions,
  settings,
  throttleCounters,
  usedChallenges,
  users,
} from '../../schema/tables.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { runNightly } from '../../src/app/nightly-run.ts'
import { cheapHash } from '../support/cheap-hash.ts'
import type { Envelope } from '../support/envelope.ts'
import { failingDb } from '../support/failing-d1.ts'
import { loggedLines } from '../support/log.ts'
import { base64url, concat, SoftwarePasskey, type Tampering } from '../support/passkey.ts'
import { PasskeySite } from '../support/passkey-user.ts'
import { prepared } from '../support/prepared.ts'
import { MINUTE, NOW, SECOND } from '../support/site.ts'

const signedIn = { code: 200, message: 'success', data: { token: expect.any(String) } }
const refused = { code: 400, message: 'the passkey was not accepted, try again', data: null }
const off = { code: 403, message: 'WebAuthn is not enabled', data: null }
const noHost = {
  code: 400,
  message: 'passkeys need https and a host name, such as https://files.example.org',
  data: null,
}
const tooMany = { code: 429, data: null }

const ALICE = 3
const PASSWORD = 'alice-Passw0rd'
const ELSEWHERE = { headers: { 'CF-Connecting-IP': '203.0.113.9' } }
const BASE64URL = /^[\w-]+$/

let site: PasskeySite
let token: string
let passkey: SoftwarePasskey

let registered: SoftwarePasskey
const register = prepared(async (arranged: PasskeySite) => {
  const ofAlice = await arranged.addSignedInUser('alice', PASSWORD)
  await arranged.switchOn()
  registered = await arranged.passkeyOf(ofAlice)
  return ofAlice
})

beforeEach(async () => {
  site = new PasskeySite()
  token = await register(site)
  passkey = registered.copy()
})

/** Puts the public settings into the memory of the isolate and into KV. */
async function readSettings(): Promise<void> {
  await site.beginLogin()
  await site.settle()
}

/** The reasons of the refusals since the last call, from the log. */
let linesBefore = 0
function reasons(): string[] {
  const lines = loggedLines('"event":"passkey_refused"')
  const fresh = lines.slice(linesBefore).map((line) => JSON.parse(line).reason)
  linesBefore = lines.length
  return fresh
}
beforeEach(() => void reasons())

const stored = async () => (await site.db.select().from(passkeys))[0]
const events = async (kind: string) =>
  (await site.db.select().from(auditEvents).orderBy(asc(auditEvents.id)))
    .filter((event) => event.kind === kind)
    .map(({ userId, detail }) => [userId, detail])
const countSessions = async () => (await site.db.select().from(sessions)).length

async function counters(): Promise<Record<string, number>> {
  const isOfSignIn = notLike(throttleCounters.key, 'change/%')
  const rows = await site.db.select().from(throttleCounters).where(isOfSignIn)
  return Object.fromEntries(rows.map(({ key, failures }) => [key.replace(/\/.*/, ''), failures]))
}

describe('a sign-in with a passkey', () => {
  test.each(['ES256', 'EdDSA', 'RS256'] as const)('works with %s', async (keyType) => {
    const other = await site.passkeyOf(token, { keyType })
    const answer = await site.signInWith(other)
    expect(answer).toEqual(signedIn)
    const me = await site.get('/api/me', { token: answer.data.token })
    expect(me).toMatchObject({ code: 200, data: { username: 'alice' } })
  })

  test('works with a name, and without one', async () => {
    expect(await site.signInWith(passkey, {}, { username: 'alice' })).toEqual(signedIn)
    expect(await site.signInWith(passkey)).toEqual(signedIn)
  })

  test('needs no user handle when it began with a name', async () => {
    const change = { userHandle: null }
    expect(await site.signInWith(passkey, change, { username: 'alice' })).toEqual(signedIn)
  })

  test('asks for no code, and says how it was made', async () => {
    await site.enrol(token)
    const { data } = await site.signInWith(passkey)
    expect(await events('sign_in')).toEqual([
      [ALICE, 'pwd'],
      [ALICE, 'passkey'],
    ])
    const list = await site.get('/api/me/sessions', { token: data.token })
    expect(list.data.content.find(({ current }: { current: boolean }) => current).methods).toEqual([
      'passkey',
    ])
  })

  test('costs nothing at begin, one read and one write at finish, and no hash', async () => {
    await readSettings()
    const { data } = await site.beginLogin()
    expect(site.meter).toMatchObject({ roundTrips: 0, hashMilliseconds: 0 })
    const answer = await passkey.get(data.options.publicKey)
    expect(await site.finishLogin(answer, data.session)).toEqual(signedIn)
    expect(site.meter).toMatchObject({ roundTrips: 2, hashMilliseconds: 0 })
    await site.beginLogin('alice')
    expect(site.meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  })

  test('is offered as browsers read it', async () => {
    const { data } = await site.beginLogin()
    expect(data).toEqual({
      options: {
        publicKey: {
          challenge: expect.stringMatching(BASE64URL),
          timeout: 300_000,
          rpId: 'localhost',
          userVerification: 'required',
        },
      },
      session: expect.any(String),
    })
    expect(data.options.publicKey.challenge).toHaveLength(43)
  })

  test('records the counter, the time and the backup state', async () => {
    expect(await stored()).toMatchObject({ signCount: 0, lastUsedAt: null })
    site.now += MINUTE
    await site.signInWith(passkey)
    expect(await stored()).toMatchObject({
      signCount: 1,
      lastUsedAt: NOW + MINUTE,
      backupEligible: false,
      backedUp: false,
    })
  })

  test('survives a new password', async () => {
    await site.post('/api/me/update', { username: 'alice', password: 'other-Passw0rd' }, { token })
    expect(await site.signInWith(passkey)).toEqual(signedIn)
  })

  test('takes a counter that stays 0', async () => {
    const synced = await site.passkeyOf(token, { isSynced: true })
    expect(await site.signInWith(synced)).toEqual(signedIn)
    expect(await site.signInWith(synced)).toEqual(signedIn)
  })
})

/** Each clause of 7.2 that an answer can break, and the reason in the log. */
const CLAUSES: [string, Tampering, string][] = [
  ['of the other ceremony', { type: 'webauthn.create' }, 'type'],
  ['to another challenge', { challenge: 'A'.repeat(43) }, 'challenge'],
  ['to no challenge', { challenge: '' }, 'challenge'],
  ['from another origin', { origin: 'https://evil.example' }, 'origin'],
  ['from the same host with another scheme', { origin: 'https://localhost' }, 'origin'],
  ['from the same host with a port', { origin: 'http://localhost:8080' }, 'origin'],
  ['from an origin with a slash', { origin: 'http://localhost/' }, 'origin'],
  ['from a subdomain', { origin: 'http://evil.localhost' }, 'origin'],
  ['from a frame of another site', { clientData: { crossOrigin: true } }, 'cross origin'],
  ['with a top origin', { clientData: { topOrigin: 'https://evil.example' } }, 'cross origin'],
  ['for another RP ID', { rpId: 'evil.example' }, 'rp id'],
  ['without a present user', { userPresent: false }, 'user presence'],
  ['without a verified user', { userVerified: false }, 'user verification'],
  ['that is backed up but not eligible', { backedUp: true }, 'backup state'],
  ['with another backup eligibility', { backupEligible: true }, 'backup eligibility'],
  ['with a wrong signature', { signature: new Uint8Array(70) }, 'signature'],
  ['with an empty signature', { signature: new Uint8Array() }, 'signature'],
  ['with trailing bytes', { trailing: new Uint8Array(1) }, 'authenticator data'],
  ['for another user', { userHandle: Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0) }, 'user handle'],
  ['with a short user handle', { userHandle: Uint8Array.of(ALICE) }, 'user handle'],
  ['without a user handle', { userHandle: null }, 'user handle'],
]

describe('an answer is refused', () => {
  test.each(CLAUSES)('%s', async (_, change, reason) => {
    const before = [await stored(), await countSessions()]
    expect(await site.signInWith(passkey, change, ELSEWHERE)).toEqual(refused)
    expect(reasons()).toEqual([reason])
    expect([await stored(), await countSessions()]).toEqual(before)
    expect(await events('sign_in_refused')).toEqual([[ALICE, 'passkey']])
    expect(await counters()).toEqual({ account: 1, site: 1 })
  })

  test.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'with a signature of any wrong length: %s',
    async (keyType) => {
      const other = await site.passkeyOf(token, { keyType })
      for (const length of [0, 1, 63, 64, 65, 255, 256, 257, 512]) {
        const change = { signature: new Uint8Array(length).fill(1) }
        expect(await site.signInWith(other, change), `${length}`).toEqual(refused)
      }
      expect(new Set(reasons())).toEqual(new Set(['signature']))
    },
  )

  test('with a signature of another key', async () => {
    const other = await SoftwarePasskey.make('ES256', { id: passkey.id })
    other.userHandle = passkey.userHandle
    expect(await site.signInWith(other)).toEqual(refused)
    expect(reasons()).toEqual(['signature'])
  })

  test('of a passkey that nobody has', async () => {
    const other = await SoftwarePasskey.make()
    other.userHandle = passkey.userHandle
    expect(await site.signInWith(other, {}, ELSEWHERE)).toEqual(refused)
    expect(reasons()).toEqual(['unknown credential'])
    expect(await events('sign_in_refused')).toEqual([[null, 'passkey']])
  })

  test('of a passkey for another host name', async () => {
    await site.db.update(passkeys).set({ rpId: 'example.org' })
    expect(await site.signInWith(passkey)).toEqual(refused)
    expect(reasons()).toEqual(['unknown credential'])
  })

  test('of a disabled user, and of a guest', async () => {
    for (const change of [{ disabled: true }, { disabled: false, role: 1 }]) {
      await site.db.update(users).set(change).where(eq(users.id, ALICE))
      expect(await site.signInWith(passkey)).toEqual(refused)
      expect(await site.signInWith(passkey, {}, { username: 'alice' })).toEqual(refused)
    }
    expect(new Set(reasons())).toEqual(new Set(['owner']))
    expect(await countSessions()).toBe(1)
  })

  test('of another user than the ceremony began for', async () => {
    await site.addUser('bob')
    for (const username of ['bob', 'admin', 'nobody'])
      expect(await site.signInWith(passkey, {}, { username })).toEqual(refused)
    expect(reasons()).toEqual(['other user', 'other user', 'other user'])
  })

  test('whose id and rawId differ', async () => {
    const { data } = await site.beginLogin()
    const answer = await passkey.get(data.options.publicKey)
    expect(await site.finishLogin({ ...answer, rawId: 'AAAA' }, data.session)).toEqual(refused)
  })

  test('five minutes after its begin, and not a second before', async () => {
    const [early, late] = [await site.beginLogin(), await site.beginLogin()]
    site.now += 5 * MINUTE - 1
    const first = await passkey.get(early.data.options.publicKey)
    expect(await site.finishLogin(first, early.data.session)).toEqual(signedIn)
    site.now += 1
    const second = await passkey.get(late.data.options.publicKey)
    expect(await site.finishLogin(second, late.data.session)).toEqual(refused)
    expect(reasons()).toEqual(['expired'])
  })

  test('with a session text that is not ours, altered, or of another ceremony', async () => {
    const { data } = await site.beginLogin()
    const registration = await site.beginRegistration(token)
    const altered = `${data.session.slice(0, -3)}AAA`
    const answer = await passkey.get(data.options.publicKey)
    for (const session of ['', 'x', '.', '..', altered, registration.data.session]) {
      site.meter = createMeter()
      expect(await site.finishLogin(answer, session), session).toEqual(refused)
      expect(site.meter.roundTrips, 'before any database call').toBe(0)
    }
    expect(new Set(reasons())).toEqual(new Set(['session text']))
    expect(await site.finishLogin(answer, data.session)).toEqual(signedIn)
  })

  test.each([
    ['no JSON', 'x'],
    ['an array', []],
    ['nothing', {}],
    ['another type', { type: 'password' }],
    ['padded base64', { id: 'AA==' }],
    ['standard base64', { id: 'a+/b' }],
    ['unused bits', { id: 'AB' }],
    ['a number', { id: 1 }],
    ['no response', { response: null }],
    ['a response without a signature', { response: { clientDataJSON: '', authenticatorData: '' } }],
  ])('for %s, without a database call', async (_, change) => {
    const { data } = await site.beginLogin()
    const answer = await passkey.get(data.options.publicKey)
    const isChange = typeof change === 'object' && !Array.isArray(change)
    const body = isChange && Object.keys(change).length > 0 ? { ...answer, ...change } : change
    site.meter = createMeter()
    expect(await site.finishLogin(body, data.session)).toEqual(refused)
    expect(site.meter.roundTrips).toBe(0)
  })

  test('over 64 KiB', async () => {
    const { data } = await site.beginLogin()
    const body = { id: 'A'.repeat(64 * 1024) }
    expect(await site.finishLogin(body, data.session)).toMatchObject({ code: 413 })
  })
})

describe('a challenge', () => {
  test('is used once', async () => {
    const { data } = await site.beginLogin()
    const answer = await passkey.get(data.options.publicKey)
    expect(await site.finishLogin(answer, data.session)).toEqual(signedIn)
    // The same counter would be refused as well, so a passkey without one shows the rule.
    const synced = await site.passkeyOf(token, { isSynced: true })
    const next = await site.beginLogin()
    const again = await synced.get(next.data.options.publicKey)
    expect(await site.finishLogin(again, next.data.session)).toEqual(signedIn)
    expect(await site.finishLogin(again, next.data.session)).toEqual(refused)
    expect(reasons()).toEqual(['challenge used'])
    expect(await countSessions()).toBe(3)
  })

  test.each([false, true])(
    'makes one session of 20 parallel finishes, synced: %s',
    async (isSynced) => {
      const key = await site.passkeyOf(token, { isSynced })
      const { data } = await site.beginLogin()
      const answer = await key.get(data.options.publicKey)
      const finish = () => site.finishLogin(answer, data.session, ELSEWHERE)
      const answers = await Promise.all(Array.from({ length: 20 }, finish))
      expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
      expect(answers.every(({ code }) => [200, 400, 429].includes(code))).toBe(true)
      expect(await countSessions()).toBe(2)
      expect(await site.db.select().from(usedChallenges)).toHaveLength(2 + 1)
    },
  )

  test('is forgotten by the nightly run once it has expired', async () => {
    await site.signInWith(passkey)
    expect(await site.db.select().from(usedChallenges)).toHaveLength(2)
    site.now += 5 * MINUTE - SECOND
    await runNightly(site.deps)
    expect(await site.db.select().from(usedChallenges)).toHaveLength(2)
    site.now += SECOND
    await runNightly(site.deps)
    expect(await site.db.select().from(usedChallenges)).toEqual([])
  })
})

describe('a counter', () => {
  test.each([
    ['goes back', 4],
    ['stays', 5],
    ['is 0 again', 0],
  ])('that %s is refused, and is an event of the owner', async (_, counter) => {
    await site.signInWith(passkey, { counter: 5 })
    expect(await site.signInWith(passkey, { counter })).toEqual(refused)
    expect(reasons()).toEqual(['counter'])
    expect(await events('passkey_cloned')).toEqual([[ALICE, 'phone']])
    expect((await stored())?.signCount).toBe(5)
    const { data } = await site.get('/api/me/events', { token })
    expect(data.content.map(({ kind }: { kind: string }) => kind)).toContain('passkey_cloned')
  })

  test('that goes back in the same answer again is one event', async () => {
    await site.signInWith(passkey, { counter: 5 })
    const { data } = await site.beginLogin()
    const answer = await passkey.get(data.options.publicKey, { counter: 4 })
    for (let i = 0; i < 3; i++)
      expect(await site.finishLogin(answer, data.session)).toEqual(refused)
    expect(await events('passkey_cloned')).toHaveLength(1)
  })

  test('says nothing without a right signature', async () => {
    await site.signInWith(passkey, { counter: 5 })
    const change = { counter: 4, signature: new Uint8Array(70) }
    expect(await site.signInWith(passkey, change)).toEqual(refused)
    expect(await events('passkey_cloned')).toEqual([])
  })

  test('of two answers at once counts once', async () => {
    const begun = await Promise.all([site.beginLogin(), site.beginLogin()])
    const answers = []
    for (const { data } of begun)
      answers.push(await passkey.get(data.options.publicKey, { counter: 7 }))
    const codes = await Promise.all(
      answers.map((answer, i) => site.finishLogin(answer, begun[i]?.data.session)),
    )
    expect(codes.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(await countSessions()).toBe(2)
  })
})

describe('an imported passkey', () => {
  beforeEach(async () => {
    await site.db.update(passkeys).set({ backupEligible: null, discoverable: false })
  })

  test('is listed for its name, until it was found without one', async () => {
    const { data } = await site.beginLogin('alice')
    expect(data.options.publicKey.allowCredentials).toEqual([
      {
        type: 'public-key',
        id: expect.stringMatching(BASE64URL),
        transports: ['hybrid', 'internal'],
      },
    ])
    expect(await site.signInWith(passkey, {}, { username: 'alice' })).toEqual(signedIn)
    expect(await stored()).toMatchObject({ discoverable: false, backupEligible: false })
    expect(await site.signInWith(passkey)).toEqual(signedIn)
    expect(await stored()).toMatchObject({ discoverable: true })
    const again = await site.beginLogin('alice')
    expect(again.data.options.publicKey).not.toHaveProperty('allowCredentials')
  })

  test('of a disabled user is not listed', async () => {
    await site.db.update(users).set({ disabled: true }).where(eq(users.id, ALICE))
    const { data } = await site.beginLogin('alice')
    expect(data.options.publicKey).not.toHaveProperty('allowCredentials')
  })

  test('takes its backup eligibility from its first answer', async () => {
    const change = { backupEligible: true }
    expect(await site.signInWith(passkey, change)).toEqual(signedIn)
    expect(await site.signInWith(passkey, change)).toEqual(signedIn)
    expect(await site.signInWith(passkey)).toEqual(refused)
  })
})

describe('begin_login', () => {
  test('answers alike for users with passkeys, without, disabled, the guest and nobody', async () => {
    await site.addUser('bob')
    await site.addUser('carol', { disabled: true })
    const shapes = []
    for (const name of [
      '',
      'alice',
      'bob',
      'carol',
      'guest',
      'nobody',
      'ALICE',
      'x'.repeat(1000),
    ]) {
      const { data, ...rest } = await site.beginLogin(name)
      const { challenge, ...options } = data.options.publicKey
      expect(challenge).toHaveLength(43)
      shapes.push(JSON.stringify({ ...rest, options, length: data.session.length }))
    }
    expect(new Set(shapes).size).toBe(1)
  })

  test('takes a name as the stock client writes it, not encoded', async () => {
    for (const name of ['a+b', 'a&b', '100%', '%zz', '日本']) {
      const answer = await site.get(`/api/authn/webauthn_begin_login?username=${name}`)
      expect(answer, name).toMatchObject({ code: 200 })
    }
    const nul = await site.get('/api/authn/webauthn_begin_login?username=%00')
    expect(nul).toEqual({ code: 400, message: 'username must not contain NUL', data: null })
  })

  test('gives a session text of one length, for every ceremony, name and host', async () => {
    const lengths = new Set<number>()
    for (const name of ['', 'alice', 'nobody'])
      lengths.add((await site.beginLogin(name)).data.session.length)
    for (const name of ['', 'phone', '😀'.repeat(100)])
      lengths.add((await site.beginRegistration(token, name)).data.session.length)
    expect(lengths.size).toBe(1)
  })

  test('writes nothing', async () => {
    const read = async () =>
      JSON.stringify([await site.db.select().from(auditEvents), await counters(), await stored()])
    const before = await read()
    await site.beginLogin()
    await site.beginLogin('alice')
    expect(await read()).toBe(before)
  })
})

describe('failures', () => {
  const bad: Tampering = { signature: new Uint8Array(70) }

  test('lock a strange network out, and the right answer there too', async () => {
    for (let i = 0; i < 5; i++)
      expect(await site.signInWith(passkey, bad, ELSEWHERE)).toEqual(refused)
    expect(await site.signInWith(passkey, bad, ELSEWHERE)).toMatchObject(tooMany)
    expect(await site.signInWith(passkey, {}, ELSEWHERE)).toMatchObject(tooMany)
    expect(await site.login('alice', PASSWORD), 'the known network').toMatchObject({ code: 200 })
    site.now += 5 * MINUTE
    expect(await site.signInWith(passkey, {}, ELSEWHERE)).toEqual(signedIn)
  })

  test('count together with wrong passwords', async () => {
    for (let i = 0; i < 5; i++) await site.signInWith(passkey, bad, ELSEWHERE)
    const attempt = { username: 'alice', password: PASSWORD }
    expect(await site.post('/api/auth/login', attempt, ELSEWHERE)).toMatchObject(tooMany)
  })

  test('never lock a known network out', async () => {
    for (let i = 0; i < 40; i++) expect(await site.signInWith(passkey, bad)).toEqual(refused)
    expect(await site.signInWith(passkey)).toEqual(signedIn)
    expect(await site.login('alice', PASSWORD)).toMatchObject({ code: 200 })
    expect(await counters()).toMatchObject({ account: 0, site: 0 })
  })

  test('of unknown passkeys lock their network out', async () => {
    for (let i = 0; i < 30; i++)
      await site.signInWith(
        await SoftwarePasskey.make('EdDSA'),
        { userHandle: new Uint8Array(8) },
        ELSEWHERE,
      )
    expect(await site.signInWith(passkey, {}, ELSEWHERE)).toMatchObject(tooMany)
    expect(await events('sign_in_refused'), 'one shared event').toEqual([[null, 'passkey']])
  })

  test('pass the gate of their network first', async () => {
    const { data } = await site.beginLogin()
    const answer = await passkey.get(data.options.publicKey)
    site.deps.limitSignIns = async () => false
    expect(await site.finishLogin(answer, data.session)).toMatchObject(tooMany)
  })
})

describe('while D1 is down', () => {
  test.each([1, 2])(
    'from round trip %s on, nobody is signed in and nothing is written',
    async (from) => {
      const { data } = await site.beginLogin()
      const answer = await passkey.get(data.options.publicKey)
      const before = JSON.stringify([await stored(), await countSessions()])
      const down = new PasskeySite({ db: failingDb(from), hashPassword: cheapHash })
      const answered = await down.finishLogin(answer, data.session)
      expect(answered).toEqual({ code: 503, message: 'service unavailable, try again', data: null })
      expect(JSON.stringify([await stored(), await countSessions()])).toBe(before)
      expect(await site.finishLogin(answer, data.session), 'the answer is still good').toEqual(
        signedIn,
      )
    },
  )

  test('begin_login with a name is unavailable, and without one it answers', async () => {
    await readSettings()
    const down = new PasskeySite({ db: failingDb(1) })
    expect(await down.beginLogin('alice')).toMatchObject({ code: 503 })
    expect(await down.beginLogin()).toMatchObject({ code: 200 })
  })
})

const everything = (as: string): Promise<Envelope>[] => [
  site.beginLogin(),
  site.finishLogin({}, ''),
  site.beginRegistration(as),
  site.finishRegistration(as, {}, ''),
  site.get('/api/authn/getcredentials', { token: as }),
  site.post('/api/authn/delete_authn', {}, { token: as }),
  site.post('/api/authn/rename_authn', {}, { token: as }),
]

const member = async (where: PasskeySite) =>
  (await where.get('/api/public/settings')).data.webauthn_login_enabled

describe('the setting webauthn_login_enabled', () => {
  test('switches all seven endpoints, and the member of the public settings', async () => {
    expect(await member(site)).toBe('true')
    await site.db.delete(settings)
    const fresh = new PasskeySite()
    const { keys } = await env.SETTINGS.list()
    await Promise.all(keys.map(({ name }) => env.SETTINGS.delete(name)))
    site = fresh
    expect(await member(site)).toBeUndefined()
    for (const answer of await Promise.all(everything(token))) expect(answer).toEqual(off)
  })

  test('is saved by an operator, and at once in force', async () => {
    const admin = await site.token('admin', 'admin-Passw0rd')
    const save = (value: string) =>
      site.post('/api/admin/setting/save', [{ key: 'webauthn_login_enabled', value }], {
        token: admin,
      })
    expect(await save('maybe')).toMatchObject({ code: 400 })
    expect(await save('false')).toMatchObject({ code: 200 })
    expect(await site.beginLogin()).toEqual(off)
    expect(Object.keys((await site.get('/api/public/settings')).data)).toHaveLength(28)
    expect(await save('true')).toMatchObject({ code: 200 })
    expect(await site.beginLogin()).toMatchObject({ code: 200 })
    expect(Object.keys((await site.get('/api/public/settings')).data)).toHaveLength(29)
  })
})

/** A site whose operator has set these variables. */
function siteWith(variables: Record<string, string>): PasskeySite {
  const bindings: Partial<Env> = JSON.parse(JSON.stringify(variables))
  return new PasskeySite({}, bindings)
}

describe('the RP ID', () => {
  test.each(['http://127.0.0.1', 'http://[::1]', 'https://192.0.2.1', 'http://files.example.org'])(
    'does not exist at %s',
    async (origin) => {
      expect(await site.beginLogin('', { origin })).toEqual(noHost)
      expect(await site.beginRegistration(token, '', { origin })).toEqual(noHost)
      const { data } = await site.beginLogin()
      const answer = await passkey.get(data.options.publicKey)
      expect(await site.finishLogin(answer, data.session, { origin })).toEqual(noHost)
    },
  )

  test.each([
    ['http://localhost', 'localhost'],
    ['http://localhost:8787', 'localhost'],
    ['http://files.localhost', 'files.localhost'],
    ['https://files.example.org', 'files.example.org'],
    ['https://latchkey.account.workers.dev', 'latchkey.account.workers.dev'],
  ])('is at %s the host name: %s', async (origin, rpId) => {
    const key = await SoftwarePasskey.make('ES256', { origin })
    expect(await site.register(token, key, {}, { origin })).toMatchObject({ code: 200 })
    const { data } = await site.beginLogin('', { origin })
    expect(data.options.publicKey.rpId).toBe(rpId)
    expect(await site.signInWith(key, {}, { origin })).toEqual(signedIn)
  })

  test('of one host does not sign in at another', async () => {
    const origin = 'https://files.example.org'
    expect(await site.signInWith(passkey, { origin }, { origin })).toEqual(refused)
    expect(reasons()).toEqual(['unknown credential'])
  })

  test('may be a parent domain, with the hosts under it that are named', async () => {
    const parent = siteWith({
      PASSKEY_RP_ID: 'example.org',
      PASSKEY_ORIGINS: 'https://files.example.org, https://list.example.org:8443',
    })
    const own = 'https://auth.example.org'
    const key = await SoftwarePasskey.make('ES256', { origin: own })
    expect(await parent.register(token, key, {}, { origin: own })).toMatchObject({ code: 200 })
    for (const origin of [own, 'https://files.example.org', 'https://list.example.org:8443'])
      expect(await parent.signInWith(key, { origin }, { origin: own }), origin).toEqual(signedIn)
    for (const origin of [
      'https://other.example.org',
      'http://files.example.org',
      'https://list.example.org',
      'https://files.example.org.evil.example',
      'null',
    ])
      expect(await parent.signInWith(key, { origin }, { origin: own }), origin).toEqual(refused)
  })

  test('of another domain takes only the request’s own origin', async () => {
    const other = siteWith({
      PASSKEY_RP_ID: 'example.org',
      PASSKEY_ORIGINS: 'https://files.example.org',
    })
    const own = 'https://auth.example.com'
    const key = await SoftwarePasskey.make('ES256', { origin: own })
    expect(await other.register(token, key, {}, { origin: own })).toMatchObject({ code: 200 })
    expect(await other.signInWith(key, {}, { origin: own })).toEqual(signedIn)
    const origin = 'https://files.example.org'
    expect(await other.signInWith(key, { origin }, { origin: own })).toEqual(refused)
  })

  test.each([
    { PASSKEY_RP_ID: 'https://example.org' },
    { PASSKEY_RP_ID: '192.0.2.1' },
    { PASSKEY_RP_ID: 'Example.org' },
    { PASSKEY_RP_ID: 'example.org', PASSKEY_ORIGINS: 'http://files.example.org' },
    { PASSKEY_RP_ID: 'example.org', PASSKEY_ORIGINS: 'https://files.example.org/' },
    { PASSKEY_RP_ID: 'example.org', PASSKEY_ORIGINS: 'https://badexample.org' },
    { PASSKEY_ORIGINS: 'https://files.example.org' },
  ])('set wrong is an internal error with its remedy in the log: %j', async (variables) => {
    const wrong = siteWith(variables)
    expect(await wrong.beginLogin()).toMatchObject({ code: 500, message: 'internal error' })
    const [line] = loggedLines('must be').slice(-1)
    expect(line).toMatch(/PASSKEY_(RP_ID|ORIGINS) must be/)
  })
})

test('a page of another origin may send the header session', async () => {
  const response = await site.fetch('OPTIONS', '/api/authn/webauthn_finish_login', {
    headers: {
      Origin: 'https://files.example.org',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,session',
    },
  })
  expect(response.headers.get('Access-Control-Allow-Headers')?.toLowerCase()).toContain('session')
})

test('random bytes in every member never fail with more than a refusal', async () => {
  const { data } = await site.beginLogin()
  const answer = await passkey.get(data.options.publicKey)
  for (const length of [1, 2, 4, 16, 17, 18, 19, 20, 34, 59]) {
    const bytes = crypto.getRandomValues(new Uint8Array(length))
    for (const change of [{ signature: bytes }, { trailing: bytes }, { userHandle: bytes }])
      expect(await site.signInWith(passkey, change)).toEqual(refused)
    // Attested data and extensions.
    const authenticatorData = base64url(concat(new Uint8Array(32), Uint8Array.of(0xc5), bytes))
    const response = { ...answer.response, authenticatorData }
    expect(await site.finishLogin({ ...answer, response }, data.session)).toEqual(refused)
  }
})
