import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { links, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { MailSite } from '../support/mail-site.ts'
import { prepared } from '../support/prepared.ts'
import { HOUR } from '../support/site.ts'
import { alertIn, problemAt, textOf, valueOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const NEW_PASSWORD = 'a new Passw0rd of alice'
const ADDRESS = 'alice@example.org'
const DEAD =
  'The link was used already, is too old or is incomplete. Ask an administrator for a new one.'

let site: MailSite
let visitor: Visitor

const arrange = prepared(async (arranged: MailSite) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD, email: ADDRESS, emailVerified: true })
})

beforeEach(async () => {
  site = new MailSite()
  await arrange(site)
  visitor = new Visitor(site)
})

const usedLinks = async () => (await site.db.select().from(links)).filter(({ used }) => used > 0)

async function mailedLink(): Promise<string> {
  await visitor.post('/account/forgotten', { name: 'alice' })
  const [link = ''] = await site.linksTo(ADDRESS)
  return link
}

describe('/account/forgotten', () => {
  test('is linked from the sign-in page, and mails a link', async () => {
    const signIn = await visitor.get('/account/sign-in')
    expect(signIn.html).toContain('href="/account/forgotten"')
    const page = await visitor.get('/account/forgotten')
    expect(page.status).toBe(200)
    const sent = await visitor.post('/account/forgotten', { name: 'alice' })
    expect(sent.status).toBe(200)
    expect(textOf(sent.html)).toContain('If the account has a confirmed e-mail address')
    expect(await site.linksTo(ADDRESS)).toHaveLength(1)
  })

  test('answers the same for a name that nobody has', async () => {
    const seen = await Promise.all(
      ['alice', 'nobody', ADDRESS, 'nobody@example.org'].map(async (name) => {
        const { status, location, html, headers } = await visitor.post('/account/forgotten', {
          name,
        })
        return { status, location, html, names: [...headers.keys()].toSorted() }
      }),
    )
    expect(seen).toEqual(seen.map(() => seen[0]))
  })

  test('marks an empty field, and says when there were too many requests', async () => {
    const empty = await visitor.post('/account/forgotten', { name: '' })
    expect(empty.status).toBe(400)
    expect(problemAt(empty.html, 'name')).toBeDefined()
    for (let i = 0; i < 20; i++) await visitor.post('/account/forgotten', { name: `user${i}` })
    const refused = await visitor.post('/account/forgotten', { name: 'alice' })
    expect(refused.status).toBe(429)
    expect(alertIn(refused.html)).toBe('Too many requests. Try again later.')
  })

  test('is not there where the site sends no mail', async () => {
    const stranger = new Visitor(new CheapSite())
    expect((await stranger.get('/account/sign-in')).html).not.toContain('/account/forgotten')
    const page = await stranger.get('/account/forgotten')
    expect(page.status).toBe(403)
    expect(textOf(page.html)).toContain('This site sends no mail. Ask an administrator.')
    expect((await stranger.post('/account/forgotten', { name: 'alice' })).status).toBe(403)
  })
})

