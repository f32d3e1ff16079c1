import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  introspectionRequest,
  processIntrospectionResponse,
} from 'oauth4webapi'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { randomBytes } from '../../src/core/deps.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { phoneCode } from '../support/authenticator.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { ServedWorker } from '../support/served-worker.ts'
import { execute, findProgram } from './programs.ts'
import { ProxiedEcho, ProxiedFiles } from './proxies.ts'
import { SftpgoServer } from './sftpgo-server.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
const PASSWORD = 'alice-Passw0rd'
/** Bits 8 to 11. */
const FILES = 0xf << 8
const REQUESTS = 1000

const sftpgo = findProgram('SFTPGO_BIN', 'sftpgo')
const rclone = findProgram('RCLONE_BIN', 'rclone')
const nginx = findProgram('NGINX_BIN', 'nginx')
const caddy = findProgram('CADDY_BIN', 'caddy')

const PROXIES = [
  { name: 'nginx', program: nginx },
  { name: 'caddy', program: caddy },
] as const

let worker: ServedWorker
let admin: string
/** Her session. She uses two-step verification. */
let alice: string
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-tokens-'))
  worker = await ServedWorker.start(inject('workerFolder'))
  await worker.setUp(ADMIN_PASSWORD)
  admin = await signIn('admin', ADMIN_PASSWORD)
  const user = { username: 'alice', password: PASSWORD, permission: FILES }
  await worker.call('POST', '/api/admin/user/create', { token: admin, body: user })
  alice = await signIn('alice', PASSWORD)
  const { data } = await worker.call('POST', '/api/auth/2fa/generate', { token: alice })
  const body = { code: phoneCode(data.secret, Date.now()), secret: data.secret }
  await worker.call('POST', '/api/auth/2fa/verify', { token: alice, body })
})

afterAll(async () => {
  await worker.stop()
  rmSync(folder, { recursive: true })
})

async function signIn(username: string, password: string): Promise<string> {
  const body = { username, password }
  return (await worker.call('POST', '/api/auth/login', { body })).data.token
}

let created = 0

async function appPassword(...scopes: string[]): Promise<{ id: number; token: string }> {
  const body = { name: `program ${++created}`, scopes }
  return (await worker.call('POST', '/api/me/tokens/create', { token: alice, body })).data
}

async function remove(id: number): Promise<void> {
  await worker.call('POST', `/api/me/tokens/delete?id=${id}`, { token: alice })
}

async function serviceToken(name: string, scope: 'sftp' | 'introspect'): Promise<string> {
  const db = openDatabase(await worker.database(), createMeter())
  return (await addServiceToken({ db, now: Date.now, randomBytes }, name, scope)) ?? ''
}

/** Everything that a request could have written. */
async function readAll(): Promise<string> {
  const d1 = await worker.database()
  const tables = ['users', 'sessions', 'app_passwords', 'audit_events', 'throttle_counters']
  const rows = await Promise.all(
    tables.map(async (table) => (await d1.prepare(`select * from ${table}`).all()).results),
  )
  return JSON.stringify(rows)
}

/** A remote of rclone that needs no file of settings. */
async function remote(url: string, password: string): Promise<string> {
  const { printed } = await execute(rclone ?? '', ['obscure', password])
  return `:webdav,url='${url}',vendor=other,user=alice,pass='${printed.trim()}':`
}

function runRclone(...args: string[]) {
  return execute(rclone ?? '', ['--config', '/dev/null', '--retries', '1', ...args])
}

