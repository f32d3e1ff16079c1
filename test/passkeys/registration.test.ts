import { asc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, passkeys, sessions, usedChallenges, users } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { of } from '../../src/core/access/subject.ts'
import { removePasskey } from '../../src/capabilities/passkeys/manage.ts'
import { loggedLines } from '../support/log.ts'
import {
  AAGUID,
  base64url,
  cbor,
  ecKey,
  SoftwarePasskey,
  type Tampering,
} from '../support/passkey.ts'
import { codeFor, exchangeCode, refreshWith, register } from '../support/openid.ts'
import { PasskeySite } from '../support/passkey-user.ts'
import { signInAlice } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, MINUTE, NOW, SECOND } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const added = { code: 200, message: 'success', data: 'Registered Successfully' }
const refused = { code: 400, message: 'the passkey was not accepted, try again', data: null }
const stale = { code: 403, message: 'Sign in again or confirm to do this', data: null }
const full = { code: 400, message: 'no more than 20 passkeys, delete one first', data: null }
const ALICE = 3

let site: PasskeySite
let token: string
let passkey: SoftwarePasskey
let linesBefore = 0

beforeEach(async () => {
  site = new PasskeySite()
  token = await signInAlice(site)
  await site.switchOn()
  passkey = await SoftwarePasskey.make()
  reasons()
})

function reasons(): string[] {
  const lines = loggedLines('"event":"passkey_refused"')
  const fresh = lines.slice(linesBefore).map((line) => JSON.parse(line).reason)
  linesBefore = lines.length
  return fresh
}

const stored = () => site.db.select().from(passkeys).orderBy(asc(passkeys.createdAt))
const list = async (as = token) => (await site.get('/api/authn/getcredentials', { token: as })).data

async function addRows(count: number): Promise<void> {
  const row = {
    userId: ALICE,
    publicKey: '',
    algorithm: -7,
    signCount: 0,
    backupEligible: true,
    backedUp: false,
    transports: '',
    aaguid: '00'.repeat(16),
    rpId: 'localhost',
    createdAt: NOW,
  }
  for (let i = 0; i < count; i++)
    await site.db.insert(passkeys).values({ ...row, credentialId: `row-${i}`, name: `${i}` })
}

