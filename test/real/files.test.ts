import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { array, assert, asyncProperty, constantFrom, nat, record, tuple } from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readSitePath } from '../../src/core/base/site-areas.ts'
import { newSecretKey } from '../../src/programs/site/dev-vars.ts'
import {
  LDAP_GROUP,
  OPENLIST_SETTINGS,
  SSO_GROUP,
} from '../../src/capabilities/files/openlist-settings.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { lockInfo } from '../support/openlist-locks.ts'
import { ALL_RIGHTS, FilesSite, PASSWORD } from './files-site.ts'
import { ZIP } from './media.ts'
import { OPENLIST_PASSWORD, OpenListClient, OpenListServer } from './openlist-server.ts'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import type { Envelope } from '../support/envelope.ts'
import { FILES_ORIGIN, FILES_TOKEN, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { execute, findProgram } from './programs.ts'

const program = findProgram('OPENLIST_BIN', 'openlist')
const rclone = findProgram('RCLONE_BIN', 'rclone')
const MEBIBYTE = 1024 * 1024
/** Runs of a property that asks two servers each time. */
const RUNS = 400

describe.skipIf(program === undefined)('a site in front of a real OpenList', () => {
  let site: FilesSite
  let alice: string
  let number = 0

  beforeAll(async () => {
    site = await FilesSite.start(program ?? '', { vars: { FILES_TIMEOUT_SECONDS: '2' } })
    alice = await site.addUser('alice')
  })
  afterAll(() => site.remove())
  beforeEach(() => {
    number += 1
  })

  /** A name that no other test has. */
  function fresh(name: string): string {
    return `${name}${number}`
  }

  function put(name: string, text = name): void {
    writeFileSync(join(site.folder, name), text)
  }

  async function names(token: string, path = '/'): Promise<string[] | null> {
    const { code, message, data } = await site.list(token, path)
    if (code !== 200) throw new Error(`${code} ${message}`)
    return data.content?.map(({ name }: { name: string }) => name) ?? null
  }

  async function rawUrl(token: string, path: string): Promise<string> {
    const { data } = await site.client.call('POST', '/api/fs/get', { token, body: { path } })
    return data.raw_url
  }

  describe('files', () => {
    test('are listed, uploaded and read, whole and in part, with the token of a sign-in', async () => {
      put('hello.txt', 'hello')
      expect(await names(alice)).toContain('hello.txt')
      const bytes = crypto.getRandomValues(new Uint8Array(65_536))
      const uploaded = await fetch(new URL('/api/fs/put', site.client.url), {
        method: 'PUT',
        headers: { Authorization: alice, 'File-Path': '/up.bin' },
        body: bytes,
      })
      expect(await uploaded.json()).toMatchObject({ code: 200 })
      expect(readFileSync(join(site.folder, 'up.bin'))).toEqual(Buffer.from(bytes))
      const url = await rawUrl(alice, '/up.bin')
      expect(new URL(url).origin).toBe(new URL(site.client.url).origin)
      const whole = await fetch(url)
      expect(Buffer.from(await whole.arrayBuffer())).toEqual(Buffer.from(bytes))
      const part = await fetch(url, { headers: { Range: 'bytes=100-199' } })
      expect([part.status, part.headers.get('Content-Range')]).toEqual([206, 'bytes 100-199/65536'])
      expect(Buffer.from(await part.arrayBuffer())).toEqual(Buffer.from(bytes.slice(100, 200)))
      const beyond = await fetch(url, { headers: { Range: 'bytes=70000-' } })
      expect(beyond.status).toBe(416)
      const etag = whole.headers.get('ETag') ?? ''
      expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(304)
      const head = await fetch(url, { method: 'HEAD' })
      expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '65536'])
    })

    test('are what each user may see', async () => {
      mkdirSync(join(site.folder, 'only-bob'), { recursive: true })
      put('only-bob/his.txt')
      const bob = await site.addUser('bob', { base_path: '/only-bob', permission: 0 })
      expect(await names(bob)).toEqual(['his.txt'])
      const refused = await site.client.call('POST', '/api/fs/mkdir', {
        token: bob,
        body: { path: '/new' },
      })
      expect(refused.code).toBe(403)
    })

    test('begin in a new folder, where it is named after the user', async () => {
      const carol = await site.addUser('carol', { base_path: '/homes/carol', permission: 0 })
      expect(await site.list(carol)).toMatchObject({ code: 200, data: { total: 0 } })
      expect(existsSync(join(site.folder, 'homes/carol'))).toBe(true)
    })

    test('belong to nobody who is not signed in', async () => {
      expect(await site.list('')).toMatchObject({ code: 401 })
      expect(await site.list('nonsense')).toMatchObject({ code: 401 })
    })

    test('of the guest are listed once there is one', async () => {
      await site.change('guest', { disabled: false })
      expect(await names('')).not.toBeNull()
      await site.change('guest', { disabled: true })
      await vi.waitFor(async () => expect(await site.list('')).toMatchObject({ code: 401 }))
    })
  })

  test('the calls of programs are answered as OpenList answers them', async () => {
    mkdirSync(join(site.folder, 'media'))
    put('media/film.mkv', 'a film')
    writeFileSync(join(site.folder, 'media/packed.zip'), ZIP)
    const direct = site.openlist.client
    await site.openlist.addUser('program', PASSWORD, ALL_RIGHTS)
    await site.addUser('program2')
    /** MoviePilot, AutoFilm and openlist-strm: sign-in, me, list, get, a link, and what is none. */
    async function play(client: typeof direct, username: string) {
      put('media/moved.txt')
      rmSync(join(site.folder, 'elsewhere'), { recursive: true, force: true })
      mkdirSync(join(site.folder, 'elsewhere'))
      const { code, data } = await client.signIn(username, PASSWORD)
      const { token } = data
      const call = (path: string, body: unknown) => client.call('POST', path, { token, body })
      const {
        username: name,
        base_path,
        role,
      } = (await client.call('GET', '/api/me', { token })).data
      const listed = await call('/api/fs/list', {
        path: '/media',
        password: '',
        page: 1,
        per_page: 0,
        refresh: false,
      })
      const got = await call('/api/fs/get', { path: '/media/film.mkv', password: '' })
      const sign = got.data.sign
      const linked = await fetch(new URL(`/d/media/film.mkv?sign=${sign}`, client.url))
      const missing = await call('/api/fs/get', { path: '/media/none' })
      const made = await call('/api/fs/mkdir', { path: '/media/made' })
      const removed = await call('/api/fs/remove', { dir: '/media', names: ['made'] })
      const moved = await call('/api/fs/move', {
        src_dir: '/media',
        dst_dir: '/elsewhere',
        names: ['moved.txt'],
      })
      const packed = await call('/api/fs/archive/list', {
        path: '/media/packed.zip',
        inner_path: '/',
      })
      const searched = await call('/api/fs/search', { parent: '/', keywords: 'x', page: 1 })
      const extensions = await client.call('GET', '/api/public/archive_extensions')
      return JSON.parse(
        JSON.stringify({
          code,
          me: { name, base_path, role },
          listed,
          got,
          linked: [linked.status, await linked.text(), linked.headers.get('Content-Disposition')],
          missing,
          made,
          removed,
          moved,
          packed,
          searched,
          extensions: extensions.data.toSorted(),
        })
          .replaceAll(client.url, '')
          .replaceAll(username, 'NAME')
          // Files are put there anew for each.
          .replaceAll(/"20\d\d-[^"]+Z"/g, '"TIME"'),
      )
    }
    expect(await play(site.client, 'program2')).toEqual(await play(direct, 'program'))
  })

  describe('WebDAV', () => {
    test('takes an app password, and moves, copies, locks and deletes with it', async () => {
      const user = ['alice', await site.appPassword(alice)] as const
      const name = fresh('/dav')
      const here = (path: string) => new URL(`/dav${path}`, site.client.url).href
      expect((await site.dav('PUT', name, user, { body: 'text' })).status).toBe(201)
      const locked = await site.dav('LOCK', name, user, {
        headers: { Depth: '0', Timeout: 'Second-60' },
        body: lockInfo(),
      })
      expect(locked.status).toBe(200)
      const lockToken = locked.headers.get('Lock-Token') ?? ''
      expect((await site.dav('PUT', name, user, { body: 'other' })).status).toBe(423)
      const If = `<${here(name)}> (${lockToken})`
      expect((await site.dav('PUT', name, user, { headers: { If }, body: 'mine' })).status).toBe(
        201,
      )
      const unlocked = await site.dav('UNLOCK', name, user, {
        headers: { 'Lock-Token': lockToken },
      })
      expect(unlocked.status).toBe(204)
      const moved = await site.dav('MOVE', name, user, {
        headers: { Destination: here(`${name}-moved`) },
      })
      expect(moved.status).toBe(201)
      const read = await site.dav('GET', `${name}-moved`, user, { headers: { Range: 'bytes=1-2' } })
      expect([read.status, await read.text()]).toEqual([206, 'in'])
      const listed = await site.dav('PROPFIND', '/', user, { headers: { Depth: '1' } })
      expect([listed.status, await listed.text()]).toEqual([
        207,
        expect.stringContaining(`<D:href>/dav${name}-moved</D:href>`),
      ])
      expect((await site.dav('DELETE', `${name}-moved`, user)).status).toBe(204)
      const elsewhere = await site.dav('MOVE', name, user, {
        headers: { Destination: 'https://other.example.org/dav/x' },
      })
      expect(elsewhere.status).toBe(502)
    })

    test('locks as Office does it: takes, writes, renews and gives back a lock', async () => {
      const user = ['alice', await site.appPassword(alice)] as const
      const admin = ['admin', await site.appPassword(await site.adminToken())] as const
      for (const as of [user, admin]) {
        const name = `/${encodeURIComponent(fresh('中 &'))}.docx`
        const lock = { headers: { Depth: '0', Timeout: 'Infinite, Second-4100000000' } }
        const taken = await site.dav('LOCK', name, as, { ...lock, body: lockInfo(as[0]) })
        const token = taken.headers.get('Lock-Token') ?? ''
        expect(await taken.text()).toContain(`<D:href>${token.slice(1, -1)}</D:href>`)
        const If = `(${token})`
        for (const body of ['', 'first', 'second']) {
          const written = await site.dav('PUT', name, as, { headers: { If }, body })
          expect([written.status, await written.text()]).toEqual([201, 'Created'])
          const renewed = await site.dav('LOCK', name, as, {
            headers: { If, Timeout: 'Second-3600' },
          })
          expect([renewed.status, await renewed.text()]).toEqual([
            200,
            expect.stringContaining(`<D:href>${token.slice(1, -1)}</D:href>`),
          ])
        }
        const headers = { 'Lock-Token': token }
        expect((await site.dav('UNLOCK', name, as, { headers })).status).toBe(204)
        expect((await site.dav('UNLOCK', name, as, { headers })).status).toBe(409)
        expect((await site.dav('DELETE', name, as)).status).toBe(204)
      }
    })

    test('locks a folder with all below it', async () => {
      const user = ['alice', await site.appPassword(alice)] as const
      const folder = `${fresh('/locked')}/`
      expect((await site.dav('MKCOL', folder, user)).status).toBe(201)
      const taken = await site.dav('LOCK', folder, user, { body: lockInfo() })
      const token = taken.headers.get('Lock-Token') ?? ''
      const If = `(${token})`
      const file = `${folder}a%20b`
      expect((await site.dav('PUT', file, user, { body: 'x' })).status).toBe(423)
      expect((await site.dav('PUT', file, user, { body: 'x', headers: { If } })).status).toBe(201)
      for (const path of [folder, file])
        expect((await site.dav('LOCK', path, user, { headers: { If } })).status).toBe(200)
      const to = { If, Destination: `/dav${folder}c` }
      expect((await site.dav('MOVE', file, user, { headers: to })).status).toBe(201)
      const headers = { 'Lock-Token': token }
      expect((await site.dav('UNLOCK', folder, user, { headers })).status).toBe(204)
      expect((await site.dav('DELETE', folder, user)).status).toBe(204)
    })

    test('refuses the password of the account, and says what to do', async () => {
      for (const password of [PASSWORD, OPENLIST_PASSWORD, await site.openlist.token()]) {
        const refused = await site.dav('PROPFIND', '/', ['alice', password])
        expect(refused.status).toBe(401)
        expect(refused.headers.get('WWW-Authenticate')).toMatch(/^Basic /)
        expect(await refused.text()).toMatch(/app password/)
      }
      const token = await site.openlist.token()
      const bearer = await fetch(new URL('/dav/', site.client.url), {
        method: 'PROPFIND',
        headers: { Authorization: `Bearer ${token}` },
      })
      expect(bearer.status).toBe(401)
    })

    test('lets an app password that reads not write', async () => {
      const user = ['alice', await site.appPassword(alice, ['files:read'])] as const
      expect((await site.dav('PROPFIND', '/', user)).status).toBe(207)
      expect((await site.dav('PUT', fresh('/no'), user, { body: 'x' })).status).toBe(401)
    })

    test('serves the admin as the admin of OpenList', async () => {
      const user = ['admin', await site.appPassword(await site.adminToken())] as const
      expect((await site.dav('PROPFIND', '/', user)).status).toBe(207)
    })

    test.skipIf(rclone === undefined)('serves rclone', async () => {
      const password = await site.appPassword(alice)
      const { printed: obscured } = await execute(rclone ?? '', ['obscure', password])
      const local = join(site.clone.folder, 'rclone')
      mkdirSync(join(local, 'deep'), { recursive: true })
      writeFileSync(join(local, 'deep', 'ä b#c?.txt'), 'a name with everything')
      writeFileSync(join(local, 'large.bin'), crypto.getRandomValues(new Uint8Array(65_536)))
      const env = {
        RCLONE_CONFIG_LK_TYPE: 'webdav',
        RCLONE_CONFIG_LK_URL: new URL('/dav', site.client.url).href,
        RCLONE_CONFIG_LK_VENDOR: 'other',
        RCLONE_CONFIG_LK_USER: 'alice',
        RCLONE_CONFIG_LK_PASS: obscured.trim(),
      }
      const run = async (...args: string[]) => {
        const { status, printed } = await execute(rclone ?? '', args, { env })
        if (status !== 0) throw new Error(printed)
        return printed
      }
      await run('copy', local, 'lk:rclone')
      await run('check', '--download', local, 'lk:rclone')
      await run('moveto', 'lk:rclone/large.bin', 'lk:rclone/moved.bin')
      await run('sync', local, 'lk:rclone')
      expect(readdirSync(join(site.folder, 'rclone')).toSorted()).toEqual(['deep', 'large.bin'])
      const part = await run('cat', '--offset', '2', '--count', '4', 'lk:rclone/deep/ä b#c?.txt')
      expect(part).toMatch(/(?:^|\n)name$/)
    })
  })

  test('streams of many times the memory of a Worker pass both ways', async () => {
    const bytes = 320 * MEBIBYTE
    let left = bytes
    const chunk = new Uint8Array(MEBIBYTE).fill(7)
    const body = new ReadableStream({
      pull(controller) {
        if (left === 0) return controller.close()
        left -= chunk.length
        return controller.enqueue(chunk)
      },
    })
    const init = { method: 'PUT', headers: { Authorization: alice, 'File-Path': '/huge' }, body }
    const uploaded = await fetch(
      new URL('/api/fs/put', site.client.url),
      Object.assign(init, { duplex: 'half' }),
    )
    expect(await uploaded.json()).toMatchObject({ code: 200 })
    const download = await fetch(await rawUrl(alice, '/huge'))
    let read = 0
    for await (const part of download.body ?? []) read += part.length
    expect(read).toBe(bytes)
  })

  describe('the doors of OpenList itself', () => {
    const SPELLINGS = [
      '/api/auth/login',
      '/api/%61uth/login',
      '/%61pi/auth/login',
      '/api%2fauth%2flogin',
      '/api/auth%2flogin',
      '/api/auth/login/',
      '/api/./auth/login',
      '/api/fs/../auth/login',
      '/api//auth/login',
      '//api/auth/login',
      '/d/..%2fapi/auth/login',
      '/api/auth;x/login',
      '/api\\auth\\login',
      '/API/auth/login',
      '/api/auth/login%00',
      '/api/%2561uth/login',
      '/x/../api/auth/login',
    ]

    beforeAll(() => site.openlist.addUser('there', PASSWORD))

    test.each(SPELLINGS)('are closed: %s', async (path) => {
      const body = JSON.stringify({ username: 'there', password: PASSWORD })
      expect(await raw(site.client.url, 'POST', path, body)).not.toContain('"token"')
    })

    test('are closed, however a path is spelt', async () => {
      const SENTENCES = ['/api/auth/login', '/api/admin/user/list', '/api/me', '/api/auth/logout']
      const spelt = tuple(
        constantFrom(...SENTENCES),
        array(
          record({
            at: nat(24),
            how: constantFrom('escape', 'double', '/', '//', '/./', '/x/../', ';a', '\\', 'up'),
          }),
          { maxLength: 2 },
        ),
      ).map(([sentence, tricks]) => tricks.reduce(spell, sentence))
      const theirs = new Set([200, 400, 401, 403])
      let routed = 0
      await assert(
        asyncProperty(spelt, async (path) => {
          const direct = await raw(site.openlist.client.url, 'POST', path, '{}')
          // OpenList routes it to an endpoint, rather than to its page.
          const code: unknown = direct.startsWith('{"code":') ? JSON.parse(direct).code : undefined
          const isRouted = typeof code === 'number' && theirs.has(code)
          if (isRouted) routed += 1
          const area = readSitePath(path)?.area
          expect(isRouted && area !== undefined && area !== 'latchkey').toBe(false)
        }),
        { numRuns: RUNS },
      )
      expect(routed).toBeGreaterThan(RUNS / 20)
    })

    test.each(['/s3/', '/mcp', '/debug/pprof/', '/s3/bucket/x'])(
      'are nobody’s: %s',
      async (path) => {
        expect((await fetch(new URL(path, site.client.url))).status).toBe(404)
      },
    )

    test('hide the token of its admin, and can’t change it', async () => {
      const token = await site.openlist.token()
      for (const path of [
        'list',
        'list?group=0',
        'list?groups=5,0',
        'get?key=token',
        'get?keys=token',
      ]) {
        const settings = await site.asAdmin('GET', `/api/admin/setting/${path}`)
        expect(JSON.stringify(settings)).not.toContain(token)
      }
      const items = [{ key: 'token', value: '', group: 0 }]
      await site.asAdmin('POST', '/api/admin/setting/save', items)
      const call = (path: string) =>
        site.adminToken().then((admin) => site.client.call('POST', path, { token: admin }))
      expect(await call('/api/admin/setting/reset_token')).toMatchObject({ code: 403 })
      expect(await call('/api/admin/setting/delete?key=token')).toMatchObject({ code: 403 })
      expect(await site.openlist.token()).toBe(token)
      const bare = await site.client.call('GET', '/api/admin/storage/list', { token })
      expect(bare.code).toBe(401)
    })
  })

  describe('settings', () => {
    test('are those of OpenList, with the sign-in of this site', async () => {
      const { data } = await site.client.call('GET', '/api/public/settings')
      const theirs = (await site.openlist.client.call('GET', '/api/public/settings')).data
      expect(data).toMatchObject({ version: theirs.version, ldap_login_enabled: 'false' })
      await site.asAdmin('POST', '/api/admin/setting/save', [
        { key: 'site_title', value: 'Our files', group: 1 },
        { key: 'webauthn_login_enabled', value: 'true', group: 7 },
      ])
      const changed = (await site.client.call('GET', '/api/public/settings')).data
      expect(changed).toMatchObject({ site_title: 'Our files', webauthn_login_enabled: 'true' })
      const there = (await site.openlist.client.call('GET', '/api/public/settings')).data
      expect(there).toMatchObject({ site_title: 'Our files', webauthn_login_enabled: 'false' })
    })

    test('are those of the list that says which need a fresh session', async () => {
      const items: { key: string; group: number }[] = await site.openlist.asAdmin(
        'GET',
        '/api/admin/setting/list',
      )
      const shared = items.filter(({ group }) => group !== SSO_GROUP && group !== LDAP_GROUP)
      expect(shared.map(({ key }) => key).toSorted()).toEqual(
        Array.from(OPENLIST_SETTINGS.keys()).toSorted(),
      )
    })

    test('let no server of a storage see the token, or the password of a user', async () => {
      const seen: IncomingHttpHeaders[] = []
      const server = createServer(({ headers }, response) => {
        seen.push(headers)
        response.end('abc')
      })
      const port = await freePort()
      server.listen(Number(port), '127.0.0.1')
      onTestFinished(() => void server.close())
      await site.openlist.asAdmin('POST', '/api/admin/storage/create', {
        mount_path: '/elsewhere-on-the-web',
        driver: 'UrlTree',
        web_proxy: true,
        webdav_policy: 'native_proxy',
        addition: JSON.stringify({ url_structure: `x.bin:3:http://127.0.0.1:${port}/x.bin` }),
      })
      const admin = ['admin', await site.appPassword(await site.adminToken())] as const
      const user = ['alice', await site.appPassword(alice)] as const
      const path = '/elsewhere-on-the-web/x.bin'
      const readBy = async (who: readonly [string, string]) =>
        (await site.dav('GET', path, who)).text()
      const item = { key: 'proxy_ignore_headers', group: 3, type: 'text', flag: 1 }
      // What OpenList would do.
      await site.openlist.asAdmin('POST', '/api/admin/setting/save', [
        { ...item, value: 'Authorization, referer' },
      ])
      expect(await readBy(admin)).toBe('abc')
      expect(seen.pop()?.authorization).toBe(`Bearer ${await site.openlist.token()}`)
      for (const value of ['Authorization, referer', '', 'referer']) {
        await site.asAdmin('POST', '/api/admin/setting/save', [{ ...item, value }])
        expect([await readBy(admin), await readBy(user)]).toEqual(['abc', 'abc'])
      }
      expect(seen).toHaveLength(6)
      expect(seen.map(({ authorization }) => authorization)).toEqual(seen.map(() => undefined))
    })
  })

  describe('links to files', () => {
    const strange = ['ä b#c?.txt', '100% + & ; = ~.txt', 'quote".txt', "it's (1).txt", '文件😀.txt']

    test.each(strange)('have the signature of OpenList: %s', async (name) => {
      mkdirSync(join(site.folder, 'links'), { recursive: true })
      put(`links/${name}`)
      const signed = await fetch(await rawUrl(alice, `/links/${name}`))
      expect([signed.status, await signed.text()]).toEqual([200, `links/${name}`])
    })

    test('to what is in an archive have one, too', async () => {
      writeFileSync(join(site.folder, 'linked.zip'), ZIP)
      const body = { path: '/linked.zip' }
      const call = { token: alice, body }
      const { data } = await site.client.call('POST', '/api/fs/archive/meta', call)
      const inner = `inner=${encodeURIComponent(`/${data.content[0].name}`)}`
      expect((await fetch(`${data.raw_url}?${inner}&sign=${data.sign}`)).status).toBe(200)
      expect((await fetch(`${data.raw_url}?${inner}`)).status).toBe(401)
    })

    test('open nothing without one, also when OpenList asks for none', async () => {
      put('by-path.txt')
      const off = [{ key: 'sign_all', value: 'false', group: 4, type: 'bool', flag: 1 }]
      await site.openlist.asAdmin('POST', '/api/admin/setting/save', off)
      const [there, here] = [site.openlist.client, site.client].map(
        ({ url }) => new URL('/d/by-path.txt', url),
      )
      expect([(await fetch(there ?? '')).status, (await fetch(here ?? '')).status]).toEqual([
        200, 401,
      ])
      expect((await fetch(await rawUrl(alice, '/by-path.txt'))).status).toBe(401)
      // Any save turns them on again.
      await site.asAdmin('POST', '/api/admin/setting/save', off)
      expect((await fetch(there ?? '')).status).toBe(401)
      expect((await fetch(await rawUrl(alice, '/by-path.txt'))).status).toBe(200)
    })
  })

  describe('a user there', () => {
    test('has the id of the user here', async () => {
      await names(alice)
      const there = (await site.usersThere()).get('alice')
      expect(there?.['id']).toBe((await site.user('alice'))['id'])
    })

    test('is never one that was there before, by name or by id', async () => {
      const name = fresh('taken')
      await site.addUser(fresh('last'))
      const next = Number((await site.user(fresh('last')))['id']) + 1
      await site.openlist.addUser(name, 'not-Ours-1', ALL_RIGHTS, next)
      const before = await site.usersThere()
      const token = await site.addUser(name)
      const { id } = await site.user(name)
      expect(id).toBe(next)
      await names(token)
      const after = await site.usersThere()
      expect(after.get(`${name}~${String(id)}`)).toBeDefined()
      expect([...before.values()].filter((user) => !after.has(String(user['username'])))).toEqual(
        [],
      )
      for (const [there, user] of before) expect(after.get(there)).toEqual(user)
      // No later user here gets this id, which lists of readers keep there.
      expect(after.get(`${name}~${String(id)}`)).toMatchObject({ id: 1_000_000_000 + next })
    })

    test('follows name, rights and folder', async () => {
      const token = await site.addUser(fresh('moves'))
      await names(token)
      const { id } = (await site.usersThere()).get(fresh('moves')) ?? {}
      mkdirSync(join(site.folder, 'below'), { recursive: true })
      await site.change(fresh('moves'), {
        username: fresh('renamed'),
        permission: 256,
        base_path: '/below',
      })
      await vi.waitFor(async () => {
        expect((await site.usersThere()).get(fresh('renamed'))).toMatchObject({
          id,
          permission: 256,
          base_path: '/below',
        })
      })
    })

    test('is one, and as the user here, after changes that overtake each other', async () => {
      for (let round = 0; round < 5; round++) {
        const name = fresh(`racer${round}-`)
        const token = await site.addUser(name)
        await names(token)
        const changing = new AbortController()
        const asking = Array.from({ length: 3 }, async () => {
          while (!changing.signal.aborted) await site.list(token)
        })
        await site.change(name, { permission: ALL_RIGHTS - 1, base_path: '/below' })
        await site.change(name, { username: `${name}x` })
        await site.change(`${name}x`, { username: `${name}y` })
        await site.change(`${name}y`, { permission: 0, base_path: '/' })
        changing.abort()
        await Promise.all(asking)
        await vi.waitFor(async () => {
          const there = [...(await site.usersThere()).values()]
          const racers = there.filter(({ username }) => String(username).startsWith(name))
          const expected = { username: `${name}y`, permission: 0, base_path: '/', disabled: false }
          expect(racers).toMatchObject([expected])
        })
      }
    })

    test('is off at once when the user here is disabled, with the shares', async () => {
      const name = fresh('off')
      mkdirSync(join(site.folder, name))
      put(`${name}/shared.txt`)
      const token = await site.addUser(name)
      const shared = await site.client.call('POST', '/api/share/create', {
        token,
        body: { files: [`/${name}`], pwd: '', max_accessed: 0, expires: null },
      })
      expect(shared).toMatchObject({ code: 200 })
      const path = `/@s/${shared.data.id}`
      expect(await names('', path)).toEqual(['shared.txt'])
      await site.change(name, { disabled: true })
      expect(await site.list(token)).toMatchObject({ code: 401 })
      await vi.waitFor(async () => {
        expect(await site.list('', path)).not.toMatchObject({ code: 200 })
      })
      expect((await site.usersThere()).get(name)).toMatchObject({ disabled: true, permission: 0 })
    })

    test('is off when it is the guest, however many ask meanwhile', async () => {
      for (let round = 0; round < 5; round++) {
        await site.change('guest', { disabled: false, base_path: '/' })
        expect(await names('')).not.toBeNull()
        const changing = new AbortController()
        const asking = Array.from({ length: 8 }, async () => {
          while (!changing.signal.aborted) await site.list('')
        })
        await site.change('guest', { disabled: true, base_path: '/below' })
        await vi.waitFor(async () => {
          expect((await site.usersThere()).get('guest')).toMatchObject({ disabled: true })
        })
        changing.abort()
        await Promise.all(asking)
        await vi.waitFor(async () => expect(await site.list('')).toMatchObject({ code: 401 }))
      }
    })

    // Takes a minute, because the run that finds it comes once a minute.
    test('is as the user here again after a backup of OpenList was put back', async () => {
      const [low, gone] = [fresh('low'), fresh('gone')]
      for (const name of [low, gone]) await names(await site.addUser(name))
      await site.openlist.stop()
      const backup = readFileSync(site.openlist.database)
      await site.openlist.run()
      await site.change(low, { permission: 0 })
      const { id } = await site.user(gone)
      await site.asAdmin('POST', `/api/admin/user/delete?id=${String(id)}`)
      const isRight = async () => {
        const there = await site.usersThere()
        expect(there.get(low)).toMatchObject({ permission: 0 })
        expect(there.has(gone)).toBe(false)
      }
      await vi.waitFor(isRight)
      await site.openlist.stop()
      writeFileSync(site.openlist.database, backup)
      await site.openlist.run()
      expect((await site.usersThere()).has(gone)).toBe(true)
      await vi.waitFor(isRight, { timeout: 150_000, interval: 2000 })
    })

    test('is deleted with the user here', async () => {
      const name = fresh('gone')
      const token = await site.addUser(name)
      await names(token)
      const { id } = await site.user(name)
      await site.asAdmin('POST', `/api/admin/user/delete?id=${String(id)}`)
      await vi.waitFor(async () => expect((await site.usersThere()).has(name)).toBe(false))
    })

    test('is made anew when somebody has deleted it there', async () => {
      const name = fresh('lost')
      const token = await site.addUser(name)
      await names(token)
      const { id } = (await site.usersThere()).get(name) ?? {}
      await site.openlist.asAdmin('POST', `/api/admin/user/delete?id=${String(id)}`)
      expect(await names(token)).not.toBeNull()
      expect((await site.usersThere()).has(name)).toBe(true)
    })

    test('is written again when its password was changed there', async () => {
      const name = fresh('drift')
      const token = await site.addUser(name)
      await names(token)
      const user = (await site.usersThere()).get(name)
      await site.openlist.asAdmin('POST', '/api/admin/user/update', {
        ...user,
        password: 'changed-by-Hand1',
      })
      const dav = [name, await site.appPassword(token)] as const
      expect((await site.dav('PROPFIND', '/', dav)).status).toBe(207)
      expect(await names(token)).not.toBeNull()
    })
  })

  describe('when OpenList', () => {
    test('has restarted, nobody signs in again', async () => {
      await names(alice)
      await site.openlist.stop()
      const refused = await site.list(alice)
      expect(refused).toMatchObject({ code: 503 })
      expect(JSON.stringify(refused)).not.toContain('127.0.0.1')
      expect((await fetch(new URL('/', site.client.url))).status).toBe(503)
      const me = await site.client.call('GET', '/api/me', { token: alice })
      expect(me).toMatchObject({ code: 200, data: { username: 'alice' } })
      expect(await site.client.call('GET', '/api/public/settings')).toMatchObject({ code: 200 })
      await site.openlist.run()
      expect(await names(alice)).not.toBeNull()
    })

    test('has restarted, uploads go on', async () => {
      await names(alice)
      await site.openlist.stop()
      await site.openlist.run()
      // Too large to be kept, and sent again.
      const body = new Uint8Array(MEBIBYTE + 1)
      const uploaded = await fetch(new URL('/api/fs/put', site.client.url), {
        method: 'PUT',
        headers: { Authorization: alice, 'File-Path': fresh('/after') },
        body,
      })
      expect(await uploaded.json()).toMatchObject({ code: 200 })
    })

    test('is frozen, requests end', async () => {
      site.openlist.freeze(true)
      try {
        expect(await site.list(alice)).toMatchObject({ code: 503 })
        expect(await site.client.signIn('admin', ADMIN_PASSWORD)).toMatchObject({ code: 200 })
      } finally {
        site.openlist.freeze(false)
      }
      expect(await names(alice)).not.toBeNull()
    })

    test('has another token, its admin is told in words, and users go on', async () => {
      const token = await site.openlist.token()
      await site.openlist.asAdmin('POST', '/api/admin/setting/save', [
        { key: 'token', value: 'another', group: 0 },
      ])
      try {
        expect(await site.list(await site.adminToken())).toMatchObject({ code: 502 })
        expect(await names(alice)).not.toBeNull()
      } finally {
        await site.openlist.asAdmin('POST', '/api/admin/setting/save', [
          { key: 'token', value: token, group: 0 },
        ])
      }
      expect(await site.list(await site.adminToken())).toMatchObject({ code: 200 })
    })

    test('has an empty token, strangers are not its admin', async () => {
      const other = await FilesSite.start(program ?? '')
      try {
        const items = [{ key: 'token', value: '', group: 0 }]
        await other.openlist.asAdmin('POST', '/api/admin/setting/save', items)
        const direct = await other.openlist.client.call('GET', '/api/admin/storage/list')
        expect(direct).toMatchObject({ code: 200 })
        expect(await other.list('')).toMatchObject({ code: 502 })
      } finally {
        await other.remove()
      }
    })
  })
})

