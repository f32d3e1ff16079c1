import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const MEBIBYTE = 1024 * 1024

let openlist: OpenListStandIn
let site: CheapSite
let token: string
let ends: number
/** How many bytes an endless answer was asked for. */
let asked: number

beforeEach(async () => {
  openlist = new OpenListStandIn()
  ends = 0
  asked = 0
  site = new CheapSite(
    openlist.deps,
    Object.assign({ FILES_TIMEOUT_SECONDS: '0.05' }, FILES_BINDINGS),
  )
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD })
  token = await site.token('alice', PASSWORD)
})

/** Begins its answers to a path, and never ends them. */
function stall(path: string, chunk = '{"code":200,', isEndless = false): void {
  const bytes = new TextEncoder().encode(chunk)
  openlist.answer = (sent) => {
    if (!sent.path.startsWith(path)) return undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes),
      async pull(controller) {
        if (!isEndless) await new Promise<void>(() => undefined)
        asked += bytes.length
        controller.enqueue(bytes)
      },
      cancel: () => void (ends += 1),
    })
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '99' }
    return new Response(body, { headers })
  }
}

describe('an answer that begins and does not end', () => {
  test.each([
    // Whether strangers are its admins, the sign-in, what the user there is.
    ['/api/admin/setting/get', '', 503],
    ['/api/auth/login/hash', 'alice', 503],
    ['/api/admin/user/', 'alice', 503],
    ['/api/me', 'alice', 503],
    // It may be the refusal of a token.
    ['/api/fs/list', 'alice', 503],
    ['/api/fs/list', 'admin', 503],
  ])('of %s holds the request of “%s” only as long as it may', async (path, username, code) => {
    const passwords: Record<string, string> = { alice: PASSWORD, admin: ADMIN_PASSWORD }
    const as = username === '' ? '' : await site.token(username, passwords[username] ?? '')
    await site.db.update(users).set({ disabled: false })
    stall(path)
    expect(await site.post('/api/fs/list', { path: '/' }, { token: as })).toMatchObject({ code })
    expect(ends).toBeGreaterThan(0)
    openlist.answer = undefined
    site.now += 60_000
    expect(await site.post('/api/fs/list', { path: '/' }, { token })).toMatchObject({ code: 200 })
  })

  test.each(['/api/admin/setting/list', '/api/admin/meta/list'])(
    'of %s holds no admin',
    async (path) => {
      const admin = await site.token('admin', ADMIN_PASSWORD)
      stall(path)
      expect(await site.get(path, { token: admin })).toMatchObject({ code: 503 })
      expect(ends).toBe(1)
    },
  )

  test('holds no public settings', async () => {
    stall('/api/public/settings')
    expect(await site.get('/api/public/settings')).toMatchObject({ code: 200 })
    expect(ends).toBe(1)
  })
})

test.each(['x', 'é', '文'])('an answer of “%s” without an end is not kept', async (character) => {
  stall('/api/public/settings', character.repeat(MEBIBYTE / 8), true)
  expect(await site.get('/api/public/settings')).toMatchObject({ code: 200 })
  expect(ends).toBe(1)
  expect(asked).toBeLessThan(9 * MEBIBYTE)
})
