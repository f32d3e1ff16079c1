import { beforeEach, describe, expect, test } from 'vitest'
import { eq } from 'drizzle-orm'
import { settings, users } from '../../schema/tables.ts'
import { ARRIVE_SCRIPT, ARRIVE_SCRIPT_HASH, CLIENT_SCRIPT } from '../../.build/assets.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { MINUTE, SECOND } from '../support/site.ts'
import { refreshTo, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const FILES = 'https://files.example.org'
const MAIN = 'https://accounts.example.org'
const TWO_HOSTS = { FILES_HOST: 'files.example.org', SITE_ADDRESS: MAIN }
const AS_GUEST = 'Continue without signing in'
const HERE = { 'Sec-Fetch-Site': 'same-origin' }
const INVALID = [400, 'could not sign you in, try again\n']

let openlist: OpenListStandIn
let site: CheapSite
let browser: Browser

/** Somebody at a browser, which keeps the cookies of each host. */
class Browser {
  readonly files = new Visitor(site)
  readonly main = new Visitor(site)

  signIn(username = 'alice'): Promise<unknown> {
    return this.main.post(`${MAIN}/account/sign-in`, { username, password: PASSWORD })
  }

  /** Asks for the sign-in at the files. @returns Where it leads at the accounts. */
  async leave(path = '/folder'): Promise<string> {
    const { status, location } = await this.files.get(
      `${FILES}/@login?redirect=${encodeURIComponent(path)}`,
    )
    return status === 303 ? (location ?? '') : `HTTP ${status}`
  }

  /** The code that the accounts give for it. */
  async codeAt(address: string): Promise<string> {
    const { location } = await this.main.get(address)
    return (
      /^https:\/\/files\.example\.org\/@login\/arrive#code=([\w.-]+)$/.exec(location ?? '')?.[1] ??
      ''
    )
  }

  async arrive(code: string, headers: Record<string, string> = HERE): Promise<Response> {
    const Cookie = Array.from(this.files.cookies, (pair) => pair.join('=')).join('; ')
    return site.fetch('POST', `${FILES}/@login/arrive`, {
      body: JSON.stringify({ code }),
      headers: { 'Content-Type': 'application/json', Cookie, ...headers },
    })
  }
}

function setUp(bindings: Record<string, string> = TWO_HOSTS): void {
  openlist = new OpenListStandIn()
  const all = { ...FILES_BINDINGS, SITE_ADDRESS: '', ...bindings }
  site = new CheapSite(openlist.deps, JSON.parse(JSON.stringify(all)))
  browser = new Browser()
}

beforeEach(async () => {
  setUp()
  await site.addFirstUsers()
  for (const name of ['alice', 'bob']) await site.addUser(name, { password: PASSWORD })
})

const shown = async (response: Response) => [response.status, await response.text()]

describe('the way from the files to the accounts and back', () => {
  test('gives the host of the files a cookie of the same session', async () => {
    await browser.signIn()
    const asked = await browser.leave()
    expect(asked).toMatch(
      /^https:\/\/accounts\.example\.org\/account\/files\?challenge=[\w-]{43}&next=%2Ffolder$/,
    )
    const response = await browser.arrive(await browser.codeAt(asked))
    expect(await response.json()).toEqual({ next: '/folder' })
    const set = response.headers.getSetCookie().map((line) => line.replace(/=ey[^;]+/, '=TOKEN'))
    expect(set).toEqual([
      '__Host-hand-over=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
      '__Host-session=TOKEN; Max-Age=172800; Path=/; HttpOnly; Secure; SameSite=Strict',
      expect.stringMatching(/^__Host-user=\d+; Max-Age=172800; Path=\/; Secure; SameSite=Strict$/),
    ])
    const token = browser.main.cookies.get('__Host-session') ?? ''
    const { data } = await site.get('/api/me/sessions', { token })
    expect(data.total).toBe(1)
    // The end of the one is the end of the other.
    await browser.main.post(`${MAIN}/account/sign-out`)
    const Cookie = `__Host-session=${token}`
    const asMarker = { token: 'cookie.3', headers: { ...HERE, Cookie } }
    expect(await site.get(`${FILES}/api/me`, asMarker)).toMatchObject({ code: 401 })
  })

  test('leads on at once with a live session, and asks the accounts again after a dead one', async () => {
    await browser.signIn()
    const token = browser.main.cookies.get('__Host-session') ?? ''
    browser.files.cookies.set('__Host-session', token)
    expect(await browser.leave()).toBe('/folder')
    expect(site.meter.roundTrips).toBe(1)
    expect(browser.files.cookies.get('__Host-user')).toBe('3')
    await browser.main.post(`${MAIN}/account/sign-out`)
    expect(await browser.leave()).toMatch(/^https:\/\/accounts\./)
    expect(browser.files.cookies.get('__Host-session')).toBeUndefined()
  })

  test('passes by the sign-in page, whose form ends at a page of its own host', async () => {
    const asked = await browser.leave()
    const { location } = await browser.main.get(asked)
    const { searchParams } = new URL(location ?? '', MAIN)
    const next = searchParams.get('next') ?? ''
    expect(MAIN + next).toBe(asked)
    const fields = { username: 'alice', password: PASSWORD, next }
    const { status, headers } = await browser.main.post(`${MAIN}/account/sign-in`, fields)
    expect([status, refreshTo(headers)]).toEqual([200, next])
    expect(await browser.codeAt(MAIN + next)).not.toBe('')
  })

  test('is not for who reads as the guest, while the guest is enabled', async () => {
    const shownAt = async (path: string) => {
      const { location } = await browser.main.get(await browser.leave(path))
      return (await browser.main.get(MAIN + location)).html
    }
    expect(await shownAt('/folder')).not.toContain(AS_GUEST)
    await site.db.update(users).set({ disabled: false }).where(eq(users.username, 'guest'))
    expect(await shownAt('/folder')).toContain(`href="${FILES}/folder">${AS_GUEST}`)
    const hostile = `/account/files?next=${encodeURIComponent('//evil.example')}`
    const { html } = await browser.main.get(
      `${MAIN}/account/sign-in?next=${encodeURIComponent(hostile)}`,
    )
    expect(html).toContain(`href="${FILES}/">${AS_GUEST}`)
    expect((await browser.main.get(`${MAIN}/account/sign-in`)).html).not.toContain(AS_GUEST)
  })

  test('sets up a demanded second factor first', async () => {
    await browser.signIn()
    await site.db.insert(settings).values({ key: 'require_second_factor', value: 'everybody' })
    const asked = await browser.leave()
    expect((await browser.main.get(asked)).location).toBe('/account/security')
    const { html } = await browser.main.post(`${MAIN}/account/security/start`)
    const [, secret = ''] = /name="secret" value="([^"]+)"/.exec(html) ?? []
    const fields = { secret, code: site.code(secret) }
    const codes = await browser.main.post(`${MAIN}/account/security/confirm`, fields)
    expect(codes.html).toContain(`href="${FILES}/@login?redirect=%2Ffolder"`)
  })
})