/** Spells a path in another way that some router may understand. */
function spell(path: string, { at, how }: { at: number; how: string }): string {
  const place = at % path.length
  const [before, one, after] = [path.slice(0, place), path.charAt(place), path.slice(place + 1)]
  const hex = one.charCodeAt(0).toString(16)
  if (how === 'escape') return `${before}%${hex}${after}`
  if (how === 'double') return `${before}%25${hex}${after}`
  if (how === 'up') return `/d/..${path}`
  return `${before}${how}${one}${after}`
}

/** Sends a path as it is: `fetch` would tidy it up. */
function raw(url: string, method: string, path: string, body = ''): Promise<string> {
  const { hostname, port } = new URL(url)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  }
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.once('end', () => resolve(text)).once('error', reject)
    })
    asked.once('error', reject).end(body)
  })
}

test.skipIf(program === undefined)(
  'the stand-in of npm test answers as OpenList does',
  async () => {
    const real = await OpenListServer.start(program ?? '', { host: '127.0.0.1' })
    try {
      const standIn = new OpenListStandIn()
      const ask = {
        real: async (method: string, path: string, token: string, body?: object) =>
          real.client.call(method, path, { token, body }),
        standIn: async (method: string, path: string, token: string, body?: object) => {
          const init = {
            method,
            headers: { Authorization: token },
            ...(body && { body: JSON.stringify(body) }),
          }
          const answer = await standIn.send(FILES_ORIGIN + path, init)
          const envelope: Envelope = await answer.json()
          return envelope
        },
      }
      const play = async (side: keyof typeof ask, admin: string) => {
        const call = async (method: string, path: string, token = admin, body?: object) => {
          const { code, message, data } = await ask[side](method, path, token, body)
          const [clash] = /UNIQUE constraint failed: x_users\.\w+/.exec(message) ?? []
          // What it says of a right answer is not the same text everywhere.
          return { path, code, message: code === 200 ? '' : (clash ?? message), data }
        }
        const fields = {
          id: 40,
          username: 'alice',
          password: 'secret-1',
          base_path: '/',
          role: 0,
          permission: 1,
          disabled: false,
        }
        const digest = await staticDigest('secret-1')
        const signIn = () =>
          call('POST', '/api/auth/login/hash', '', { username: 'alice', password: digest })
        const manage = '/api/admin/user'
        const answers = [
          await call('POST', `${manage}/create`, admin, fields),
          await call('POST', `${manage}/create`, admin, fields),
          await call('POST', `${manage}/create`, admin, { ...fields, username: 'bob' }),
          await call('POST', `${manage}/create`, admin, { ...fields, id: 41 }),
          await call('GET', `${manage}/get?id=99`),
          await call('POST', `${manage}/update`, admin, { ...fields, id: 99 }),
          await call('GET', '/api/admin/setting/list', 'nonsense'),
          await call('GET', '/api/me', 'nonsense'),
          await call('POST', '/api/auth/login/hash', '', { username: 'alice', password: 'wrong' }),
        ]
        const { token } = (await signIn()).data
        answers.push(await call('GET', '/api/me', token))
        answers.push(await call('POST', `${manage}/update`, admin, { ...fields, disabled: true }))
        answers.push(await call('POST', `${manage}/delete?id=40`))
        answers.push(
          await call('POST', '/api/auth/login/hash', '', { username: 'alice', password: digest }),
        )
        return answers.map(({ path, code, message }) => ({ path, code, message }))
      }
      expect(await play('standIn', FILES_TOKEN)).toEqual(await play('real', await real.token()))
    } finally {
      await real.remove()
    }
  },
)

