import { env } from 'cloudflare:workers'
import { desc, eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, settings } from '../../schema/tables.ts'
import type { Deps } from '../../src/core/deps.ts'
import {
  listSettings,
  resetSettings,
  saveSettings,
} from '../../src/capabilities/settings/manage-settings.ts'
import { SETTINGS } from '../../src/capabilities/settings/definitions.ts'
import { CAPABILITY_KEYS, SETTING_KEYS, VERSION } from '../../src/capabilities/settings/defaults.ts'
import { rebuildCopy } from '../../src/capabilities/settings/store.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { loggedLines } from '../support/log.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, NOW, SECOND, Site } from '../support/site.ts'

const success = { code: 200, message: 'success', data: null }
const invalid = (message: string) => ({ code: 400, message, data: null })
const MEMBERS = ['key', 'value', 'help', 'type', 'options', 'group', 'flag', 'index']

interface Item {
  key: string
  value: string
  help: string
  type: string
  options: string
  group: number
  flag: number
  index: number
}

let site: CheapSite
let token: string

const signInAdmin = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  return arranged.token('admin', ADMIN_PASSWORD)
})

beforeEach(async () => {
  site = new CheapSite()
  token = await signInAdmin(site)
})

const get = (path: string) => site.get(`/api/admin/setting/${path}`, { token })
const save = (items: unknown) => site.post('/api/admin/setting/save', items, { token })
const listed = async (query = ''): Promise<Item[]> => (await get(`list${query}`)).data
const valueOf = async (key: string) => (await get(`get?key=${key}`)).data.value
const publicValues = async (where: Site = site) => (await where.get('/api/public/settings')).data
const stored = () => site.db.select().from(settings).orderBy(settings.key)

const setting = (values: Record<string, string>) => async () =>
  saveSettings(site.deps, COMMAND_LINE, values)
const setTitle = (title: string) => setting({ site_title: title })()

async function groupsOf(query: string): Promise<number[]> {
  return Array.from(new Set((await listed(query)).map(({ group }) => group)))
}

async function titleInKv(): Promise<unknown> {
  const text = await env.SETTINGS.get(`public-settings/${VERSION}`)
  return JSON.parse(text ?? '{}').data?.site_title
}

async function latestEvent() {
  const [event] = await site.db.select().from(auditEvents).orderBy(desc(auditEvents.id)).limit(1)
  return event
}

/** The KV of the site, one method of which does as `react` says. */
function onCall(
  method: 'put' | 'getWithMetadata',
  react: (call: () => Promise<unknown>) => Promise<unknown>,
): Deps['kv'] {
  return new Proxy(env.SETTINGS, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name !== method) return member.bind(target)
      return (...parts: unknown[]) => react(() => Reflect.apply(member, target, parts))
    },
  })
}

/** The settings of single sign-on that are not public. */
const SSO_KEYS = [
  'sso_name',
  'sso_client_id',
  'sso_client_secret',
  'sso_endpoint_name',
  'sso_extra_scopes',
  'sso_oidc_username_key',
  'sso_trust_mfa',
  'sso_auto_register',
  'sso_default_dir',
  'sso_default_permission',
  'sso_groups_claim',
  'sso_group_map',
]

/** The settings of registration and of sessions that are not public. */
const JOINING_KEYS = [
  'max_devices',
  'device_evict_policy',
  'register_approval',
  'register_permission',
  'register_base_path',
  'register_days',
  'register_groups',
  'register_reserved_names',
  'turnstile_site_key',
  'turnstile_secret',
]

/** Of the reference: 1 is private, 2 is read-only. */
const FLAGS = new Map<string, number>([
  ['version', 2],
  ['security_contact', 1],
  ['require_second_factor', 1],
  ['passkey_related_origins', 1],
  ['sftp_address', 1],
  ...SSO_KEYS.map((key) => [key, 1] as const),
  ['event_retention_days', 1],
  ['setup_checklist', 1],
  ...JOINING_KEYS.map((key) => [key, 1] as const),
])

