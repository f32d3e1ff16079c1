import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, throttleCounters, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { happenedIn } from '../support/joining.ts'
import { MailSite } from '../support/mail-site.ts'
import { prepared } from '../support/prepared.ts'
import { HOUR, MINUTE } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const ADDRESS = 'alice@example.org'
const DAY = 24 * HOUR
const MAIL_OFF = { code: 403, message: 'this site sends no mail, ask an administrator', data: null }
const NOT_VALID = { code: 404, message: 'this link is not valid, ask for a new one', data: null }
const NOTHING_TO_CONFIRM = { code: 400, message: 'there is no address to confirm', data: null }
const TOO_MANY = { code: 429, message: 'too many requests, try again later', data: null }

let site: MailSite
let alice: string

const signInAlice = prepared((arranged: MailSite) => arranged.addSignedInUser())

beforeEach(async () => {
  site = new MailSite()
  alice = await signInAlice(site)
})

const success = { code: 200, message: 'success', data: null }
const change = (email: unknown, token = alice) => site.post('/api/me/email', { email }, { token })
const send = (token = alice) => site.post('/api/me/email/send', undefined, { token })
const confirm = (link: string, token = alice) =>
  site.post('/api/me/email/confirm', { link }, { token })
const details = async (token = alice) => (await site.get('/api/me/details', { token })).data

async function verify(token = alice): Promise<void> {
  await change(ADDRESS, token)
  await send(token)
  const links = await site.linksTo(ADDRESS)
  expect(await confirm(links.at(-1) ?? '', token)).toEqual(success)
}

async function signInAgain(username = 'alice', password = PASSWORD): Promise<string> {
  return site.token(username, password)
}

describe('GET /api/me/details', () => {
  test('gives the address, and when the account ends', async () => {
    expect(await details()).toEqual({ email: '', email_verified: false, ends_at: null })
    await site.db
      .update(users)
      .set({ endsAt: site.now + HOUR })
      .where(eq(users.username, 'alice'))
    await change(ADDRESS)
    expect(await details()).toEqual({
      email: ADDRESS,
      email_verified: false,
      ends_at: '2026-11-21T10:15:06.565+00:00',
    })
  })

  test('refuses callers without a token', async () => {
    expect(await site.get('/api/me/details')).toMatchObject({ code: 401, data: null })
  })
})

describe('POST /api/me/email', () => {
  test('stores a plain address, without blanks and with its domain in Punycode', async () => {
    expect(await change('  Alice.B+x@Bücher.Example ')).toEqual(success)
    expect(await details()).toMatchObject({
      email: 'Alice.B+x@xn--bcher-kva.example',
      email_verified: false,
    })
  })

  test.each([
    'alice',
    'alice@localhost',
    'alice@192.0.2.1',
    'alice@[192.0.2.1]',
    'alice@0x7f.1',
    'älice@example.org',
    '"alice"@example.org',
    'alice@example.org, bob@example.org',
    'Alice <alice@example.org>',
    'alice@example.org\r\nBcc: bob@example.org',
    'al..ice@example.org',
    `${'a'.repeat(65)}@example.org`,
    `alice@${'a.'.repeat(125)}org`,
    'alice@example.org/x',
    'alice@exa_mple.org',
  ])('refuses %j', async (email) => {
    expect(await change(email)).toEqual({
      code: 400,
      message: 'email must be an e-mail address',
      data: null,
    })
    expect(await details()).toMatchObject({ email: '' })
  })

  test('needs a fresh session', async () => {
    site.now += HOUR
    expect(await change(ADDRESS)).toMatchObject({ code: 403, data: null })
    expect(await details()).toMatchObject({ email: '' })
  })

  test('is refused where the site sends no mail', async () => {
    const silent = new CheapSite()
    expect(await silent.post('/api/me/email', { email: ADDRESS }, { token: alice })).toEqual(
      MAIL_OFF,
    )
    expect(await silent.post('/api/me/email/send', undefined, { token: alice })).toEqual(MAIL_OFF)
    const link = 'x'.repeat(43)
    expect(await silent.post('/api/me/email/confirm', { link }, { token: alice })).toEqual(
      NOT_VALID,
    )
  })

  test('tells a verified address that it was taken away, and makes the new one unverified', async () => {
    await verify()
    expect(await change('other@example.org')).toEqual(success)
    expect(await details()).toMatchObject({ email: 'other@example.org', email_verified: false })
    expect((await site.subjectsTo(ADDRESS)).at(-1)).toMatch(
      /^Your e-mail address at .* was changed$/,
    )
    expect(happenedIn(site.sent.at(-1))).toEqual([
      'Time: 21 November 2026, 09:15 UTC. Network: 192.0.2.1',
    ])
    expect(await site.subjectsTo('other@example.org')).toEqual([])
  })

  test('tells no address that was not verified, and changes nothing twice', async () => {
    await change(ADDRESS)
    await change(ADDRESS)
    await change('')
    await site.settle()
    expect(site.sent).toEqual([])
    const events = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'email_changed'))
    expect(events.map(({ detail, changes }) => [detail, changes])).toEqual([
      ['', null],
      ['', null],
    ])
  })
})

