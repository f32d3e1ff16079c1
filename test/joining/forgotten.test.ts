import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, links, mails, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { happenedIn } from '../support/joining.ts'
import { MailSite } from '../support/mail-site.ts'
import { prepared } from '../support/prepared.ts'
import { HOUR, MINUTE } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const NEW_PASSWORD = 'a new Passw0rd of alice'
const ADDRESS = 'alice@example.org'
const DAY = 24 * HOUR
const success = { code: 200, message: 'success', data: null }
const NOT_VALID = { code: 404, message: 'this link is not valid, ask for a new one', data: null }
const TOO_MANY = { code: 429, message: 'too many requests, try again later', data: null }

let site: MailSite
let alice: string
let networks = 0

const prepare = prepared(async (arranged: MailSite) => {
  const token = await arranged.addSignedInUser()
  await arranged.db
    .update(users)
    .set({ email: ADDRESS, emailVerified: true })
    .where(eq(users.username, 'alice'))
  return token
})

beforeEach(async () => {
  site = new MailSite()
  alice = await prepare(site)
})

/** From a network of its own, unless the test says one. */
const forgotten = (
  name: string,
  network = `198.51.${Math.floor(++networks / 250)}.${networks % 250}`,
) => site.post('/api/auth/forgotten', { name }, { headers: { 'CF-Connecting-IP': network } })
const reset = (link: string, password = NEW_PASSWORD) =>
  site.post('/api/auth/reset', { link, password })

/** What an answer shows of the work for it. */
const workOf = async (name: string) => {
  const headers = { 'CF-Connecting-IP': '203.0.113.9' }
  const response = await site.fetch('POST', '/api/auth/forgotten', { body: { name }, headers })
  const { roundTrips } = site.meter
  const shown = [...response.headers.keys()].toSorted()
  return { body: await response.text(), shown, roundTrips }
}

async function mailedLink(name = 'alice'): Promise<string> {
  expect(await forgotten(name)).toEqual(success)
  const secrets = await site.linksTo(ADDRESS)
  const link = secrets.at(-1)
  if (link === undefined) throw new Error('nothing was mailed')
  return link
}

const setUser = (username: string, set: Partial<typeof users.$inferInsert>) =>
  site.db.update(users).set(set).where(eq(users.username, username))

