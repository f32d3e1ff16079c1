import { env } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/d1'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { settings } from '../../schema/tables.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import type { Deps } from '../../src/core/deps.ts'
import { VERSION } from '../../src/capabilities/settings/defaults.ts'
import { settingsMemory } from '../../src/capabilities/settings/copy.ts'
import { rebuildCopy } from '../../src/capabilities/settings/store.ts'
import type { Envelope } from '../support/envelope.ts'
import { MINUTE, NOW, SECOND, Site } from '../support/site.ts'

const PATH = '/api/public/settings'
const KV_KEY = `public-settings/${VERSION}`

/** The defaults of docs/interface.md; iframe_previews has a test of its own. */
const DEFAULTS = {
  allow_indexed: 'false',
  allow_mounted: 'true',
  announcement: '',
  audio_autoplay: 'true',
  audio_cover: '/logo.svg',
  auto_update_index: 'false',
  default_page_size: '30',
  external_previews: '{}',
  favicon: '/logo.svg',
  filename_char_mapping: '{"/": "|"}',
  forward_direct_link_params: 'false',
  hide_files: '/\\/README.md/i',
  home_container: 'max_980px',
  home_icon: '🏠',
  iframe_previews: expect.any(String),
  logo: '/logo.svg',
  main_color: '#1890ff',
  ocr_api: '',
  package_download: 'true',
  pagination_type: 'all',
  robots_txt: 'User-agent: *\nAllow: /',
  search_index: 'none',
  settings_layout: 'list',
  site_title: 'Latchkey',
  sso_login_enabled: 'false',
  sso_login_platform: '',
  version: packageJson.version,
  video_autoplay: 'true',
}

