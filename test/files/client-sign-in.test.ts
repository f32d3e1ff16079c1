import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { CLIENT_SCRIPT } from '../../.build/assets.ts'
import { settings, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { textOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const AS_GUEST = 'Continue without signing in'

let openlist: OpenListStandIn
let site: CheapSite
let visitor: Visitor

function setUp(bindings: Record<string, string> = {}): void {
  openlist = new OpenListStandIn()
  site = new CheapSite(openlist.deps, {
    ...FILES_BINDINGS,
    ...JSON.parse(JSON.stringify(bindings)),
  })
  visitor = new Visitor(site)
}

beforeEach(async () => {
  setUp()
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD })
})

async function scriptsIn(path: string): Promise<string[]> {
  const page = await (await site.fetch('GET', path)).text()
  return Array.from(page.matchAll(/<script[^>]*>(.*?)<\/script>/gs), ([, text = '']) => text)
}

describe('the first script of the web client', () => {
  test('is smaller than 4 KiB, and knows no other host', () => {
    expect(CLIENT_SCRIPT.length).toBeLessThan(4096)
    expect(CLIENT_SCRIPT).not.toMatch(/https?:\/\/|fetch|XMLHttp|<\/script/)
  })

  test.each(['/', '/folder', '/@manage/users'])('stands before all others: %s', async (path) => {
    expect(await scriptsIn(path)).toEqual([CLIENT_SCRIPT, '1'])
  })

  test('is the same for everybody, and costs no trip to D1', async () => {
    const pageOf = async (headers: Record<string, string>) => {
      const page = await (await site.fetch('GET', '/folder', { headers })).text()
      expect([site.meter.roundTrips, openlist.paths()]).toEqual([0, ['GET /folder']])
      return page.replaceAll(/nonce="[^"]+"/g, '')
    }
    await visitor.signIn('alice', PASSWORD)
    openlist.paths()
    const cookie = Array.from(visitor.cookies, (pair) => pair.join('=')).join('; ')
    expect(await pageOf({ Cookie: cookie })).toBe(await pageOf({}))
  })

  test.each(['/static/epub.js/viewer.html', '/streamer/mitm.html'])(
    'is not in what the web client frames: %s',
    async (path) => {
      expect(await scriptsIn(path)).toEqual(['1'])
    },
  )

  test('stands there without a policy too', async () => {
    setUp({ FILES_PAGE_POLICY: 'off' })
    expect(await scriptsIn('/')).toEqual([CLIENT_SCRIPT, '1'])
    const page = await site.fetch('GET', '/')
    expect(await page.text()).not.toContain('nonce')
    expect(page.headers.get('Content-Security-Policy')).toBeNull()
  })
})

describe('GET /@login', () => {
  test.each([
    ['/@login', '/'],
    ['/@login?redirect=%2Ffolder%2Fa%2520b', '/folder/a%2520b'],
    ['/@LOGIN/?redirect=%2F%40manage', '/%40manage'],
    ['/%40login?token=x&username=y&redirect=%2Fx', '/x'],
    ['/@login?redirect=%2Fa&redirect=%2Fb', '/a'],
    ['/@login?redirect=https://evil.example', '/'],
    ['/@login?redirect=//evil.example', '/'],
    ['/@login?redirect=%2F.%2F%2Fevil.example', '/'],
    ['/@login?redirect=%2F%40login%3Ftoken%3Dx', '/'],
    ['/@login?redirect=%2Faccount', '/'],
    ['/@login?redirect=%2Fapi%2Fauth%2Flogout', '/'],
  ])('%s leads to our sign-in page, and from there to %s', async (path, next) => {
    const { status, headers } = await site.fetch('GET', path)
    expect([status, headers.get('Location')]).toEqual([303, `/account/sign-in?next=${next}`])
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(openlist.sent).toEqual([])
  })

  test('is answered with a refusal to other methods', async () => {
    const { status, headers } = await site.fetch('POST', '/@login', { body: '{}' })
    expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
    expect(openlist.sent).toEqual([])
  })
})