describe('POST /api/auth/forgotten', () => {
  test('mails at a random time after the answer, so that no later answer tells of a mail', async () => {
    const waits: number[] = []
    const gate = Promise.withResolvers<void>()
    site.deps.wait = (milliseconds) => {
      waits.push(milliseconds)
      return gate.promise
    }
    for (const name of ['alice', 'nobody', 'somebody'])
      expect(await forgotten(name)).toEqual(success)
    expect(waits.filter((wait) => wait >= 0 && wait <= 2000)).toHaveLength(3)
    expect(new Set(waits).size).toBeGreaterThan(1)
    expect(site.sent).toEqual([])
    gate.resolve()
    expect(await site.linksTo(ADDRESS)).toHaveLength(1)
  })

  test.each(['alice', 'ALICE', ADDRESS, 'Alice@EXAMPLE.org', ` ${ADDRESS} `])(
    'mails a link to the stored address for %j',
    async (name) => {
      expect(await forgotten(name)).toEqual(success)
      const [link] = await site.linksTo(ADDRESS)
      expect(link).toMatch(/^[\w-]{43}$/)
      expect(site.sent).toHaveLength(1)
      expect(site.sent[0]?.text).toContain('the account alice')
      expect(happenedIn(site.sent[0])).toEqual([
        expect.stringMatching(/^Time: 21 November 2026, 09:15 UTC\. Network: 198\.51\.0\.\d+$/),
      ])
    },
  )

  test.each([
    ['a name that nobody has', 'nobody', { emailVerified: true }],
    ['an address that nobody has', 'nobody@example.org', { emailVerified: true }],
    ['an address that is not verified', ADDRESS, { emailVerified: false }],
    ['a disabled account', 'alice', { disabled: true }],
    ['an account that has ended', 'alice', { endsAt: 1 }],
    ['an account without an address', 'alice', { email: '' }],
    ['a text that SQL or LIKE could read', "%' or '1'='1", { emailVerified: true }],
    ['the guest', 'guest', { emailVerified: true }],
  ])('answers the same for %s, and mails nothing', async (_, name, set) => {
    await setUser('alice', set)
    await setUser('guest', { disabled: false, email: 'guest@example.org', emailVerified: true })
    expect(await forgotten(name)).toEqual(success)
    await site.settle()
    expect(site.sent).toEqual([])
    expect(await site.db.select().from(links)).toEqual([])
  })

  test('does the same work for a name that exists and one that does not', async () => {
    expect(await workOf('nobody')).toEqual(await workOf('alice'))
  })

  test('mails no address that only looks the same', async () => {
    expect(await forgotten('alıce@example.org')).toEqual(success)
    expect(await forgotten('alice@EXAMPLE.ORG.')).toEqual(success)
    expect(await forgotten('ALİCE@example.org')).toEqual(success)
    await site.settle()
    expect(site.sent).toEqual([])
  })

  test('mails at most five accounts of an address, those that signed in last', async () => {
    for (let i = 0; i < 6; i++) {
      const name = `user${i}`
      await site.addUser(name, { password: PASSWORD, email: ADDRESS, emailVerified: true })
    }
    for (const i of [3, 1, 0, 5, 4]) {
      site.now += MINUTE
      await site.token(`user${i}`, PASSWORD)
    }
    await forgotten(ADDRESS)
    await site.settle()
    const named = site.sent.map(({ text }) => /the account (\w+)/.exec(text)?.[1])
    expect(new Set(named)).toEqual(new Set(['user0', 'user1', 'user3', 'user4', 'user5']))
  })

  test('says in the mail when an account has no password', async () => {
    await setUser('alice', { passwordHash: null })
    expect(await forgotten('alice')).toEqual(success)
    expect(await site.subjectsTo(ADDRESS)).toEqual([
      expect.stringMatching(/^Your account at .* has no password$/),
    ])
    expect(await site.linksTo(ADDRESS)).toEqual([])
  })

  test('mails nothing again within ten minutes, and the link that was sent still works', async () => {
    const link = await mailedLink()
    for (let i = 0; i < 3; i++) expect(await forgotten('alice')).toEqual(success)
    await site.settle()
    expect(site.sent).toHaveLength(1)
    expect(await reset(link)).toEqual(success)
  })

  test('mails eight a day for strange networks, and eight for known ones', async () => {
    const KNOWN = '192.0.2.1'
    for (let i = 0; i < 10; i++) {
      await forgotten('alice')
      await site.settle()
      site.now += 10 * MINUTE
    }
    expect(await site.linksTo(ADDRESS)).toHaveLength(8)
    for (let i = 0; i < 10; i++) {
      await forgotten('alice', KNOWN)
      await site.settle()
      site.now += 10 * MINUTE
    }
    expect(await site.linksTo(ADDRESS)).toHaveLength(16)
    site.now += DAY
    await forgotten('alice')
    expect(await site.linksTo(ADDRESS)).toHaveLength(17)
  })

  test('takes twenty requests of a network in fifteen minutes', async () => {
    for (let i = 0; i < 20; i++) expect(await forgotten(`user${i}`, '203.0.113.5')).toEqual(success)
    const headers = { 'CF-Connecting-IP': '203.0.113.5' }
    const body = { name: 'alice' }
    const refused = await site.fetch('POST', '/api/auth/forgotten', { body, headers })
    expect(await refused.json()).toEqual(TOO_MANY)
    expect(refused.headers.get('Retry-After')).toBe('900')
    await site.settle()
    expect(site.sent).toEqual([])
    // Sign-in counts on its own.
    const signedIn = await site.post(
      '/api/auth/login',
      { username: 'alice', password: PASSWORD },
      { headers },
    )
    expect(signedIn.code).toBe(200)
  })

  test('mails once for twenty requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => forgotten('alice')))
    expect(answers).toEqual(answers.map(() => success))
    expect(await site.linksTo(ADDRESS)).toHaveLength(1)
  })

  test('writes an event, and keeps neither the link nor the name', async () => {
    const link = await mailedLink()
    const events = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'reset_mail_sent'))
    expect(events).toMatchObject([{ userId: 3, detail: '', actorId: null }])
    expect(await site.db.select().from(mails)).toEqual([])
    expect(JSON.stringify(await site.db.select().from(links))).not.toContain(link)
  })

  test('is refused where the site sends no mail', async () => {
    const silent = new CheapSite()
    expect(await silent.post('/api/auth/forgotten', { name: 'alice' })).toEqual({
      code: 403,
      message: 'this site sends no mail, ask an administrator',
      data: null,
    })
  })

  test('never takes the address of the site from the request', async () => {
    await site.request('https://evil.example/api/auth/forgotten', {
      method: 'POST',
      headers: { Host: 'evil.example', 'CF-Connecting-IP': '192.0.2.99' },
      body: JSON.stringify({ name: 'alice' }),
    })
    await site.settle()
    expect(site.sent).toHaveLength(1)
    expect(JSON.stringify(site.sent)).not.toContain('evil.example')
  })
})