/** A binding that is down for as long as it is said to be, and then does what it does. */
function failing<Binding extends object>(
  binding: Binding,
  isDown: () => boolean,
  fail: () => unknown,
): Binding {
  return new Proxy(binding, {
    get(target, name) {
      if (isDown()) return fail()
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

function throwDown(): never {
  throw new Error('D1 is down')
}

function failingDb(isDown: () => boolean): Deps['db'] {
  return openDatabase(failing(env.DB, isDown, throwDown), createMeter())
}

function failingKv(isDown: () => boolean): KVNamespace {
  return failing(env.SETTINGS, isDown, () => () => Promise.reject(new Error('KV is down')))
}

const always = () => true

async function set(key: string, value: string): Promise<void> {
  await drizzle(env.DB)
    .insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value } })
}

/** What the first reader gets, who leaves the copy in KV. */
async function copyToKv(): Promise<Envelope> {
  const site = new Site()
  const answer = await site.get(PATH)
  await site.settle()
  return answer
}

async function titleAt(site: Site): Promise<string> {
  return (await site.get(PATH)).data.site_title
}

describe('GET /api/public/settings', () => {
  test('has exactly the 28 texts of the contract', async () => {
    const answer = await new Site().get(PATH)
    expect(answer).toEqual({ code: 200, message: 'success', data: DEFAULTS })
    expect(Object.keys(answer.data)).toEqual(Object.keys(DEFAULTS).toSorted())
    expect(Object.keys(answer.data)).toHaveLength(28)
    expect(Object.values(answer.data).every((value) => typeof value === 'string')).toBe(true)
  })

  test('has previews as JSON text, viewers by extensions', async () => {
    const { iframe_previews: previews } = (await new Site().get(PATH)).data
    for (const [extensions, viewers] of Object.entries<object>(JSON.parse(previews))) {
      expect(extensions).toMatch(/^\w+(,\w+)*$/)
      for (const address of Object.values(viewers)) {
        expect(address).toMatch(/^(https:\/\/|\/static\/).*\$e_url/)
      }
    }
  })

  test('tells the version of package.json', async () => {
    expect(VERSION).toBe(packageJson.version)
  })

  test('is public: no token is looked at', async () => {
    for (const token of ['dead', '', 'Bearer x']) {
      expect(await new Site().get(PATH, { token })).toMatchObject({ code: 200 })
    }
  })

  test('shows what an operator changed, and no setting that is not public', async () => {
    await set('site_title', 'Files of ☃')
    await set('token', 'a secret')
    await set('__proto__', 'polluted')
    await set('constructor', 'polluted')
    const { data } = await new Site().get(PATH)
    expect(data).toEqual({ ...DEFAULTS, site_title: 'Files of ☃' })
  })

  test('shows a change at once where it was made, and within 30 seconds elsewhere', async () => {
    const [here, elsewhere] = [new Site(), new Site()]
    expect(await titleAt(elsewhere)).toBe('Latchkey')
    await set('site_title', 'New')
    await rebuildCopy(here.deps)
    expect(await titleAt(here)).toBe('New')
    elsewhere.now = NOW + 30 * SECOND - 1
    expect(await titleAt(elsewhere)).toBe('Latchkey')
    elsewhere.now = NOW + 30 * SECOND
    expect(await titleAt(elsewhere)).toBe('New')
  })

  test('asks neither KV nor D1 again within 30 seconds', async () => {
    let down = false
    const site = new Site({
      db: failingDb(() => down),
      kv: failingKv(() => down),
    })
    const fresh = await site.get(PATH)
    down = true
    expect(await site.get(PATH)).toEqual(fresh)
  })

  test('reads KV once in 30 seconds, however many ask at once', async () => {
    const first = new Site()
    await first.get(PATH)
    await first.settle()
    const reads = vi.fn<() => void>()
    const kv = new Proxy(env.SETTINGS, {
      get(target, name) {
        reads()
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    const site = new Site({ kv })
    for (let second = 0; second < 90; second++) {
      site.now = NOW + second * SECOND
      const asked = Array.from({ length: 10 }, () => site.get(PATH))
      for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ code: 200 })
    }
    expect(reads).toHaveBeenCalledTimes(3)
    expect(site.meter.roundTrips).toBe(0)
  })

  test('waits for another request’s read no longer than a second', async () => {
    const cancelled = new Promise<never>(() => undefined)
    const isolateMemory = {}
    settingsMemory({ isolateMemory }).reading = { copy: cancelled, since: NOW }
    const site = new Site({ isolateMemory })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = site.get(PATH)
    await vi.advanceTimersByTimeAsync(1000)
    vi.useRealTimers()
    expect(await answer).toMatchObject({ code: 200 })
    expect(await new Site({ isolateMemory, now: () => NOW + SECOND }).get(PATH)).toMatchObject({
      code: 200,
    })
  })

  test('comes from KV while D1 is down', async () => {
    await set('site_title', 'From KV')
    await copyToKv()
    expect(await titleAt(new Site({ db: failingDb(always) }))).toBe('From KV')
  })

  test('comes from D1 while KV is down', async () => {
    await set('site_title', 'From D1')
    const site = new Site({ kv: failingKv(always) })
    expect(await site.get(PATH)).toEqual({
      code: 200,
      message: 'success',
      data: { ...DEFAULTS, site_title: 'From D1' },
    })
  })

  test.each([
    ['no JSON', 'x', { etag: '"x"' }],
    ['null', 'null', { etag: '"x"' }],
    ['no data', '{"code":200}', { etag: '"x"' }],
    ['data that is no text', '{"data":{"site_title":5}}', { etag: '"x"' }],
    ['no ETag', '{"data":{}}', null],
  ])('comes from D1 when KV holds %s', async (_, text, metadata) => {
    await env.SETTINGS.put(KV_KEY, text, { metadata })
    await set('site_title', 'From D1')
    const answer = await copyToKv()
    expect(answer).toEqual({
      code: 200,
      message: 'success',
      data: { ...DEFAULTS, site_title: 'From D1' },
    })
    expect(await new Site({ db: failingDb(always) }).get(PATH)).toEqual(answer)
  })

  test('does not read the copy that another version made', async () => {
    const metadata = { etag: '"x"' }
    await env.SETTINGS.put('public-settings/0.0.0', '{"data":{"site_title":"Old"}}', { metadata })
    expect(await titleAt(new Site())).toBe('Latchkey')
  })
})

describe('while KV and D1 are down', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockReturnValue()
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test('the last answer is served, however old', async () => {
    let down = false
    const site = new Site({
      db: failingDb(() => down),
      kv: failingKv(() => down),
    })
    const fresh = await site.get(PATH)
    down = true
    site.now = NOW + 10 * MINUTE
    expect(await site.get(PATH)).toEqual(fresh)
    down = false
    await set('site_title', 'Back')
    await rebuildCopy(new Site().deps)
    site.now += MINUTE
    expect(await titleAt(site)).toBe('Back')
  })

  test('one who never read them says so, and nothing of why', async () => {
    const site = new Site({ db: failingDb(always), kv: failingKv(always) })
    const answer = await site.get(PATH)
    expect([500, 503]).toContain(answer.code)
    expect(answer.data).toBeNull()
    expect(answer.message).not.toMatch(/down|prepare|D1|KV/)
  })
})

async function etagOf(site: Site): Promise<string> {
  return (await site.fetch('GET', PATH)).headers.get('ETag') ?? ''
}

const ask = (site: Site, header: string) =>
  site.fetch('GET', PATH, { headers: { 'If-None-Match': header } })

describe('the ETag of the settings', () => {
  test('is one and the same wherever the answer comes from', async () => {
    const etag = await etagOf(new Site({ kv: failingKv(always) }))
    expect(etag).toMatch(/^"[0-9a-f]{24}"$/)
    await copyToKv()
    expect(await etagOf(new Site())).toBe(etag)
    expect(await etagOf(new Site({ db: failingDb(always) }))).toBe(etag)
  })

  test('makes an unchanged answer 304, without a body', async () => {
    const site = new Site()
    const etag = await etagOf(site)
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, `"a",W/${etag},"b"`]) {
      const response = await ask(site, header)
      expect(response.status, header).toBe(304)
      expect(response.headers.get('ETag')).toBe(etag)
      expect(await response.text()).toBe('')
    }
  })

  test('makes a changed answer whole', async () => {
    const site = new Site()
    const etag = await etagOf(site)
    for (const header of ['"other"', etag.slice(1, -1), `x${etag}`, '']) {
      const response = await ask(site, header)
      expect(response.status, header).toBe(200)
      expect(await response.json()).toMatchObject({ code: 200, data: DEFAULTS })
    }
    await set('site_title', 'New')
    await rebuildCopy(site.deps)
    site.now += MINUTE
    const changed = await ask(site, etag)
    expect(changed.status).toBe(200)
    expect(changed.headers.get('ETag')).not.toBe(etag)
    expect(await changed.json()).toMatchObject({ data: { site_title: 'New' } })
  })
})