describe('the sign-in page with a path of the files', () => {
  const PATH = '/account/sign-in?next=/folder'

  test('leads there after the sign-in', async () => {
    const fields = { username: 'alice', password: PASSWORD, next: '/folder' }
    expect(await visitor.post('/account/sign-in', fields)).toMatchObject({
      status: 303,
      location: '/folder',
    })
    expect(Array.from(visitor.cookies.keys())).toEqual(expect.arrayContaining(['session', 'user']))
  })

  test('leads there at once with a live session, in one trip, and mends the hint', async () => {
    await visitor.signIn('alice', PASSWORD)
    const user = visitor.cookies.get('user')
    visitor.cookies.set('user', '99')
    expect(await visitor.get(PATH)).toMatchObject({ status: 303, location: '/folder' })
    expect(site.meter.roundTrips).toBe(1)
    expect(visitor.cookies.get('user')).toBe(user)
  })

  test('comes again from a page here after a link of another site, which brings no cookie', async () => {
    const { status, headers } = await visitor.get(PATH, { 'Sec-Fetch-Site': 'cross-site' })
    expect([status, headers.get('Refresh')]).toEqual([200, `0; url=${PATH}`])
    const again = await visitor.get(PATH, { 'Sec-Fetch-Site': 'same-origin' })
    expect(again.html).toContain('<input type="hidden" name="next" value="/folder"')
    const evil = await visitor.get('/account/sign-in?next=https://evil.example/', {
      'Sec-Fetch-Site': 'cross-site',
    })
    expect(evil.headers.get('Refresh')).toBeNull()
  })

  test('shows the form when the session is over, and clears its cookies', async () => {
    await visitor.signIn('alice', PASSWORD)
    await site.get('/api/auth/logout', { token: visitor.cookies.get('session') ?? '' })
    for (const cookie of [visitor.cookies.get('session') ?? '', 'nonsense']) {
      visitor.cookies.set('session', cookie).set('user', '3')
      const { status, html } = await visitor.get(PATH)
      expect(status).toBe(200)
      expect(html).toContain('<input type="hidden" name="next" value="/folder"')
      expect(Array.from(visitor.cookies.keys())).not.toContain('session')
      expect(Array.from(visitor.cookies.keys())).not.toContain('user')
    }
  })

  test('lets visitors go on as the guest, while the guest is enabled', async () => {
    expect(textOf((await visitor.get(PATH)).html)).not.toContain(AS_GUEST)
    await site.db.update(users).set({ disabled: false }).where(eq(users.username, 'guest'))
    const { html } = await visitor.get(PATH)
    expect(html).toContain(`<a href="/folder">${AS_GUEST}</a>`)
    const wrong = { username: 'alice', password: 'wrong', next: '/folder' }
    expect((await visitor.post('/account/sign-in', wrong)).html).toContain(AS_GUEST)
    expect((await visitor.get('/account/sign-in')).html).not.toContain(AS_GUEST)
  })

  test.each(['/account/sign-in?next=//evil.example', '/account/sign-in?next=/d/file'])(
    'leads nowhere else: %s',
    async (path) => {
      await visitor.signIn('alice', PASSWORD)
      expect((await visitor.get(path)).location).toBe('/account')
    },
  )

  test('is the overview’s where no web client is', async () => {
    site = new CheapSite()
    visitor = new Visitor(site)
    const fields = { username: 'alice', password: PASSWORD, next: '/folder' }
    expect((await visitor.post('/account/sign-in', fields)).location).toBe('/account')
  })
})

describe('a session without the second factor that the site demands', () => {
  const HERE = { 'Sec-Fetch-Site': 'same-origin' }
  let userId: string
  beforeEach(async () => {
    await visitor.signIn('alice', PASSWORD)
    userId = visitor.cookies.get('user') ?? ''
    await site.db.insert(settings).values({ key: 'require_second_factor', value: 'everybody' })
  })

  test.each([
    ['GET', '/api/me'],
    ['POST', '/api/fs/list'],
  ])('is told so by %s %s, and keeps its cookies', async (method, path) => {
    const body = method === 'POST' ? '{"path":"/"}' : undefined
    const Cookie = `session=${visitor.cookies.get('session')}`
    const response = await site.fetch(method, path, {
      token: `cookie.${userId}`,
      headers: { ...HERE, Cookie, 'Content-Length': '12' },
      ...(body !== undefined && { body }),
    })
    expect(await response.json()).toEqual({
      code: 401,
      message: 'This site requires a second factor: the next page sets it up',
      data: null,
    })
    expect(response.headers.getSetCookie().filter((line) => /session|user/.test(line))).toEqual([])
  })

  test('of a program gets what it always got', async () => {
    const token = visitor.cookies.get('session') ?? ''
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    const options = { token, headers: { 'Content-Length': '12' } }
    expect(await site.post('/api/fs/list', { path: '/' }, options)).toMatchObject({ code: 403 })
  })

  test('sets one up on the way from the files, and goes on to them', async () => {
    const { location } = await visitor.get('/account/sign-in?next=/folder')
    expect(location).toBe('/account/security')
    const { html } = await visitor.post('/account/security/start')
    const [, secret = ''] = /name="secret" value="([^"]+)"/.exec(html) ?? []
    const fields = { secret, code: site.code(secret) }
    const codes = await visitor.post('/account/security/confirm', fields)
    expect(codes.html).toContain('<a role="button" class="secondary" href="/folder">')
    expect((await visitor.get('/account/sign-in?next=/folder')).location).toBe('/folder')
  })
})

/** Where the links with a text lead. */
const linksIn = (html: string, text: string) =>
  Array.from(html.matchAll(/<a\b[^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs))
    .filter(([, , content = '']) => textOf(content).startsWith(text))
    .map(([, href]) => href)

describe('the links to the files', () => {
  const AT_FILES = 'http://files.localhost/@login?redirect='

  test.each([
    ['one host', {}, '/', '/@manage'],
    ['two hosts', { FILES_HOST: 'files.localhost' }, `${AT_FILES}%2F`, `${AT_FILES}%2F%40manage`],
  ])('stand first in the navigation, on Welcome and on the state page: %s', async (...row) => {
    const [, bindings, start, manage] = row
    setUp(JSON.parse(JSON.stringify(bindings)))
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const { html } = await visitor.get('/account')
    expect(/<nav.*?<a href="([^"]*)"/s.exec(html)?.[1]).toBe(start)
    expect(linksIn(html, 'Files')).toEqual([start])
    const welcome = (await visitor.get('/account/welcome')).html
    expect(/<ul class="rows choices">.*?<a [^>]*href="([^"]*)"/s.exec(welcome)?.[1]).toBe(start)
    expect(linksIn((await visitor.get('/account/admin')).html, 'Manage the files')).toEqual([
      manage,
    ])
  })

  test('are on no page without a file server', async () => {
    site = new CheapSite()
    visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    for (const path of ['/account', '/account/welcome', '/account/admin'])
      expect((await visitor.get(path)).html).not.toMatch(/#files"|@manage/)
  })

  test('of a page about a fault leads to the same address, whatever it is', async () => {
    site = new CheapSite({ sendOut: () => Promise.reject(new Error('down')) }, FILES_BINDINGS)
    const headers = { Accept: 'text/html' }
    const page = await (await site.fetch('GET', '//evil.example/x?y', { headers })).text()
    expect(linksIn(page, 'Try again')).toEqual([''])
  })
})