describe.skipIf(program === undefined)('a site that moves in, with OpenList behind it', () => {
  test('finds everything again', async () => {
    const openlist = await OpenListServer.start(program ?? '', { host: '127.0.0.1' })
    const clone = new Clone()
    try {
      const folder = await openlist.addFiles()
      for (const name of ['shared', 'hidden', 'open']) mkdirSync(join(folder, name))
      writeFileSync(join(folder, 'shared', 'inside.txt'), 'inside')
      // The ids of users differ from those that a new site would give.
      for (const name of ['bob', 'alice']) await openlist.addUser(name, PASSWORD, ALL_RIGHTS)
      const old = openlist.client
      const signedIn = (await old.signIn('alice', PASSWORD)).data.token
      const call = (client: typeof old, token: string, path: string, body: unknown) =>
        client.call('POST', path, { token, body })
      const shared = await call(old, signedIn, '/api/share/create', {
        files: ['/shared'],
        pwd: '',
        max_accessed: 0,
        expires: null,
      })
      const users = await openlist.asAdmin('GET', '/api/admin/user/list')
      const [alice] = users.content.filter(
        ({ username }: { username: string }) => username === 'alice',
      )
      await openlist.asAdmin('POST', '/api/admin/meta/create', {
        path: '/hidden',
        read_users: [alice.id],
        write_users: [],
      })
      const link = await call(old, signedIn, '/api/fs/get', { path: '/shared/inside.txt' })
      await openlist.stop()
      writeFileSync(
        clone.path('.dev.vars'),
        `SECRET_KEYS=${newSecretKey()}\nFILES_TOKEN=${tokenOf(openlist)}\n`,
      )
      await clone.serve(ADMIN_PASSWORD)
      await clone.stop()
      expect((await clone.latchkey(['import', openlist.database])).stderr).toBe('')
      await openlist.run()
      const port = await freePort()
      const args = ['--files', old.url]
      await clone.start({ PORT: port }, { args }).until('serves on')
      const site = new OpenListClient(`http://localhost:${port}`)
      const check = await clone.latchkey(['files', 'check', '--files', old.url])
      expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('2 linked')])
      const { token } = (await site.signIn('alice', PASSWORD)).data
      const listed = await call(site, token, '/api/fs/list', { path: '/' })
      expect(listed.data.content).toHaveLength(3)
      expect(await call(site, token, '/api/fs/list', { path: '/hidden' })).toMatchObject({
        code: 200,
      })
      const bob = (await site.signIn('bob', PASSWORD)).data.token
      expect(await call(site, bob, '/api/fs/list', { path: '/hidden' })).toMatchObject({
        code: 403,
      })
      const share = `/@s/${shared.data.id}`
      expect((await call(site, '', '/api/fs/list', { path: share })).data.content).toHaveLength(1)
      const { pathname, search } = new URL(link.data.raw_url)
      expect(await (await fetch(new URL(pathname + search, site.url))).text()).toBe('inside')
      const after = await openlist.asAdmin('GET', '/api/admin/user/list')
      expect(
        after.content.map(({ id, username }: { id: number; username: string }) => [id, username]),
      ).toEqual(
        users.content.map(({ id, username }: { id: number; username: string }) => [id, username]),
      )
      // The old password opens nothing at OpenList any more.
      expect(await old.signIn('alice', PASSWORD)).not.toMatchObject({ code: 200 })
    } finally {
      await clone.remove()
      await openlist.remove()
    }
  })
})

/** The token of an OpenList that has stopped. */
function tokenOf(openlist: OpenListServer): string {
  const database = new DatabaseSync(openlist.database)
  const row = database.prepare("select value from x_setting_items where key = 'token'").get()
  database.close()
  return String(row?.['value'])
}
