import { beforeEach, describe, expect, test } from 'vitest'
import { noticeChannels, passkeys, settings, throttleCounters } from '../../schema/tables.ts'
import {
  MAX_CHANGES,
  MAX_CHANGES_OF_ONE,
  MAX_CONFIRMATIONS,
  SURE_CHANGES,
} from '../../src/core/access/changes.ts'
import { verifyToken } from '../../src/core/access/token.ts'
import { type LimitName, LIMITS } from '../../src/core/throttle/limit-table.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { newKey } from '../support/new-key.ts'
import { prepared } from '../support/prepared.ts'
import { HOUR } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const NEW_PASSWORD = 'another-Passw0rd'
const ALICE = 3

let site: CheapSite
/** A session of alice that is an hour old, whose token is stolen. */
let stolen: string
/** A program's app password, which is stolen too. */
let program: string
let secret: string
/** The session of alice that has just begun. */
let own: string

const arrange = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD })
  await arranged.db.insert(settings).values({ key: 'webauthn_login_enabled', value: 'true' })
  const old = await arranged.token('alice', PASSWORD)
  const phone = await arranged.enrol(old)
  await arranged.post(
    '/api/me/tokens/create',
    { name: 'x', scopes: ['files:read'] },
    { token: old },
  )
  await arranged.post('/api/me/sshkey/add', { title: 'x', key: newKey().line }, { token: old })
  const app = await addAppPassword(arranged, ALICE, ['account:write'], { name: 'program' })
  return { old, phone, app: app.token, now: arranged.now }
})

beforeEach(async () => {
  site = new CheapSite()
  const { old, phone, app, now } = await arrange(site)
  site.now = now + HOUR
  stolen = old
  program = app
  secret = phone
  own = await site.token('alice', PASSWORD, site.code(secret))
})

const shares = async () => {
  const rows = await site.db.select().from(throttleCounters)
  return rows.filter(({ key }) => key === `change/${ALICE}`)
}

/** Uses up everything that these credentials can use up. */
async function spend(...tokens: string[]): Promise<void> {
  await site.db.delete(throttleCounters)
  const parts: Record<string, number> = {}
  for (const token of tokens) {
    // The name of the share is what the service writes for a change.
    const before = Object.keys(JSON.parse((await shares())[0]?.parts ?? '{}'))
    const isProgram = token === program
    await (isProgram
      ? site.post('/api/me/sshkey/add', { title: token.slice(-8), key: newKey().line }, { token })
      : site.post('/api/auth/2fa/generate', undefined, { token }))
    const after = Object.keys(JSON.parse((await shares())[0]?.parts ?? '{}'))
    const [share] = after.filter((name) => !before.includes(name))
    if (share === undefined) throw new Error('nothing was counted')
    parts[share] = MAX_CHANGES_OF_ONE
  }
  const failures = Math.min(MAX_CHANGES, tokens.length * MAX_CHANGES_OF_ONE)
  await site.db.update(throttleCounters).set({ failures, parts: JSON.stringify(parts) })
  // Wrong proofs of every kind, until each is refused unseen.
  for (let n = 0; n <= LIMITS.proof.failures; n++)
    for (const proof of [{ password: 'wrong' }, { otp_code: '000000' }])
      await site.post('/api/me/confirm', proof, { token: stolen })
}

async function addPasskeyRow(): Promise<string> {
  const key = { publicKey: '', algorithm: -7, signCount: 0, backedUp: false, transports: '' }
  const names = { credentialId: 'AAAA', aaguid: '', rpId: 'localhost', name: 'key' }
  await site.db.insert(passkeys).values({ ...key, ...names, userId: ALICE, createdAt: site.now })
  return 'AAAA'
}

async function addChannelRow(): Promise<void> {
  const texts = { kind: 'ntfy', name: '', target: 'x', config: '', topics: '', language: 'en' }
  const rest = { origin: '', sinceEventId: 0, createdAt: site.now }
  await site.db.insert(noticeChannels).values({ userId: ALICE, ...texts, ...rest })
}

const post = async (path: string, body?: unknown) =>
  (await site.post(path, body, { token: own })).code

async function form(path: string, fields: Record<string, string> = {}): Promise<number> {
  const visitor = new Visitor(site)
  visitor.cookies.set('session', own)
  const { status } = await visitor.post(path, fields)
  return status === 303 || status === 302 ? 200 : status
}

/** What takes access away, and the confirmation that some of it needs, in the owner's own session. */
const ENDINGS: Record<string, () => Promise<number>> = {
  'an SSH key is deleted': () => post('/api/me/sshkey/delete?id=1'),
  'an SSH key is deleted on the page': () => form('/account/keys/delete', { id: '1' }),
  'all SSH keys are deleted': () => form('/account/keys/delete-all'),
  'an app password is deleted': () => post('/api/me/tokens/delete?id=1'),
  'an app password is deleted on the page': () =>
    form('/account/app-passwords/delete', { id: '1' }),
  'a passkey is deleted': async () => {
    return post('/api/authn/delete_authn', { id: await addPasskeyRow() })
  },
  'the channel is deleted': async () => {
    await addChannelRow()
    return post('/api/me/notices/delete')
  },
  'other sessions end': () => post('/api/me/sessions/delete_others'),
  'everything ends': () => post('/api/me/sessions/delete_all'),
  'the password changes': () =>
    post('/api/me/update', { username: 'alice', password: NEW_PASSWORD }),
  'the password changes on the page': () =>
    form('/account/security/password', {
      old_password: PASSWORD,
      password: NEW_PASSWORD,
      repeat: NEW_PASSWORD,
    }),
  'two-step verification is turned off': () =>
    post('/api/auth/2fa/disable', { otp_code: site.code(secret, 1) }),
  'recovery codes are replaced': () =>
    post('/api/auth/2fa/recovery_codes', { otp_code: site.code(secret, 1) }),
  'the session is confirmed with the password': () =>
    post('/api/me/confirm', { password: PASSWORD }),
  'the session is confirmed with a code': () =>
    post('/api/me/confirm', { otp_code: site.code(secret, 1) }),
}

