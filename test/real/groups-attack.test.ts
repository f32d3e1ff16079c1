import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { array, assert, asyncProperty, constantFrom, tuple } from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { PERMISSION } from '../../src/core/accounts/roles.ts'
import type { Envelope } from '../support/envelope.ts'
import { lockInfo } from '../support/openlist-locks.ts'
import { ALL_RIGHTS, FilesSite } from './files-site.ts'
import { ZIP, ZIP_OUT } from './media.ts'
import { execute, findProgram } from './programs.ts'

const program = findProgram('OPENLIST_BIN', 'openlist')
const rclone = findProgram('RCLONE_BIN', 'rclone')
/** In the files that are closed, and in no other. */
const SECRET = 'the words of a closed file'
/** The setting of OpenList with the number of copies that run at once. */
const WORKERS = 'copy_task_threads_num'
/** Runs of a property that asks two servers each time. */
const RUNS = 150

/** The names of all members of an answer, and the types of their values. */
function membersOf(data: unknown): unknown {
  if (Array.isArray(data)) return data.slice(0, 1).map(membersOf)
  if (typeof data !== 'object' || data === null) return typeof data
  return Object.entries(data)
    .filter(([name]) => name !== 'mount_details')
    .map(([name, value]) => [name, membersOf(value)])
}

