import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, links, passkeys, sessions, settings, users } from '../../schema/tables.ts'
import { removePasskey } from '../../src/capabilities/passkeys/manage.ts'
import { cancelUserTwoFactor } from '../../src/capabilities/users/manage-users.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { of } from '../../src/core/access/subject.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { secretOf } from '../support/joining.ts'
import { PasskeySite } from '../support/passkey-user.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, MINUTE } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const ADMIN = 1
const lastFactor = {
  code: 403,
  message: 'This site requires a second factor: set up another one first, or move to a new phone',
  data: null,
}

/** The second factors of the admin. */
type Factor = 'app' | 'passkey'

let site: PasskeySite
let admin: string
/** The token of another admin, who has a passkey. */
let other: string
let secret: string

const arrange = prepared(async (arranged: PasskeySite) => {
  await arranged.addFirstUsers()
  await arranged.switchOn()
  const id = await arranged.addUser('olga', { password: 'olga-Passw0rd', role: 2 })
  const ofAdmin = await arranged.token('admin', ADMIN_PASSWORD)
  const ofOther = await arranged.token('olga', 'olga-Passw0rd')
  await addPasskeyRow(arranged, id, 'BBBB')
  await arranged.db.update(sessions).set({ amr: 'pwd passkey' })
  return { admin: ofAdmin, other: ofOther, secret: await arranged.enrol(ofAdmin) }
})

beforeEach(async () => {
  site = new PasskeySite()
  const done = await arrange(site)
  admin = done.admin
  other = done.other
  secret = done.secret
})

async function addPasskeyRow(at: PasskeySite, userId: number, credentialId: string) {
  const key = { publicKey: '', algorithm: -7, signCount: 0, backedUp: false, transports: '' }
  const names = { credentialId, aaguid: '', rpId: 'localhost', name: 'phone' }
  await at.db.insert(passkeys).values({ ...key, ...names, userId, createdAt: at.now })
}

/** Gives the admin these second factors, and no others. */
async function give(factors: Factor[]): Promise<void> {
  if (factors.includes('passkey')) await addPasskeyRow(site, ADMIN, 'AAAA')
  if (!factors.includes('app'))
    await site.db.update(users).set({ totpSeed: null }).where(eq(users.id, ADMIN))
}

async function demand(value: string): Promise<void> {
  await site.db.insert(settings).values({ key: 'require_second_factor', value })
}

const post = (path: string, body?: unknown, token = admin) => site.post(path, body, { token })

async function form(path: string, fields: Record<string, string> = {}) {
  const visitor = new Visitor(site)
  visitor.cookies.set('session', admin)
  const { status, html } = await visitor.post(path, fields)
  return { status, html }
}

/** Everything with which somebody takes second factors from their own account, and which. */
const DOORS: Record<string, [Factor[], () => Promise<{ code?: number; status?: number }>]> = {
  '2fa/disable': [['app'], () => post('/api/auth/2fa/disable', { otp_code: site.code(secret) })],
  'the form that turns it off': [
    ['app'],
    () => form('/account/security/off', { code: site.code(secret) }),
  ],
  delete_authn: [['passkey'], () => post('/api/authn/delete_authn', { id: 'AAAA' })],
  'the form that deletes a passkey': [
    ['passkey'],
    () => form('/account/security/passkeys/delete', { id: 'AAAA' }),
  ],
  'cancel_2fa of the own account': [['app'], () => post(`/api/admin/user/cancel_2fa?id=${ADMIN}`)],
  'cancel_2fa with the passkeys': [
    ['app', 'passkey'],
    () => post(`/api/admin/user/cancel_2fa?id=${ADMIN}&passkeys=true`),
  ],
  'cancel_2fa by an own app password': [
    ['app'],
    async () => {
      const { token } = await addAppPassword(site, ADMIN, ['admin'])
      return post(`/api/admin/user/cancel_2fa?id=${ADMIN}`, undefined, token)
    },
  ],
  'the page of the own account for operators': [
    ['app'],
    () => form(`/account/admin/users/${ADMIN}/cancel-two-factor`),
  ],
  'the passkeys of the own account for operators': [
    ['passkey'],
    () => post(`/api/admin/user/passkey/delete?uid=${ADMIN}`, { id: 'AAAA' }),
  ],
  'that on its page': [
    ['passkey'],
    () => form(`/account/admin/users/${ADMIN}/delete-passkey`, { id: 'AAAA' }),
  ],
}

async function stored() {
  const [row] = await site.db.select().from(users).where(eq(users.id, ADMIN))
  const own = await site.db.select().from(passkeys).where(eq(passkeys.userId, ADMIN))
  const alive = await site.db.select().from(sessions)
  const events = await site.db.select().from(auditEvents)
  const { totpSeed, totpStep } = row ?? {}
  return { totpSeed, totpStep, passkeys: own.length, sessions: alive.length, events }
}

const CASES = Object.entries(DOORS).map(([name, [taken, act]]) => ({ name, taken, act }))
const DEMANDED = CASES.flatMap((each) =>
  ['everybody', 'admins'].map((value) => ({ ...each, value })),
)

