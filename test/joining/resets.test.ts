import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, links, users } from '../../schema/tables.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { JoiningSite, NEW_PASSWORD, secretOf } from '../support/joining.ts'
import { HOUR, MINUTE } from '../support/site.ts'

const OLD_PASSWORD = 'alice-Passw0rd'
const EMAIL = 'Alice@example.org'
const OK = { code: 200, message: 'success', data: null }
const INVALID = { code: 404, message: 'this link is not valid, ask for a new one', data: null }
const DAY = 24 * HOUR

let site: JoiningSite
let alice: number
beforeEach(async () => {
  site = await new JoiningSite().begin()
  alice = await site.addUser('alice', {
    password: OLD_PASSWORD,
    email: EMAIL,
    emailVerified: true,
    createdAt: 0,
  })
})

const resetLink = async (fields: Record<string, unknown> = {}) =>
  secretOf((await site.asAdmin('/api/admin/user/reset_link', { id: alice, ...fields })).data.link)
const reset = (link: string, password = NEW_PASSWORD) =>
  site.post('/api/auth/reset', { link, password })
const kinds = async () => (await site.db.select().from(auditEvents)).map(({ kind }) => kind)

describe('POST /api/auth/reset', () => {
  test('sets a password once, ends every session and signs nobody in', async () => {
    const token = await site.token('alice', OLD_PASSWORD)
    site.now += MINUTE
    const link = await resetLink()
    expect(await reset(link)).toEqual(OK)
    expect((await site.get('/api/me', { token })).code).toBe(401)
    expect((await site.login('alice', OLD_PASSWORD)).code).toBe(401)
    expect((await site.login('alice', NEW_PASSWORD)).code).toBe(200)
    expect(await reset(link)).toEqual(INVALID)
    expect(await kinds()).toContain('password_reset_by_link')
    const sent = await site.mail()
    expect(sent.map(({ to, subject }) => [to, subject])).toEqual([
      [EMAIL, 'An operator made a link to reset your password for Latchkey'],
      [EMAIL, 'Your password for Latchkey was replaced'],
    ])
    expect(JSON.stringify(sent)).not.toContain(link)
  })

  test('clears the failures of the account', async () => {
    const link = await resetLink()
    for (let i = 0; i < 5; i++) await site.login('alice', 'wrong-Passw0rd')
    expect((await site.login('alice', OLD_PASSWORD)).code).toBe(429)
    await reset(link)
    expect((await site.login('alice', NEW_PASSWORD)).code).toBe(200)
  })

  test('takes no use for a poor password', async () => {
    const link = await resetLink()
    expect((await reset(link, 'short')).code).toBe(400)
    expect((await reset(link, 'password1')).code).toBe(400)
    expect(await reset(link)).toEqual(OK)
  })

  test('sets one password for twenty uses at once', async () => {
    const link = await resetLink()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => reset(link, `${NEW_PASSWORD}-${i}`)),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
  })

  test('keeps two-step verification, unless the operator said otherwise', async () => {
    const token = await site.token('alice', OLD_PASSWORD)
    const secret = await site.enrol(token)
    await reset(await resetLink())
    site.now += MINUTE
    expect((await site.login('alice', NEW_PASSWORD)).code).toBe(402)
    expect((await site.login('alice', NEW_PASSWORD, site.code(secret))).code).toBe(200)
    await reset(await resetLink({ second_factor: true }), `${NEW_PASSWORD}2`)
    expect((await site.login('alice', `${NEW_PASSWORD}2`)).code).toBe(200)
  })

  test.each<[string, () => unknown]>([
    ['its time is over', () => (site.now += DAY)],
    ['the password has changed', () => site.db.update(users).set({ passwordChangedAt: 1 })],
    [
      'the account is disabled',
      () => site.db.update(users).set({ disabled: true }).where(eq(users.id, alice)),
    ],
    [
      'the account has ended',
      () => site.db.update(users).set({ endsAt: site.now }).where(eq(users.id, alice)),
    ],
    ['the account is gone', () => site.db.delete(users).where(eq(users.id, alice))],
    [
      'its maker is no admin any more',
      () => site.db.update(users).set({ role: 0 }).where(eq(users.id, 1)),
    ],
    ['another link was used', async () => reset(await resetLink())],
  ])('has one answer when %s', async (_, end) => {
    const link = await resetLink()
    await end()
    expect(await reset(link)).toEqual(INVALID)
  })
})

describe('POST /api/admin/user/reset_link', () => {
  test('is for a user who can have a password', async () => {
    const make = async (id: number) =>
      (await site.asAdmin('/api/admin/user/reset_link', { id })).message
    expect(await make(2)).toBe('Guest user has no password')
    expect(await make(99)).toBe('user invalid')
    await site.db.update(users).set({ endsAt: site.now }).where(eq(users.id, alice))
    expect(await make(alice)).toBe('the account is disabled or has ended')
    expect(await site.db.select().from(links)).toEqual([])
  })
})

describe('POST /api/admin/user/details', () => {
  const change = (fields: Record<string, unknown>) =>
    site.asAdmin('/api/admin/user/details', { id: alice, ...fields })

  test('ends an account, and a new end revives nothing', async () => {
    const token = await site.token('alice', OLD_PASSWORD)
    await addAppPassword(site, alice, ['account:read'])
    expect(await change({ ends_at: new Date(site.now + HOUR).toISOString() })).toEqual(OK)
    site.now += HOUR
    expect((await site.get('/api/me', { token })).message).toBe(
      'Current user is disabled, replace please',
    )
    site.admin = await site.token('admin', 'admin-Passw0rd')
    expect(await change({ ends_at: null })).toEqual(OK)
    expect((await site.get('/api/me', { token })).code).toBe(401)
    expect((await site.login('alice', OLD_PASSWORD)).code).toBe(200)
    expect(await kinds()).toEqual(expect.arrayContaining(['end_changed', 'token_deleted']))
  })

  test('gives no admin an end, also by a promotion', async () => {
    const message = 'an admin has no end'
    const ends_at = new Date(site.now + HOUR).toISOString()
    expect((await site.asAdmin('/api/admin/user/details', { id: 1, ends_at })).message).toBe(
      message,
    )
    await change({ ends_at })
    const { changeUser } = await import('../../src/users/manage-users.ts')
    const { COMMAND_LINE } = await import('../../src/access/operators.ts')
    await expect(changeUser(site.deps, COMMAND_LINE, alice, { role: 2 })).rejects.toThrow(message)
  })

  test('refuses an end that is over', async () => {
    const ends_at = new Date(site.now).toISOString()
    expect((await change({ ends_at })).message).toBe('ends_at must be in the future')
  })

  test('changes an address, which is then not verified', async () => {
    expect(await change({ email: 'x@example.org' })).toEqual(OK)
    const { data } = await site.get(`/api/admin/user/details?id=${alice}`, { token: site.admin })
    expect(data).toEqual({
      id: alice,
      username: 'alice',
      email: 'x@example.org',
      email_verified: false,
      ends_at: null,
      waiting: false,
    })
    expect((await site.mail()).map(({ to }) => to)).toEqual([EMAIL])
  })
})
