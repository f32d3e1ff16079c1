import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { CheapSite } from '../support/cheap-site.ts'
import type { Envelope } from '../support/envelope.ts'
import { signInAlice } from '../support/signed-in.ts'
import { Site } from '../support/site.ts'
import { anyCharacter } from '../support/any-character.ts'

const LIMIT_BYTES = 64 * 1024
const tooLarge = { code: 413, message: 'request body too large', data: null }
const success = { code: 200, message: 'success', data: null }

const TITLE_AND_KEY = {
  title: 'laptop',
  key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIINf1QkT3udeh3bK3QT8eL4IL33C/HpQ1WaWYscX1oJz',
}

const wrongPassword = { code: 401, message: 'Invalid username or password', data: null }
const wrongCode = { code: 400, message: 'Invalid 2FA code', data: null }

/**
 * Endpoints that read a body, one that each understands and what it answers to that; `fixed` is the
 * one text that some say about any fault.
 */
const endpoints: { path: string; body: object; answer: Envelope; fixed?: string }[] = [
  {
    path: '/api/auth/login',
    body: { username: 'alice', password: 'hunter2' },
    answer: wrongPassword,
  },
  {
    path: '/api/auth/login/hash',
    body: { username: 'alice', password: 'hunter2' },
    answer: wrongPassword,
  },
  { path: '/api/me/update', body: { username: 'alice' }, answer: success },
  {
    path: '/api/me/sshkey/add',
    body: TITLE_AND_KEY,
    answer: success,
    fixed: 'request invalid',
  },
  {
    path: '/api/auth/2fa/verify',
    body: { code: '123456', secret: 'A'.repeat(32) },
    answer: wrongCode,
  },
]

const NOT_JSON = 'request body must be a JSON object'