describe('begin_registration', () => {
  test('asks for a discoverable passkey with user verification, without attestation', async () => {
    const { data } = await site.beginRegistration(token)
    expect(data).toEqual({
      options: {
        publicKey: {
          rp: { name: 'Latchkey', id: 'localhost' },
          user: { id: 'AwAAAAAAAAA', name: 'alice', displayName: 'alice' },
          challenge: expect.stringMatching(/^[\w-]{43}$/),
          pubKeyCredParams: [
            { type: 'public-key', alg: -7 },
            { type: 'public-key', alg: -8 },
            { type: 'public-key', alg: -257 },
          ],
          excludeCredentials: [],
          timeout: 300_000,
          authenticatorSelection: {
            residentKey: 'required',
            requireResidentKey: true,
            userVerification: 'required',
          },
          attestation: 'none',
        },
      },
      session: expect.any(String),
    })
  })

  test('excludes the passkeys that the user has for this host', async () => {
    await site.register(token, passkey)
    await addRows(1)
    await site.db.update(passkeys).set({ rpId: 'other.example' }).where(eq(passkeys.name, '0'))
    const { data } = await site.beginRegistration(token)
    expect(data.options.publicKey.excludeCredentials).toEqual([
      { type: 'public-key', id: base64url(passkey.id), transports: ['hybrid', 'internal'] },
    ])
  })

  test('writes nothing, in one round trip', async () => {
    // The settings are in memory then.
    await site.beginLogin()
    await site.beginRegistration(token)
    expect(site.meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  })

  test.each([
    ['x'.repeat(101), 'name must have at most 100 characters'],
    ['a\u0007b', 'name must not contain control characters'],
  ])('refuses the name %j', async (name, message) => {
    expect(await site.beginRegistration(token, name)).toEqual({ code: 400, message, data: null })
  })
})

describe('a new passkey', () => {
  test.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'is stored with all it says: %s',
    async (type) => {
      const key = await SoftwarePasskey.make(type)
      key.isSynced = true
      expect(await site.register(token, key, { counter: 3 }, { name: '  phone ' })).toEqual(added)
      expect(await stored()).toEqual([
        {
          credentialId: base64url(key.id),
          userId: ALICE,
          publicKey: base64url(key.publicKey),
          algorithm: { ES256: -7, EdDSA: -8, RS256: -257 }[type],
          signCount: 3,
          backupEligible: true,
          backedUp: true,
          transports: 'hybrid internal',
          aaguid: 'a0a1a2a3a4a5a6a7a8a9aaabacadaeaf',
          rpId: 'localhost',
          name: 'phone',
          createdAt: NOW,
          lastUsedAt: null,
          discoverable: true,
        },
      ])
      expect(AAGUID).toHaveLength(16)
    },
  )

  test('is called Passkey without a name', async () => {
    await site.register(token, passkey)
    expect(await stored()).toMatchObject([{ name: 'Passkey' }])
  })

  test('keeps a name of 100 characters, whatever they are', async () => {
    const name = '😀'.repeat(100)
    await site.register(token, passkey, {}, { name })
    expect(await stored()).toMatchObject([{ name }])
  })

  test('is an event of its user', async () => {
    await site.register(token, passkey, {}, { name: 'phone' })
    const { data } = await site.get('/api/me/events', { token })
    expect(data.content[0]).toMatchObject({ kind: 'passkey_added', detail: 'phone' })
  })

  test('may state an attestation, which is not verified', async () => {
    const change: Tampering = { fmt: 'packed', attStmt: new Map([['alg', -7]]) }
    expect(await site.register(token, passkey, change)).toEqual(added)
  })

  test('may have extensions', async () => {
    const extensions = new Map([['credProtect', 2]])
    expect(await site.register(token, passkey, { extensions })).toEqual(added)
    expect(await site.signInWith(passkey, { extensions })).toMatchObject({ code: 200 })
  })

  test.each([1, 1023])('may have an id of %i bytes', async (length) => {
    const id = crypto.getRandomValues(new Uint8Array(length))
    const key = await SoftwarePasskey.make('ES256', { id })
    expect(await site.register(token, key)).toEqual(added)
    expect(await site.signInWith(key)).toMatchObject({ code: 200 })
  })

  test('keeps only transports that are known', async () => {
    const transports = ['usb', 'x'.repeat(1000), 'internal', 'usb']
    await site.register(token, passkey, { transports })
    expect(await stored()).toMatchObject([{ transports: 'internal usb' }])
  })
})

const point = crypto.getRandomValues(new Uint8Array(32))
const rsa = (bits: number, exponent = Uint8Array.of(1, 0, 1)) => {
  const modulus = new Uint8Array(bits / 8).fill(0xff)
  return cbor(
    new Map<number, number | Uint8Array>([
      [1, 3],
      [3, -257],
      [-1, modulus],
      [-2, exponent],
    ]),
  )
}
const ed = (x: Uint8Array) =>
  cbor(
    new Map<number, number | Uint8Array>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, x],
    ]),
  )

