import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  openBookmark,
  openCallersBookmark,
  sealBookmark,
} from '../../src/core/crypto/sealed-bookmark.ts'
import { signToken } from '../../src/core/access/token.ts'
import { ED1 } from '../reference/keys.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { LaggingD1 } from '../support/lagging-d1.ts'
import { ADMIN_PASSWORD, type Call } from '../support/site.ts'

const SEALED = /^[\w-]{8}\.[\w-]{116}$/
const BOOKMARK = /[\da-f]{8}-[\da-f]{8}-[\da-f]{8}-[\da-f]{32}/
const OLDEST = '00000000-00000000-00000000-00000000000000000000000000000000'
const PASSWORD = 'alice-Passw0rd'
const READS = ['/api/me', '/api/me/sshkey/list', '/api/me/sessions', '/api/me/events']
const ended = { code: 401, message: 'token is invalidated', data: null }

let d1: LaggingD1
let site: CheapSite
let token: string

/** Somebody who carries from answer to answer what the service gives them, as a browser does. */
class Visitor {
  cookie = ''
  bookmark = ''

  async fetch(method: string, path: string, call: Call = {}): Promise<Response> {
    const headers = { ...(this.cookie !== '' && { Cookie: this.cookie }), ...call.headers }
    const response = await site.fetch(method, path, { token, ...call, headers })
    const [pair] = response.headers.get('Set-Cookie')?.split(';') ?? []
    this.cookie = pair ?? this.cookie
    this.bookmark = response.headers.get('X-D1-Bookmark') ?? this.bookmark
    return response
  }

  async call(method: string, path: string, call?: Call) {
    const envelope: { code: number; data: unknown } = await (
      await this.fetch(method, path, call)
    ).json()
    return envelope
  }
}

let browser: Visitor

beforeEach(async () => {
  d1 = new LaggingD1()
  site = new CheapSite({}, { DB: d1.binding })
  browser = new Visitor()
  // Not prepared: the token names a state of the database as it was at the sign-in.
  token = await site.addSignedInUser()
  await d1.replicate()
  await browser.fetch('GET', '/api/me')
  await d1.replicate()
  d1.forget()
})

/** What a request with this header and this cookie is taken to have seen. */
async function seenIn(header: string, cookie: string) {
  const { keyRing } = site.deps
  return openCallersBookmark(
    keyRing,
    new Headers({
      'X-D1-Bookmark': await sealed(header),
      Cookie: `a=b; latchkey_bookmark=${await sealed(cookie)}; c=d`,
    }),
  )
}

/** As the service gives bookmarks to clients. */
const sealed = async (bookmark: string) =>
  sealBookmark(site.deps, await site.deps.keyRing(), bookmark)

const opened = async (bookmark: string | null | undefined) =>
  (await openBookmark(await site.deps.keyRing(), bookmark)) ?? ''

const addKey = (by: Visitor) =>
  by.call('POST', '/api/me/sshkey/add', { body: { title: 'laptop', key: ED1 } })

const signInElsewhere = () => site.token('alice', PASSWORD)