describe('GET /api/public/archive_extensions', () => {
  test('is empty: no archive is looked into', async () => {
    expect(await new Site().get('/api/public/archive_extensions')).toEqual({
      code: 200,
      message: 'success',
      data: [],
    })
  })
})

describe('GET /robots.txt', () => {
  test('is the setting, as plain text', async () => {
    await set('robots_txt', 'User-agent: *\nDisallow: /')
    const response = await new Site().fetch('GET', '/robots.txt')
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(/^text\/plain/)
    expect(await response.text()).toBe('User-agent: *\nDisallow: /')
  })
})

async function locationFor(favicon: string): Promise<string | null> {
  await set('favicon', favicon)
  const response = await new Site({ kv: failingKv(always) }).fetch('GET', '/favicon.ico')
  expect(response.status, favicon).toBe(302)
  return response.headers.get('Location')
}

describe('GET /favicon.ico', () => {
  test('leads to the setting', async () => {
    for (const address of ['/logo.svg', '/a/b.png?v=1', 'https://cdn.example/icon.png']) {
      expect(await locationFor(address)).toBe(address)
    }
  })

  test('never leads to itself', async () => {
    for (const address of [
      '/favicon.ico',
      '/favicon.ico?v=2',
      '/x/../favicon.ico#a',
      'http://localhost/favicon.ico',
      'https://localhost/favicon.ico',
    ]) {
      expect(await locationFor(address), address).toBe('/logo.svg')
    }
    const elsewhere = 'https://cdn.example/favicon.ico'
    expect(await locationFor(elsewhere)).toBe(elsewhere)
  })

  test('leads to our own logo when the setting is no address of a picture', async () => {
    const addresses = [
      '',
      'logo.svg',
      '//evil.example/x',
      'javascript:alert(1)',
      'data:image/png,x',
    ]
    for (const address of [
      ...addresses,
      ' javascript:alert(1)',
      'ftp://x/',
      'file:///etc/passwd',
    ]) {
      expect(await locationFor(address), address).toBe('/logo.svg')
    }
  })
})

describe('a setting that somebody bent', () => {
  test.each([
    '/\\evil.example',
    '/\t/evil.example',
    '//evil.example',
    'javascript:alert(1)',
    '/a\nb',
  ])('sends nobody to %j as the icon', async (favicon) => {
    const site = new Site()
    await site.db.insert(settings).values({ key: 'favicon', value: favicon })
    const response = await site.fetch('GET', '/favicon.ico')
    expect([response.status, response.headers.get('Location')]).toEqual([302, '/logo.svg'])
  })

  test('is not served from a KV copy that is not ours', async () => {
    const site = new Site()
    const { data } = await site.get('/api/public/settings')
    await site.settle()
    const [key = ''] = (await env.SETTINGS.list()).keys.map(({ name }) => name)
    const bent = JSON.stringify({ code: 200, message: 'success', data: { x: 'y' } })
    for (const [copy, metadata] of [
      [bent, { etag: '"x"' }],
      [JSON.stringify({ code: 200, message: 'success', data }), {}],
    ] as const) {
      await env.SETTINGS.put(key, copy, { metadata })
      const reader = new Site()
      expect((await reader.get('/api/public/settings')).data).toEqual(data)
      await reader.settle()
    }
  })
})

describe('a copy that a browser holds', () => {
  test('may be kept and is asked about each time', async () => {
    const response = await new Site().fetch('GET', '/api/public/settings')
    expect(response.headers.get('Cache-Control')).toBe('no-cache')
  })

  test('is known in every form of the question', async () => {
    const site = new Site()
    const etag = (await site.fetch('GET', '/api/public/settings')).headers.get('ETag') ?? ''
    for (const question of ['*', `"a" , ${etag}`, `W/${etag}`]) {
      const headers = { 'If-None-Match': question }
      expect((await site.fetch('GET', '/api/public/settings', { headers })).status).toBe(304)
    }
  })
})