describe.skipIf(sftpgo === undefined)('a real SFTPGo, with two-step verification on', () => {
  let server: SftpgoServer
  let upload: string

  beforeAll(async () => {
    upload = join(folder, 'upload.txt')
    writeFileSync(upload, 'from alice\n')
    const token = await serviceToken('sftpgo', 'sftp')
    server = await SftpgoServer.start(sftpgo ?? '', worker.url.origin, token)
  })
  afterAll(() => server.stop())
  beforeEach(() => server.moveClients())

  test('refuses the password of the account over WebDAV, FTP and SFTP', async () => {
    expect(await server.webdav('alice', PASSWORD)).toBe(401)
    expect((await server.ftp('alice', PASSWORD)).status).toBe(67)
    for (const method of ['password', 'keyboard-interactive'] as const)
      expect((await server.sftp('alice', { password: PASSWORD, method }, 'ls')).status).toBe(255)
    expect(worker.log.join('\n')).toContain('make an app password')
  })

  test('takes an app password over all three, until it is deleted', async () => {
    const { id, token } = await appPassword('files:write')
    expect(await server.webdav('alice', token, 'PUT', '/dav.txt')).toBe(201)
    expect((await server.ftp('alice', token)).status).toBe(0)
    const wrote = await server.sftp('alice', { password: token }, `put ${upload} sftp.txt`, 'ls -1')
    expect(wrote.printed).toContain('sftp.txt')
    await remove(id)
    expect(await server.webdav('alice', token)).toBe(401)
    expect((await server.ftp('alice', token)).status).toBe(67)
    expect((await server.sftp('alice', { password: token }, 'ls')).status).toBe(255)
  })

  test('lets one for reading write nothing', async () => {
    const { token } = await appPassword('files:read')
    expect(await server.webdav('alice', token)).toBe(207)
    expect(await server.webdav('alice', token, 'PUT', '/no.txt')).toBe(403)
    await server.sftp('alice', { password: token }, `put ${upload} no.txt`)
    const { printed } = await server.sftp('alice', { password: token }, 'ls -1')
    expect(printed).not.toContain('no.txt')
  })

  test('takes none for the account, which opens no files', async () => {
    const { token } = await appPassword('account:read')
    expect(await server.webdav('alice', token)).toBe(401)
  })

  // SFTPGo asks, and writes to its own database, at each of them.
  test(`serves ${REQUESTS} PROPFINDs without a hash and with one write`, async () => {
    const { token } = await appPassword('files:read')
    expect(await server.webdav('alice', token)).toBe(207)
    await worker.fetch('/ping')
    const before = await readAll()
    const logged = worker.log.length
    const start = performance.now()
    for (let n = 1; n < REQUESTS; n++) {
      expect(await server.webdav('alice', token)).toBe(207)
    }
    expect(await readAll()).toBe(before)
    const asked = worker.log
      .slice(logged)
      .filter((line) => line.includes('/api/sftp/external_auth'))
      .map((line): { trips: number; code: number } => JSON.parse(line))
    const seconds = Math.round((performance.now() - start) / 1000)
    console.log(`SFTPGo asked ${asked.length} times in ${seconds} s.`)
    expect(asked.length).toBeGreaterThan(0)
    // A check of a password needs two round trips and a hash between them.
    expect(asked.filter(({ trips, code }) => trips !== 1 || code !== 200)).toEqual([])
  })

  test.skipIf(rclone === undefined)('serves rclone', async () => {
    const { id, token } = await appPassword('files:write')
    const reading = await appPassword('files:read')
    const [writer, reader] = [
      await remote(server.webdavUrl, token),
      await remote(server.webdavUrl, reading.token),
    ]
    const copied = await runRclone('copyto', upload, `${writer}rclone.txt`)
    expect(copied, copied.printed).toMatchObject({ status: 0 })
    expect((await runRclone('cat', `${reader}rclone.txt`)).printed).toBe('from alice\n')
    expect((await runRclone('deletefile', `${reader}rclone.txt`)).status).not.toBe(0)
    await remove(id)
    expect((await runRclone('lsf', writer)).status).not.toBe(0)
    expect((await runRclone('lsf', await remote(server.webdavUrl, PASSWORD))).status).not.toBe(0)
  })
})

/** The header of basic authentication. */
const as = (token: string, user = 'alice') => ({
  Authorization: `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`,
})

/** The headers by which a server behind a proxy knows its user. */
const TOLD = ['Remote-User', 'Remote-Groups', 'X-Base-Path', 'X-Permission']

const ABOUT_ALICE = [
  ['remote-groups', 'user'],
  ['remote-user', 'alice'],
  ['x-base-path', '/'],
  ['x-permission', String((1 << 8) | (1 << 10))],
]

