import { appendFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
} from 'vitest'
import { DATA_SOCKET } from '../../src/programs/site/running-site.ts'
import { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { FILES_TOKEN, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { CANCELED, PENDING } from '../support/openlist-tasks.ts'

const PASSWORD = 'alice-Passw0rd'

let openlist: OpenListStandIn
let server: Server
let address: string
let clone: Clone
let site: Client
let alice: number

beforeAll(async () => {
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  server = createServer(async (asked, answer) => {
    const chunks = await asked.toArray()
    const { method = 'GET', url = '/', headers } = asked
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
    const sent = new Headers({ Authorization: headers.authorization ?? '' })
    for (const name of ['x-forwarded-host', 'x-forwarded-proto'])
      sent.set(name, String(headers[name] ?? ''))
    const given = await openlist.send(address + url, { method, headers: sent, ...body })
    answer.writeHead(given.status, Object.fromEntries(given.headers))
    answer.end(Buffer.from(await given.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve))
  clone = new Clone(inject('startedSite'))
  appendFileSync(clone.path('.dev.vars'), `FILES_TOKEN=${FILES_TOKEN}\n`)
  openlist = new OpenListStandIn()
  const sitePort = await freePort()
  // No file has the address: the commands ask the site for it.
  await clone.start({ PORT: sitePort }, { args: ['--files', address] }).until('serves on')
  site = new Client(`http://127.0.0.1:${sitePort}`)
  const { token } = (await site.signIn('admin', ADMIN_PASSWORD)).data
  await site.call('POST', '/api/admin/user/create', {
    token,
    body: { username: 'alice', password: PASSWORD },
  })
  alice = Number(clone.sql('select id from users where username = ?', 'alice')[0]?.['id'])
})
afterAll(async () => {
  await clone.remove()
  server.close()
})
beforeEach(() => {
  openlist = new OpenListStandIn()
  Object.assign(openlist.settings, {
    link_expiration: '24',
    sign_all: 'true',
    version: 'v4.2.6 (Commit: 0b1e9d0) - Frontend: v4.2.6 - Build at: unknown',
    proxy_ignore_headers: 'authorization,referer',
  })
  openlist.files = { '/local/a b.txt': '' }
  clone.sql('delete from file_users')
})

const run = (...args: string[]) => clone.command(['files', ...args])
const setting = (...args: string[]) => clone.command(['setting', ...args])
const setRule = (...words: string[]) => clone.command(['folder-rule', 'set', ...words])
const doctor = async () => (await clone.command(['doctor'])).stdout
/** Makes alice a user there, as her first request does. */
async function use(): Promise<void> {
  const { token } = (await site.signIn('alice', PASSWORD)).data
  const listed = await site.call('POST', '/api/fs/list', { token, body: { path: '/' } })
  expect(listed).toMatchObject({ code: 200 })
}
const there = () => openlist.user('alice')
/** Somebody who is at OpenList only. */
const THEIRS = { password: 'theirs', base_path: '/', role: 0, permission: 0, disabled: false }

describe('latchkey files', () => {
  test('check finds nothing wrong with an OpenList that is set up', async () => {
    const { code, stdout } = await run('check')
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/warn|fail/)])
    expect(stdout).toContain(
      `ok    file server    ${address} is OpenList v4.2.6, and takes FILES_TOKEN\n`,
    )
    expect(stdout).toMatch(/ok {4}site_url {7}links have the address of this site/)
    expect(stdout).not.toContain(FILES_TOKEN)
  })

  test('check warns of a look that the account pages do not share', async () => {
    clone.sql("insert into settings (key, value) values ('site_title', 'Ours')")
    openlist.settings['site_title'] = 'Theirs'
    expect((await run('check')).stdout).toMatch(/warn +look +site_title: the pages of the account/)
    openlist.settings['site_title'] = 'Ours'
    expect((await run('check')).stdout).not.toContain('site_title')
    clone.sql("delete from settings where key = 'site_title'")
  })

  test('setting set writes the look to both, and refuses what is set at OpenList', async () => {
    expect(await setting('set', 'site_title', 'Both')).toMatchObject({ code: 0 })
    expect(openlist.settings['site_title']).toBe('Both')
    expect((await run('check')).stdout).not.toContain('site_title')
    openlist.answer = ({ path }) =>
      path === '/api/admin/setting/save' ? new Response('', { status: 500 }) : undefined
    expect(await setting('reset', 'site_title')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the file server gave no usable answer'),
    })
    openlist.answer = undefined
    expect((await setting('get', 'site_title')).stdout).toBe('Both\n')
    expect(await setting('set', 'hide_files', '/x/')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('hide_files is a setting of the file server'),
    })
    expect(await setting('reset', 'site_title')).toMatchObject({ code: 0 })
    expect(openlist.settings['site_title']).toBe('Latchkey')
  })

  test('check says what is wrong, and what to do', async () => {
    openlist.settings = {
      ...openlist.settings,
      link_expiration: '0',
      sign_all: 'false',
      filter_readme_scripts: 'false',
    }
    openlist.siteUrl = 'https://old.example'
    openlist.settings['ldap_login_enabled'] = 'true'
    openlist.users.push({ ...THEIRS, id: 50, username: 'bob' })
    clone.sql(
      `insert into file_users (user_id, remote_id, remote_name) values (?, 60, 'alice')`,
      alice,
    )
    const { code, stdout } = await run('check')
    expect(code).toBe(0)
    for (const text of [
      'links of OpenList begin with https://old.example',
      'sign_all is off',
      'filter_readme_scripts is off',
      'ldap_login_enabled',
      'never end',
      'alice: the user',
      'bob: at',
    ])
      expect(stdout).toContain(text)
  })

  test.each([
    ['no answer', () => (openlist.answer = () => new Response('x')), /gives no answer of OpenList/],
    [
      'another token',
      () => (openlist.token = 'another'),
      /refuses FILES_TOKEN\n.*→ copy .*; a container .* OPENLIST_DATA/,
    ],
    ['an empty token', () => (openlist.token = ''), /has an empty token\b.*\n.*→ reset/],
    ['an old version', () => (openlist.settings['version'] = 'v4.2.4'), /older than 4\.2\.5/],
  ])('check fails for %s', async (_, arrange, text) => {
    arrange()
    const { code, stdout } = await run('check')
    expect([code, stdout]).toEqual([1, expect.stringMatching(text)])
  })

  test.each(['', 'referer', 'Authorization', 'referer, authorization', 'authorization\nreferer'])(
    'check fails for proxy_ignore_headers %j',
    async (value) => {
      openlist.settings['proxy_ignore_headers'] = value
      const { code, stdout } = await run('check')
      const text = /fail {2}headers .*sends FILES_TOKEN and passwords/
      expect([code, stdout]).toEqual([1, expect.stringMatching(text)])
    },
  )

  test('check says that nobody answers, in words', async () => {
    const { code, stdout } = await run('check', '--files', `http://127.0.0.1:${await freePort()}`)
    expect(code).toBe(1)
    expect(stdout).toMatch(/does not answer: no connection \(ECONNREFUSED\)\n +→ start OpenList/)
  })

  test('check says that no link was seen where there is no file', async () => {
    openlist.files = {}
    const { code, stdout } = await run('check')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/warn {2}site_url {7}not seen/)])
  })

  test('check looks past a storage that links to an address of its own', async () => {
    openlist.files = { '/cloud/b.txt': 'https://cloud.example/p/local/b.txt', '/local/x/c.txt': '' }
    openlist.siteUrl = 'https://old.example'
    expect((await run('check')).stdout).toContain(
      'links of OpenList begin with https://old.example',
    )
  })

  test('check asks for an address, where none is set', async () => {
    const other = new Clone(inject('startedSite'))
    onTestFinished(() => other.remove())
    const { code, stderr } = await other.command(['files', 'check'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('name it with --files')])
  })

  test('check says that a running site is older which does not know its question', async () => {
    const other = new Clone(inject('startedSite'))
    onTestFinished(() => other.remove())
    const answer = JSON.stringify({ error: 'Invalid type: Expected Object but received Object' })
    const older = createServer((_, response) => response.end(answer))
    await new Promise<void>((resolve) => older.listen(other.path(DATA_SOCKET), resolve))
    onTestFinished(() => void older.close())
    expect(await other.command(['files', 'check'])).toMatchObject({
      code: 1,
      stderr:
        'The site that is running is older than this command: end it, and run npm start again.\n',
    })
  })

  test('doctor has a line for it', async () => {
    expect(await doctor()).toMatch(/ok {4}file server .* is OpenList v4\.2\.6/)
    openlist.settings['sign_all'] = 'false'
    expect(await doctor()).toMatch(/warn {2}links .*sign_all is off/)
    openlist.answer = () => new Response('x')
    expect(await doctor()).toMatch(/fail {2}file server .*gives no answer of OpenList/)
  })

  test('check and doctor say what OpenList lacks of folder rules', async () => {
    await use()
    openlist.folders.push('/nas')
    await setRule('/nas', '--user', 'alice', 'write')
    const found = (await run('check')).stdout
    expect(found).toMatch(/ok {4}folder rules +OpenList has the users of 1 folders with rules/)
    expect(found).not.toContain('may still work on')
    expect(found).toMatch(
      /warn {2}folder rules +alice at \/nas: may write by a rule, and has no perm/,
    )
    openlist.answer = ({ path }) =>
      path === '/api/admin/meta/create' ? new Response('', { status: 500 }) : undefined
    openlist.metas.rows.splice(0)
    openlist.folders.splice(0, 1, '/other')
    openlist.storages['/second'] = 'Alias'
    clone.sql('insert into file_requests values (?, ?, ?, ?)', 'x', alice, '', Date.now() + 60_000)
    for (const text of [(await run('check')).stdout, await doctor()]) {
      expect(text).toMatch(/warn {2}folder rules +\/nas: OpenList does not have what the rules say/)
      expect(text).toMatch(/warn {2}folder rules +\/nas: OpenList has no such folder/)
      expect(text).toMatch(/warn {2}folder rules +.*the same files stand at another path/)
      expect(text).toMatch(/warn {2}folder rules +OpenList may still work on requests .*: 1\n/)
    }
    clone.sql('delete from file_requests')
    openlist.answer = undefined
    await clone.command(['folder-rule', 'sync'])
    clone.sql("update folder_state set written = ''")
    for (const text of [(await run('check')).stdout, await doctor()])
      expect(text).toMatch(/warn {2}folder rules +OpenList has not ended all tasks/)
    await setRule('/nas', '--user', 'alice', 'unset')
    expect((await run('check')).stdout).not.toContain('folder rules')
    // As after the restore of a backup that is older than the rule of this folder.
    openlist.metas.put({ path: '/nas/team', read_users: [9], read_users_sub: true })
    for (const text of [(await run('check')).stdout, await doctor()])
      expect(text).toMatch(
        /warn {2}folder rules +\/nas\/team: OpenList lists users.* users of the folder above can copy/,
      )
  })

  test('doctor says that a second host lacks the address of the accounts', async () => {
    const other = new Clone(inject('startedSite'))
    onTestFinished(() => other.remove())
    const vars = `FILES_ORIGIN=${address}\nFILES_TOKEN=${FILES_TOKEN}\nFILES_HOST=files.example.org\n`
    appendFileSync(other.path('.dev.vars'), vars)
    expect((await other.command(['doctor'])).stdout).toMatch(
      /warn {2}files host .*files\.example\.org: it needs SITE_ADDRESS/,
    )
    appendFileSync(other.path('.dev.vars'), 'SITE_ADDRESS=https://accounts.example.org\n')
    expect((await other.command(['doctor'])).stdout).not.toContain('files host')
  })

  test('import from another Latchkey says how its look gets to OpenList', async () => {
    const [old, other] = [new Clone(inject('startedSite')), new Clone(inject('startedSite'))]
    onTestFinished(() => [old, other].forEach((each) => void each.remove()))
    const next = 'Next: OpenList keeps its title, logo, colour and announcement.'
    appendFileSync(other.path('.dev.vars'), `FILES_ORIGIN=${address}\nFILES_TOKEN=${FILES_TOKEN}\n`)
    expect((await other.command(['import', old.database])).stdout).not.toContain(next)
    await old.command(['setting', 'set', 'site_title', 'Moved'])
    expect((await other.command(['import', old.database])).stdout).toContain(next)
  })

  test('link makes a user be one of OpenList, status shows it, unlink ends it', async () => {
    // As OpenList numbers them after Latchkey has made one of a far id.
    const id = 1_000_000_009
    openlist.users.push({ ...THEIRS, id, username: 'old-alice' })
    const linked = await run('link', 'alice', String(id))
    expect(linked.stdout).toBe(`alice is old-alice of OpenList (${id}).\n`)
    expect((await run('status')).stdout).toMatch(/alice.*1000000009.*old-alice.*not used yet/)
    expect((await run('link', 'alice', String(id))).stderr).toContain('is linked already')
    expect((await run('unlink', 'alice')).stdout).toBe(
      'alice is no longer old-alice of OpenList.\n',
    )
    expect((await run('status')).stderr).toContain('No user is linked')
    expect((await run('unlink', 'alice')).stderr).toContain('is linked to no user')
  })

  test.each([
    ['admin', '50', 'Admins act as the admin'],
    ['alice', '1', 'neither admin nor guest'],
    ['alice', '2', 'neither admin nor guest'],
    ['alice', '77', 'neither admin nor guest'],
  ])('link refuses %s %s', async (name, id, text) => {
    const { code, stderr } = await run('link', name, id)
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)])
    expect(clone.sql('select * from file_users')).toEqual([])
  })
})