/** What alice may not take out of `/nas/closed`, nor change there; she may write all of `/nas`. */
describe.skipIf(program === undefined)('a closed folder of a real OpenList', () => {
  let site: FilesSite
  let alice: string
  let password: string
  let aliceId: unknown

  beforeAll(async () => {
    site = await FilesSite.start(program ?? '')
    alice = await site.addUser('alice', { permission: ALL_RIGHTS | (1 << 15) })
    password = await site.appPassword(alice)
    aliceId = (await site.user('alice'))['id']
    fill()
    await rule('/nas/closed', 'none')
    await rule('/nas/closed-too', 'none')
    await rule('/nas/shown', 'read')
    await rule('/way', 'none')
    await rule('/way/to/mine', 'write')
  })
  afterAll(() => site.remove())
  beforeEach(fill)

  async function rule(path: string, access: string): Promise<void> {
    const body = { path, uid: aliceId, access }
    expect(await site.asAdmin('POST', '/api/admin/folder_rule/create', body)).toMatchObject({
      waiting: 0,
    })
  }

  /** Writes the files anew. */
  function fill(): void {
    for (const name of readdirSync(site.folder))
      rmSync(join(site.folder, name), { recursive: true, force: true })
    put('nas/closed/secret.txt', SECRET)
    put('nas/closed/deep/secret.txt', SECRET)
    put('nas/closed/secret.zip', ZIP)
    put('nas/closed-too/secret.txt', SECRET)
    put('nas/open/a.txt', 'a')
    put('nas/open/a.zip', ZIP)
    put('nas/shown/read.txt', 'to read')
    put('way/to/mine/b.txt', 'b')
    put('way/to/mine-secret.txt', SECRET)
    put('way/secret.txt', SECRET)
  }

  function put(path: string, content: string | Buffer): void {
    mkdirSync(join(site.folder, path, '..'), { recursive: true })
    writeFileSync(join(site.folder, path), content)
  }

  /** The files below a folder, and their texts. */
  function tree(folder: string): Record<string, string> {
    const names = existsSync(join(site.folder, folder))
      ? readdirSync(join(site.folder, folder), { recursive: true, encoding: 'utf8' })
      : []
    const files = names.filter((name) => statSync(join(site.folder, folder, name)).isFile())
    return Object.fromEntries(
      files
        .toSorted()
        .map((name) => [name, readFileSync(join(site.folder, folder, name), 'latin1')]),
    )
  }

  const CLOSED = /^(?:nas\/closed(?:-too)?|way\/(?!to\/mine\/))/
  function closedFiles(): Record<string, string> {
    return Object.fromEntries(Object.entries(tree('.')).filter(([name]) => CLOSED.test(name)))
  }

  /** What is closed is as it was, and is nowhere else. */
  async function expectClosed(before: Record<string, string>): Promise<void> {
    for (const kind of ['copy', 'move', 'decompress', 'decompress_upload'])
      await vi.waitFor(async () => {
        const undone = await site.client.call('GET', `/api/task/${kind}/undone`, { token: alice })
        expect(undone.data).toEqual([])
      }, 20_000)
    expect(closedFiles()).toEqual(before)
    const others = Object.entries(tree('.')).filter(([name]) => !CLOSED.test(name))
    expect(others.filter(([, text]) => text.includes(SECRET))).toEqual([])
    expect(others.filter(([name]) => name.endsWith('in.txt'))).toEqual([])
  }

  function post(name: string, body: unknown, as = alice): Promise<Envelope> {
    return site.client.call('POST', `/api/${name}`, { token: as, body })
  }

  /** Sends a path as it is: `fetch` would resolve it. */
  function raw(method: string, path: string, headers: Record<string, string>, body = '') {
    const { hostname, port } = new URL(site.client.url)
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request({ hostname, port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        )
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  function dav(method: string, path: string, headers: Record<string, string> = {}, body = '') {
    const Authorization = `Basic ${Buffer.from(`alice:${password}`).toString('base64')}`
    return raw(method, path, { Authorization, ...headers }, body)
  }

  const to = { dst_dir: '/nas/open' }
  const from = { src_dir: '/nas' }

  test.each<[string, object]>([
    ...['closed', './closed', 'open/../closed', '\\closed', 'closed/', 'open\\..\\closed'].flatMap(
      (name): [string, object][] => [
        ['fs/copy', { ...from, ...to, names: [name] }],
        ['fs/copy', { ...from, ...to, names: [name], overwrite: true, merge: true }],
        ['fs/copy', { ...from, ...to, names: [`${name}/secret.txt`] }],
        ['fs/move', { ...from, ...to, names: [name] }],
        ['fs/move', { ...from, ...to, names: [`${name}\\secret.txt`] }],
        ['fs/remove', { dir: '/nas', names: [name] }],
        ['fs/rename', { path: `/nas/${name}`, name: 'mine' }],
        ['fs/archive/decompress', { ...from, ...to, name: [`${name}/secret.zip`] }],
        ['fs/torrent/generate', { path: `/nas/${name}/secret.txt` }],
        ['share/create', { files: [`/nas/${name}`] }],
        ['fs/get', { path: `/nas/${name}/secret.txt` }],
        ['fs/list', { path: `/nas/${name}` }],
        ['fs/dirs', { path: `/nas/${name}` }],
        ['fs/archive/meta', { path: `/nas/${name}/secret.zip` }],
        ['fs/archive/list', { path: `/nas/${name}/secret.zip` }],
        ['fs/mkdir', { path: `/nas/${name}/new/deep` }],
        ['fs/other', { path: `/nas/${name}/secret.txt`, method: 'x' }],
      ],
    ),
    ['fs/copy', { src_dir: '/nas/open', ...to, names: ['..\\closed'], overwrite: true }],
    ['fs/remove', { dir: '/nas/open', names: ['..\\closed'] }],
    ['fs/copy', { src_dir: '/', ...to, names: ['nas'] }],
    ['fs/copy', { src_dir: '/nas/open/..', ...to, names: ['closed'] }],
    ['fs/copy', { src_dir: '/nas/closed', ...to, names: ['.'], overwrite: true }],
    ['fs/copy', { src_dir: '/nas/open', dst_dir: '/nas/closed', names: ['a.txt'] }],
    ['fs/copy', { src_dir: '/nas/open', dst_dir: '/nas', names: ['closed'], overwrite: true }],
    ['fs/move', { src_dir: '/nas/open', dst_dir: '/nas/closed', names: ['a.txt'] }],
    ['fs/move', { src_dir: '/', dst_dir: '/x', names: ['nas'] }],
    ['fs/rename', { path: '/nas', name: 'mine' }],
    ['fs/rename', { path: '/nas/open', name: 'closed', overwrite: true }],
    ['fs/batch_rename', { ...from, rename_objects: [{ src_name: 'closed', new_name: 'mine' }] }],
    ['fs/batch_rename', { ...from, rename_objects: [{ src_name: 'open', new_name: 'closed' }] }],
    ['fs/regex_rename', { ...from, src_name_regex: '^closed$', new_name_regex: 'mine' }],
    ['fs/regex_rename', { ...from, src_name_regex: 'cl', new_name_regex: 'x' }],
    ['fs/recursive_move', { ...from, ...to, conflict_policy: 'overwrite' }],
    ['fs/recursive_move', { src_dir: '/nas/open', dst_dir: '/nas', conflict_policy: 'overwrite' }],
    ['fs/remove', { dir: '/', names: ['nas'] }],
    ['fs/remove_empty_directory', from],
    ['fs/archive/decompress', { src_dir: '/nas/open', dst_dir: '/nas/closed', name: ['a.zip'] }],
    ['fs/archive/decompress', { src_dir: '/nas/open', dst_dir: '/nas', name: ['a.zip'] }],
    ['fs/archive/decompress', { src_dir: 'nas/open', ...to, name: ['../closed/secret.zip'] }],
    ['fs/add_offline_download', { path: '/nas', urls: ['http://localhost/'], tool: 'SimpleHttp' }],
    ['fs/get_direct_upload_info', { path: '/nas/closed', file_name: 'a', tool: 'x' }],
    ['fs/link', { path: '/nas/closed/secret.txt' }],
    ['share/create', { files: ['/nas'] }],
    ['share/create', { files: ['/nas/open', '/'] }],
    ['fs/copy', { src_dir: '/way', ...to, names: ['secret.txt'] }],
    ['fs/copy', { src_dir: '/way/to', ...to, names: ['mine-secret.txt'] }],
    ['fs/move', { src_dir: '/way/to', ...to, names: ['mine'] }],
  ])('%s %j', async (name, body) => {
    const before = closedFiles()
    expect((await post(name, body)).code).not.toBe(200)
    await expectClosed(before)
  })

  async function renameInOpen(source: string, target: string): Promise<number> {
    await post('fs/list', { path: '/nas/open', refresh: true })
    const body = { src_dir: '/nas/open', src_name_regex: source, new_name_regex: target }
    return (await post('fs/regex_rename', body)).code
  }

  test('a name on the disk that leads to it renames nothing, and others are renamed', async () => {
    const pattern = String.raw`^(?P<n>a)\.(txt|zip)$|q`
    expect(await renameInOpen(pattern, '${n}$1$$.$2')).toBe(200)
    expect(Object.keys(tree('nas/open'))).toEqual(['aa$.txt', 'aa$.zip'])
    put(String.raw`nas/open/..\closed`, 'x')
    const before = closedFiles()
    for (const source of ['^.*closed$', '(?s).+', '(?U)^(.*)closed$', '^|.*', String.raw`[\S]+`])
      for (const target of ['taken', '$0taken', ''])
        expect(await renameInOpen(source, target)).not.toBe(200)
    await expectClosed(before)
  })

  const SLASHED = { src_dir: '/nas/open', dst_dir: '/nas/open', name: ['out.zip'] }
  test.each<[string, object]>([
    ['fs/archive/decompress', SLASHED],
    ['fs/archive/decompress', { ...SLASHED, name: ['...zip'], put_into_new_dir: true }],
    ['fs/copy', { src_dir: '/nas/open', names: ['d'], dst_dir: '/nas/inbox' }],
    ['fs/copy', { src_dir: '/nas', names: ['open'], dst_dir: '/way/to/mine' }],
    ['fs/recursive_move', { src_dir: '/nas/open/d', dst_dir: '/nas/open' }],
    ['fs/remove_empty_directory', { src_dir: '/nas/open/d' }],
    ['fs/rename', { path: '/nas/open/d', name: 'x' }],
    ['fs/regex_rename', { src_dir: '/nas/open', src_name_regex: '^d$', new_name_regex: 'x' }],
  ])('is not reached by names that no request says: %s %j', async (name, body) => {
    put('nas/open/out.zip', ZIP_OUT)
    put('nas/open/...zip', ZIP_OUT)
    put('nas/inbox/a.txt', 'a')
    put(String.raw`nas/open/d/..\..\closed\secret.txt`, 'x')
    mkdirSync(join(site.folder, String.raw`nas/open/d/..\..\closed`))
    await post('fs/list', { path: '/nas/open', refresh: true })
    await post('fs/list', { path: '/nas/open/d', refresh: true })
    const before = closedFiles()
    expect(await post(name, { ...body, overwrite: true })).toMatchObject({ code: 403 })
    await expectClosed(before)
  })

  test.each([
    ['application/x-www-form-urlencoded', 'Path=/nas/closed&Name=mine'],
    ['application/x-yaml', 'path: /nas/closed\nname: mine\n'],
    ['application/toml', 'path = "/nas/closed"\nname = "mine"\n'],
    ['application/xml', '<a><Path>/nas/closed</Path><Name>mine</Name></a>'],
    ['application/json', '{"path":"/nas/open","PATH":"/nas/closed","name":"mine"}'],
    ['application/json', '{"path":"/nas/closed","Path":"/nas/open","name":"mine"}'],
    ['application/x-yaml', '{"path":"/nas/open","name":"open",\n"Path":"/nas/closed"}'],
    ['text/xml', '{"path":"/nas/closed","name":"mine"}'],
  ])('a rename as %s: %s', async (type, body) => {
    const before = closedFiles()
    const headers = { Authorization: alice, 'Content-Type': type }
    for (const path of ['/api/fs/rename', '/api/fs%2frename', '/api/fs/rename?Path=/nas/closed'])
      await raw('POST', path, headers, body)
    expect(closedFiles()).toEqual(before)
  })

  test.each([
    ['COPY', '/dav/nas/closed', '/dav/nas/open/closed'],
    ['COPY', '/dav/nas/%63losed/', '/dav/nas/open/closed/'],
    ['COPY', '/dav//nas//closed', '/dav/nas/open/closed'],
    ['COPY', '/dav/nas%5Cclosed', '/dav/nas/open/closed'],
    ['COPY', '/dav/nas/closed/secret.txt', '/dav/nas/open/secret.txt'],
    ['COPY', '/dav/nas', '/dav/x/nas'],
    ['COPY', '/dav/way/secret.txt', '/dav/nas/open/secret.txt'],
    ['COPY', '/dav/nas/open/a.txt', '/dav/nas/closed/a.txt'],
    ['COPY', '/dav/nas/open/a.txt', '/davnas/closed/a.txt'],
    ['MOVE', '/dav/nas/closed', '/dav/nas/mine'],
    ['MOVE', '/dav/nas/closed', '/dav/nas/open/mine'],
    ['MOVE', '/dav/nas', '/dav/mine'],
    ['MOVE', '/dav/nas/open', '/dav/nas/closed'],
    ['MOVE', '/dav/nas/open/a.txt', '/dav/nas%2fclosed%2fa.txt'],
    ['MOVE', '/dav/nas/open/a.txt', '/dav/nas\\closed\\a.txt'],
    ['DELETE', '/dav/nas/closed', ''],
    ['DELETE', '/dav/nas/closed/', ''],
    ['DELETE', '/dav/nas/closed/secret.txt', ''],
    ['DELETE', '/dav/nas', ''],
    ['DELETE', '/dav/', ''],
    ['DELETE', '/dav/way', ''],
    ['PUT', '/dav/nas/closed', ''],
    ['PUT', '/dav/nas/closed/new.txt', ''],
    ['MKCOL', '/dav/nas/closed/new', ''],
    ['GET', '/dav/nas/closed/secret.txt', ''],
    ['GET', '/dav/nas//closed/./secret.txt', ''],
    ['POST', '/dav/nas/closed/secret.txt', ''],
    ['GET', '/dav/way/secret.txt', ''],
    ['PROPFIND', '/dav/nas/closed', ''],
  ])('WebDAV: %s %s to %s', async (method, path, destination) => {
    const before = closedFiles()
    const headers = destination === '' ? {} : { Destination: destination, Overwrite: 'T' }
    const answer = await dav(method, path, headers, method === 'PUT' ? 'x' : '')
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).not.toContain(SECRET)
    await expectClosed(before)
  })

  test('a folder that is not there yet is not made where a rule closes it', async () => {
    await rule('/nas/to-come', 'none')
    expect(await post('fs/mkdir', { path: '/nas/to-come' })).toMatchObject({ code: 403 })
    expect((await dav('MKCOL', '/dav/nas/to-come')).status).toBe(403)
    expect(existsSync(join(site.folder, 'nas/to-come'))).toBe(false)
    expect((await dav('MKCOL', '/dav/nas/another')).status).toBe(201)
  })

  test('is listed nowhere, by no depth', async () => {
    const listed = await post('fs/list', { path: '/nas' })
    expect(JSON.stringify(listed)).not.toContain('closed')
    for (const depth of ['1', 'infinity']) {
      const { text } = await dav('PROPFIND', '/dav/', { Depth: depth })
      expect(text).not.toMatch(/closed|secret/)
    }
  })

  test.each(['put', 'form', 'multipart/init'])('an upload in its place: %s', async (name) => {
    const before = closedFiles()
    for (const path of ['/nas/closed', '/nas/%63losed', 'nas\\closed', '/nas/closed/new', '/nas']) {
      const headers = { Authorization: alice, 'File-Path': path, 'X-File-Size': '1' }
      const method = name === 'multipart/init' ? 'POST' : 'PUT'
      const { text } = await raw(method, `/api/fs/${name}`, headers, 'x')
      expect(JSON.parse(text)).not.toMatchObject({ code: 200 })
    }
    await expectClosed(before)
  })

  test('an upload in parts that was begun before', async () => {
    const path = '/nas/later/keep.txt'
    mkdirSync(join(site.folder, 'later'), { recursive: true })
    const headers = { Authorization: alice, 'File-Path': path, 'X-File-Size': '4' }
    const begun = JSON.parse((await raw('POST', '/api/fs/multipart/init', headers, '')).text)
    expect(begun).toMatchObject({ code: 200 })
    await rule('/nas/later', 'none')
    const part = { Authorization: alice, 'X-Upload-Id': begun.data.upload_id, 'X-Chunk-Index': '0' }
    for (const [method, name] of [
      ['PUT', 'chunk'],
      ['POST', 'complete'],
    ] as const) {
      const { text } = await raw(method, `/api/fs/multipart/${name}`, part, 'evil')
      expect(JSON.parse(text)).toMatchObject({ code: 403 })
    }
    expect(existsSync(join(site.folder, 'later/keep.txt'))).toBe(false)
  })

  test('a share of it is not changed to, and not opened again', async () => {
    const made = await post('share/create', { files: ['/nas/open'], id: 'mine' })
    expect(made).toMatchObject({ code: 200 })
    const update = { id: 'mine', files: ['/nas/closed'] }
    expect(await post('share/update', update)).toMatchObject({ code: 403 })
    await site.openlist.asAdmin('POST', '/api/share/update', { ...update, disabled: true })
    expect(await post('share/enable?id=mine', {})).toMatchObject({ code: 403 })
    const shown = await post('fs/list', { path: '/@s/mine' }, '')
    expect(shown.code).not.toBe(200)
  })

  test('files beside a folder have no links', async () => {
    const got = await post('fs/get', { path: '/way/to/mine' })
    expect(got).toMatchObject({ code: 200, data: { name: 'mine', related: null } })
    const headers = { Authorization: alice, 'Content-Type': 'application/json' }
    const bodies = [
      '{"path":"/nas/open","PATH":"/way/to/mine"}',
      '{"path":"/@s/x","Path":"/way/to/mine"}',
    ]
    for (const body of bodies)
      expect((await raw('POST', '/api/fs/get', headers, body)).text).not.toContain('secret')
    const form = { Authorization: alice, 'Content-Type': 'application/x-www-form-urlencoded' }
    expect((await raw('POST', '/api/fs/get', form, 'path=/way/to/mine')).text).not.toContain(
      'secret',
    )
    const asked = await raw('GET', '/api/fs/get?path=/way/to/mine', { Authorization: alice })
    expect(asked.text).not.toContain('secret')
  })

  test('the way in leads to the folder below, and shows nothing else', async () => {
    const names = async (path: string): Promise<string[]> =>
      (await post('fs/list', { path })).data.content.map(({ name }: { name: string }) => name)
    expect((await names('/')).filter((name) => name === 'way')).toEqual(['way'])
    expect(await names('/nas')).not.toContain('closed')
    const root = await dav('PROPFIND', '/dav/', { Depth: '1' })
    expect([root.status, root.text.split('<D:href>/dav/way/</D:href>').length]).toEqual([207, 2])
    expect(await names('/way')).toEqual(['to'])
    expect(await names('/way/to')).toEqual(['mine'])
    expect(await names('/way/to/mine')).toEqual(['b.txt'])
    expect((await post('fs/dirs', { path: '/' })).data).toContainEqual({
      name: 'way',
      modified: '0001-01-01T00:00:00Z',
    })
    expect((await post('fs/dirs', { path: '/way' })).data).toMatchObject([{ name: 'to' }])
    const { status, text } = await dav('PROPFIND', '/dav/way/to/', { Depth: '1' })
    expect([status, text.includes('/dav/way/to/mine/'), text.includes('secret')]).toEqual([
      207,
      true,
      false,
    ])
  })

  test('the answers of the way in have the members of OpenList’s', async () => {
    for (const name of ['fs/list', 'fs/get', 'fs/dirs']) {
      const { data: ours } = await post(name, { path: '/way' })
      const { data: theirs } = await post(name, { path: '/nas' })
      expect(membersOf(ours)).toEqual(membersOf(theirs))
    }
  })

  test('a lock in it is shown to nobody, and ended by nobody else', async () => {
    const bob = ['bob', await site.appPassword(await site.addUser('bob'))] as const
    const Depth = '0'
    const closed = '/nas/closed/plan-of-merger.docx'
    const body = lockInfo('bob at the merger')
    const locked = await site.dav('LOCK', closed, bob, { headers: { Depth }, body })
    const theirs = locked.headers.get('Lock-Token') ?? ''
    // What alice would find by counting on from a lock of her own.
    const there = (method: string, path: string, headers: Record<string, string>, text?: string) =>
      fetch(new URL(`/dav${path}`, site.openlist.client.url), {
        method,
        headers: { Authorization: `Bearer ${openlistToken}`, ...headers },
        ...(text !== undefined && { body: text }),
      })
    const openlistToken = await site.openlist.token()
    const last = await there('LOCK', '/nas/open/last', { Depth }, lockInfo())
    const next = Number(last.headers.get('Lock-Token')?.slice(1, -1))
    const number = `<${next - 1}>`
    const shown = await there('LOCK', '/', { If: `(${number})`, Timeout: 'Second-60' })
    expect(await shown.text()).toContain('plan-of-merger')
    const tagged = (origin: string) => `<${new URL(`/dav${closed}`, origin).href}> `
    const tags = ['', tagged(site.client.url), tagged(site.openlist.client.url)]
    for (const token of [number, theirs])
      for (const tag of tags) {
        const If = `${tag}(${token})`
        const answers = [
          await dav('LOCK', '/dav/nas/open/a.txt', { If }),
          await dav('PUT', '/dav/nas/open/if.txt', { If }, 'x'),
          await dav('DELETE', '/dav/nas/open/a.txt', { If }),
          await dav('MOVE', '/dav/nas/open/a.txt', { If, Destination: '/dav/nas/open/b.txt' }),
        ]
        for (const { status, text } of answers)
          expect([status, text]).toEqual([412, 'Precondition Failed'])
        const unlocked = await dav('UNLOCK', '/dav/nas/open/a.txt', { 'Lock-Token': token })
        expect(unlocked.status).toBe(409)
      }
    const If = `(${theirs})`
    const renewed = await site.dav('LOCK', closed, bob, { headers: { If } })
    expect([renewed.status, await renewed.text()]).toEqual([
      200,
      expect.stringMatching(/bob at the merger(?!.*\d{10}<\/D:href>).*plan-of-merger/s),
    ])
    const headers = { 'Lock-Token': theirs }
    expect((await site.dav('UNLOCK', closed, bob, { headers })).status).toBe(204)
    await there('UNLOCK', '/nas/open/last', { 'Lock-Token': `<${next}>` })
  })

  test('a lock in it is not told to a user with a base folder, by the same path below it', async () => {
    const bob = ['ben', await site.appPassword(await site.addUser('ben'))] as const
    const eve = await site.addUser('eve', { base_path: '/nas/open' })
    const own = ['eve', await site.appPassword(eve)] as const
    const closed = '/nas/closed/plan-of-merger.docx'
    const headers = { Depth: '0' }
    const locked = await site.dav('LOCK', closed, bob, { headers, body: lockInfo() })
    expect(locked.status).toBe(200)
    for (const [method, status] of [
      ['DELETE', 404],
      ['PROPPATCH', 404],
      ['MKCOL', 409],
      ['PUT', 201],
    ] as const)
      for (const path of [closed, closed.replace('merger', 'nobody')])
        expect([method, path, (await site.dav(method, path, own, { body: '' })).status]).toEqual([
          method,
          path,
          status,
        ])
    expect(
      (await site.dav('PUT', '/nas/closed/plan-of-merger.docx', bob, { body: 'x' })).status,
    ).toBe(423)
  })

  test('what is not closed goes on', async () => {
    expect(await post('fs/copy', { ...from, ...to, names: ['shown'] })).toMatchObject({ code: 200 })
    await vi.waitFor(() => expect(tree('nas/open')).toHaveProperty(['shown/read.txt']))
    const moved = { path: '/nas/open/a.txt', name: 'b.txt' }
    expect(await post('fs/rename', moved)).toMatchObject({ code: 200 })
    const removed = { dir: '/nas/open', names: ['b.txt'] }
    expect(await post('fs/remove', removed)).toMatchObject({ code: 200 })
    const headers = { Destination: '/dav/way/to/mine/a.zip' }
    expect((await dav('MOVE', '/dav/nas/open/a.zip', headers)).status).toBe(201)
    expect((await dav('PUT', '/dav/way/to/mine/c.txt', {}, 'c')).status).toBe(201)
    expect((await dav('DELETE', '/dav/way/to/mine/c.txt')).status).toBe(204)
  })

  /** Begins a copy. @returns The id of its task. */
  async function queued(source: object): Promise<string> {
    const { data } = await post('fs/copy', { ...to, overwrite: true, ...source })
    return data.tasks[0].id
  }

  /** Sets how many copies run at once. @returns How many did. */
  async function workers(value: string): Promise<string> {
    const setting = await site.openlist.asAdmin('GET', `/api/admin/setting/get?key=${WORKERS}`)
    await site.openlist.asAdmin('POST', '/api/admin/setting/save', [{ ...setting, value }])
    return setting.value
  }

  test('a copy is begun again by an admin alone', async () => {
    const id = await queued({ src_dir: '/nas', names: ['shown'] })
    await vi.waitFor(() => expect(tree('nas/open')).toHaveProperty(['shown/read.txt']))
    const retry = (as?: string) => post(`task/copy/retry?tid=${id}`, {}, as)
    expect(await retry()).toMatchObject({ code: 403 })
    expect(await post('task/copy/retry_some', [id, id])).toMatchObject({ code: 403 })
    rmSync(join(site.folder, 'nas/open/shown'), { recursive: true })
    expect(await retry(await site.adminToken())).toMatchObject({ code: 200 })
    await vi.waitFor(() => expect(tree('nas/open')).toHaveProperty(['shown/read.txt']))
  })

  test('a copy that waits and is deleted from the list does not begin', async () => {
    const before = await workers('0')
    try {
      const [one, two] = [
        await queued({ src_dir: '/nas', names: ['shown'] }),
        await queued({ src_dir: '/nas', names: ['shown'] }),
      ]
      const last = await queued({ src_dir: '/way/to/mine', names: ['b.txt'] })
      expect(await post(`task/copy/delete?tid=${one}`, {})).toMatchObject({ code: 200 })
      expect(await post('task/copy/delete_some', [two])).toMatchObject({ code: 200, data: {} })
      const { data } = await site.client.call('GET', '/api/task/copy/undone', { token: alice })
      expect(data).toMatchObject([{ id: last }])
      await workers(before)
      await vi.waitFor(() => expect(tree('nas/open')).toHaveProperty(['b.txt']), 20_000)
      expect(tree('nas/open')).not.toHaveProperty(['shown/read.txt'])
    } finally {
      await workers(before)
    }
  })

  test('a copy that waits is cancelled when its right is taken, and others are not', async () => {
    const tasks = async (which: 'undone' | 'done'): Promise<{ id: string; state: number }[]> =>
      (await site.client.call('GET', `/api/task/copy/${which}`, { token: alice })).data
    const stateOf = async (id: string, which: 'undone' | 'done') =>
      (await tasks(which)).find((task) => task.id === id)?.state
    const { content } = await site.asAdmin('GET', '/api/admin/folder_rule/list?path=/nas/shown')
    const change = (access: string) =>
      site.asAdmin('POST', '/api/admin/folder_rule/update', { id: content[0].id, access })
    const before = await workers('0')
    try {
      const taken = await queued({ src_dir: '/nas', names: ['shown'] })
      const kept = await queued({ src_dir: '/way/to/mine', names: ['b.txt'] })
      expect(await change('none')).toEqual({ waiting: 0 })
      put('nas/shown/later.txt', 'put there later')
      expect([await stateOf(taken, 'undone'), await stateOf(kept, 'undone')]).toEqual([3, 0])
      await workers(before)
      await vi.waitFor(async () => {
        expect([await stateOf(taken, 'done'), await stateOf(kept, 'done')]).toEqual([4, 2])
      }, 20_000)
      await vi.waitFor(() => expect(tree('nas/open')).toHaveProperty(['b.txt']))
      expect(tree('nas/open')).not.toHaveProperty(['shown/later.txt'])
      expect(tree('nas/open')).not.toHaveProperty(['shown/read.txt'])
    } finally {
      await workers(before)
      await change('read')
    }
  })

  test.each<[string, Record<string, unknown> | undefined]>([
    ['permission', { permission: ALL_RIGHTS & ~PERMISSION.copy }],
    ['folder', { base_path: '/nas/shown' }],
    ['disabled', { disabled: true }],
    ['deleted', undefined],
  ])('a copy that waits does not begin once its user is changed: %s', async (name, change) => {
    const user = `dora-${name}`
    const dora = await site.addUser(user)
    const before = await workers('0')
    const isThere = async (which: 'undone' | 'done', state: number) => {
      const tasks = await site.openlist.asAdmin('GET', `/api/task/copy/${which}`)
      const states = (tasks ?? []).filter((task: { creator: string }) => task.creator === user)
      expect(states).toMatchObject([{ state }])
    }
    try {
      const copy = { src_dir: '/nas/open', dst_dir: '/way', names: ['a.txt'] }
      expect(await post('fs/copy', copy, dora)).toMatchObject({ code: 200 })
      await isThere('undone', 0)
      const { id } = await site.user(user)
      await (change === undefined
        ? site.asAdmin('POST', `/api/admin/user/delete?id=${String(id)}`)
        : site.change(user, change))
      await isThere('undone', 3)
      await workers(before)
      await vi.waitFor(() => isThere('done', 4), 20_000)
      expect(tree('way')).not.toHaveProperty(['a.txt'])
    } finally {
      await workers(before)
    }
  })

  test('a folder with rules is not moved by an admin', async () => {
    const admin = await site.adminToken()
    const move = { src_dir: '/', dst_dir: '/x', names: ['nas'] }
    expect(await post('fs/move', move, admin)).toMatchObject({
      code: 403,
      message: 'this folder has rules, ask an administrator',
    })
  })

  /** Begins a download by the link of an administrator, and reads none of it until `end`. */
  async function holdDownload(path: string): Promise<{ end: () => void }> {
    const { data } = await post('fs/get', { path }, await site.adminToken())
    const { pathname, search } = new URL(data.raw_url, site.client.url)
    const { hostname, port } = new URL(site.client.url)
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path: pathname + search }, (answer) => {
        answer.pause()
        resolve({ end: () => void sent.destroy() })
      })
      sent.on('error', reject)
      sent.end()
    })
  }

  const LARGE = Buffer.alloc(64 << 20, SECRET)

  test.each([
    [
      'moved with its rules',
      () =>
        site.asAdmin('POST', '/api/admin/folder_rule/move', {
          path: '/nas/kept',
          to: '/nas/closed/kept',
        }),
    ],
    [
      'deleted, and its rule',
      async () => {
        const { content } = await site.asAdmin('GET', '/api/admin/folder_rule/list?path=/nas/kept')
        await site.asAdmin('POST', '/api/fs/remove', { dir: '/nas', names: ['kept'] })
        await site.asAdmin('POST', `/api/admin/folder_rule/delete?id=${content[0].id}`)
      },
    ],
  ])('a folder %s is not kept under its old path by a download', async (_, take) => {
    put('nas/kept/large.bin', LARGE)
    await rule('/nas/kept', 'none')
    const { end } = await holdDownload('/nas/kept/large.bin')
    try {
      await take()
      put('nas/open/mine/large.bin', 'mine')
      expect(await post('fs/rename', { path: '/nas/open/mine', name: 'kept' })).toMatchObject({
        code: 200,
      })
      const moved = { src_dir: '/nas/open', dst_dir: '/nas', names: ['kept'] }
      expect(await post('fs/move', moved)).toMatchObject({ code: 200 })
      expect(await dav('GET', '/dav/nas/kept/large.bin')).toEqual({ status: 200, text: 'mine' })
    } finally {
      end()
      const { content } = await site.asAdmin('GET', '/api/admin/folder_rule/list?per_page=100')
      for (const { id, path } of content)
        if (/kept/.test(path)) await site.asAdmin('POST', `/api/admin/folder_rule/delete?id=${id}`)
    }
  })

  async function davAll(method: string, a: string, b: string): Promise<string> {
    const answer = await dav(method, `/dav${a}`, { Destination: `/dav${b}`, Overwrite: 'T' })
    return answer.text
  }

  async function callAll(a: string, b: string): Promise<string> {
    const names = [a.replace(/^[\\/]/, '')]
    return JSON.stringify([
      await post('fs/copy', { src_dir: '/nas', dst_dir: b, names, overwrite: true }),
      await post('fs/copy', { src_dir: a, dst_dir: '/nas/open', names: ['closed'] }),
      await post('fs/rename', { path: a, name: 'mine' }),
    ])
  }

  test('no spelling of a request takes anything out of it', async () => {
    const segment = constantFrom('nas', 'closed', 'open', '.', '..', '', 'secret.txt', '%63losed')
    const slash = constantFrom('/', '\\', '%2f', '%5c', '//', '/./')
    const path = array(tuple(slash, segment), { minLength: 1, maxLength: 5 }).map((parts) =>
      parts.map((part) => part.join('')).join(''),
    )
    const before = closedFiles()
    await assert(
      asyncProperty(path, path, constantFrom('COPY', 'MOVE', 'api', 'GET'), async (a, b, how) => {
        const texts = how === 'api' ? await callAll(a, b) : await davAll(how, a, b)
        expect(texts).not.toContain(SECRET)
        await expectClosed(before)
        if (!existsSync(join(site.folder, 'nas/open'))) fill()
      }),
      { numRuns: RUNS },
    )
  })

  function readTeam(): Promise<Envelope> {
    return post('fs/list', { path: '/nas/team' })
  }

  /** Reads again and again, until the end. */
  function readWhile(state: { isAsking: boolean }) {
    const asking = (async () => {
      while (state.isAsking) await readTeam()
    })()
    return {
      end: () => {
        state.isAsking = false
        return asking
      },
    }
  }

  test('is closed at once to whom a group loses, also to one who asks all the time', async () => {
    put('nas/team/plan.txt', SECRET)
    const { id } = await site.asAdmin('POST', '/api/admin/group/create', { name: 'team' })
    const body = { path: '/nas/team', group: 'team', access: 'read' }
    await site.asAdmin('POST', '/api/admin/folder_rule/create', body)
    const member = { id, users: [aliceId] }
    for (let round = 0; round < 10; round++) {
      await site.asAdmin('POST', '/api/admin/group/member/add', member)
      expect(await readTeam()).toMatchObject({ code: 200 })
      const asking = readWhile({ isAsking: true })
      await site.asAdmin('POST', '/api/admin/group/member/remove', member)
      const codes = await Promise.all([
        readTeam(),
        post('fs/copy', { ...from, ...to, names: ['team'] }),
      ])
      expect(codes.map(({ code }) => code)).toEqual([403, 403])
      await asking.end()
      expect(await readTeam()).toMatchObject({ code: 403 })
    }
    expect(tree('nas/open')).not.toHaveProperty(['team/plan.txt'])
  })

  test.skipIf(rclone === undefined)('rclone takes nothing out of it', async () => {
    const { printed: obscured } = await execute(rclone ?? '', ['obscure', password])
    const env = {
      RCLONE_CONFIG_LK_TYPE: 'webdav',
      RCLONE_CONFIG_LK_URL: `${site.client.url}/dav`,
      RCLONE_CONFIG_LK_USER: 'alice',
      RCLONE_CONFIG_LK_PASS: obscured.trim(),
      RCLONE_RETRIES: '1',
      RCLONE_LOW_LEVEL_RETRIES: '1',
    }
    const run = (...args: string[]) => execute(rclone ?? '', args, { env })
    const before = closedFiles()
    for (const args of [
      ['cat', 'lk:nas/closed/secret.txt'],
      ['copyto', 'lk:nas/closed', 'lk:nas/open/closed'],
      ['moveto', 'lk:nas/closed', 'lk:nas/open/closed'],
      ['purge', 'lk:nas/closed'],
      ['purge', 'lk:nas'],
      ['deletefile', 'lk:nas/closed/secret.txt'],
    ]) {
      const { printed } = await run(...args)
      expect(printed).not.toContain(SECRET)
    }
    expect(closedFiles()).toEqual(before)
    fill()
    expect((await run('lsf', '-R', 'lk:way')).printed).toContain('to/mine/b.txt')
    expect((await run('lsf', '-R', 'lk:')).printed).not.toMatch(/closed|secret/)
  })
})