const spelled = (spell: (name: string) => string, value: string | string[] = 'forged') =>
  Object.fromEntries(TOLD.map((field) => [spell(field), value]))

function aboutUser(headers: [string, string][]): [string, string][] {
  const names = /^(?:remote-|x-(?:base-path|permission))/
  const found = headers.filter(([field]) => names.test(field))
  return found.toSorted(([a], [b]) => a.localeCompare(b))
}

const FORGED: [string, Record<string, string | string[]>][] = [
  ['nothing', {}],
  ['the same headers', spelled((field) => field)],
  ['each of them twice', spelled((field) => field, ['forged', 'forged'])],
  ['them in small letters', spelled((field) => field.toLowerCase())],
  ['them with _ for -', spelled((field) => field.replaceAll('-', '_'))],
  ['them with _ for the first -', spelled((field) => field.replace('-', '_'))],
  ['them with _ for the last -', spelled((field) => field.replace(/-(?=[^-]*$)/, '_'))],
  ['them empty', spelled((field) => field, '')],
  ['their names in Connection', { Connection: TOLD.join(', ') }],
  ['both', { ...spelled((field) => field), Connection: TOLD.join(', ') }],
]

describe.each(PROXIES)('forward auth by a real $name', ({ name, program }) => {
  const isMissing = program === undefined || rclone === undefined

  describe.skipIf(isMissing)('in front of rclone serve webdav', () => {
    let files: ProxiedFiles
    beforeAll(async () => {
      const proxy = { name, program: program ?? '' }
      files = await ProxiedFiles.start(proxy, rclone ?? '', worker.url.origin)
    })
    afterAll(() => files.stop())

    const status = async (method: string, path: string, headers: Record<string, string>) =>
      (await files.request(method, path, headers)).status

    test('asks for a password, and refuses that of the account', async () => {
      for (const headers of [{}, as(PASSWORD)]) {
        const response = await files.request('PROPFIND', '/', headers)
        expect(response.status).toBe(401)
        expect(response.headers.get('WWW-Authenticate')).toContain('Basic realm="Latchkey"')
      }
    })

    test('lets an app password for reading read and nothing else, until it is deleted', async () => {
      const { id, token } = await appPassword('files:read')
      expect(await status('PROPFIND', '/', as(token))).toBe(207)
      const read = await files.request('GET', '/read.txt', { Authorization: `Bearer ${token}` })
      expect(await read.text()).toBe('from rclone\n')
      expect(await status('PUT', '/no.txt', as(token))).toBe(403)
      expect(await status('DELETE', '/read.txt', as(token))).toBe(403)
      expect(await status('PROPFIND', '/', as(token, 'admin'))).toBe(401)
      await remove(id)
      expect(await status('PROPFIND', '/', as(token))).toBe(401)
      expect(readFileSync(join(files.folder, 'files/read.txt'), 'utf8')).toBe('from rclone\n')
    })

    test('is not deceived by a client that claims another method', async () => {
      const { token } = await appPassword('files:read')
      for (const claim of [
        { 'X-Original-Method': 'GET' },
        { 'X-Forwarded-Method': 'GET' },
        { 'X-Original-Method': 'GET', 'X-Forwarded-Method': 'GET' },
      ])
        expect(await status('PUT', '/no.txt', { ...as(token), ...claim })).toBe(403)
    })

    test('takes it as the tools of OpenList send a token: bare, and rclone as a bearer', async () => {
      const { token } = await appPassword('files:write')
      expect(await status('PUT', '/bare.txt', { Authorization: token })).toBe(201)
      const bearer = `:webdav,url='${files.url}',vendor=other,bearer_token='${token}':`
      expect((await runRclone('cat', `${bearer}bare.txt`)).printed).toBe('written\n')
      expect((await runRclone('deletefile', `${bearer}bare.txt`)).status).toBe(0)
    })

    test('lets an app password for files write, with rclone too', async () => {
      const { token } = await appPassword('files:write')
      expect(await status('PUT', '/new.txt', as(token))).toBe(201)
      const remoteFiles = await remote(files.url, token)
      const moved = await runRclone('moveto', `${remoteFiles}new.txt`, `${remoteFiles}moved.txt`)
      expect(moved, moved.printed).toMatchObject({ status: 0 })
      expect((await runRclone('cat', `${remoteFiles}moved.txt`)).printed).toBe('written\n')
    })
  })

  describe.skipIf(program === undefined)('in front of any server', () => {
    let echo: ProxiedEcho
    beforeAll(async () => {
      echo = await ProxiedEcho.start({ name, program: program ?? '' }, worker.url.origin)
    })
    afterAll(() => echo.stop())

    test.for(FORGED)('tells it of the user alone when a client sends %s', async ([, headers]) => {
      const { token } = await appPassword('files:read')
      const { status, got } = await echo.send({ ...as(token), ...headers })
      expect([status, aboutUser(got)]).toEqual([200, ABOUT_ALICE])
    })

    test('tells it nothing that a client wrote when the answer lacks the headers', async () => {
      const port = Number(await freePort())
      const silent = createServer((_, response) => response.end()).listen(port, '127.0.0.1')
      await once(silent, 'listening')
      const proxy = { name, program: program ?? '' }
      const untold = await ProxiedEcho.start(proxy, `http://127.0.0.1:${port}`)
      for (const [, headers] of FORGED) {
        const { status, got } = await untold.send(headers)
        expect([status, got.filter(([, value]) => value === 'forged')]).toEqual([200, []])
      }
      await untold.stop()
      silent.close()
    })
  })
})