describe('POST /api/auth/reset', () => {
  test('sets the password once, and signs nobody in', async () => {
    const link = await mailedLink()
    expect(await reset(link)).toEqual(success)
    expect(await site.login('alice', PASSWORD)).toMatchObject({ code: 401 })
    expect(await site.login('alice', NEW_PASSWORD)).toMatchObject({ code: 200 })
    expect(await reset(link, 'yet another Passw0rd')).toEqual(NOT_VALID)
    expect(await site.login('alice', NEW_PASSWORD)).toMatchObject({ code: 200 })
  })

  test('ends every session, and tells the address', async () => {
    const link = await mailedLink()
    await reset(link)
    expect(await site.get('/api/me', { token: alice })).toMatchObject({ code: 401 })
    expect((await site.subjectsTo(ADDRESS)).at(-1)).toMatch(/^Your password for .* was replaced$/)
    const events = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'password_reset_by_link'))
    expect(events).toMatchObject([{ userId: 3 }])
  })

  test('leaves two-step verification on', async () => {
    const secret = await site.enrol(alice)
    await reset(await mailedLink())
    expect(await site.login('alice', NEW_PASSWORD)).toMatchObject({ code: 402 })
    expect(await site.login('alice', NEW_PASSWORD, site.code(secret, 1))).toMatchObject({
      code: 200,
    })
  })

  test('forgets the failures of the account', async () => {
    const network = { headers: { 'CF-Connecting-IP': '203.0.113.77' } }
    const signIn = (password: string) =>
      site.post('/api/auth/login', { username: 'alice', password }, network)
    for (let i = 0; i < 5; i++) await signIn('wrong')
    expect(await signIn(PASSWORD)).toMatchObject({ code: 429 })
    await reset(await mailedLink())
    expect(await signIn(NEW_PASSWORD)).toMatchObject({ code: 200 })
  })

  test('makes every other link for a new password useless', async () => {
    const first = await mailedLink()
    site.now += 10 * MINUTE
    const second = await mailedLink()
    expect(second).not.toBe(first)
    expect(await reset(first)).toEqual(success)
    expect(await reset(second, 'yet another Passw0rd')).toEqual(NOT_VALID)
  })

  test.each([
    ['short', /^password must have 8 to 1024 characters/],
    ['password1', /^password /],
  ])('refuses the password %j, and leaves the link unused', async (password, message) => {
    const link = await mailedLink()
    const answer = await reset(link, password)
    expect(answer).toMatchObject({ code: 400, data: null })
    expect(answer.message).toMatch(message)
    expect(await reset(link)).toEqual(success)
  })

  test.each([
    ['after half an hour', async () => void (site.now += 30 * MINUTE)],
    ['when the account is disabled', () => setUser('alice', { disabled: true })],
    ['when the account has ended', async () => setUser('alice', { endsAt: site.now })],
    ['when the address was changed', () => setUser('alice', { email: 'other@example.org' })],
    ['when the address is no longer verified', () => setUser('alice', { emailVerified: false })],
    [
      'when the password was changed',
      async () => setUser('alice', { passwordChangedAt: site.now + 1 }),
    ],
  ])('refuses a link %s', async (_, happen) => {
    const link = await mailedLink()
    await happen()
    expect(await reset(link)).toEqual(NOT_VALID)
  })

  test('refuses texts that are no link, and a link of another kind', async () => {
    for (const wrong of ['x', 'x'.repeat(43), "' or 1=1 --", 'x'.repeat(44)])
      expect(await reset(wrong)).toEqual(NOT_VALID)
    await setUser('alice', { emailVerified: false })
    await site.post('/api/me/email/send', undefined, { token: alice })
    const [link = ''] = await site.linksTo(ADDRESS)
    expect(await reset(link)).toEqual(NOT_VALID)
  })

  test('sets one password for twenty uses at once', async () => {
    const link = await mailedLink()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => reset(link, `Passw0rd number ${i}`)),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 404)).toHaveLength(19)
  })
})