/** Each clause of 7.1 that an answer can break, and the reason in the log. */
const CLAUSES: [string, Tampering, string][] = [
  ['of the other ceremony', { type: 'webauthn.get' }, 'type'],
  ['to another challenge', { challenge: 'A'.repeat(43) }, 'challenge'],
  ['from another origin', { origin: 'https://evil.example' }, 'origin'],
  ['from a frame of another site', { clientData: { crossOrigin: true } }, 'cross origin'],
  ['for another RP ID', { rpId: 'evil.example' }, 'rp id'],
  ['without a present user', { userPresent: false }, 'user presence'],
  ['without a verified user', { userVerified: false }, 'user verification'],
  ['that is backed up but not eligible', { backedUp: true }, 'backup state'],
  ['without a new credential', { attested: false }, 'attestation'],
  ['with a statement of the format none', { attStmt: new Map([['x', 1]]) }, 'attestation'],
  ['with trailing bytes', { trailing: Uint8Array.of(0) }, 'authenticator data'],
  ['for another id', { id: new Uint8Array(32) }, 'credential id'],
  ['with an id of no bytes', { id: new Uint8Array() }, 'credential id'],
  ['with an id of 1024 bytes', { id: new Uint8Array(1024) }, 'credential id'],
  ['with a key off its curve', { publicKey: ecKey(point, point) }, 'public key'],
  ['with a short coordinate', { publicKey: ecKey(point.subarray(1), point) }, 'public key'],
  ['with an RSA key of 1024 bits', { publicKey: rsa(1024) }, 'public key'],
  ['with an RSA key of 16384 bits', { publicKey: rsa(16_384) }, 'public key'],
  ['with an RSA exponent of 1', { publicKey: rsa(2048, Uint8Array.of(1)) }, 'public key'],
  ['with an Ed25519 point of small order', { publicKey: ed(new Uint8Array(32)) }, 'public key'],
  ['with a key that is no map', { publicKey: cbor(1) }, 'cbor'],
  ['with an empty key', { publicKey: cbor(new Map()) }, 'public key'],
  [
    'with an algorithm that was not offered',
    {
      publicKey: cbor(
        new Map([
          [1, 2],
          [3, -35],
        ]),
      ),
    },
    'public key',
  ],
]

describe('an answer is refused', () => {
  test.each(CLAUSES)('%s', async (_, change, reason) => {
    expect(await site.register(token, passkey, change)).toEqual(refused)
    expect(reasons()).toEqual([reason])
    expect(await stored()).toEqual([])
    expect(await site.db.select().from(usedChallenges)).toEqual([])
  })

  test('a second time', async () => {
    const { data } = await site.beginRegistration(token)
    const answer = await passkey.create(data.options.publicKey)
    expect(await site.finishRegistration(token, answer, data.session)).toEqual(added)
    expect(await site.finishRegistration(token, answer, data.session)).toEqual(refused)
    expect(reasons()).toEqual(['challenge used'])
    expect(await stored()).toHaveLength(1)
  })

  test('of 20 in parallel but for one', async () => {
    const { data } = await site.beginRegistration(token)
    const answer = await passkey.create(data.options.publicKey)
    const finish = () => site.finishRegistration(token, answer, data.session)
    const answers = await Promise.all(Array.from({ length: 20 }, finish))
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 400)).toHaveLength(19)
    expect(await stored()).toHaveLength(1)
  })

  test('whose id another user has', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    await site.register(token, passkey)
    const rival = await SoftwarePasskey.make('ES256', { id: passkey.id })
    expect(await site.register(bob, rival)).toEqual(refused)
    expect(reasons()).toEqual(['credential taken'])
    expect(await stored()).toMatchObject([{ userId: ALICE }])
  })

  test('of a ceremony that began for another user, or as a sign-in', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    const { data } = await site.beginRegistration(admin)
    const answer = await passkey.create(data.options.publicKey)
    expect(await site.finishRegistration(token, answer, data.session)).toEqual(refused)
    const login = await site.beginLogin()
    const other = { ...data.options.publicKey, challenge: login.data.options.publicKey.challenge }
    const crossed = await passkey.create(other)
    expect(await site.finishRegistration(token, crossed, login.data.session)).toEqual(refused)
    expect(reasons()).toEqual(['other user', 'session text'])
  })

  test('five minutes after its begin', async () => {
    const { data } = await site.beginRegistration(token)
    const answer = await passkey.create(data.options.publicKey)
    site.now += 5 * MINUTE
    expect(await site.finishRegistration(token, answer, data.session)).toEqual(refused)
    expect(reasons()).toEqual(['expired'])
  })
})

