import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, links, mails, users } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { changeUser } from '../../src/capabilities/users/manage-users.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { happenedIn, JoiningSite, NEW_PASSWORD, secretOf } from '../support/joining.ts'
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
  site.post(
    '/api/auth/reset',
    { link, password },
    { headers: { 'CF-Connecting-IP': '198.51.100.9' } },
  )
const forgotten = (name: string, network = '198.51.100.7') =>
  site.post('/api/auth/forgotten', { name }, { headers: { 'CF-Connecting-IP': network } })
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
      [EMAIL, 'An administrator made a link to reset your password for Latchkey'],
      [EMAIL, 'Your password for Latchkey was replaced'],
    ])
    expect(JSON.stringify(sent)).not.toContain(link)
    // Where an administrator was is for administrators.
    expect(happenedIn(sent[0])).toEqual(['Time: 21 November 2026, 09:16 UTC'])
    expect(happenedIn(sent[1])).toEqual([
      'Time: 21 November 2026, 09:16 UTC. Network: 198.51.100.9',
    ])
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

const update = async (id: number, fields: Record<string, unknown>) => {
  const { username } = (await site.db.select().from(users).where(eq(users.id, id)))[0] ?? {}
  expect(await site.asAdmin('/api/admin/user/update', { id, username, ...fields })).toEqual(OK)
}
const offAndOn = async (id: number) => {
  await update(id, { disabled: true })
  await update(id, { disabled: false })
}

describe('a link does not come back', () => {
  test('when its account is disabled and enabled again', async () => {
    const link = await resetLink()
    await forgotten('alice')
    const mailed = secretOf((await site.mail()).at(-1)?.text ?? '')
    await offAndOn(alice)
    expect([await reset(link), await reset(mailed)]).toEqual([INVALID, INVALID])
    expect(await reset(await resetLink())).toEqual(OK)
  })

  test('when its account has ended and gets another end', async () => {
    const ends_at = new Date(site.now + HOUR).toISOString()
    expect(await change({ ends_at })).toEqual(OK)
    const link = await resetLink()
    site.now += HOUR
    site.admin = await site.token('admin', 'admin-Passw0rd')
    expect(await change({ ends_at: null })).toEqual(OK)
    expect(await reset(link)).toEqual(INVALID)
    const later = await resetLink()
    expect(await change({ ends_at: new Date(site.now + HOUR).toISOString() })).toEqual(OK)
    expect(await reset(later)).toEqual(OK)
  })

  test.each<[string, (boss: number) => Promise<void>]>([
    ['disabled and enabled again', offAndOn],
    [
      'no admin for a while',
      async (boss) => {
        await changeUser(site.deps, COMMAND_LINE, boss, { role: 0 })
        await changeUser(site.deps, COMMAND_LINE, boss, { role: 2 })
      },
    ],
  ])('when its maker is %s', async (_, leaveAndReturn) => {
    const boss = await site.addUser('boss', { role: 2, password: NEW_PASSWORD })
    const { admin } = site
    const other = await resetLink()
    site.admin = await site.token('boss', NEW_PASSWORD)
    const [link, invitation] = [await resetLink(), await site.invite()]
    site.admin = admin
    await leaveAndReturn(boss)
    expect(await reset(link)).toEqual(INVALID)
    expect(await site.register({ invitation, username: 'x' })).toEqual(INVALID)
    expect(await reset(other)).toEqual(OK)
  })

  test('when the address that it was mailed to is given up and entered again', async () => {
    const handedOver = await resetLink()
    await forgotten('alice')
    const mailed = secretOf((await site.mail()).at(-1)?.text ?? '')
    for (const email of ['', EMAIL]) expect(await change({ email })).toEqual(OK)
    await site.db.update(users).set({ emailVerified: true }).where(eq(users.id, alice))
    expect(await reset(mailed)).toEqual(INVALID)
    expect(await reset(handedOver)).toEqual(OK)
  })

  test('when it confirms an address that was changed meanwhile', async () => {
    const me = { token: await site.token('alice', OLD_PASSWORD) }
    const enter = (email: string) => site.post('/api/me/email', { email }, me)
    await enter('new@example.org')
    expect(await site.post('/api/me/email/send', undefined, me)).toEqual(OK)
    const link = secretOf((await site.mail()).at(-1)?.text ?? '')
    await enter('other@example.org')
    await enter('new@example.org')
    expect(await site.post('/api/me/email/confirm', { link }, me)).toEqual(INVALID)
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

describe('POST /api/auth/forgotten', () => {
  test('answers alike, at the same price, whoever is meant', async () => {
    await site.addUser('unverified', { password: OLD_PASSWORD, email: 'u@example.org' })
    await site.addUser('off', { email: 'o@example.org', emailVerified: true, disabled: true })
    const costs: Record<string, unknown>[] = []
    for (const name of ['alice', 'nobody', 'unverified', 'u@example.org', 'off', 'guest']) {
      const response = await site.fetch('POST', '/api/auth/forgotten', {
        body: { name },
        headers: { 'CF-Connecting-IP': `198.51.100.${costs.length}` },
      })
      const { roundTrips, rowsRead, rowsWritten } = site.meter
      costs.push({ body: await response.text(), roundTrips, rowsRead, rowsWritten })
      await site.mail()
    }
    expect(costs).toEqual(costs.map(() => costs[0]))
    expect((await site.mail()).map(({ to }) => to)).toEqual([EMAIL])
  })

  test('keeps the link sealed in the database', async () => {
    site.isMailDown = true
    await forgotten('alice')
    await site.mail()
    const rows = JSON.stringify(await site.db.select().from(mails))
    expect(rows).toContain('reset')
    expect(rows).not.toContain('/account/link/')
  })
})

const change = (fields: Record<string, unknown>) =>
  site.asAdmin('/api/admin/user/details', { id: alice, ...fields })

describe('POST /api/admin/user/details', () => {
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