describe('a code', () => {
  beforeEach(() => browser.signIn())

  test('counts once', async () => {
    const code = await browser.codeAt(await browser.leave())
    expect((await browser.arrive(code)).status).toBe(200)
    expect(await shown(await browser.arrive(code))).toEqual(INVALID)
  })

  test('counts in the browser that has asked for it alone', async () => {
    const code = await browser.codeAt(await browser.leave())
    const victim = new Browser()
    expect(await shown(await victim.arrive(code))).toEqual(INVALID)
    await victim.leave()
    const response = await victim.arrive(code)
    expect(response.headers.getSetCookie()).toEqual([
      '__Host-hand-over=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
    ])
    expect(await shown(response)).toEqual(INVALID)
    expect((await browser.arrive(code)).status).toBe(200)
  })

  test('counts for a minute', async () => {
    const code = await browser.codeAt(await browser.leave())
    site.now += MINUTE - SECOND
    const late = await browser.codeAt(await browser.leave())
    site.now += SECOND
    expect(await shown(await browser.arrive(code))).toEqual(INVALID)
    expect((await browser.arrive(late)).status).toBe(200)
  })

  test('is worth nothing when its session has ended', async () => {
    const code = await browser.codeAt(await browser.leave())
    await browser.main.post(`${MAIN}/account/sign-out`)
    const response = await browser.arrive(code)
    expect(response.headers.getSetCookie().join()).not.toContain('session')
    expect(await shown(response)).toEqual(INVALID)
  })

  test.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { Origin: MAIN, 'Sec-Fetch-Site': 'same-site' },
    {},
  ])('is refused from other pages: %j', async (headers) => {
    const code = await browser.codeAt(await browser.leave())
    const response = await browser.arrive(code, {
      'Sec-Fetch-Site': '',
      ...JSON.parse(JSON.stringify(headers)),
    })
    expect(response.status).toBe(403)
  })

  test.each(['', 'x', 'cookie.3'])('that is none is refused: %j', async (code) => {
    await browser.leave()
    expect(await shown(await browser.arrive(code))).toEqual(INVALID)
  })

  test('is no token, and shows none', async () => {
    const code = await browser.codeAt(await browser.leave())
    expect(code).not.toMatch(/\bey[\w-]+\.[\w-]+\./)
    expect(await site.get(`${FILES}/api/me`, { token: code })).toMatchObject({ code: 401 })
  })
})