describe('twenty passkeys', () => {
  test('are the most: the 21st is refused at begin and at finish', async () => {
    await addRows(19)
    const [first, second] = [
      await site.beginRegistration(token),
      await site.beginRegistration(token),
    ]
    const answer = await passkey.create(first.data.options.publicKey)
    expect(await site.finishRegistration(token, answer, first.data.session)).toEqual(added)
    expect(await site.beginRegistration(token)).toEqual(full)
    const late = await SoftwarePasskey.make()
    const refusedAnswer = await late.create(second.data.options.publicKey)
    expect(await site.finishRegistration(token, refusedAnswer, second.data.session)).toEqual(full)
    expect(await stored()).toHaveLength(20)
  })
})

describe('a session that is ten minutes old', () => {
  test('begins no registration, and finishes none', async () => {
    const { data } = await site.beginRegistration(token)
    const answer = await passkey.create(data.options.publicKey)
    site.now += 4 * MINUTE
    await site.db.update(sessions).set({ signedInAt: site.now - 10 * MINUTE })
    expect(await site.beginRegistration(token)).toEqual(stale)
    expect(await site.finishRegistration(token, answer, data.session)).toEqual(stale)
    expect(await stored()).toEqual([])
  })

  test('lists and renames, and deletes once it is confirmed with a passkey', async () => {
    await site.register(token, passkey)
    site.now += 10 * MINUTE
    const id = passkey.listedId
    const rename = { id, name: ' my phone ' }
    expect(await site.post('/api/authn/rename_authn', rename, { token })).toMatchObject({
      code: 200,
    })
    expect(await list()).toMatchObject([{ id, name: 'my phone' }])
    const remove = () => site.post('/api/authn/delete_authn', { id }, { token })
    expect(await remove()).toEqual(stale)
    const { data } = await site.beginLogin('alice')
    const assertion = await passkey.get(data.options.publicKey)
    const call = { token, headers: { session: data.session } }
    const confirmed = { code: 200, message: 'success', data: null }
    expect(await site.post('/api/me/confirm', { assertion }, call)).toEqual(confirmed)
    expect(await remove()).toEqual({ code: 200, message: 'success', data: 'Deleted Successfully' })
    expect(await list()).toEqual([])
  })
})

const confirm = async (key: SoftwarePasskey, change: Tampering = {}, username = '') => {
  const { data } = await site.beginLogin(username)
  const assertion = await key.get(data.options.publicKey, change)
  const call = { token, headers: { session: data.session } }
  return site.post('/api/me/confirm', { assertion }, call)
}

describe('a confirmation', () => {
  const wrong = { code: 403, message: 'the passkey was not accepted', data: null }

  beforeEach(async () => {
    await site.register(token, passkey)
  })

  test('takes the passkey of the same user only', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    const other = await site.passkeyOf(bob)
    expect(await confirm(other)).toEqual(wrong)
    expect(await confirm(passkey)).toMatchObject({ code: 200 })
  })

  test('is used once', async () => {
    const { data } = await site.beginLogin()
    const assertion = await passkey.get(data.options.publicKey)
    const call = { token, headers: { session: data.session } }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => site.post('/api/me/confirm', { assertion }, call)),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(await site.finishLogin(assertion, data.session)).toEqual(refused)
  })

  test('that fails is counted, as wrong old passwords are, and is an event', async () => {
    for (let i = 0; i < 10; i++)
      expect(await confirm(passkey, { userVerified: false })).toEqual(wrong)
    expect(await confirm(passkey)).toMatchObject({ code: 429 })
    const { data } = await site.get('/api/me/events', { token })
    expect(data.content[0]).toMatchObject({ kind: 'proof_refused', detail: 'passkey' })
    site.now += 15 * MINUTE
    expect(await confirm(passkey)).toMatchObject({ code: 200 })
  })

  test('with a counter that goes back is an event', async () => {
    await site.signInWith(passkey, { counter: 9 })
    expect(await confirm(passkey, { counter: 8 })).toEqual(wrong)
    const { data } = await site.get('/api/me/events', { token })
    expect(data.content.map(({ kind }: { kind: string }) => kind)).toContain('passkey_cloned')
  })

  test('asks for an assertion that can be read', async () => {
    expect(await site.post('/api/me/confirm', { assertion: { id: '?' } }, { token })).toMatchObject(
      {
        code: 400,
      },
    )
  })
})