describe('a replica', () => {
  test.each(READS)('answers GET %s for a browser that it knows enough for', async (path) => {
    expect(await browser.call('GET', path)).toMatchObject({ code: 200 })
    expect(d1.asked.replica).not.toEqual([])
    expect(d1.asked.primary).toEqual([])
  })

  test.each(READS)('answers GET %s for a client that sends the header', async (path) => {
    const headers = { 'X-D1-Bookmark': browser.bookmark }
    expect(await site.get(path, { token, headers })).toMatchObject({ code: 200 })
    expect(d1.asked.primary).toEqual([])
  })

  test('answers nobody who carries no bookmark: it might lack what they wrote', async () => {
    for (const path of READS) expect(await site.get(path, { token })).toMatchObject({ code: 200 })
    expect(d1.asked.replica).toEqual([])
  })

  test.each([
    ['blank', ''],
    ['not sealed', OLDEST],
    ['of nobody', `AAAAAAAA.${'A'.repeat(116)}`],
    ['a constraint', 'first-unconstrained'],
    ['SQL', "' or 1=1 --"],
  ])('is not asked for a bookmark that is %s', async (_, bookmark) => {
    const headers = { 'X-D1-Bookmark': bookmark, Cookie: `latchkey_bookmark=${bookmark}` }
    expect(await site.get('/api/me', { token, headers })).toMatchObject({ code: 200 })
    expect(d1.asked.replica).toEqual([])
  })

  test('is not asked by whatever writes, throttles, signs in or is an operator’s', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    await d1.replicate()
    const headers = { 'X-D1-Bookmark': await sealed(OLDEST) }
    const calls: [method: string, path: string, body?: unknown, token?: string][] = [
      ['POST', '/api/me/update', { username: 'alicia' }],
      [
        'POST',
        '/api/me/update',
        { username: 'alice', password: 'new-Passw0rd', old_password: 'x' },
      ],
      ['POST', '/api/me/sshkey/add', { title: 'laptop', key: ED1 }],
      ['POST', '/api/me/sshkey/delete?id=1'],
      ['POST', '/api/me/sessions/delete?id=x'],
      ['POST', '/api/me/sessions/delete_others'],
      ['POST', '/api/auth/2fa/generate'],
      ['POST', '/api/auth/2fa/verify', { code: '000000', secret: 'AAAA' }],
      ['POST', '/api/auth/2fa/recovery_codes', { otp_code: '000000' }],
      ['POST', '/api/auth/2fa/disable', { otp_code: '000000' }],
      ['POST', '/api/auth/login', { username: 'alice', password: PASSWORD }],
      ['POST', '/api/auth/login', { username: 'alice', password: 'wrong-Passw0rd' }],
      ['GET', '/api/admin/user/list', undefined, admin],
      ['GET', '/api/admin/user/get?id=3', undefined, admin],
      ['GET', '/api/admin/user/sshkey/list?uid=3', undefined, admin],
      ['POST', '/api/admin/user/update', { id: 3, permission: 7 }, admin],
      ['GET', '/api/sftp/authorized_keys?username=alice', undefined, 'latchkey_x'],
      ['GET', '/api/me', undefined, ''],
      ['GET', '/api/auth/logout'],
    ]
    for (const [method, path, body, by = token] of calls) {
      d1.forget()
      await site.fetch(method, path, { token: by, body, headers })
      expect(d1.asked.primary, path).not.toEqual([])
      expect(d1.asked.replica, path).toEqual([])
    }
  })

  test('that is away leaves the answer to the primary', async () => {
    d1.isReplicaDown = true
    expect(await browser.call('GET', '/api/me')).toMatchObject({ code: 200 })
    expect(d1.asked.primary).not.toEqual([])
  })
})

describe('with a replica that lags, everybody', () => {
  test('reads their own writes, from answer to answer', async () => {
    expect(await addKey(browser)).toMatchObject({ code: 200 })
    expect(await browser.call('GET', '/api/me/sshkey/list')).toMatchObject({ data: { total: 1 } })
    await d1.replicate()
    d1.forget()
    expect(await browser.call('GET', '/api/me/sshkey/list')).toMatchObject({ data: { total: 1 } })
    expect(d1.asked.primary).toEqual([])
  })

  test('reads their own writes without carrying anything', async () => {
    await site.post('/api/me/sshkey/add', { title: 'laptop', key: ED1 }, { token })
    expect(await site.get('/api/me/sshkey/list', { token })).toMatchObject({ data: { total: 1 } })
  })

  test('is let in right after the sign-in', async () => {
    token = await signInElsewhere()
    // An old cookie of this browser, and a token that names the state its session began in.
    expect(await browser.call('GET', '/api/me')).toMatchObject({ code: 200 })
    expect(d1.asked.replica).toEqual([])
  })

  test('is let in with a token that tells nothing of its state', async () => {
    const { jti = '', iat = 0, exp = 0 } = decodeJwt(await signInElsewhere())
    const session = { sessionId: jti, userId: 3, issuedAtSeconds: iat, expiresAtSeconds: exp }
    token = await signToken(await site.deps.keyRing(), session)
    d1.forget()
    expect(await browser.call('GET', '/api/me')).toMatchObject({ code: 200 })
    expect(d1.asked.replica).not.toEqual([])
    expect(d1.asked.primary).not.toEqual([])
  })

  test('is refused by the primary only, and hears its reason', async () => {
    const seen = { 'X-D1-Bookmark': browser.bookmark }
    await env.DB.exec("update users set disabled = 1 where username = 'alice'")
    await d1.replicate()
    await env.DB.exec('delete from users where id = 3')
    expect(await site.get('/api/me', { token, headers: seen })).toEqual(ended)
  })

  test('never sees a session again that they ended', async () => {
    expect(await browser.call('GET', '/api/auth/logout')).toMatchObject({ code: 200 })
    for (const path of READS) expect(await browser.call('GET', path), path).toEqual(ended)
  })

  test('never sees a session again that was once refused', async () => {
    await site.post('/api/me/sessions/delete_others', undefined, { token: await signInElsewhere() })
    // Only the primary knows: here it is asked because this caller carries nothing.
    const visitor = new Visitor()
    expect(await visitor.call('GET', '/api/me')).toEqual(ended)
    for (const path of READS) expect(await visitor.call('GET', path), path).toEqual(ended)
    expect(d1.asked.replica).toEqual([])
  })

  test('never sees a session again at another replica than the one that refused', async () => {
    await site.post('/api/me/sessions/delete_others', undefined, { token: await signInElsewhere() })
    d1.isReplicaDown = true
    expect(await browser.call('GET', '/api/me')).toEqual(ended)
    d1.isReplicaDown = false
    expect(await browser.call('GET', '/api/me')).toEqual(ended)
  })

  test('whose session ended elsewhere can only read until the replica knows', async () => {
    await site.post('/api/me/sessions/delete_others', undefined, { token: await signInElsewhere() })
    expect(await browser.call('GET', '/api/me')).toMatchObject({ code: 200 })
    expect(await addKey(browser)).toEqual(ended)
    expect(await browser.call('GET', '/api/me')).toEqual(ended)
    await d1.replicate()
    expect(await new Visitor().call('GET', '/api/me')).toEqual(ended)
    expect((await env.DB.prepare('select id from ssh_keys').all()).results).toEqual([])
  })
})