describe('GET /api/admin/setting/list', () => {
  test('shows every setting as OpenList does and ours behind, each with a help text', async () => {
    const items = await listed()
    expect(items.map(({ key }) => key).toSorted()).toEqual(
      [
        ...SETTING_KEYS,
        'security_contact',
        'webauthn_login_enabled',
        'require_second_factor',
        'passkey_related_origins',
        'sftp_address',
        'sso_compatibility_mode',
        ...SSO_KEYS,
        'event_retention_days',
        'setup_checklist',
        'allow_register',
        ...JOINING_KEYS,
      ].toSorted(),
    )
    expect(items.map(({ index }) => index)).toEqual(items.map((_, i) => i))
    for (const item of items) {
      expect(Object.keys(item)).toEqual(MEMBERS)
      expect(item.help, item.key).toMatch(/^[A-Z/].{10,78}\.$/)
      expect(item.options !== '', item.key).toBe(item.type === 'select')
      expect(item.flag, item.key).toBe(FLAGS.get(item.key) ?? 0)
    }
    expect(items.find(({ key }) => key === 'pagination_type')).toEqual({
      key: 'pagination_type',
      value: 'all',
      help: 'How long file lists are split into pages.',
      type: 'select',
      options: 'all,pagination,load_more,auto_load_more',
      group: 1,
      flag: 0,
      index: 3,
    })
  })

  test('keeps to the groups it is asked for', async () => {
    expect(await groupsOf('')).toEqual([1, 2, 3, 4, 6, 7])
    expect(await groupsOf('?group=')).toEqual([1, 2, 3, 4, 6, 7])
    expect(await groupsOf('?group=2')).toEqual([2])
    expect(await groupsOf('?groups=7,3')).toEqual([3, 7])
    expect(await groupsOf('?group=2&groups=1')).toEqual([2])
    expect(await groupsOf('?group=99')).toEqual([])
    expect(await get('list?group=abc')).toEqual(invalid('group must be an integer'))
    expect(await get('list?groups=1,x')).toEqual(invalid('groups must be integers such as 1,2'))
    expect(await get('list?groups=,')).toMatchObject({ code: 400 })
  })

  test('takes one round trip', async () => {
    await get('list')
    expect(site.meter.roundTrips).toBe(1)
  })
})

describe('GET /api/admin/setting/get', () => {
  test('shows one setting, or several in the order asked for', async () => {
    const [version, title] = await listed()
    expect((await get('get?key=site_title')).data).toEqual(title)
    expect((await get('get?keys=site_title,version')).data).toEqual([title, version])
  })

  test.each(['key=nope', 'keys=site_title,nope', 'key=__proto__', 'key=', ''])(
    'refuses ?%s',
    async (query) => {
      expect(await get(`get?${query}`)).toEqual(
        invalid(expect.stringMatching(/^"(nope|__proto__|)" is not a setting$/)),
      )
    },
  )
})

describe('POST /api/admin/setting/default', () => {
  test('shows the defaults and sets nothing', async () => {
    const defaults = await listed()
    await save([{ key: 'site_title', value: 'Files' }])
    const answer = await site.post('/api/admin/setting/default', undefined, { token })
    expect(answer.data).toEqual(defaults)
    const style = await site.post('/api/admin/setting/default?group=2', undefined, { token })
    expect(style.data).toEqual(defaults.filter(({ group }) => group === 2))
    expect(await valueOf('site_title')).toBe('Files')
  })
})