describe('the accounts', () => {
  test.each([
    '',
    '?challenge=x&next=/',
    `?challenge=${'x'.repeat(44)}`,
    `?challenge=${'x'.repeat(42)}.`,
  ])('refuse a challenge that is none: %j', async (query) => {
    await browser.signIn()
    expect((await browser.main.get(`${MAIN}/account/files${query}`)).status).toBe(400)
  })

  test('lead to no other path than one of the files', async () => {
    await browser.signIn()
    const asked = new URL(await browser.leave())
    asked.searchParams.set('next', '//evil.example')
    const response = await browser.arrive(await browser.codeAt(asked.href))
    expect(await response.json()).toEqual({ next: '/' })
  })

  test('have no such page where the files have the same host', async () => {
    setUp({})
    await browser.main.post('/account/sign-in', { username: 'alice', password: PASSWORD })
    const challenge = 'x'.repeat(43)
    expect((await browser.main.get(`/account/files?challenge=${challenge}`)).status).toBe(404)
  })
})

describe('the host of the files', () => {
  test('says that it is not set up where nobody knows the accounts', async () => {
    setUp({ FILES_HOST: 'files.example.org', ISSUER: '' })
    expect(await shown(await site.fetch('GET', `${FILES}/@login`))).toEqual([
      503,
      expect.stringContaining('the file server is not set up'),
    ])
  })

  test('has a page that takes the code out of the address, and runs nothing else', async () => {
    const { html, headers } = await browser.files.get(`${FILES}/@login/arrive`)
    expect(html).toContain(`<script>${ARRIVE_SCRIPT}</script>`)
    expect(headers.get('Content-Security-Policy')).toContain(
      `default-src 'none'; script-src '${ARRIVE_SCRIPT_HASH}'; connect-src 'self';`,
    )
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(openlist.sent).toEqual([])
  })

  test('has a link to the accounts in the web client, and no page of theirs', async () => {
    const { html } = await browser.files.get(`${FILES}/`)
    expect(html).toContain(` data-account="${MAIN}/account">${CLIENT_SCRIPT}</script>`)
    expect((await browser.files.get(`${FILES}/account/files`)).status).toBe(404)
  })
})