describe('getcredentials', () => {
  test('is an array, oldest first, as the stock client reads it', async () => {
    expect(await list()).toEqual([])
    await site.register(token, passkey, {}, { name: 'phone' })
    site.now += SECOND
    await site.passkeyOf(token, { name: 'laptop' })
    await site.signInWith(passkey)
    expect(await list()).toEqual([
      {
        id: passkey.listedId,
        fingerprint: 'A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC AD AE AF',
        name: 'phone',
        created_at: '2026-11-21T09:15:06.565+00:00',
        last_used_at: '2026-11-21T09:15:07.565+00:00',
      },
      expect.objectContaining({ name: 'laptop', created_at: '2026-11-21T09:15:07.565+00:00' }),
    ])
  })

  test('shows nobody the passkeys of others', async () => {
    await site.register(token, passkey)
    expect(await list(await site.token('admin', ADMIN_PASSWORD))).toEqual([])
  })
})

const call = (path: string, body: object, as = token) =>
  site.post(`/api/authn/${path}`, body, { token: as })

describe('delete_authn and rename_authn', () => {
  const unknown = { code: 400, message: 'no such passkey', data: null }

  beforeEach(async () => {
    await site.register(token, passkey, {}, { name: 'phone' })
  })

  test('answer alike for unknown ids and for those of others', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    for (const id of [passkey.listedId, base64url(passkey.id), 'AAAA', '?', 'A'.repeat(2000)]) {
      expect(await call('delete_authn', { id }, admin), id).toEqual(unknown)
      expect(await call('rename_authn', { id, name: 'x' }, admin), id).toEqual(unknown)
    }
    expect(await list()).toMatchObject([{ name: 'phone' }])
  })

  test('take ids only as they are listed', async () => {
    const id = base64url(passkey.id)
    expect(await call('delete_authn', { id })).toEqual(unknown)
    expect(await call('delete_authn', { id: passkey.listedId })).toMatchObject({ code: 200 })
  })

  test.each([
    ['', 'name is required'],
    ['   ', 'name is required'],
    ['x'.repeat(101), 'name must have at most 100 characters'],
    ['a\nb', 'name must not contain control characters'],
    ['a\u202Eb', 'name must not contain control characters'],
  ])('refuse the name %j', async (name, message) => {
    const body = { id: passkey.listedId, name }
    expect(await call('rename_authn', body)).toEqual({ code: 400, message, data: null })
  })

  test('are events', async () => {
    await call('rename_authn', { id: passkey.listedId, name: 'my phone' })
    await call('delete_authn', { id: passkey.listedId })
    const rows = await site.db.select().from(auditEvents).orderBy(asc(auditEvents.id))
    const told = rows.filter(({ kind }) => kind.startsWith('passkey_'))
    expect(told.map(({ kind, detail, userId }) => [kind, detail, userId])).toEqual([
      ['passkey_added', 'phone', ALICE],
      ['passkey_renamed', 'my phone', ALICE],
      ['passkey_deleted', 'my phone', ALICE],
    ])
  })

  test('end what the passkey could do', async () => {
    await call('delete_authn', { id: passkey.listedId })
    expect(await site.signInWith(passkey)).toEqual(refused)
  })
})