describe('POST /api/admin/setting/save', () => {
  test('takes back all that list gave, as the stock client sends it', async () => {
    const items = await listed()
    expect(await save(items)).toEqual(success)
    expect(await stored()).toEqual([])
    expect(await latestEvent()).toMatchObject({ kind: 'sign_in' })
    const edited = items.map((item) => (item.key === 'home_icon' ? { ...item, value: '🦊' } : item))
    expect(await save(edited)).toEqual(success)
    expect(await stored()).toEqual([{ key: 'home_icon', value: '🦊' }])
  })

  test('takes of an item its value and nothing else', async () => {
    const [, title] = await listed()
    const bent = { ...title, value: 'Files', help: 'x', type: 'x', options: 'x', group: 9, flag: 3 }
    expect(await save([bent])).toEqual(success)
    expect((await get('get?key=site_title')).data).toEqual({ ...title, value: 'Files' })
  })

  test('leaves settings alone that it does not name', async () => {
    await save([{ key: 'logo', value: '/a.svg\n/dark.svg' }])
    await save([{ key: 'main_color', value: '#abc' }])
    expect(await publicValues()).toMatchObject({ logo: '/a.svg\n/dark.svg', main_color: '#abc' })
  })

  test('keeps no row for a setting that has its default again', async () => {
    await save([{ key: 'main_color', value: '#abc' }])
    expect(await save([{ key: 'main_color', value: '#1890ff' }])).toEqual(success)
    expect(await stored()).toEqual([])
    expect(await valueOf('main_color')).toBe('#1890ff')
  })

  test('keeps the version, whatever is sent for it', async () => {
    const items = [
      { key: 'version', value: 'hacked' },
      { key: 'logo', value: '/a.svg' },
    ]
    expect(await save(items)).toEqual(success)
    await site.db.insert(settings).values({ key: 'version', value: 'hacked' })
    expect(await valueOf('version')).toBe(VERSION)
    expect(await publicValues(new CheapSite())).toMatchObject({ version: VERSION, logo: '/a.svg' })
  })

  test.each([
    [[{ key: 'made_up', value: 'v' }], '"made_up" is not a setting'],
    [[{ key: 'token', value: '' }], '"token" is not a setting'],
    [[{ key: '__proto__', value: 'x' }], '"__proto__" is not a setting'],
    [[{ key: '', value: 'x' }], '0.key is required'],
    [[{ key: 'logo' }], '0.value is required'],
    [[{ key: 'logo', value: 5 }], '0.value must be a string'],
    [['x'], '0 must be a JSON object'],
    [{ key: 'logo', value: '/x' }, 'request body must be a JSON array'],
    ['[', 'request body must be a JSON array'],
    [undefined, 'request body must be a JSON array'],
    [
      Array.from({ length: 101 }, () => ({ key: 'logo', value: '/x' })),
      'request body must have at most 100 items',
    ],
  ])('refuses %j', async (body, message) => {
    expect(await save(body)).toEqual(invalid(message))
    expect(await stored()).toEqual([])
  })

  test('sets all or none', async () => {
    const items = [
      { key: 'site_title', value: 'Files' },
      { key: 'main_color', value: 'red' },
    ]
    expect(await save(items)).toEqual(invalid('main_color must be a colour such as #1890ff'))
    expect(await stored()).toEqual([])
  })

  test('says who changed what, but not to what', async () => {
    await save([
      { key: 'announcement', value: 'a text that no log may hold' },
      { key: 'home_icon', value: '🏠' },
      { key: 'logo', value: '/a.svg' },
    ])
    const detail = expect.stringMatching(/^(announcement, logo|logo, announcement)$/)
    expect(await latestEvent()).toMatchObject({ kind: 'settings_changed', userId: 1, detail })
    expect(loggedLines('"settings_changed"').at(-1)).toMatch(/announcement/)
    expect(loggedLines('a text that no log may hold')).toEqual([])
  })

  test('changes nothing for a session that ends meanwhile', async () => {
    await site.get('/api/auth/logout', { token })
    expect(await save([{ key: 'logo', value: '/a.svg' }])).toMatchObject({ code: 401 })
    expect(await stored()).toEqual([])
    expect(await latestEvent()).not.toMatchObject({ kind: 'settings_changed' })
  })
})

describe('a saved setting', () => {
  test('is seen by the next read here, and within a minute elsewhere', async () => {
    const elsewhere = new CheapSite()
    await publicValues()
    await publicValues(elsewhere)
    await save([{ key: 'site_title', value: 'Files' }])
    expect(await publicValues()).toMatchObject({ site_title: 'Files' })
    elsewhere.now = NOW + 60 * SECOND
    expect(await publicValues(elsewhere)).toMatchObject({ site_title: 'Files' })
  })

  test('stays seen here while KV still shows what was before', async () => {
    await publicValues()
    await site.settle()
    const { value, metadata } = await env.SETTINGS.getWithMetadata(`public-settings/${VERSION}`)
    await save([{ key: 'site_title', value: 'Files' }])
    await env.SETTINGS.put(`public-settings/${VERSION}`, value ?? '', { metadata })
    for (const seconds of [0, 31, 62]) {
      site.now = NOW + seconds * SECOND
      expect(await publicValues()).toMatchObject({ site_title: 'Files' })
    }
  })

  test('is not hidden by a read that began before it', async () => {
    await publicValues()
    await site.settle()
    site.now = NOW + 31 * SECOND
    const kv = onCall('getWithMetadata', async (read) => {
      const before = await read()
      await saveSettings(site.deps, COMMAND_LINE, { site_title: 'Files' })
      return before
    })
    const { isolateMemory, now } = site.deps
    const slow = new CheapSite({ kv, isolateMemory, now })
    expect(await publicValues(slow)).toMatchObject({ site_title: 'Latchkey' })
    expect(await publicValues()).toMatchObject({ site_title: 'Files' })
  })
})