describe('a command that changes a user writes it to OpenList before it ends', () => {
  test('disable, enable, permission and folder', async () => {
    await use()
    expect(there()).toMatchObject({ disabled: false })
    expect(await clone.command(['user', 'disable', 'alice'])).toMatchObject({ code: 0, stderr: '' })
    expect(there()).toMatchObject({ disabled: true, permission: 0 })
    await clone.command(['user', 'enable', 'alice'])
    expect(there()).toMatchObject({ disabled: false })
    await clone.command(['user', 'set', 'alice', '--permission', '8', '--base-path', '/x'])
    expect(there()).toMatchObject({ permission: 8, base_path: '/x' })
  })

  test('says when it is written while OpenList does not take it', async () => {
    await use()
    openlist.answer = ({ path }) => (path.startsWith('/api/admin/') ? new Response('x') : undefined)
    const { code, stderr } = await clone.command(['user', 'disable', 'alice'])
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /OpenList does not have this change yet: .* The site tries again every minute\./,
    )
    openlist.answer = undefined
    await clone.command(['user', 'enable', 'alice'])
    expect(there()).toMatchObject({ disabled: false })
  })

  test('tasks that wait, too, where there are rules', async () => {
    await use()
    openlist.folders.push('/nas')
    await setRule('/nas', '--group', 'guest', 'none')
    const name = 'copy [/](/a) to [/](/b)'
    const task = { kind: 'copy', name, creator: 'alice', creator_role: 0, state: PENDING }
    openlist.tasks.rows.push({ id: 'own', ...task, state: PENDING })
    expect(await clone.command(['user', 'disable', 'alice'])).toMatchObject({ code: 0, stderr: '' })
    expect(openlist.tasks.rows).toMatchObject([{ state: CANCELED }])
    await clone.command(['user', 'enable', 'alice'])
    await setRule('/nas', '--group', 'guest', 'unset')
  })

  test('delete', async () => {
    await use()
    expect(await clone.command(['user', 'delete', 'alice', '--yes'])).toMatchObject({ code: 0 })
    expect(there()).toBeUndefined()
  })
})
