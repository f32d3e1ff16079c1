import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '../../src/core/base/language.ts'
import { parseEmail } from '../../src/core/base/email.ts'
import { siteAddressOf } from '../../src/core/base/site-address.ts'
import { writeMail } from '../../src/capabilities/mail/message.ts'
import { MAIL_KINDS } from '../../src/capabilities/mail/texts.ts'

const SITE = { from: 'accounts@example.org', address: 'https://account.example.org' }
const SECRET = 'nXvF1uTbC9S0kq3w7yZ2rE5oP8aD4hJ6mLgNiQcVtBs'
const LINK = `https://account.example.org/account/link/${SECRET}`
/** The pages to which the other mails lead, without a secret. */
const PAGES: Partial<Record<(typeof MAIL_KINDS)[number], string>> = {
  reset_link_made: '/account/security/check',
  password_reset: '/account/forgotten',
  email_changed: '/account/security/check',
  account_end: '/account',
  factor_reminder: '/account/security',
}
const FOR_STRANGERS = ['confirm', 'invitation']

const write = (
  kind: (typeof MAIL_KINDS)[number],
  language: (typeof LANGUAGES)[number] = 'en',
  username = 'alice',
  title = 'Files',
  event: { at: number | null; network: string } = { at: null, network: '' },
) =>
  writeMail(
    {
      kind,
      address: 'alice@example.org',
      language,
      username,
      secret: SECRET,
      expiresAt: 0,
      ...event,
    },
    SITE,
    title,
  )

const tagsOf = (page: string) => page.match(/<[^>]*>/g)

const all = MAIL_KINDS.flatMap((kind) => LANGUAGES.map((language) => [kind, language] as const))

describe.each(all)('the mail %s in %s', (kind, language) => {
  test('has its link in the text, on a line of its own, and in HTML as a button and as text', () => {
    const { text, html = '' } = write(kind, language)
    const page = PAGES[kind]
    const link = page === undefined ? LINK : SITE.address + page
    const count = kind === 'no_password' ? 0 : 1
    expect(text.split('\n').filter((line) => line === link)).toHaveLength(count)
    expect(html.split(`<a href="${link}"`)).toHaveLength(count + 1)
    expect(html.split('<a ')).toHaveLength(count + 1)
    expect(html.split(`>${link}</`)).toHaveLength(count + 1)
    const secrets = page === undefined ? count : 0
    expect(text.split(SECRET)).toHaveLength(secrets + 1)
    expect(html.split(SECRET)).toHaveLength(2 * secrets + 1)
  })

  test('loads nothing, and has no script', () => {
    const { html = '' } = write(kind, language)
    expect(html).not.toMatch(/<(?:img|link|script|style|iframe|form|object)|url\(|src=|@import/i)
  })

  test('names the user only where the address is verified', () => {
    const { subject, text, html } = write(kind, language, 'Mallory-was-here')
    const names = JSON.stringify([subject, text, html]).includes('Mallory-was-here')
    expect(names).toBe(!FOR_STRANGERS.includes(kind))
  })

  test('makes every name harmless', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (user, title) => {
        const { subject, text, html = '' } = write(kind, language, user, title)
        expect(subject).not.toMatch(/[\r\n\0]/)
        expect(Array.from(subject).length).toBeLessThan(120)
        const plain = write(kind, language, 'x', 'x')
        expect(text.split('\n')).toHaveLength(plain.text.split('\n').length)
        expect(tagsOf(html)).toEqual(tagsOf(plain.html ?? ''))
      }),
    )
  })
})

test.each([
  ['en', 'until 1 January 1970, 00:00 UTC.'],
  ['zh', '有效期至 1970年1月1日 00:00（UTC）。'],
] as const)('a time is written as people in %s write it', (language, words) => {
  expect(write('confirm', language).text).toContain(words)
})

describe('what happened', () => {
  const at = Date.UTC(2026, 10, 29, 1, 22)

  test.each([
    ['en', '2001:db8:1:2::/64', 'Time: 29 November 2026, 01:22 UTC. Network: 2001:db8:1:2::/64'],
    ['en', '', 'Time: 29 November 2026, 01:22 UTC'],
    ['zh', '203.0.113.9', '时间：2026年11月29日 01:22（UTC），网络：203.0.113.9'],
    ['zh', '', '时间：2026年11月29日 01:22（UTC）'],
  ] as const)('has its time and its network, in %s, from “%s”', (language, network, line) => {
    const { text, html } = write('password_reset', language, 'alice', 'Files', { at, network })
    expect(text.split('\n\n')[1]).toBe(line)
    expect(html).toContain(`<p>${line}</p>`)
  })

  test('is left out of a mail that tells of no event', () => {
    expect(write('account_end').text).not.toContain('Time:')
  })
})

test('a long name is cut', () => {
  const { text } = write('reset', 'en', 'x'.repeat(255))
  expect(text).toContain(`${'x'.repeat(60)}…`)
  expect(text).not.toContain('x'.repeat(61))
})

describe('an address', () => {
  test('is one plain address, whatever is read', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress()), (text) => {
        const email = parseEmail(text)
        if (email === undefined) return
        expect(email).toMatch(/^[^\s@,;:<>()[\]"\\]+@[a-z\d.-]+$/)
        expect(email.length).toBeLessThanOrEqual(254)
        expect(parseEmail(email)).toBe(email)
      }),
    )
  })

  test('of the usual kind is taken', () => {
    for (const address of ['a@b.co', "o'neil+tag@sub.example.org", 'x_y.z@xn--bcher-kva.example'])
      expect(parseEmail(address)).toBe(address)
  })
})

describe('the address of the site', () => {
  test.each([
    [
      { SITE_ADDRESS: 'https://a.example.org', ISSUER: 'https://b.example.org' },
      'https://a.example.org',
    ],
    [
      { ISSUER: 'https://b.example.org', LOCAL_ADDRESS: 'http://localhost:1' },
      'https://b.example.org',
    ],
    [{ SITE_ADDRESS: '', ISSUER: '', LOCAL_ADDRESS: 'http://localhost:1' }, 'http://localhost:1'],
    [{}, undefined],
  ])('%j is %s', (bindings, address) => {
    expect(siteAddressOf(bindings)).toEqual({ address })
  })

  test.each(['account.example.org', 'https://account.example.org/', 'http://account.example.org'])(
    '%s is refused',
    (text) => {
      expect(siteAddressOf({ SITE_ADDRESS: text })).toEqual({
        problem: `SITE_ADDRESS must be an origin such as https://account.example.org, not "${text}"`,
      })
    },
  )
})