/** Every door through which a passkey of alice is deleted. */
const DELETIONS: [door: string, remove: (id: string) => Promise<unknown>][] = [
  ['POST /api/authn/delete_authn', (id) => call('delete_authn', { id })],
  [
    'POST /account/security/passkeys/delete',
    (id) => at(token).post('/account/security/passkeys/delete', { id }),
  ],
  [
    'POST /api/admin/user/passkey/delete',
    async (id) => {
      const admin = await site.token('admin', ADMIN_PASSWORD)
      return site.post(`/api/admin/user/passkey/delete?uid=${ALICE}`, { id }, { token: admin })
    },
  ],
  [
    'POST /account/admin/users/3/delete-passkey',
    async (id) => {
      const admin = await site.token('admin', ADMIN_PASSWORD)
      return at(admin).post(`/account/admin/users/${ALICE}/delete-passkey`, { id })
    },
  ],
  ['command: passkey delete', (id) => removePasskey(site.deps, of(COMMAND_LINE, ALICE), id)],
]

function at(session: string): Visitor {
  const visitor = new Visitor(site)
  visitor.cookies.set('session', session)
  return visitor
}

const isIn = async (session: string) => (await site.get('/api/me', { token: session })).code === 200

describe.each(DELETIONS)('%s', (_, remove) => {
  test('ends what began with the passkey, and nothing else', async () => {
    await site.register(token, passkey, {}, { name: 'phone' })
    const laptop = await site.passkeyOf(token, { name: 'laptop' })
    site.now += SECOND
    const begun: string = (await site.signInWith(passkey)).data.token
    const other: string = (await site.signInWith(laptop)).data.token
    const client = await register(site, { name: 'wiki' })
    const offline = { scope: 'openid offline_access' }
    const refreshable = async (visitor: Visitor) =>
      (await exchangeCode(site, client, await codeFor(visitor, client, offline))).refresh_token
    const ofBegun = (await refreshable(at(begun))) ?? ''
    const gone = at((await site.signInWith(passkey)).data.token)
    const left = (await refreshable(gone)) ?? ''
    await gone.post('/account/sign-out')
    const ofOther = (await refreshable(at(other))) ?? ''
    await remove(passkey.listedId)
    expect(await stored()).toHaveLength(1)
    expect([await isIn(begun), await isIn(other), await isIn(token)]).toEqual([false, true, true])
    const statuses = []
    for (const refresh of [ofBegun, left, ofOther])
      statuses.push((await refreshWith(site, client, refresh)).status)
    expect(statuses).toEqual([400, 400, 200])
  })
})

describe('deleting a passkey', () => {
  beforeEach(async () => {
    await site.register(token, passkey, {}, { name: 'phone' })
    site.now += SECOND
  })

  test('keeps the session that does it, also one that began with it', async () => {
    const acting: string = (await site.signInWith(passkey)).data.token
    const other: string = (await site.signInWith(passkey)).data.token
    expect(await call('delete_authn', { id: passkey.listedId }, acting)).toMatchObject({
      code: 200,
    })
    expect([await isIn(acting), await isIn(other), await isIn(token)]).toEqual([true, false, true])
  })

  test('keeps a session that the passkey has only confirmed', async () => {
    const other: string = (await site.signInWith(passkey)).data.token
    const { data } = await site.beginLogin('')
    const assertion = await passkey.get(data.options.publicKey)
    const confirmed = { token, headers: { session: data.session } }
    expect(await site.post('/api/me/confirm', { assertion }, confirmed)).toMatchObject({
      code: 200,
    })
    await call('delete_authn', { id: passkey.listedId }, other)
    expect([await isIn(token), await isIn(other)]).toEqual([true, true])
  })

  test('ends sessions from before migrations knew what they began with', async () => {
    const begun: string = (await site.signInWith(passkey)).data.token
    await site.db.update(sessions).set({ begunWith: '' })
    await call('delete_authn', { id: passkey.listedId })
    expect([await isIn(begun), await isIn(token)]).toEqual([false, true])
  })

  test('offers on its page to end every other session', async () => {
    const elsewhere = await site.token('alice', 'alice-Passw0rd')
    const { html } = await at(token).get('/account/security')
    expect(html).toMatch(/<input[^>]* name="others"[^>]* checked/)
    const fields = { id: passkey.listedId, others: 'on' }
    await at(token).post('/account/security/passkeys/delete', fields)
    expect([await isIn(token), await isIn(elsewhere)]).toEqual([true, false])
  })

  test('ends nothing when nothing is deleted', async () => {
    const begun: string = (await site.signInWith(passkey)).data.token
    await call('delete_authn', { id: 'AAAA' })
    const fields = { id: 'AAAA', others: 'on' }
    await at(token).post('/account/security/passkeys/delete', fields)
    const bob = await site.addUser('bob', { password: 'bob-Passw0rd1' })
    expect(bob).toBeGreaterThan(ALICE)
    const ofBob = await site.token('bob', 'bob-Passw0rd1')
    expect(await call('delete_authn', { id: passkey.listedId }, ofBob)).toMatchObject({ code: 400 })
    site.now += 10 * MINUTE
    expect(await call('delete_authn', { id: passkey.listedId })).toEqual(stale)
    expect([await isIn(begun), await isIn(token)]).toEqual([true, true])
  })
})

