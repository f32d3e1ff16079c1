import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { links, users } from '../../schema/tables.ts'
import { JoiningSite, NEW_PASSWORD, secretOf } from '../support/joining.ts'
import { loggedLines } from '../support/log.ts'
import { HOUR } from '../support/site.ts'
import { alertIn, problemAt, textOf, Visitor } from '../support/visitor.ts'

const PASSWORDS = { password: NEW_PASSWORD, repeat: NEW_PASSWORD }
let site: JoiningSite
let visitor: Visitor
beforeEach(async () => {
  site = await new JoiningSite().begin()
  visitor = new Visitor(site)
})
const used = async () => (await site.db.select().from(links))[0]?.used

describe('the page of a link', () => {
  test('changes nothing when it is opened, and is for nobody else', async () => {
    const link = await site.invite()
    const { status, headers, html } = await visitor.get(`/account/link/${link}`)
    expect(status).toBe(200)
    expect(headers.get('X-Robots-Tag')).toBe('noindex')
    expect(headers.get('Referrer-Policy')).toBe('strict-origin')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(html).toContain(`<input type="hidden" name="link" value="${link}"`)
    expect(await used()).toBe(0)
  })

  test('takes an invitation, signs the user in and leads to the welcome', async () => {
    const link = await site.invite()
    const { location } = await visitor.post('/account/link', {
      link,
      username: 'bob',
      ...PASSWORDS,
    })
    expect(location).toBe('/account/welcome')
    expect(textOf((await visitor.get('/account/welcome')).html)).toContain('Welcome')
    expect(await used()).toBe(1)
  })

  test('does not ask for an address that the invitation has confirmed', async () => {
    const welcomeOf = async (link: string, username: string) => {
      const guest = new Visitor(site)
      await guest.post('/account/link', { link, username, ...PASSWORDS })
      return (await guest.get('/account/welcome')).html
    }
    await site.asAdmin('/api/admin/invitation/create', { email: 'carol@example.org' })
    const mailed = secretOf((await site.mail())[0]?.text ?? '')
    const confirmed = await welcomeOf(mailed, 'carol')
    expect(confirmed).not.toContain('/account/email')
    expect(textOf(confirmed)).toContain('Create an account Done')
    expect(textOf(confirmed)).toContain('Confirm your e-mail address Done')
    const other = await welcomeOf(await site.invite(), 'dave')
    expect(other).toContain('/account/email')
    expect(textOf(other).match(/Done/g)).toHaveLength(1)
  })

  test('shows what is wrong, keeps the name and takes no use', async () => {
    const link = await site.invite()
    const wrong = { link, username: 'admin', ...PASSWORDS }
    const taken = await visitor.post('/account/link', wrong)
    expect(taken.status).toBe(409)
    expect(problemAt(taken.html, 'username')).toBe('This user name is already taken.')
    const differing = await visitor.post('/account/link', { ...wrong, repeat: 'x' })
    expect(problemAt(differing.html, 'repeat')).toBeDefined()
    expect(await used()).toBe(0)
  })

  test('says that a fixed name was taken meanwhile, although the form has no name', async () => {
    const link = await site.invite({ username: 'bob' })
    await site.addUser('bob')
    const { status, html } = await visitor.post('/account/link', { link, ...PASSWORDS })
    expect(status).toBe(409)
    expect(alertIn(html)).toBe('This user name is already taken.')
  })

  test('is not there once the account would have ended', async () => {
    const account_ends_at = new Date(site.now + HOUR).toISOString()
    const link = await site.invite({ account_ends_at })
    site.now += HOUR
    expect((await visitor.get(`/account/link/${link}`)).status).toBe(404)
  })

  test('leads to the sign-in where others of the network have failed too often', async () => {
    const link = await site.invite()
    for (let place = 0; place < 30; place++) await site.login(`nobody${place}`, 'x')
    const fields = { link, username: 'bob', ...PASSWORDS }
    const { location } = await visitor.post('/account/link', fields)
    expect(location).toBe('/account/sign-in?done=account-made')
    expect(textOf((await visitor.get(location ?? '')).html)).toContain('Your account is made.')
    site.now += HOUR
    expect((await site.login('bob', NEW_PASSWORD)).code).toBe(200)
  })

  test('sets a password, and signs nobody in', async () => {
    const id = await site.addUser('alice', { password: 'alice-Passw0rd' })
    const { data } = await site.asAdmin('/api/admin/user/reset_link', { id })
    const link = secretOf(data.link)
    expect(textOf((await visitor.get(`/account/link/${link}`)).html)).toContain('alice')
    const { html } = await visitor.post('/account/link', { link, ...PASSWORDS })
    expect(textOf(html)).toContain('Your password is set')
    expect((await visitor.get('/account')).status).toBe(303)
    expect((await site.login('alice', NEW_PASSWORD)).code).toBe(200)
  })

  test('confirms an address in the session of its account only', async () => {
    await site.addUser('alice', { password: NEW_PASSWORD, email: 'alice@example.org' })
    await site.addUser('bob', { password: NEW_PASSWORD })
    const token = await site.token('alice', NEW_PASSWORD)
    await site.post('/api/me/email/send', undefined, { token })
    const link = secretOf((await site.mail())[0]?.text ?? '')
    expect(textOf((await visitor.get(`/account/link/${link}`)).html)).toContain('alice@example.org')
    const none = await visitor.post('/account/link', { link })
    expect(alertIn(none.html)).toBe('Sign in first, then open the link again.')
    await visitor.signIn('bob', NEW_PASSWORD)
    const other = await visitor.post('/account/link', { link })
    expect(alertIn(other.html)).toContain('the address of another account')
    expect(await used()).toBe(0)
    const owner = new Visitor(site)
    await owner.signIn('alice', NEW_PASSWORD)
    expect(textOf((await owner.post('/account/link', { link })).html)).toContain(
      'Your e-mail address is confirmed',
    )
    const [alice] = await site.db.select().from(users).where(eq(users.username, 'alice'))
    expect(alice?.emailVerified).toBe(true)
  })

  test('has one answer for every dead link, and the log holds no link', async () => {
    const link = await site.invite()
    await visitor.get(`/account/link/${link}`)
    for (const dead of ['x', 'A'.repeat(43)]) {
      const { status, html } = await visitor.get(`/account/link/${dead}`)
      expect(status).toBe(404)
      expect(textOf(html)).toContain(
        'The link was used already, is too old or is incomplete. Ask an administrator for a new one.',
      )
    }
    expect(loggedLines(link)).toEqual([])
  })

  test('refuses a form of another site', async () => {
    const link = await site.invite()
    const fields = { link, username: 'bob', ...PASSWORDS }
    const { status } = await visitor.post('/account/link', fields, {
      Origin: 'https://evil.example',
    })
    expect(status).toBe(403)
  })
})