describe('a bookmark', () => {
  test('is told with every answer that D1 gave, and set as a cookie after a write', async () => {
    const read = await browser.fetch('GET', '/api/me')
    expect(read.headers.get('X-D1-Bookmark')).toMatch(SEALED)
    expect(read.headers.has('Set-Cookie')).toBe(false)
    const body = { title: 'laptop', key: ED1 }
    const write = await browser.fetch('POST', '/api/me/sshkey/add', { body })
    const bookmark = write.headers.get('X-D1-Bookmark') ?? ''
    expect(await opened(bookmark)).toMatch(BOOKMARK)
    expect((await opened(bookmark)) > (await opened(read.headers.get('X-D1-Bookmark')))).toBe(true)
    expect(write.headers.get('Set-Cookie')).toBe(
      `latchkey_bookmark=${bookmark}; Path=/; HttpOnly; SameSite=Lax`,
    )
  })

  // It counts what everybody writes: mails to users who exist, sign-ins, changes of others.
  test('tells a client nothing: not the state, and not whether it is another', async () => {
    const answers = [await browser.fetch('GET', '/api/me'), await browser.fetch('GET', '/api/me')]
    const [one, other] = answers.map(({ headers }) => headers.get('X-D1-Bookmark') ?? '')
    expect(one?.length).toBe(other?.length)
    expect(one).not.toBe(other)
    expect(one).not.toMatch(BOOKMARK)
    expect(await opened(one)).toBe(await opened(other))
    expect(JSON.stringify(decodeJwt(token))).not.toMatch(BOOKMARK)
  })

  test('is not told to strangers, whose refusals are all alike', async () => {
    for (const username of ['alice', 'nobody']) {
      const body = { username, password: 'wrong-Passw0rd' }
      const { headers } = await site.fetch('POST', '/api/auth/login', { body })
      expect(headers.has('X-D1-Bookmark')).toBe(false)
      expect(headers.has('Set-Cookie')).toBe(false)
      expect(headers.has('Server-Timing')).toBe(false)
    }
  })

  test('counts for nothing in what is public', async () => {
    for (const path of ['/ping', '/api/public/settings', '/robots.txt']) {
      const { headers } = await site.fetch('GET', path)
      expect(headers.has('X-D1-Bookmark'), path).toBe(false)
      expect(headers.has('Set-Cookie'), path).toBe(false)
    }
  })

  test('is the later of header and cookie', async () => {
    const later = OLDEST.replace(/^0/, '1')
    expect(await seenIn(OLDEST, later)).toBe(later)
    expect(await seenIn(later, OLDEST)).toBe(later)
    expect(await seenIn('', OLDEST)).toBe(OLDEST)
    expect(await seenIn(later, 'x')).toBe(later)
  })
})
