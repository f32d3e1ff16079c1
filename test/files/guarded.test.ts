import { beforeEach, describe, expect, test } from 'vitest'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const SHARED = { files: ['/'] }
const CONFIRM = { code: 403, message: 'Sign in again or confirm to do this' }

let openlist: OpenListStandIn
let site: CheapSite

beforeEach(async () => {
  openlist = new OpenListStandIn()
  Object.assign(openlist.settings, {
    sign_all: 'true',
    ocr_api: '',
    home_icon: 'x',
    proxy_ignore_headers: 'authorization,referer',
  })
  openlist.metas.put({ id: 1, path: '/' })
  openlist.shares.rows.push({
    id: '1',
    ...SHARED,
    disabled: false,
    creator: 'admin',
    creator_role: 2,
  })
  site = newSite()
  await site.addFirstUsers()
})

function newSite(bindings: Record<string, string> = {}): CheapSite {
  return new CheapSite(openlist.deps, Object.assign({}, FILES_BINDINGS, bindings))
}

const adminToken = () => site.token('admin', ADMIN_PASSWORD)
const isSent = (path: string) => openlist.sent.some((sent) => sent.path === path)

/** What OpenList needs in the body of a request. */
function bodyFor(path: string): object {
  if (!path.endsWith('/update')) return { path: '/new', ...SHARED }
  return path.includes('/meta/') ? { id: 1, path: '/' } : { id: '1', ...SHARED }
}

async function staleAdmin(): Promise<string> {
  const token = await adminToken()
  site.now += HOUR
  return token
}

function save(items: Record<string, string>, token: string) {
  const body = Object.entries(items).map(([key, value]) => ({ key, value }))
  return site.post('/api/admin/setting/save', body, { token })
}

/** Saves a setting in a fresh session, and returns what OpenList has of it then. */
async function saved(key: string, value: string): Promise<string | undefined> {
  expect(await save({ [key]: value }, await adminToken())).toMatchObject({ code: 200 })
  return openlist.settings[key]
}

describe('what gives access, in a session of an admin', () => {
  test.each([
    '/api/admin/meta/create',
    '/api/admin/meta/update',
    '/api/admin/meta/delete?id=1',
    '/api/admin/storage/create',
    '/api/admin/storage/update',
    '/api/admin/storage/enable?id=1',
    '/api/admin/storage/delete?id=1',
    '/api/admin/setting/delete?key=old',
    '/api/admin/setting/set_aria2',
    '/api/admin/setting/set_qbit',
    '/api/admin/message/send',
    '/api/admin/backup/restore',
    '/api/admin/meta/list/x',
    '/api/share/create',
    '/api/share/update',
    '/api/share/enable?id=1',
    '/api/share/create/',
  ])('needs a fresh one: %s', async (path) => {
    const token = await staleAdmin()
    const body = bodyFor(path)
    expect(await site.post(path, body, { token })).toEqual({ ...CONFIRM, data: null })
    expect(isSent(path)).toBe(false)
    const confirmed = { password: ADMIN_PASSWORD }
    expect(await site.post('/api/me/confirm', confirmed, { token })).toMatchObject({ code: 200 })
    expect(await site.post(path, body, { token })).toMatchObject({ code: 200 })
    expect(isSent(path)).toBe(true)
  })

  test.each([
    '/api/admin/storage/disable?id=1',
    '/api/admin/message/get',
    '/api/admin/index/build',
    '/api/admin/task/copy/cancel?tid=1',
    '/api/share/disable?id=1',
    '/api/share/delete?id=1',
    '/api/fs/remove',
    '/api/task/copy/retry?tid=1',
  ])('is none of this: %s', async (path) => {
    expect(await site.post(path, {}, { token: await staleAdmin() })).toMatchObject({ code: 200 })
  })

  test('is not asked of users for their own shares, nor of app passwords', async () => {
    const id = await site.addUser('alice', { password: PASSWORD, permission: 1 << 14 })
    const token = await site.token('alice', PASSWORD)
    site.now += HOUR
    expect(await site.post('/api/share/create', SHARED, { token })).toMatchObject({ code: 200 })
    for (const userId of [id, 1]) {
      const { token: secret } = await addAppPassword(site, userId, ['files:write'])
      const answer = await site.post('/api/share/create', SHARED, { token: secret })
      expect(answer).toMatchObject({ code: 200 })
    }
  })
})

describe('a setting of OpenList, in a session that is not fresh', () => {
  test.each([
    ['proxy_ignore_headers', 'referer'],
    ['PROXY_IGNORE_HEADERS', 'referer'],
    ['aria2_uri', 'http://evil.example/'],
    ['ocr_api', 'https://evil.example/'],
    ['share_force_proxy', 'false'],
    ['a_setting_of_a_later_openlist', 'x'],
    ['constructor', 'x'],
  ])('stays as it is: %s', async (key, value) => {
    Object.assign(openlist.settings, { [key]: 'before' })
    const token = await staleAdmin()
    expect(await save({ home_icon: 'y', [key]: value }, token)).toMatchObject(CONFIRM)
    expect(isSent('/api/admin/setting/save')).toBe(false)
    expect(await save({ home_icon: 'y' }, token)).toMatchObject({ code: 200 })
  })

  test('may be sent back as it is, as the web client does with those of a page', async () => {
    const token = await staleAdmin()
    // The same list, in another spelling.
    const items = { proxy_ignore_headers: 'Authorization, Referer', sign_all: 'true' }
    expect(await save({ ...items, home_icon: 'y' }, token)).toMatchObject({ code: 200 })
    expect(openlist.settings).toMatchObject({ home_icon: 'y' })
  })
})

describe('a setting of OpenList that this site needs', () => {
  test.each([
    ['', 'authorization'],
    ['referer', 'referer,authorization'],
    // OpenList does not trim, and compares with small letters.
    [' Authorization ,\nREFERER', 'authorization,referer'],
    ['authorization.', 'authorization.,authorization'],
    [',,', 'authorization'],
    ['authorization,referer', 'authorization,referer'],
  ])('keeps credentials from the servers of storages: %j', async (value, expected) => {
    expect(await saved('proxy_ignore_headers', value)).toBe(expected)
  })

  test('keeps what stands in FILES_HEADERS from them, too', async () => {
    const FILES_HEADERS = JSON.stringify({ 'CF-Access-Client-Secret': 'x' })
    site = newSite({ FILES_HEADERS })
    expect(await saved('proxy_ignore_headers', 'referer')).toBe(
      'referer,authorization,cf-access-client-secret',
    )
  })

  test('signs all links, unless the operator wants them open', async () => {
    expect(await saved('sign_all', 'false')).toBe('true')
    site = newSite({ FILES_OPEN_LINKS: 'on' })
    expect(await saved('sign_all', 'false')).toBe('false')
  })
})