describe('/account/register', () => {
  test('is there while registration is on, and the sign-in page leads to it', async () => {
    expect((await visitor.get('/account/register')).status).toBe(403)
    expect((await visitor.get('/account/sign-in')).html).not.toContain('/account/register')
    await site.set({ allow_register: 'true' })
    expect((await visitor.get('/account/sign-in')).html).toContain('/account/register')
    const fields = { username: 'bob', ...PASSWORDS }
    expect((await visitor.post('/account/register', fields)).location).toBe('/account/welcome')
  })

  test('says that the account waits', async () => {
    await site.set({ allow_register: 'true', register_approval: 'true' })
    const fields = { username: 'bob', ...PASSWORDS }
    const { html } = await visitor.post('/account/register', fields)
    expect(textOf(html)).toContain('Your account is waiting for approval')
    expect((await visitor.get('/account')).status).toBe(303)
  })

  test('keeps the form while Turnstile does not answer', async () => {
    const faults = { sendOut: () => Promise.reject(new TypeError('network')) }
    const guest = new Visitor(new JoiningSite(faults))
    await site.set({ allow_register: 'true', turnstile_site_key: 'key', turnstile_secret: 's' })
    const answer = { 'cf-turnstile-response': 'token' }
    const fields = { username: 'bob', ...PASSWORDS, ...answer }
    const { status, html } = await guest.post('/account/register', fields)
    expect(status).toBe(503)
    expect(alertIn(html)).toContain('does not answer. No account was made.')
    expect(html).toContain('value="bob"')
    expect(html).toContain('data-sitekey="key"')
    expect(html).not.toContain(NEW_PASSWORD)
  })

  test('loads the widget of Turnstile on this page only', async () => {
    await site.set({ allow_register: 'true', turnstile_site_key: 'key', turnstile_secret: 's' })
    const host = 'https://challenges.cloudflare.com'
    const page = await visitor.get('/account/register')
    expect(page.headers.get('Content-Security-Policy')).toContain(host)
    expect(page.html).toContain('data-sitekey="key"')
    const other = await visitor.get('/account/sign-in')
    expect(other.headers.get('Content-Security-Policy')).not.toContain(host)
  })
})

describe('/account/forgotten', () => {
  test('says the same for every name', async () => {
    await site.addUser('alice', {
      password: NEW_PASSWORD,
      email: 'alice@example.org',
      emailVerified: true,
    })
    expect((await visitor.get('/account/sign-in')).html).toContain('/account/forgotten')
    const known = await visitor.post('/account/forgotten', { name: 'alice' })
    const unknown = await visitor.post('/account/forgotten', { name: 'nobody' })
    expect(known.html).toBe(unknown.html)
    expect(await site.mail()).toHaveLength(1)
  })

  test('is not there while the site sends no mail', async () => {
    const silent = new Visitor(new JoiningSite({ mailFrom: () => undefined }))
    expect((await silent.get('/account/forgotten')).status).toBe(403)
    expect((await silent.get('/account/sign-in')).html).not.toContain('/account/forgotten')
  })
})
