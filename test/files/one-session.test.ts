import { beforeEach, describe, expect, test } from 'vitest'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { HOUR } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const HERE = { 'Sec-Fetch-Site': 'same-origin' }
const ONE_HOST = 'https://files.example.org'
const MAIN = 'https://accounts.example.org'

let openlist: OpenListStandIn
let site: CheapSite
let ids: { alice: number; bob: number }

/** Sets the site up anew, with the same data. */
function setUp(bindings: Record<string, string> = {}, hasFiles = true): void {
  openlist = new OpenListStandIn()
  const all = { ...(hasFiles && FILES_BINDINGS), ...bindings }
  site = new CheapSite(openlist.deps, JSON.parse(JSON.stringify(all)))
}

beforeEach(async () => {
  setUp()
  await site.addFirstUsers()
  const alice = await site.addUser('alice', { password: PASSWORD })
  ids = { alice, bob: await site.addUser('bob', { password: PASSWORD }) }
})

/** What is asked of the accounts, and what of the file server. */
const REQUESTS = [
  ['GET', '/api/me'],
  ['POST', '/api/fs/list'],
  ['GET', '/api/me/sessions'],
] as const

interface Asked {
  origin?: string
  token?: string
  cookies?: Record<string, string>
  headers?: Record<string, string>
}

/** Sends a request, and tells the code, who acted, and which cookies were set. */
async function ask(
  [method, path]: readonly [string, string],
  { origin = ONE_HOST, token, cookies = {}, headers = {} }: Asked,
) {
  const Cookie = Object.entries(cookies).map((pair) => pair.join('='))
  const body = method === 'POST' ? JSON.stringify({ path: '/' }) : undefined
  const response = await site.fetch(method, origin + path, {
    headers: {
      ...(Cookie.length > 0 && { Cookie: Cookie.join('; ') }),
      ...(body !== undefined && { 'Content-Length': String(body.length) }),
      ...headers,
    },
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
  })
  const { code, message, data } = JSON.parse(await response.text())
  const set = response.headers.getSetCookie().filter((line) => /session|user/.test(line))
  return { code, message, as: data?.username ?? data?.as, set }
}

async function signIn(username: keyof typeof ids): Promise<string> {
  return site.token(username, PASSWORD)
}

const marker = (username: keyof typeof ids) => `cookie.${ids[username]}`
const CLEARED = [
  '__Host-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
  '__Host-user=; Max-Age=0; Path=/; Secure; SameSite=Strict',
]
const invalidated = { code: 401, message: 'token is invalidated', set: [] }
const acts = expect.objectContaining({ code: 200, set: [] })
const refused = expect.objectContaining(invalidated)

type Sender = [name: string, headers: Record<string, string>]

/** What a browser sends with the request of a page of this origin. */
const PAGES_HERE: Sender[] = [
  ['the same origin', HERE],
  ['the same origin, whatever Origin says', { ...HERE, Origin: 'null' }],
  ['Origin alone', { Origin: ONE_HOST }],
  ['Referer alone', { Referer: `${ONE_HOST}/folder` }],
]

/** What comes with the requests of others. */
const OTHERS: Sender[] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: ONE_HOST }],
  ['another host of the site', { 'Sec-Fetch-Site': 'same-site', Referer: `${ONE_HOST}/` }],
  ['an address that was typed', { 'Sec-Fetch-Site': 'none', Referer: `${ONE_HOST}/` }],
  ['a sandboxed file', { Origin: 'null', Referer: `${ONE_HOST}/` }],
  ['another Origin', { Origin: 'https://evil.example', Referer: `${ONE_HOST}/` }],
  ['another scheme', { Origin: 'http://files.example.org' }],
  ['another Referer', { Referer: 'https://evil.example/' }],
  ['a Referer that begins alike', { Referer: `${ONE_HOST}.evil.example/` }],
  ['nothing', {}],
]

const askAlice = (request: readonly [string, string], cookies: Record<string, string>) =>
  ask(request, { token: marker('alice'), cookies, headers: HERE })