describe('/account/link/…', () => {
  test('sets a new password', async () => {
    const link = await mailedLink()
    const page = await visitor.get(`/account/link/${link}`)
    expect(page.status).toBe(200)
    expect(textOf(page.html)).toContain('For the account alice.')
    const answer = await visitor.post('/account/link', {
      link,
      password: NEW_PASSWORD,
      repeat: NEW_PASSWORD,
    })
    expect(answer.status).toBe(200)
    expect(textOf(answer.html)).toContain('Your password is set')
    expect(visitor.cookies.size).toBe(0)
    await visitor.signIn('alice', NEW_PASSWORD)
    const again = await visitor.get(`/account/link/${link}`)
    expect(again.status).toBe(404)
    expect(textOf(again.html)).toContain(DEAD)
  })

  test('keeps the secret out of the address, of logs and of other requests', async () => {
    const link = await mailedLink()
    const { headers, html } = await visitor.get(`/account/link/${link}`)
    expect(headers.get('Referrer-Policy')).toBe('strict-origin')
    expect(headers.get('X-Robots-Tag')).toBe('noindex')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(html).toContain('action="/account/link"')
    expect(html).not.toMatch(/(?:href|src|action)="[^"]*\/account\/link\/[^"]/)
  })

  test.each(['/account/lin%6b/', '/account/link%2F', '/account/links/', '/zh/account/link/'])(
    'keeps it out of the log, too, where the address is spelled %s',
    async (spelled) => {
      const link = await mailedLink()
      const log = vi.spyOn(console, 'log')
      await visitor.get(spelled + link)
      const lines = log.mock.calls.flat().join('\n')
      expect(lines).toContain('"event":"request"')
      expect(lines).not.toContain(link)
    },
  )

  test('is not used by who only opens it, however often', async () => {
    const link = await mailedLink()
    for (const method of ['GET', 'HEAD', 'GET'])
      expect((await site.fetch(method, `/account/link/${link}`)).status).toBe(200)
    expect(await usedLinks()).toEqual([])
  })

  test('marks passwords that differ or are too short, and stays unused', async () => {
    const link = await mailedLink()
    const send = (password: string, repeat: string) =>
      visitor.post('/account/link', { link, password, repeat })
    const different = await send(NEW_PASSWORD, `${NEW_PASSWORD}x`)
    expect(different.status).toBe(400)
    expect(problemAt(different.html, 'repeat')).toBeDefined()
    const short = await send('short', 'short')
    expect(problemAt(short.html, 'password')).toContain('8')
    expect(short.html).toContain(`name="link" value="${link}"`)
    expect(await usedLinks()).toEqual([])
    expect((await send(NEW_PASSWORD, NEW_PASSWORD)).status).toBe(200)
  })

  test('refuses a form of another site', async () => {
    const link = await mailedLink()
    const answer = await visitor.post(
      '/account/link',
      { link, password: NEW_PASSWORD, repeat: NEW_PASSWORD },
      { Origin: 'https://evil.example' },
    )
    expect(answer.status).toBe(403)
    expect(await usedLinks()).toEqual([])
  })

  test.each(['x', 'x'.repeat(43), '%27%20or%201=1', '..%2f..'])(
    'says that %s is not valid',
    async (link) => {
      const { status, html } = await visitor.get(`/account/link/${link}`)
      expect(status).toBe(404)
      expect(textOf(html)).toMatch(/This link no longer works|Page not found/)
    },
  )
})

describe('/account/email', () => {
  test('saves an address and mails a link, which confirms it in the same browser', async () => {
    await visitor.signIn('alice', PASSWORD)
    const saved = await visitor.post('/account/email', { email: 'new@example.org' })
    expect(saved).toMatchObject({ status: 303, location: '/account/email?done=email-sent' })
    const page = await visitor.get('/account/email')
    expect(textOf(page.html)).toContain('new@example.org Not confirmed')
    const [link = ''] = await site.linksTo('new@example.org')
    // From a mail, a browser sends no cookie.
    const opened = await new Visitor(site).get(`/account/link/${link}`)
    expect(textOf(opened.html)).toContain('Is new@example.org yours?')
    const confirmed = await visitor.post('/account/link', { link })
    expect(textOf(confirmed.html)).toContain('Your e-mail address is confirmed')
    expect(textOf((await visitor.get('/account/email')).html)).toContain(
      'new@example.org Confirmed',
    )
  })

  test('asks who is not signed in to sign in, on the page of the link, which stays unused', async () => {
    await visitor.signIn('alice', PASSWORD)
    await visitor.post('/account/email', { email: 'new@example.org' })
    const [link = ''] = await site.linksTo('new@example.org')
    const stranger = new Visitor(site)
    const refused = await stranger.post('/account/link', { link })
    expect(refused).toMatchObject({ status: 403, location: null })
    expect(alertIn(refused.html)).toBe('Sign in first, then open the link again.')
    await site.addUser('mallory', { password: PASSWORD })
    await stranger.signIn('mallory', PASSWORD)
    const ofOther = await stranger.post('/account/link', { link })
    expect(ofOther.status).toBe(403)
    expect(alertIn(ofOther.html)).toMatch(/^This link confirms the address of another account/)
    expect(await usedLinks()).toEqual([])
    expect((await visitor.post('/account/link', { link })).status).toBe(200)
  })

  test('asks for the password when the session is not fresh, and keeps what was entered', async () => {
    await visitor.signIn('alice', PASSWORD)
    site.now += HOUR
    const refused = await visitor.post('/account/email', { email: 'new@example.org' })
    expect(refused.status).toBe(403)
    expect(valueOf(refused.html, 'email')).toBe('new@example.org')
    const saved = await visitor.post('/account/email', {
      email: 'new@example.org',
      confirm_password: PASSWORD,
    })
    expect(saved.status).toBe(303)
  })

  test('marks what is no address, and removes the address', async () => {
    await visitor.signIn('alice', PASSWORD)
    const wrong = await visitor.post('/account/email', { email: '<b>x' })
    expect(problemAt(wrong.html, 'email')).toBe('It must be an e-mail address.')
    expect(valueOf(wrong.html, 'email')).toBe('&lt;b&gt;x')
    const removed = await visitor.post('/account/email', { email: '' })
    expect(removed).toMatchObject({ status: 303, location: '/account/email?done=email-saved' })
    const [alice] = await site.db.select().from(users).where(eq(users.username, 'alice'))
    expect(alice).toMatchObject({ email: '', emailVerified: false })
    expect((await site.subjectsTo(ADDRESS)).at(-1)).toMatch(/was changed$/)
  })

  test('mails the link again', async () => {
    await visitor.signIn('alice', PASSWORD)
    await visitor.post('/account/email', { email: 'new@example.org' })
    const tooSoon = await visitor.post('/account/email/send')
    expect(tooSoon.status).toBe(429)
    site.now += 60_000
    expect((await visitor.post('/account/email/send')).status).toBe(303)
    expect(await site.linksTo('new@example.org')).toHaveLength(2)
  })

  test('says where a site sends no mail', async () => {
    const stranger = new Visitor(new CheapSite())
    await stranger.signIn('alice', PASSWORD)
    const page = await stranger.get('/account/email')
    expect(textOf(page.html)).toContain('This site sends no mail, so an address cannot be entered.')
    expect((await stranger.post('/account/email', { email: 'new@example.org' })).status).toBe(403)
  })
})