describe('in the own session of a user whose token and app password are stolen and used up', () => {
  test.each(Object.entries(ENDINGS))('%s', async (_, end) => {
    await spend(stolen, program)
    expect(await end()).toBe(200)
  })

  test('a change is made as well', async () => {
    await spend(stolen, program)
    for (let n = 0; n < SURE_CHANGES; n++)
      expect(await post('/api/me/sshkey/delete?id=99')).toBe(404)
    const wish = { title: 'new', key: newKey().line }
    expect(await post('/api/me/sshkey/add', wish)).toBe(200)
  })

  test('the sign-in with the code goes on', async () => {
    await spend(stolen)
    expect(await site.login('alice', PASSWORD, site.code(secret, 1))).toMatchObject({ code: 200 })
  })
})

test('the stolen token itself is refused changes, and can still be taken away', async () => {
  await spend(stolen)
  const generated = await site.post('/api/auth/2fa/generate', undefined, { token: stolen })
  expect(generated).toMatchObject({ code: 429 })
  expect(await site.post('/api/me/sshkey/delete?id=1', undefined, { token: stolen })).toMatchObject(
    {
      code: 200,
    },
  )
})

test('a credential can use up no more than its share', async () => {
  expect(MAX_CHANGES_OF_ONE).toBeLessThanOrEqual(MAX_CHANGES / 2)
  await spend(program)
  const wish = { title: 'new', key: newKey().line }
  expect(await site.post('/api/me/sshkey/add', wish, { token: program })).toMatchObject({
    code: 429,
  })
  expect(await site.post('/api/me/sshkey/add', wish, { token: own })).toMatchObject({ code: 200 })
})

test('confirmations of a session are bounded, and count for it alone', async () => {
  const { sessionId } = await verifyToken(await site.deps.keyRing(), own, site.now)
  await post('/api/me/confirm', { password: PASSWORD })
  const [row] = await shares()
  const parts = JSON.parse(row?.parts ?? '{}')
  expect(parts[`confirmation ${sessionId}`]).toBe(2)
  expect(row?.failures).toBe(0)
  parts[`confirmation ${sessionId}`] = MAX_CONFIRMATIONS
  await site.db.update(throttleCounters).set({ parts: JSON.stringify(parts) })
  expect(await post('/api/me/confirm', { password: PASSWORD })).toBe(429)
  const other = await site.token('alice', PASSWORD, site.code(secret, 1))
  expect((await site.post('/api/me/confirm', { password: PASSWORD }, { token: other })).code).toBe(
    200,
  )
})

/** Who can use up a limit, and what that stops. None of it takes access away. */
const SPENDERS: Record<LimitName | 'change' | 'confirmation', { who: string; stops: string }> = {
  change: { who: 'a session or an app password, for itself', stops: 'its changes' },
  confirmation: { who: 'a session, with right proofs', stops: 'its own confirmation' },
  proof: { who: 'a session, for itself; at sign-in, who has the password', stops: 'proofs there' },
  pair: { who: 'a network, for itself; an LDAP door, for an account', stops: 'passwords there' },
  network: { who: 'a network, for itself', stops: 'its passwords' },
  site: { who: 'the networks of a /48', stops: 'passwords from unknown networks there' },
  account: { who: 'strangers', stops: 'passwords from unknown networks' },
  stranger: { who: 'a network, for itself', stops: 'its sign-ins without an account' },
  strangers: { who: 'a /48, for itself', stops: 'its sign-ins without an account' },
  appPassword: { who: 'a network', stops: 'nothing' },
  appPasswords: { who: 'a /48', stops: 'nothing' },
  test: { who: 'every session of a user', stops: 'tests of channels' },
  register: { who: 'a network, for itself', stops: 'its registrations' },
  registers: { who: 'a /48, for itself', stops: 'its registrations' },
  forgotten: { who: 'a network, for itself', stops: 'its requests for mails' },
  forgottens: { who: 'a /48, for itself', stops: 'its requests for mails' },
  resetMail: { who: 'strangers', stops: 'a second mail; the first one works' },
  resetMails: { who: 'unknown networks, and known ones apart', stops: 'mails asked for there' },
  confirmMail: { who: 'every session of a user', stops: 'a second mail; the first one works' },
  tests: { who: 'every session of a user', stops: 'further tests of channels' },
  retry: { who: 'every session of a user', stops: 'retries of tasks of a kind' },
  confirmMails: { who: 'every session of a user', stops: 'further mails; the first ones work' },
  confirmMailsTo: { who: 'every account', stops: 'further mails to one address' },
}

test('every limit says who can use it up', () => {
  const counted = ['change', 'confirmation', ...Object.keys(LIMITS)]
  expect(Object.keys(SPENDERS).toSorted()).toEqual(counted.toSorted())
})