describe.each(REQUESTS)('%s %s with the marker', (...request) => {
  const asked = async (headers: Record<string, string>) => {
    const cookies = { '__Host-session': await signIn('alice') }
    return ask(request, { token: marker('alice'), cookies, headers })
  }
  test.each(PAGES_HERE)('from %s acts for the session of the cookie', async (_, headers) => {
    const answer = await asked(headers)
    expect(answer).toEqual(acts)
    expect(answer.as ?? 'alice').toBe('alice')
  })
  test.each(OTHERS)('from %s is refused', async (_, headers) => {
    expect(await asked(headers)).toEqual(refused)
  })

  test('of another user is refused, and the cookies stay', async () => {
    const cookies = { '__Host-session': await signIn('bob') }
    expect(await ask(request, { token: marker('alice'), cookies, headers: HERE })).toEqual({
      code: 401,
      message: 'another user has signed in',
      as: undefined,
      set: [],
    })
  })

  test('and no cookie, or a dead one, is refused and clears both', async () => {
    expect(await askAlice(request, {})).toMatchObject({
      code: 401,
      message: 'token is expired',
      set: CLEARED,
    })
    const ended = await signIn('alice')
    await site.get('/api/auth/logout', { token: ended })
    for (const cookie of [ended, 'nonsense', marker('alice'), '']) {
      const answer = await askAlice(request, {
        '__Host-session': cookie,
        '__Host-user': String(ids.alice),
      })
      expect(answer).toMatchObject({ code: 401, set: CLEARED })
      expect(answer.message).toMatch(/^token is (?:expired|invalidated)$/)
    }
    const token = await signIn('alice')
    site.now += 48 * HOUR
    expect(await askAlice(request, { '__Host-session': token })).toMatchObject({
      code: 401,
      message: 'token is expired',
      set: CLEARED,
    })
  })

  test('is no password of basic authentication', async () => {
    const cookies = { '__Host-session': await signIn('alice') }
    const token = `Basic ${btoa(`alice:${marker('alice')}`)}`
    expect(await ask(request, { token, cookies, headers: HERE })).toEqual(refused)
  })
})

describe('the hosts', () => {
  const TWO = { FILES_HOST: 'files.example.org', SITE_ADDRESS: MAIN }
  test.each([
    ['the one host', {}, true, ONE_HOST, acts, refused],
    ['the host of the files', TWO, true, ONE_HOST, acts, refused],
    ['the host of the accounts', TWO, true, MAIN, refused, acts],
    ['a site without a file server', {}, false, ONE_HOST, refused, acts],
  ])('%s', async (_, bindings, hasFiles, origin, byMarker, byToken) => {
    setUp(bindings, hasFiles)
    const token = await signIn('alice')
    const shown = { origin, cookies: { '__Host-session': token }, headers: HERE }
    const asked = await ask(REQUESTS[0], { ...shown, token: marker('alice') })
    expect(asked).toEqual(byMarker)
    // What somebody has put into the storage of the web client counts nothing.
    const stored = await ask(REQUESTS[0], { ...shown, token })
    expect(stored).toEqual(byToken)
  })
})

describe.each(REQUESTS)('%s %s without a marker', (...request) => {
  test('is the guest’s, whatever cookie comes', async () => {
    const cookies = { '__Host-session': await signIn('alice'), '__Host-user': String(ids.alice) }
    for (const headers of [HERE, { ...HERE, Authorization: '' }]) {
      const answer = await ask(request, { cookies, headers })
      expect(answer.set).toEqual([])
      expect(answer.as ?? 'guest').toBe('guest')
    }
  })

  test('takes tokens of programs and of pages elsewhere, and app passwords, as ever', async () => {
    const token = await signIn('alice')
    const cookies = { '__Host-session': await signIn('bob') }
    for (const from of ['cross-site', 'same-site', 'none', undefined]) {
      const headers = from === undefined ? {} : { 'Sec-Fetch-Site': from }
      expect(await ask(request, { token, cookies, headers })).toEqual(acts)
    }
    const { token: program } = await addAppPassword(site, ids.alice, ['files:read', 'account:read'])
    for (const shown of [program, `Basic ${btoa(`alice:${program}`)}`])
      expect(await ask(request, { token: shown, headers: HERE })).toEqual(acts)
  })
})

