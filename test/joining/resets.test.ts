import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, links, mails, users } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/access/operators.ts'
import { changeUser } from '../../src/users/manage-users.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { JoiningSite, MAIL_FROM, NEW_PASSWORD, secretOf, SITE_ADDRESS } from '../support/joining.ts'
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
  test.each(['alice', 'ALICE@EXAMPLE.ORG', ' alice@example.org '])(
    'mails a link for %s, to the stored address',
    async (name) => {
      expect(await forgotten(name)).toEqual(OK)
      const [mail, ...others] = await site.mail()
      expect(others).toEqual([])
      expect(mail).toMatchObject({
        to: EMAIL,
        from: MAIL_FROM,
        subject: 'Choose a new password for Latchkey',
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      const secret = secretOf(mail?.text ?? '')
      const link = `${SITE_ADDRESS}/account/link/${secret}`
      expect(mail?.text.split('\n').filter((line) => line === link)).toHaveLength(1)
      expect(mail?.text.split(secret)).toHaveLength(2)
      expect(mail?.html?.split(secret)).toHaveLength(2)
      expect(await site.db.select().from(mails)).toEqual([])
      expect(await reset(secret)).toEqual(OK)
    },
  )

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

  test('sends one mail in ten minutes, and the link that was sent still works', async () => {
    for (let i = 0; i < 5; i++) await forgotten('alice')
    const [mail, ...others] = await site.mail()
    expect(others).toEqual([])
    expect(await reset(secretOf(mail?.text ?? ''))).toEqual(OK)
  })

  test('sends one mail for ten requests of ten networks at once', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => forgotten('alice', `198.51.100.${i}`)))
    expect(await site.mail()).toHaveLength(1)
    expect(await site.db.select().from(links)).toHaveLength(1)
  })

  test('sends eight mails a day for strangers, and still one to the owner at home', async () => {
    await site.token('alice', OLD_PASSWORD)
    for (let i = 0; i < 12; i++) {
      await forgotten('alice', `198.51.100.${i}`)
      await site.mail()
      site.now += 11 * MINUTE
    }
    expect(await site.mail()).toHaveLength(8)
    await forgotten('alice', '192.0.2.1')
    expect(await site.mail()).toHaveLength(9)
  })

  test('mails each account of an address, at most five', async () => {
    for (let i = 0; i < 7; i++)
      await site.addUser(`a${i}`, { password: OLD_PASSWORD, email: EMAIL, emailVerified: true })
    await forgotten(EMAIL)
    expect(await site.mail()).toHaveLength(5)
  })

  test('says so when the account has no password', async () => {
    await site.db.update(users).set({ passwordHash: null }).where(eq(users.id, alice))
    await forgotten('alice')
    const [mail] = await site.mail()
    expect(mail?.text).toContain('The account has no password')
    expect(mail?.text).not.toContain('/account/link/')
  })

  test('kills the mailed link when the address changes', async () => {
    await forgotten('alice')
    const [mail] = await site.mail()
    await site.db.update(users).set({ email: 'other@example.org' }).where(eq(users.id, alice))
    expect(await reset(secretOf(mail?.text ?? ''))).toEqual(INVALID)
  })

  test('tries again when the mail server refuses', async () => {
    site.isMailDown = true
    await forgotten('alice')
    expect(await site.mail()).toEqual([])
    site.isMailDown = false
    site.now += 2 * MINUTE
    await site.asAdmin('/api/admin/invitation/create', { email: 'x@example.org' })
    expect((await site.mail()).map(({ to }) => to).toSorted()).toEqual([EMAIL, 'x@example.org'])
  })

  test('counts twenty requests of a network in fifteen minutes', async () => {
    for (let i = 0; i < 20; i++) await forgotten(`nobody${i}`)
    expect((await forgotten('nobody')).message).toBe('too many requests, try again later')
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

describe('an address of the own account', () => {
  let token: string
  beforeEach(async () => {
    token = await site.token('alice', OLD_PASSWORD)
  })
  const call = (path: string, body?: unknown) => site.post(`/api/me/email${path}`, body, { token })
  const details = async () => (await site.get('/api/me/details', { token })).data

  test('is verified by a link in a session of that account only', async () => {
    expect(await call('', { email: 'New@Bücher.example' })).toEqual(OK)
    expect(await details()).toEqual({
      email: 'New@xn--bcher-kva.example',
      email_verified: false,
      ends_at: null,
    })
    const [told] = await site.mail()
    expect(told).toMatchObject({
      to: EMAIL,
      subject: 'Your e-mail address at Latchkey was changed',
    })
    await call('/send')
    const mail = (await site.mail()).at(-1)
    expect(mail?.to).toBe('New@xn--bcher-kva.example')
    expect(mail?.text).not.toContain('alice')
    const link = secretOf(mail?.text ?? '')
    await site.addUser('mallory', { password: NEW_PASSWORD })
    const other = await site.token('mallory', NEW_PASSWORD)
    const foreign = await site.post('/api/me/email/confirm', { link }, { token: other })
    expect(foreign.message).toBe('this link confirms the address of another account')
    expect((await site.post('/api/me/email/confirm', { link })).code).toBe(401)
    expect(await call('/confirm', { link })).toEqual(OK)
    expect((await details()).email_verified).toBe(true)
    expect(await call('/confirm', { link })).toEqual(INVALID)
    expect(await kinds()).toEqual(expect.arrayContaining(['email_changed', 'email_verified']))
  })

  test('can be removed, and then there is nothing to confirm', async () => {
    expect(await call('', { email: '' })).toEqual(OK)
    expect((await call('/send')).message).toBe('there is no address to confirm')
  })

  test('gets a mail a minute and five a day', async () => {
    await call('', { email: 'new@example.org' })
    expect(await call('/send')).toEqual(OK)
    expect((await call('/send')).code).toBe(429)
    for (let i = 0; i < 4; i++) {
      site.now += 2 * MINUTE
      expect(await call('/send')).toEqual(OK)
    }
    site.now += 2 * MINUTE
    expect((await call('/send')).code).toBe(429)
  })

  test('gets five mails a day from all accounts together, however it is written', async () => {
    const addresses = ['v.ictim@example.org', 'victim+a@example.org', 'VICTIM@example.org']
    for (let i = 0; i < 6; i++) {
      const username = `mallory${i}`
      await site.addUser(username, { password: NEW_PASSWORD, email: addresses[i % 3] })
      const other = { token: await site.token(username, NEW_PASSWORD) }
      const { code } = await site.post('/api/me/email/send', undefined, other)
      expect(code, username).toBe(i < 5 ? 200 : 429)
    }
    expect(await site.mail()).toHaveLength(5)
  })

  test.each([
    'a',
    'a@b',
    'a@127.0.0.1',
    'a@[::1]',
    'a b@c.example',
    '"a"@c.example',
    'A <a@c.example>',
    'a@c.example, b@c.example',
    'a@c.example\r\nBcc: x@y.example',
    `${'a'.repeat(65)}@c.example`,
    'a@-c.example',
    'ä@c.example',
  ])('is not %j', async (email) => {
    expect(await call('', { email })).toEqual({
      code: 400,
      message: 'email must be an e-mail address',
      data: null,
    })
  })

  test('needs a fresh session', async () => {
    site.now += HOUR
    expect((await call('', { email: 'new@example.org' })).code).toBe(403)
    expect((await details()).email).toBe(EMAIL)
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
