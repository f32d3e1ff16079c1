import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { auditEvents } from '../../schema/tables.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { randomBytes } from '../../src/core/deps.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { phoneCode } from '../support/authenticator.ts'
import { ServedWorker } from '../support/served-worker.ts'
import { makeKey } from '../support/sftp-machine.ts'
import { findProgram } from './programs.ts'
import { SftpgoServer } from './sftpgo-server.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
const PASSWORD = 'alice-Passw0rd'
const WEBDAV_READ = 1 << 8
const WEBDAV_WRITE = 1 << 9
const SFTP_READ = 1 << 10
const SFTP_WRITE = 1 << 11
const READ_AND_WRITE = SFTP_READ | SFTP_WRITE
const REFUSED = 255
const CACHE_SECONDS = 60
/** SFTPGo reports a sign-in after it, in its own time. */
const HOOK_WAIT = { timeout: 20_000, interval: 200 }

const program = findProgram('SFTPGO_BIN', 'sftpgo')

describe.skipIf(program === undefined)('a real SFTPGo', () => {
  let folder: string
  let upload: string
  let worker: ServedWorker
  let server: SftpgoServer
  let db: DrizzleD1Database
  let admin: string
  let serviceToken: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-real-'))
    upload = join(folder, 'upload.txt')
    writeFileSync(upload, 'from alice\n')
    worker = await ServedWorker.start(inject('workerFolder'), { signInsAMinute: 60 })
    await worker.setUp(ADMIN_PASSWORD)
    const d1 = await worker.database()
    db = drizzle(d1)
    admin = await signIn('admin', ADMIN_PASSWORD)
    serviceToken =
      (await addServiceToken(
        { db: openDatabase(d1, createMeter()), now: Date.now, randomBytes },
        'sftpgo',
        'sftp',
      )) ?? ''
    server = await SftpgoServer.start(program ?? '', worker.url.origin, serviceToken)
  })

  afterAll(async () => {
    await server.stop()
    await worker.stop()
    rmSync(folder, { recursive: true })
  })

  beforeEach(() => server.moveClients())

  async function signIn(username: string, password = PASSWORD): Promise<string> {
    const body = { username, password }
    return (await worker.call('POST', '/api/auth/login', { body })).data.token
  }

  const asAdmin = (path: string, body?: object) =>
    worker.call('POST', path, { token: admin, ...(body !== undefined && { body }) })

  /** Makes a user, and gives their id. */
  async function addUser(username: string, permission = READ_AND_WRITE): Promise<number> {
    await asAdmin('/api/admin/user/create', { username, password: PASSWORD, permission })
    const { data } = await worker.call('GET', '/api/admin/user/list', { token: admin })
    return data.content.find((user: { username: string }) => user.username === username).id
  }

  async function expectRefused(username: string, password = PASSWORD) {
    for (const method of ['password', 'keyboard-interactive'] as const) {
      const { status } = await server.sftp(username, { password, method }, 'ls')
      expect(status, method).toBe(REFUSED)
    }
    expect((await server.ftp(username, password)).status).toBe(67)
  }

  test.each([
    [
      'permission withdrawn',
      (id: number) => asAdmin('/api/admin/user/update', { id, permission: 0 }),
    ],
    ['account disabled', (id: number) => asAdmin('/api/admin/user/update', { id, disabled: true })],
    ['account deleted', (id: number) => asAdmin(`/api/admin/user/delete?id=${id}`)],
    [
      'password changed',
      (id: number) => asAdmin('/api/admin/user/update', { id, password: 'another-Passw0rd' }),
    ],
    [
      'two-step verification switched on',
      async (_: number, username: string) => {
        const token = await signIn(username)
        const { data } = await worker.call('POST', '/api/auth/2fa/generate', { token })
        const code = phoneCode(data.secret, Date.now())
        const body = { code, secret: data.secret }
        return worker.call('POST', '/api/auth/2fa/verify', { token, body })
      },
    ],
  ])('lets nobody in with an old password: %s', async (what, withdraw) => {
    const username = what.replaceAll(/\W/g, '')
    const id = await addUser(username)
    const before = await server.sftp(username, { password: PASSWORD }, 'ls')
    expect(before, server.log).toMatchObject({ status: 0 })
    expect(await withdraw(id, username)).toMatchObject({ code: 200 })
    server.letPass(CACHE_SECONDS)
    await expectRefused(username)
  })

  test('lets a writer who may only read now write nothing', async () => {
    const id = await addUser('writer')
    const wrote = await server.sftp('writer', { password: PASSWORD }, `put ${upload} first.txt`)
    expect(wrote.status, wrote.printed).toBe(0)
    await asAdmin('/api/admin/user/update', { id, permission: SFTP_READ })
    server.letPass(CACHE_SECONDS)
    // In this order: the refusal of a password would correct what SFTPGo keeps.
    for (const method of ['keyboard-interactive', 'password'] as const) {
      const proof = { password: PASSWORD, method }
      await server.sftp('writer', proof, `put ${upload} ${method}.txt`)
    }
    const { printed } = await server.sftp('writer', { password: PASSWORD }, 'ls -1')
    expect(printed).toContain('first.txt')
    expect(printed).not.toMatch(/password\.txt|keyboard-interactive\.txt/)
  })

  /** Adds a key to a user and gives its file. */
  async function addKey(username: string, ...args: string[]): Promise<string> {
    const title = [username, ...args].join('').replaceAll('-', '')
    const key = makeKey(folder, title, ...args)
    const body = { title, key: key.publicKey }
    const added = await worker.call('POST', '/api/me/sshkey/add', {
      token: await signIn(username),
      body,
    })
    expect(added).toMatchObject({ code: 200 })
    return key.file
  }

  async function listKeys(username: string) {
    const token = await signIn(username)
    const { data } = await worker.call('GET', '/api/me/sshkey/list', { token })
    return data.content
  }

  test('notes the use of a key that signed in, and of no key that was only offered', async () => {
    await addUser('keys')
    const used = await addKey('keys')
    const offered = join(folder, 'offered')
    const [before] = await listKeys('keys')
    writeFileSync(offered, readFileSync(`${used}.pub`))
    writeFileSync(`${offered}.pub`, readFileSync(`${used}.pub`))
    expect((await server.sftp('keys', { keyFile: offered }, 'ls')).status).toBe(REFUSED)
    expect(await listKeys('keys')).toEqual([before])
    expect((await server.sftp('keys', { keyFile: used }, 'ls')).status).toBe(0)
    await vi.waitFor(
      async () =>
        expect((await listKeys('keys'))[0].last_used_time > before.last_used_time).toBe(true),
      HOOK_WAIT,
    )
  })

  test('takes keys of every type in the minute after a password, and notes none of several', async () => {
    await addUser('types')
    const files = [
      await addKey('types', '-t', 'ed25519'),
      await addKey('types', '-t', 'rsa', '-b', '2048'),
      await addKey('types', '-t', 'ecdsa', '-b', '256'),
      await addKey('types', '-t', 'ecdsa', '-b', '521'),
    ]
    expect((await server.sftp('types', { password: PASSWORD }, 'ls')).status).toBe(0)
    for (const keyFile of files) {
      const { status, printed } = await server.sftp('types', { keyFile }, 'ls')
      expect(status, printed + keyFile).toBe(0)
    }
    await vi.waitFor(
      () => expect(server.log.match(/post login hook executed for user .?"types/g)).toHaveLength(5),
      HOOK_WAIT,
    )
    for (const key of await listKeys('types')) expect(key.last_used_time).toBe(key.added_time)
    const other = makeKey(folder, 'other')
    expect((await server.sftp('types', { keyFile: other.file }, 'ls')).status).toBe(REFUSED)
  })

  test('asks about a key that was deleted', async () => {
    await addUser('deleter')
    const keyFile = await addKey('deleter')
    expect((await server.sftp('deleter', { keyFile }, 'ls')).status).toBe(0)
    const [{ id }] = await listKeys('deleter')
    await worker.call('POST', `/api/me/sshkey/delete?id=${id}`, { token: await signIn('deleter') })
    expect((await server.sftp('deleter', { keyFile }, 'ls')).status).toBe(REFUSED)
  })

  test('opens no protocol with the password of another, in the minute after it', async () => {
    await addUser('webdav-only', WEBDAV_READ | WEBDAV_WRITE)
    const keyFile = await addKey('webdav-only')
    expect(await server.webdav('webdav-only', PASSWORD)).toBe(207)
    expect((await server.sftp('webdav-only', { password: PASSWORD }, 'ls')).status).toBe(REFUSED)
    expect((await server.sftp('webdav-only', { keyFile }, 'ls')).status).toBe(REFUSED)
    expect((await server.ftp('webdav-only', PASSWORD)).status).toBe(67)
    await addUser('sftp-only')
    expect((await server.ftp('sftp-only', PASSWORD)).status).toBe(0)
    expect(await server.webdav('sftp-only', PASSWORD)).toBe(403)

    await addUser('mixed', WEBDAV_READ | WEBDAV_WRITE | SFTP_READ)
    expect(await server.webdav('mixed', PASSWORD, 'PUT', '/dav.txt')).toBe(201)
    await server.sftp('mixed', { password: PASSWORD }, `put ${upload} sftp.txt`)
    const { printed } = await server.sftp('mixed', { password: PASSWORD }, 'ls -1')
    expect(printed).toContain('dav.txt')
    expect(printed).not.toMatch(/^sftp\.txt/m)
  })

  test('serves a WebDAV client that sends eighty requests, with one event', async () => {
    const id = await addUser('client', WEBDAV_READ)
    const statuses = []
    for (let n = 0; n < 80; n++) statuses.push(await server.webdav('client', PASSWORD))
    expect(statuses).toEqual(Array(80).fill(207))
    const events = await db
      .select({ kind: auditEvents.kind })
      .from(auditEvents)
      .where(eq(auditEvents.userId, id))
    expect(events).toEqual([{ kind: 'user_made' }, { kind: 'service_sign_in' }])
    await asAdmin('/api/admin/user/update', { id, disabled: true })
    server.letPass(CACHE_SECONDS)
    // It has forgotten the user with this, as it would have after a minute.
    expect((await server.sftp('client', { password: PASSWORD }, 'ls')).status).toBe(REFUSED)
  })

  test('bans an address that guesses in the minute in which it compares passwords itself', async () => {
    const id = await addUser('guessed', WEBDAV_READ)
    expect(await server.webdav('guessed', PASSWORD)).toBe(207)
    server.moveClients()
    const statuses = []
    for (let n = 0; n < 40; n++) statuses.push(await server.webdav('guessed', `wrong-${n}`))
    const guesses = statuses.indexOf(403)
    expect(guesses).toBeGreaterThan(5)
    expect(guesses).toBeLessThan(20)
    expect(statuses).toEqual([...Array(guesses).fill(401), ...Array(40 - guesses).fill(403)])
    // The service was not asked about any of them.
    const events = await db
      .select({ kind: auditEvents.kind })
      .from(auditEvents)
      .where(eq(auditEvents.userId, id))
    expect(events).toEqual([{ kind: 'user_made' }, { kind: 'service_sign_in' }])
    expect(await server.webdav('guessed', PASSWORD)).toBe(403)
    expect((await server.sftp('guessed', { password: PASSWORD }, 'ls')).status).toBe(REFUSED)
    server.moveClients()
    expect(await server.webdav('guessed', PASSWORD)).toBe(207)
  })

  test('keeps the service token out of its log', () => {
    expect(server.log).not.toContain(serviceToken)
    expect(worker.log.join()).not.toContain(serviceToken)
  })
})