const login = (headers: Record<string, string>, origin = ONE_HOST) =>
  site.fetch('POST', `${origin}/api/auth/login`, {
    body: { username: 'alice', password: PASSWORD },
    headers,
  })

const setBy = (response: Response) =>
  response.headers.getSetCookie().filter((line) => /session|user/.test(line))

const logout = (asked: Asked) => ask(['GET', '/api/auth/logout'], asked)

describe('a sign-in at the interface', () => {
  test.each(OTHERS)('from %s gives a token, and sets no cookie', async (_, headers) => {
    const response = await login(headers)
    const { data } = JSON.parse(await response.text())
    expect(data).toEqual({ token: expect.stringMatching(/^ey/) })
    expect(setBy(response)).toEqual([])
  })

  test.each(PAGES_HERE)('from %s sets cookies, and gives the marker', async (_, headers) => {
    const response = await login(headers)
    const { data } = JSON.parse(await response.text())
    expect(data).toEqual({ token: marker('alice') })
    expect(setBy(response)).toEqual([
      expect.stringMatching(
        /^__Host-session=ey[\w.-]+; Max-Age=172800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
      `__Host-user=${ids.alice}; Max-Age=172800; Path=/; Secure; SameSite=Strict`,
    ])
  })

  test('over http has other names', async () => {
    const set = setBy(await login(HERE, 'http://localhost'))
    expect(set.map((line) => line.split('=')[0])).toEqual(['session', 'user'])
  })

  test('is as before without a file server, and at the host of the accounts', async () => {
    setUp({}, false)
    const alone = await login(HERE)
    expect([setBy(alone), JSON.parse(await alone.text()).data.token]).toEqual([
      [],
      expect.stringMatching(/^ey/),
    ])
    setUp({ FILES_HOST: 'files.example.org', SITE_ADDRESS: MAIN })
    expect(setBy(await login(HERE, MAIN))).toEqual([])
  })
})

describe('the hint', () => {
  test('comes and goes with the session of the pages', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn('alice', PASSWORD)
    expect(visitor.cookies.get('user')).toBe(String(ids.alice))
    await visitor.post('/account/sign-out')
    expect(Array.from(visitor.cookies.keys())).not.toContain('user')
  })

  test('is set for a session of before the file server', async () => {
    const visitor = new Visitor(site)
    visitor.cookies.set('session', await signIn('alice'))
    await visitor.get('/account')
    expect(visitor.cookies.get('user')).toBe(String(ids.alice))
  })

  test('does not exist without a file server, and at the host of the accounts', async () => {
    setUp({}, false)
    const visitor = new Visitor(site)
    await visitor.signIn('alice', PASSWORD)
    expect(visitor.setCookies.join('\n')).not.toContain('user=')
  })
})

describe('GET /api/auth/logout', () => {
  test('with the marker ends the session of the cookie', async () => {
    const token = await signIn('alice')
    const asked = { token: marker('alice'), cookies: { '__Host-session': token }, headers: HERE }
    expect(await logout(asked)).toMatchObject({ code: 200, set: CLEARED })
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 401 })
  })

  test('in an old tab of alice ends no session of bob, and leads to his files', async () => {
    const token = await signIn('bob')
    const cookies = { '__Host-session': token }
    expect(await logout({ token: marker('alice'), cookies, headers: HERE })).toMatchObject({
      code: 200,
      set: [],
    })
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    const visitor = new Visitor(site)
    visitor.cookies.set('session', token)
    expect((await visitor.get('/account/sign-in?next=/')).location).toBe('/')
  })

  test('with the marker and no session succeeds', async () => {
    const asked = { token: marker('alice'), headers: HERE }
    expect(await logout(asked)).toMatchObject({ code: 200, set: CLEARED })
  })

  test.each([
    ['nothing', ''],
    ['the marker from another site', 'marker'],
  ])('with %s ends nothing', async (_, shown) => {
    const token = await signIn('alice')
    const cookies = { '__Host-session': token }
    const asked =
      shown === ''
        ? { cookies, headers: HERE }
        : { token: marker('alice'), cookies, headers: { 'Sec-Fetch-Site': 'cross-site' } }
    expect(await logout(asked)).toMatchObject({ code: 200, set: [] })
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
  })
})