describe('an operator', () => {
  let admin: string
  const ask = (path: string, body?: object, as = admin) =>
    body === undefined
      ? site.get(`/api/admin/user/passkey/${path}`, { token: as })
      : site.post(`/api/admin/user/passkey/${path}`, body, { token: as })

  beforeEach(async () => {
    admin = await site.token('admin', ADMIN_PASSWORD)
    await site.register(token, passkey, {}, { name: 'phone' })
  })

  test('lists the passkeys of a user', async () => {
    expect(await ask('list?uid=3')).toEqual({
      code: 200,
      message: 'success',
      data: {
        content: [
          {
            id: passkey.listedId,
            fingerprint: expect.any(String),
            name: 'phone',
            created_at: expect.any(String),
            rp_id: 'localhost',
            transports: ['hybrid', 'internal'],
            backup_eligible: false,
            backed_up: false,
          },
        ],
        total: 1,
      },
    })
    expect(await ask('list?uid=99')).toMatchObject({ code: 404 })
    expect(await ask('list?uid=3', undefined, token)).toMatchObject({ code: 403 })
  })

  test('deletes one, with a fresh session, and it is an event of both', async () => {
    const id = passkey.listedId
    expect(await ask('delete?uid=1', { id })).toMatchObject({ code: 400 })
    expect(await ask('delete?uid=3', { id }, token)).toMatchObject({ code: 403 })
    site.now += 10 * MINUTE
    expect(await ask('delete?uid=3', { id })).toEqual(stale)
    expect(await stored()).toHaveLength(1)
    await site.post('/api/me/confirm', { password: ADMIN_PASSWORD }, { token: admin })
    expect(await ask('delete?uid=3', { id })).toEqual({ code: 200, message: 'success', data: null })
    expect(await stored()).toEqual([])
    const { data } = await site.get('/api/me/events', { token })
    expect(data.content[0]).toMatchObject({
      kind: 'passkey_deleted',
      detail: 'phone',
      actor: { id: 1, username: 'admin' },
    })
  })

  test('keeps or deletes them when cancelling two-step verification', async () => {
    const cancel = (query: string) =>
      site.post(`/api/admin/user/cancel_2fa?id=3${query}`, undefined, { token: admin })
    expect(await cancel('')).toMatchObject({ code: 200 })
    expect(await stored()).toHaveLength(1)
    expect(await cancel('&passkeys=false')).toMatchObject({ code: 200 })
    expect(await stored()).toHaveLength(1)
    expect(await cancel('&passkeys=yes')).toMatchObject({ code: 400 })
    expect(await cancel('&passkeys=true')).toMatchObject({ code: 200 })
    expect(await stored()).toEqual([])
    const rows = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'passkey_deleted'))
    expect(rows).toMatchObject([{ userId: ALICE, actorId: 1, detail: 'phone' }])
  })
})

test('a user who is deleted leaves no passkey', async () => {
  await site.register(token, passkey)
  await site.db.delete(users).where(eq(users.id, ALICE))
  expect(await stored()).toEqual([])
  expect(await site.signInWith(passkey)).toEqual(refused)
})