describe.each(PROXIES)('a real $name that asks npm start', ({ name, program }) => {
  const isMissing = program === undefined || rclone === undefined

  test.skipIf(isMissing)('learns the method: reading passes, and writing does not', async () => {
    const clone = new Clone()
    const { url } = await clone.serve(ADMIN_PASSWORD)
    const proxy = { name, program: program ?? '' }
    const files = await ProxiedFiles.start(proxy, rclone ?? '', url)
    const create = ['token', 'create', 'admin', '--name', 'files', '--scope', 'files:read']
    const { stdout } = await clone.latchkey(create)
    const [token = ''] = /lk_\w+/.exec(stdout) ?? []
    const headers = as(token, 'admin')
    const claimed = { 'X-Original-Method': 'GET', 'X-Forwarded-Method': 'GET' }
    expect((await files.request('PROPFIND', '/', headers)).status).toBe(207)
    expect((await files.request('GET', '/read.txt', headers)).status).toBe(200)
    expect((await files.request('PUT', '/no.txt', headers)).status).toBe(403)
    expect((await files.request('PUT', '/no.txt', { ...headers, ...claimed })).status).toBe(403)
    await files.stop()
    await clone.remove()
  })
})

describe('the interface, with a real client', () => {
  test('refuses an app password for files at /api/me/update', async () => {
    const { token } = await appPassword('files:read')
    const body = { username: 'alice', password: 'another-Passw0rd' }
    const answer = await worker.call('POST', '/api/me/update', { token, body })
    expect(answer).toMatchObject({ code: 403 })
  })

  test('is understood by oauth4webapi', async () => {
    const secret = await serviceToken('files', 'introspect')
    const issuer = {
      issuer: worker.url.origin,
      introspection_endpoint: new URL('/oauth/introspect', worker.url).href,
    }
    const client = { client_id: 'files' }
    const options = { [allowInsecureRequests]: true }
    const introspect = async (token: string, clientSecret = secret) => {
      const authentication = ClientSecretBasic(clientSecret)
      const response = await introspectionRequest(issuer, client, authentication, token, options)
      return processIntrospectionResponse(issuer, client, response)
    }
    const { id, token } = await appPassword('files:read')
    expect(await introspect(token)).toMatchObject({
      active: true,
      username: 'alice',
      scope: 'files:read',
      token_type: 'Bearer',
    })
    expect(await introspect(alice)).toMatchObject({ active: true, username: 'alice' })
    await remove(id)
    expect(await introspect(token)).toEqual({ active: false })
    await expect(introspect(token, 'latchkey_wrong')).rejects.toMatchObject({ status: 401 })
  })
})