describe('OpenList', () => {
  test('never sees the marker or the cookie', async () => {
    const cookies = { '__Host-session': await signIn('alice'), '__Host-user': String(ids.alice) }
    const asked = { token: marker('alice'), cookies, headers: HERE }
    await ask(['POST', '/api/fs/list'], asked)
    await ask(['GET', '/api/public/archive_extensions'], asked)
    await site.fetch('GET', `${ONE_HOST}/folder`, {
      token: marker('alice'),
      headers: { Cookie: `__Host-session=${cookies['__Host-session']}` },
    })
    const seen = openlist.sent.map(({ headers }) => JSON.stringify(Array.from(headers)))
    expect(seen.join('\n')).not.toMatch(/cookie\.|__Host|"cookie"/)
  })

  test('is asked once, and D1 once, for a session of the cookie', async () => {
    const cookies = { '__Host-session': await signIn('alice') }
    const asked = { token: marker('alice'), cookies, headers: HERE }
    await ask(['POST', '/api/fs/list'], asked)
    openlist.paths()
    await ask(['POST', '/api/fs/list'], asked)
    expect([site.meter.roundTrips, openlist.paths()]).toEqual([1, ['POST /api/fs/list']])
  })
})

/** Signs in and out as a client does. @returns What it gets, but for what is new in each answer. */
async function talk(headers: Record<string, string>): Promise<unknown[]> {
  const seen: unknown[] = []
  let token = ''
  const send = async (method: string, path: string, body?: object) => {
    const response = await site.fetch(method, ONE_HOST + path, {
      token,
      headers,
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    token = /"token":"([^"]+)"/.exec(text)?.[1] ?? token
    const names = Array.from(response.headers.keys())
    const lasting = names.filter((name) => !/^(?:x-|server-timing|etag)/.test(name))
    const kept = lasting.map((name) => [name, response.headers.get(name)])
    const cookies = response.headers.getSetCookie().map((line) => line.split('=')[0])
    seen.push([response.status, kept.filter(([name]) => name !== 'set-cookie'), cookies])
    seen.push(text.replaceAll(/ey[\w.-]+/g, 'TOKEN'))
  }
  const credentials = { username: 'alice', password: PASSWORD }
  await send('POST', '/api/auth/login', { ...credentials, password: 'wrong' })
  await send('POST', '/api/auth/login', credentials)
  await send('GET', '/api/me')
  await send('POST', '/api/me/update', { username: 'alice', password: '' })
  await send('GET', '/api/auth/logout')
  await send('GET', '/api/me')
  return seen
}

describe('a web client that is served from elsewhere, and a program', () => {
  const ELSEWHERE = { Origin: 'https://client.example', 'Sec-Fetch-Site': 'cross-site' }

  test.each([
    ['a web client elsewhere', ELSEWHERE],
    ['a program', {}],
  ])('%s gets what it got before, byte for byte', async (_, headers) => {
    setUp({}, false)
    const before = await talk(headers)
    setUp()
    expect(await talk(headers)).toEqual(before)
  })

  test('may ask for the same in a preflight', async () => {
    const asked = {
      ...ELSEWHERE,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization',
    }
    const { headers } = await site.fetch('OPTIONS', `${ONE_HOST}/api/me`, { headers: asked })
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    // Without this, no browser sends cookies with the request of another origin.
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
  })
})
