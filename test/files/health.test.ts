import { beforeEach, describe, expect, test, vi } from 'vitest'
import { CheapSite } from '../support/cheap-site.ts'
import {
  FILES_BINDINGS,
  FILES_ORIGIN,
  FILES_TOKEN,
  OpenListStandIn,
} from '../support/openlist-stand-in.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'

const PATH = '/api/admin/health'
const well = { ok: true, milliseconds: expect.any(Number) }
const ill = { ok: false, milliseconds: expect.any(Number) }

let token: string

beforeEach(async () => {
  const site = new CheapSite()
  await site.addFirstUsers()
  token = await site.token('admin', ADMIN_PASSWORD)
})

const broken = (status: number) => () => new Response('<html></html>', { status })

describe('the file server in GET /api/admin/health', () => {
  let openlist: OpenListStandIn

  beforeEach(() => {
    openlist = new OpenListStandIn()
    openlist.settings['sign_all'] = 'true'
  })

  const files = (bindings = {}) =>
    new CheapSite(openlist.deps, { ...FILES_BINDINGS, ...bindings })
      .get(PATH, { token })
      .then(({ data }) => data.files)

  test('is well when it answers, takes the token, and asks for signed links', async () => {
    expect(await files()).toEqual({ ...well, problem: null, links: 'signed' })
    const asked = openlist.paths()
    expect(asked).toHaveLength(3)
    expect(asked.filter((path) => !path.startsWith('GET /api/'))).toEqual([])
  })

  test.each([
    ['no_answer', () => (openlist.answer = () => Promise.reject(new TypeError('fetch failed')))],
    ['no_openlist', () => (openlist.answer = broken(200))],
    ['no_openlist', () => (openlist.answer = broken(502))],
    ['wrong_token', () => (openlist.token = 'another')],
    ['empty_token', () => (openlist.token = '')],
    ['old', () => (openlist.settings['version'] = 'v4.2.4')],
    ['old', () => (openlist.settings['version'] = 'v3.45.0')],
  ])('is ill: %s, until that is mended', async (problem, spoil) => {
    spoil()
    const found = await files()
    expect(found).toEqual({ ...ill, problem, links: 'signed' })
    expect(JSON.stringify(found)).not.toMatch(new RegExp(`${FILES_ORIGIN}|${FILES_TOKEN}`))
    openlist = new OpenListStandIn()
    openlist.settings['sign_all'] = 'true'
    expect(await files()).toEqual({ ...well, problem: null, links: 'signed' })
  })

  test.each(['v4.2.5', 'v4.10.0', 'v5.0.0-beta', 'dev'])(
    'takes the version %s',
    async (version) => {
      openlist.settings['version'] = version
      expect(await files()).toMatchObject({ ok: true })
    },
  )

  test('is ill when it takes longer than two seconds', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    openlist.answer = () => {
      resolve()
      return new Promise<never>(() => undefined)
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = files()
    await asked
    await vi.advanceTimersByTimeAsync(2000)
    vi.useRealTimers()
    expect(await answer).toEqual({ ...ill, problem: 'slow', links: 'signed' })
  })

  test('is ill while a setting is missing', async () => {
    expect(await files({ FILES_TOKEN: '' })).toMatchObject({ ok: false, problem: 'not_set_up' })
    expect(openlist.paths()).toEqual([])
  })

  test('says what becomes of links while sign_all is off', async () => {
    openlist.settings['sign_all'] = 'false'
    expect(await files()).toEqual({ ...well, problem: null, links: 'refused' })
    const chosen = { FILES_OPEN_LINKS: 'on' }
    expect(await files(chosen)).toEqual({ ...well, problem: null, links: 'open' })
  })
})