describe('POST /api/me/email/send', () => {
  test('mails a link to the address, in the language of the request', async () => {
    await change(ADDRESS)
    const headers = { 'Accept-Language': 'zh-CN' }
    expect(await site.post('/api/me/email/send', undefined, { token: alice, headers })).toEqual(
      success,
    )
    const [link = ''] = await site.linksTo(ADDRESS)
    expect(link).toMatch(/^[\w-]{43}$/)
    expect(site.sent).toHaveLength(1)
    expect(site.sent[0]).toMatchObject({
      to: ADDRESS,
      from: 'accounts@example.org',
      subject: expect.stringContaining('确认'),
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  })

  test('holds no text of the user, who could write to strangers with it', async () => {
    await site.post('/api/me/update', { username: 'BUY NOW http://evil.example' }, { token: alice })
    await change(ADDRESS)
    await send()
    await site.settle()
    expect(JSON.stringify(site.sent)).not.toMatch(/BUY NOW|evil|alice-|"alice /)
  })

  test('refuses where there is nothing to confirm', async () => {
    expect(await send()).toEqual(NOTHING_TO_CONFIRM)
    await verify()
    site.now += MINUTE
    expect(await send()).toEqual(NOTHING_TO_CONFIRM)
  })

  test('sends one a minute, and five a day', async () => {
    await change(ADDRESS)
    for (let sent = 0; sent < 5; sent++) {
      expect(await send()).toEqual(success)
      expect(await send()).toEqual(TOO_MANY)
      site.now += MINUTE
    }
    const response = await site.fetch('POST', '/api/me/email/send', { token: alice })
    expect(await response.json()).toEqual(TOO_MANY)
    expect(Number(response.headers.get('Retry-After'))).toBe(24 * 60 * 60 - 5 * 60)
    expect(await site.linksTo(ADDRESS)).toHaveLength(5)
    site.now += DAY - 5 * MINUTE
    alice = await signInAgain()
    expect(await send()).toEqual(success)
  })

  test('sends at most five a day to one mailbox, over all accounts, and does not keep it', async () => {
    const written = [
      'alice@gmail.com',
      'ALICE@gmail.com',
      'a.lice@GoogleMail.com',
      'alice+x.y@gmail.com',
    ]
    for (let i = 0; i < 6; i++) {
      const name = `user${i}`
      await site.addUser(name, { password: PASSWORD })
      const token = await site.token(name, PASSWORD)
      await change(written[i % 4] ?? ADDRESS, token)
      expect(await send(token)).toEqual(i < 5 ? success : TOO_MANY)
    }
    const counters = await site.db.select().from(throttleCounters)
    expect(JSON.stringify(counters).toLowerCase()).not.toContain('mail.com')
  })

  test('sends one mail for twenty requests at once', async () => {
    await change(ADDRESS)
    const answers = await Promise.all(Array.from({ length: 20 }, () => send()))
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(await site.linksTo(ADDRESS)).toHaveLength(1)
  })
})

describe('POST /api/me/email/confirm', () => {
  test('verifies the address, once', async () => {
    await verify()
    expect(await details()).toMatchObject({ email: ADDRESS, email_verified: true })
    const [link = ''] = await site.linksTo(ADDRESS)
    expect(await confirm(link)).toEqual(NOT_VALID)
    const kinds = await site.db.select({ kind: auditEvents.kind }).from(auditEvents)
    expect(kinds.filter(({ kind }) => kind === 'email_verified')).toHaveLength(1)
  })

  test('refuses the session of another account, and leaves the link unused', async () => {
    await change(ADDRESS)
    await send()
    const [link = ''] = await site.linksTo(ADDRESS)
    await site.addUser('mallory', { password: PASSWORD })
    const mallory = await site.token('mallory', PASSWORD)
    expect(await confirm(link, mallory)).toEqual({
      code: 403,
      message: 'this link confirms the address of another account',
      data: null,
    })
    expect(await details(mallory)).toMatchObject({ email: '', email_verified: false })
    expect(await confirm(link)).toEqual(success)
  })

  test('refuses callers without a session, and leaves the link unused', async () => {
    await change(ADDRESS)
    await send()
    const [link = ''] = await site.linksTo(ADDRESS)
    expect(await site.post('/api/me/email/confirm', { link })).toMatchObject({ code: 401 })
    expect(await confirm(link)).toEqual(success)
  })

  test('refuses a link whose address was replaced, that is a day old, or that is none', async () => {
    await change(ADDRESS)
    await send()
    const [link = ''] = await site.linksTo(ADDRESS)
    await change('other@example.org')
    expect(await confirm(link)).toEqual(NOT_VALID)
    await change(ADDRESS)
    site.now += DAY
    alice = await signInAgain()
    expect(await confirm(link)).toEqual(NOT_VALID)
    for (const wrong of ['x', 'x'.repeat(43), "' or 1=1 --"])
      expect(await confirm(wrong)).toEqual(NOT_VALID)
    expect(await details()).toMatchObject({ email_verified: false })
  })
})