/** Texts that no endpoint may take for a JSON object. */
const notObjects: [name: string, body: string | Uint8Array | undefined][] = [
  ['no body', undefined],
  ['empty', ''],
  ['blank', ' \n'],
  ['words', 'hunter2'],
  ['null', 'null'],
  ['a string', '"hunter2"'],
  ['a number', '42'],
  ['true', 'true'],
  ['NaN', 'NaN'],
  ['truncated', '{"username":"alice","password":"hunter2'],
  ['a trailing comma', '{"username":"alice","password":"hunter2",}'],
  ['single quotes', "{'username':'alice','password':'hunter2'}"],
  ['a comment', '{"username":"alice"/* hunter2 */}'],
  ['trailing garbage', '{"username":"alice","password":"hunter2"} hunter2'],
  ['two objects', '{"username":"alice"}{"password":"hunter2"}'],
  ['a byte order mark', '\uFEFF{"username":"alice","password":"hunter2"}'],
  ['invalid UTF-8', new Uint8Array([...bytes('{"username":"'), 0xc3, 0x28, ...bytes('"}')])],
  ['an encoded surrogate', new Uint8Array([...bytes('{"u":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d])],
  ['UTF-16', new Uint8Array([0x7b, 0, 0x7d, 0])],
  ['an own __proto__', '{"__proto__":{"username":"alice"},"username":"alice","password":"x"}'],
  ['20,000 nested arrays', '['.repeat(20_000) + ']'.repeat(20_000)],
  ['20,000 open brackets', '['.repeat(20_000)],
  ['20,000 nested objects', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)],
  [
    'nested arrays in an unknown field',
    `{"username":"alice","password":"hunter2","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  ],
]

/** What a form, YAML or XML would send. */
const otherFormats: [type: string, body: string][] = [
  ['application/x-www-form-urlencoded', 'username=alice&password=hunter2'],
  ['application/x-yaml', 'username: alice\npassword: hunter2\n'],
  ['application/xml', '<login><username>alice</username><password>hunter2</password></login>'],
  [
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="username"\r\n\r\nalice\r\n--b--\r\n',
  ],
]

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** A JSON object of exactly this many bytes, the rest of it in a field that nobody reads. */
function padTo(size: number, body: object): string {
  const frame = JSON.stringify({ ...body, padding: '' })
  return JSON.stringify({ ...body, padding: 'x'.repeat(size - frame.length) })
}

/** A signed-in user, and a site that notes whatever it asks of the database or the hasher. */
async function addWatchedSite() {
  const open = new CheapSite()
  const token = await signInAlice(open)
  const used: string[] = []
  const watchedDb = new Proxy(env.DB, {
    get(db, name) {
      used.push(String(name))
      const member: unknown = Reflect.get(db, name)
      return typeof member === 'function' ? member.bind(db) : member
    },
  })
  async function hashPassword(): Promise<never> {
    used.push('hash')
    throw new Error('nobody asked for a hash')
  }
  const site = new Site({ hashPassword }, { DB: watchedDb })
  return { open, site, token, used }
}

describe.each(endpoints)('POST $path', ({ path, body: valid, answer, fixed }) => {
  const invalid = (message: string) => ({ code: 400, message: fixed ?? message, data: null })

  test('refuses whatever is no JSON object before it asks database or hasher', async () => {
    const { site, token, used } = await addWatchedSite()
    for (const [name, body] of notObjects) {
      expect(await site.post(path, body, { token }), name).toEqual(invalid(NOT_JSON))
    }
    expect(used).toEqual([])
  })

  test('refuses an array', async () => {
    const { site, token, used } = await addWatchedSite()
    for (const body of ['[]', JSON.stringify([valid])]) {
      expect(await site.post(path, body, { token }), body).toEqual(
        invalid('request body must be a JSON object'),
      )
    }
    expect(used).toEqual([])
  })

  test('names the field that is missing or of a wrong type, and not what was sent', async () => {
    const { site, token, used } = await addWatchedSite()
    for (const field of Object.keys(valid)) {
      for (const value of [undefined, null, '']) {
        expect(await site.post(path, { ...valid, [field]: value }, { token }), field).toEqual(
          invalid(`${field} is required`),
        )
      }
      for (const value of [5, true, ['hunter2'], { hunter2: 'hunter2' }]) {
        expect(await site.post(path, { ...valid, [field]: value }, { token }), field).toEqual(
          invalid(`${field} must be a string`),
        )
      }
    }
    expect(used).toEqual([])
  })

  test('refuses text that is no Unicode or holds NUL', async () => {
    const { site, token, used } = await addWatchedSite()
    for (const field of Object.keys(valid)) {
      for (const escape of ['\\ud800', '\\udc00', '\\udc00\\ud800']) {
        const body = JSON.stringify({ ...valid, [field]: '?' }).replace('?', `a${escape}b`)
        expect(await site.post(path, body, { token }), body).toEqual(
          invalid(`${field} must be valid Unicode`),
        )
      }
      const body = { ...valid, [field]: 'a\0b' }
      expect(await site.post(path, body, { token })).toEqual(
        invalid(`${field} must not contain NUL`),
      )
    }
    expect(used).toEqual([])
  })

  test('reads bodies up to 64 KiB and refuses longer ones, declared or streamed', async () => {
    const { open, site, token, used } = await addWatchedSite()
    const log = vi.spyOn(console, 'error').mockReturnValue()
    for (const size of [LIMIT_BYTES + 1, 1024 * 1024]) {
      const body = padTo(size, valid)
      const declared = { token, headers: { 'Content-Length': String(size) } }
      expect(await site.post(path, body, { token }), `${size}, streamed`).toEqual(tooLarge)
      expect(await site.post(path, body, declared), `${size}, declared`).toEqual(tooLarge)
    }
    expect(used).toEqual([])
    expect(log).not.toHaveBeenCalled()
    log.mockRestore()
    expect(await open.post(path, padTo(LIMIT_BYTES, valid), { token })).toEqual(answer)
  })

  test('refuses forms, YAML and XML', async () => {
    const { site, token, used } = await addWatchedSite()
    for (const [type, body] of otherFormats) {
      const headers = { 'Content-Type': type }
      expect(await site.post(path, body, { token, headers }), type).toEqual(invalid(NOT_JSON))
    }
    expect(used).toEqual([])
  })

  test('reads no field from the query', async () => {
    const { site, token, used } = await addWatchedSite()
    const query = new URLSearchParams(Object.entries(valid)).toString()
    const [field = ''] = Object.keys(valid)
    expect(await site.post(`${path}?${query}`, undefined, { token })).toEqual(invalid(NOT_JSON))
    expect(await site.post(`${path}?${query}`, {}, { token })).toEqual(
      invalid(`${field} is required`),
    )
    expect(used).toEqual([])
  })
})

describe('any body', () => {
  let site: CheapSite
  let token: string

  beforeEach(async () => {
    site = new CheapSite()
    token = await signInAlice(site)
  })

  test('is read as JSON whatever the content type says', async () => {
    const body = { username: 'alice', password: 'alice-Passw0rd' }
    const types = ['', 'text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'x']
    for (const type of types) {
      const headers = { 'Content-Type': type }
      expect(await site.post('/api/auth/login', body, { headers }), type).toMatchObject({
        code: 200,
        message: 'success',
      })
    }
  })

  test('may hold fields that nobody knows, and brackets within texts', async () => {
    const body = { username: '['.repeat(255), sso_id: '', constructor: 1, toString: [[[]]] }
    expect(await site.post('/api/me/update', body, { token })).toEqual(success)
  })

  const anyBody = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.uint8Array({ maxLength: 200 }).map((body) => new Uint8Array(body)),
    fc.json(),
    fc.string().map((text) => `{"username":"alice","password":"${text}"}`),
    fc
      .record({ username: fc.anything(), password: fc.anything(), otp_code: fc.anything() })
      .map((body) => tryStringify(body)),
    fc
      .record({ title: fc.string({ unit: anyCharacter }), key: fc.string({ unit: anyCharacter }) })
      .map((body) => tryStringify(body)),
    fc
      .record({
        code: fc.string({ unit: anyCharacter }),
        secret: fc.string({ unit: anyCharacter }),
      })
      .map((body) => tryStringify(body)),
  )

  test.each(endpoints)('never makes $path fail', async ({ path }) => {
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const { code } = await site.post(path, body, { token })
        expect([200, 400, 401, 409, 429]).toContain(code)
      }),
      { numRuns: 150 },
    )
  })
})

/** Not everything has a JSON text: bigint has none. */
function tryStringify(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return 'bigint'
  }
}

test('a string of sixty thousand escapes that never ends is refused', async () => {
  const body = `"${'\\\\"'.repeat(20_000)}`
  expect(await new CheapSite().post('/api/auth/login', body)).toEqual({
    code: 400,
    message: 'request body must be a JSON object',
    data: null,
  })
})