describe('the copy in KV', () => {
  test('is that of the later save, when the copy of an earlier one lands after it', async () => {
    let puts = 0
    const kv = onCall('put', async (write) => {
      puts += 1
      // Before the first copy lands, somebody else saves and has written theirs.
      if (puts === 1) await setTitle('Later')
      await write()
    })
    await saveSettings({ ...site.deps, kv }, COMMAND_LINE, { site_title: 'Earlier' })
    expect(await titleInKv()).toBe('Later')
    expect(puts).toBe(2)
    expect(site.now).toBeGreaterThanOrEqual(NOW + SECOND)
  })

  test('is written again when KV takes no second write within a second', async () => {
    let puts = 0
    const kv = onCall('put', async (write) => {
      puts += 1
      if (puts === 1) throw new Error('KV PUT failed: 429 Too Many Requests')
      await write()
    })
    await saveSettings({ ...site.deps, kv }, COMMAND_LINE, { site_title: 'Files' })
    expect(await titleInKv()).toBe('Files')
  })

  test('that can not be written is told, and mended by the same save', async () => {
    const kv = onCall('put', () => Promise.reject(new Error('KV is down')))
    const saving = saveSettings({ ...site.deps, kv }, COMMAND_LINE, { site_title: 'Files' })
    await expect(saving).rejects.toThrow('service unavailable, try again')
    expect(await titleInKv()).toBeUndefined()
    expect(await setTitle('Files')).toEqual([])
    expect(await titleInKv()).toBe('Files')
  })

  test('costs one write when nothing is amiss', async () => {
    let puts = 0
    const kv = onCall('put', (write) => {
      puts += 1
      return write()
    })
    await rebuildCopy({ ...site.deps, kv })
    expect([puts, site.now]).toEqual([1, NOW])
  })
})

describe('the command line', () => {
  test('lists, sets and resets as an admin does', async () => {
    const changed = await saveSettings(site.deps, COMMAND_LINE, { logo: '/a.svg', home_icon: '🏠' })
    expect(changed).toEqual(['logo'])
    expect(await latestEvent()).toMatchObject({
      kind: 'settings_changed',
      userId: null,
      detail: 'logo',
      network: 'command line',
    })
    const list = await listSettings(site.deps, COMMAND_LINE)
    expect(list.find(({ key }) => key === 'logo')).toMatchObject({
      value: '/a.svg',
      default: '/logo.svg',
    })
    expect(await resetSettings(site.deps, COMMAND_LINE, SETTING_KEYS)).toEqual(['logo'])
    expect(await stored()).toEqual([])
    expect(SETTINGS).toHaveLength(
      SETTING_KEYS.length + CAPABILITY_KEYS.length + 6 + SSO_KEYS.length + JOINING_KEYS.length,
    )
  })

  test('is told that there is no such setting, or that it is not for setting', async () => {
    await expect(setting({ nope: '' })).rejects.toThrow('"nope" is not a setting')
    await expect(setting({ version: '2' })).rejects.toThrow('version can not be changed')
    await expect(async () => resetSettings(site.deps, COMMAND_LINE, ['nope'])).rejects.toThrow(
      '"nope" is not a setting',
    )
  })

  test('two saves at once both count', async () => {
    await Promise.all([
      saveSettings(site.deps, COMMAND_LINE, { logo: '/a.svg' }),
      saveSettings(site.deps, COMMAND_LINE, { home_icon: '🦊' }),
    ])
    expect(await publicValues(new CheapSite())).toMatchObject({ logo: '/a.svg', home_icon: '🦊' })
    const db = drizzle(env.DB)
    expect(await db.select().from(settings).where(eq(settings.key, 'logo'))).toHaveLength(1)
  })
})