describe('an admin who takes the last second factor away', () => {
  test.each(DEMANDED)(
    'by $name, is refused with the demand of $value',
    async ({ taken, act, value }) => {
      await give(taken)
      await demand(value)
      const before = await stored()
      const { code, status } = await act()
      expect(code ?? status).toBe(403)
      const after = await stored()
      // That of an app password that the test has made.
      const events = after.events.filter(({ kind }) => kind !== 'token_created')
      expect({ ...after, events }, 'also the code is not used up').toEqual(before)
    },
  )

  test.each(CASES)('by $name, may do so without a demand', async ({ taken, act }) => {
    await give(taken)
    await demand('off')
    const { code, status } = await act()
    expect(code === 200 || status === 303, `${code ?? status}`).toBe(true)
    expect(await stored()).toMatchObject({ totpSeed: null, passkeys: 0 })
  })

  const single = CASES.filter(({ taken }) => taken.length === 1)
  test.each(single)('by $name, while another one is left', async ({ taken, act }) => {
    await give(['app', 'passkey'])
    await demand('everybody')
    const { code, status } = await act()
    expect(code === 200 || status === 303, `${code ?? status}`).toBe(true)
    const after = await stored()
    expect(after.totpSeed === null).toBe(taken.includes('app'))
    expect(after.passkeys).toBe(taken.includes('passkey') ? 0 : 1)
  })

  test('is told what to do', async () => {
    await demand('everybody')
    const code = site.code(secret)
    expect(await post('/api/auth/2fa/disable', { otp_code: code })).toEqual(lastFactor)
    const { html } = await form('/account/security/phone', { code })
    expect(html).toContain('name="secret"')
    const page = new Visitor(site)
    page.cookies.set('session', admin)
    const security = (await page.get('/account/security')).html
    expect(security).toContain('To turn two-step verification off, add a passkey first.')
    expect(security).not.toContain('action="/account/security/off"')
  })

  test('keeps one of two that are taken at once', async () => {
    await give(['app', 'passkey'])
    await demand('everybody')
    const answers = await Promise.all([
      post('/api/auth/2fa/disable', { otp_code: site.code(secret) }),
      post('/api/authn/delete_authn', { id: 'AAAA' }),
    ])
    expect(answers.map(({ code }) => code)).toEqual(expect.arrayContaining([200, 403]))
    const { totpSeed, passkeys: left } = await stored()
    expect([totpSeed !== null, left > 0].filter(Boolean)).toHaveLength(1)
  })

  test('may not make a link that takes it off', async () => {
    await demand('admins')
    const ask = { id: ADMIN, second_factor: true }
    expect(await post('/api/admin/user/reset_link', ask)).toEqual(lastFactor)
    expect(await site.db.select().from(links)).toEqual([])
    expect(await post('/api/admin/user/reset_link', { id: ADMIN })).toMatchObject({ code: 200 })
  })

  test('keeps it with a link of the own account from before the demand', async () => {
    const ask = { id: ADMIN, second_factor: true }
    const { data } = await post('/api/admin/user/reset_link', ask)
    await demand('admins')
    const use = { link: secretOf(data.link), password: 'another-Passw0rd' }
    expect(await site.post('/api/auth/reset', use)).toMatchObject({ code: 200 })
    const { totpSeed, events } = await stored()
    expect(totpSeed).not.toBeNull()
    expect(events.map(({ kind }) => kind)).not.toContain('two_factor_cancelled')
  })
})

describe('while a second factor is demanded', () => {
  test('the last one is replaced: an app by a passkey, a phone by another', async () => {
    await demand('everybody')
    await site.passkeyOf(admin)
    expect(await post('/api/auth/2fa/disable', { otp_code: site.code(secret) })).toMatchObject({
      code: 200,
    })
    const next = (await post('/api/auth/2fa/generate')).data.secret
    const proof = { secret: next, code: site.code(next) }
    expect(await post('/api/auth/2fa/verify', proof)).toMatchObject({ code: 200 })
    const { data } = await site.get('/api/authn/getcredentials', { token: admin })
    const content: { id: string }[] = data
    for (const { id } of content)
      expect(await post('/api/authn/delete_authn', { id })).toMatchObject({ code: 200 })
  })

  test('a user whom the demand does not concern takes it off', async () => {
    await site.addUser('alice', { password: 'alice-Passw0rd' })
    const alice = await site.token('alice', 'alice-Passw0rd')
    const ofAlice = await site.enrol(alice)
    await demand('admins')
    const body = { otp_code: site.code(ofAlice) }
    expect(await post('/api/auth/2fa/disable', body, alice)).toMatchObject({ code: 200 })
  })

  test('another admin takes it off, and it is an event', async () => {
    await give(['app', 'passkey'])
    await demand('everybody')
    const path = `/api/admin/user/cancel_2fa?id=${ADMIN}&passkeys=true`
    expect(await post(path, undefined, other)).toMatchObject({ code: 200 })
    const { totpSeed, passkeys: left, events } = await stored()
    expect([totpSeed, left]).toEqual([null, 0])
    const kinds = events.filter(({ userId }) => userId === ADMIN).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['two_factor_cancelled', 'passkey_deleted']))
  })

  test('the command line takes it off, and it is an event', async () => {
    await give(['app', 'passkey'])
    await demand('everybody')
    await cancelUserTwoFactor(site.deps, COMMAND_LINE, ADMIN)
    await removePasskey(site.deps, of(COMMAND_LINE, ADMIN), 'AAAA')
    const { totpSeed, passkeys: left, events } = await stored()
    expect([totpSeed, left]).toEqual([null, 0])
    const made = events.filter(({ network }) => network === 'command line')
    expect(made.map(({ kind }) => kind)).toEqual(['two_factor_cancelled', 'passkey_deleted'])
  })

  test('a session that is not fresh is asked to confirm first', async () => {
    await demand('everybody')
    site.now += 11 * MINUTE
    const body = { otp_code: site.code(secret) }
    expect(await post('/api/auth/2fa/disable', body)).toMatchObject({
      message: 'Sign in again or confirm to do this',
    })
  })
})
