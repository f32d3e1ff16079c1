import { Client as LdapClient } from 'ldapts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { phoneCode } from '../support/authenticator.ts'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import type { Envelope } from '../support/envelope.ts'
import { freePort } from '../support/free-port.ts'
import { LdapSite, PASSWORD } from './ldap-site.ts'
import { OPENLIST_PASSWORD, OpenListServer, succeeded } from './openlist-server.ts'
import { execute, findProgram } from './programs.ts'
import { SftpgoServer } from './sftpgo-server.ts'

const openlistProgram = findProgram('OPENLIST_BIN', 'openlist')
const rclone = findProgram('RCLONE_BIN', 'rclone')
const sftpgo = findProgram('SFTPGO_BIN', 'sftpgo')
/** https://github.com/sftpgo/sftpgo-plugin-auth */
const plugin = findProgram('SFTPGO_PLUGIN_AUTH_BIN', 'sftpgo-plugin-auth')

/** The number of the group of its settings for LDAP. */
const LDAP_GROUP = 8
/** To write, and WebDAV, and FTP with SFTP, each to read and to write. */
const DEFAULT_PERMISSION = 8 + 256 + 512 + 1024 + 2048
const CACHE_SECONDS = 2
/** Requests by each of the two passwords, of which half are in each of the two folders. */
const REQUESTS = 1000
const ROUNDS = 20
const FILES = 60

let site: LdapSite
let folder: string
let alice: string
let carol: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-ldap-'))
  site = await LdapSite.start('--cache-seconds', String(CACHE_SECONDS))
  alice = await site.addUser('alice')
  carol = await site.addUser('carol')
  const { data } = await site.client.call('POST', '/api/auth/2fa/generate', { token: carol })
  const body = { code: phoneCode(data.secret, Date.now()), secret: data.secret }
  succeeded(await site.client.call('POST', '/api/auth/2fa/verify', { token: carol, body }))
  // The door knows new users after the time of its cache.
  const known = await site.appPassword(carol, 'files:write')
  const isKnown = async () => expect(await bindCode('carol', known)).toBe(0)
  await vi.waitFor(isKnown, { timeout: 10_000, interval: 100 })
})

afterAll(async () => {
  await site.remove()
  rmSync(folder, { recursive: true })
})

/** Returns the code of a bind at the door. */
async function bindCode(username: string, password: string): Promise<number> {
  const client = new LdapClient({ url: `ldap://127.0.0.1:${site.port}` })
  try {
    await client.bind(`uid=${username},ou=people,${site.shown.base}`, password)
    return 0
  } catch (error) {
    return error instanceof Error && 'code' in error ? Number(error.code) : -1
  } finally {
    await client.unbind()
  }
}

const listen = (port: string) => ({ enable: true, listen: `127.0.0.1:${port}` })
const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN

describe.skipIf(openlistProgram === undefined)('a real OpenList that asks the door', () => {
  let openlist: OpenListServer
  let ports: { ftp: string; sftp: string }
  let clients = 0

  beforeAll(async () => {
    ports = { ftp: await freePort(), sftp: await freePort() }
    openlist = await OpenListServer.start(openlistProgram ?? '', {
      host: '127.0.0.1',
      config: { ftp: listen(ports.ftp), sftp: listen(ports.sftp) },
    })
    const files = await openlist.addFiles()
    writeFileSync(join(files, 'hello.txt'), 'from OpenList\n')
    await openlist.addUser('local', 'local-Passw0rd', 0xf00)
    await follow('(uid=%s)')
  })
  afterAll(() => openlist.remove())
  // OpenList locks an address after five wrong passwords.
  beforeEach(() => {
    clients += 1
  })

  /** Saves what the table of docs/ldap.md says. */
  async function follow(filter: string): Promise<void> {
    const { base, bindDn, bindPassword } = site.shown
    const values = {
      ldap_login_enabled: 'true',
      ldap_server: `127.0.0.1:${site.port}`,
      ldap_manager_dn: bindDn,
      ldap_manager_password: bindPassword,
      ldap_user_search_base: `ou=people,${base}`,
      ldap_user_search_filter: filter,
      ldap_default_permission: String(DEFAULT_PERMISSION),
      ldap_default_dir: '/',
    }
    const items = Object.entries(values).map(([key, value]) => ({
      key,
      value,
      group: LDAP_GROUP,
    }))
    await openlist.asAdmin('POST', '/api/admin/setting/save', items)
  }

  const headers = () => ({ 'X-Forwarded-For': `192.0.2.${clients}` })

  async function webSignIn(username: string, password: string): Promise<Envelope> {
    const response = await fetch(new URL('/api/auth/login/ldap', openlist.client.url), {
      method: 'POST',
      headers: { ...headers(), 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })
    const envelope: Envelope = await response.json()
    return envelope
  }

  async function dav(username: string, password: string, path = '/'): Promise<number> {
    const credentials = Buffer.from(`${username}:${password}`).toString('base64')
    const response = await fetch(new URL(`/dav${path}`, openlist.client.url), {
      method: 'PROPFIND',
      headers: { ...headers(), Authorization: `Basic ${credentials}`, Depth: '1' },
    })
    await response.arrayBuffer()
    return response.status
  }

  /** Runs a command of rclone on a file that lies there, by a protocol. */
  async function file(
    protocol: 'webdav' | 'ftp' | 'sftp',
    [username, password]: [string, string],
    name: string,
    written?: string,
  ) {
    const { printed } = await execute(rclone ?? '', ['obscure', password])
    const place =
      protocol === 'webdav'
        ? `url='${openlist.client.url}/dav',vendor=other`
        : `host=127.0.0.1,port=${ports[protocol]}${protocol === 'sftp' ? ',set_modtime=false' : ''}`
    const remote = `:${protocol},${place},user=${username},pass='${printed.trim()}':${name}`
    const once = ['--config', '/dev/null', '--retries', '1', '--low-level-retries', '1']
    return written === undefined
      ? execute(rclone ?? '', [...once, 'cat', remote])
      : execute(rclone ?? '', [...once, 'rcat', remote], { input: written })
  }

  test('signs users in on the web, and makes them', async () => {
    const token = await site.appPassword(alice, 'files:write')
    const answer = await webSignIn('alice', token)
    expect(answer).toMatchObject({ code: 200, data: { token: expect.any(String) } })
    const me = await openlist.client.call('GET', '/api/me', { token: answer.data.token })
    expect(me.data).toMatchObject({
      username: 'alice',
      permission: DEFAULT_PERMISSION,
      role: 0,
    })
    expect(await webSignIn('alice', PASSWORD)).toMatchObject({ code: 200 })
  })

  test('refuses wrong passwords, and the password of an account with two-step verification', async () => {
    const reading = await site.appPassword(alice, 'files:read')
    expect(await webSignIn('alice', 'wrong-Passw0rd')).toMatchObject({ code: 400 })
    expect(await webSignIn('carol', PASSWORD)).toMatchObject({ code: 400 })
    expect(await webSignIn('nobody', PASSWORD)).toMatchObject({ code: 500 })
    expect(await dav('alice', 'wrong-Passw0rd')).toBe(401)
    clients += 1
    expect(await dav('carol', PASSWORD)).toBe(401)
    // The door asks for the scope to write.
    expect(await dav('alice', reading)).toBe(401)
    const token = await site.appPassword(carol, 'files:write')
    expect(await webSignIn('carol', token)).toMatchObject({ code: 200 })
  })

  test('keeps its own admin from an admin of the site', async () => {
    expect(await webSignIn('admin', ADMIN_PASSWORD)).toMatchObject({ code: 500 })
    expect(await openlist.client.signIn('admin', OPENLIST_PASSWORD)).toMatchObject({ code: 200 })
  })

  test.skipIf(rclone === undefined).each(['webdav', 'ftp', 'sftp'] as const)(
    'reads and writes files by an app password over %s, and not without',
    async (protocol) => {
      const token = await site.appPassword(carol, 'files:write', 'account:read')
      const name = `${protocol}.txt`
      const wrote = await file(protocol, ['carol', token], name, `by ${protocol}\n`)
      expect(wrote, wrote.printed).toMatchObject({ status: 0 })
      const read = await file(protocol, ['carol', token], name)
      expect(read.printed).toContain(`by ${protocol}\n`)
      for (const password of [PASSWORD, 'wrong-Passw0rd', `${token}x`])
        expect((await file(protocol, ['carol', password], name)).status).not.toBe(0)
    },
  )

  test('serves only the group of a filter', async () => {
    const group = `cn=webdav-read,ou=groups,${site.shown.base}`
    await follow(`(&(uid=%s)(memberOf=${group}))`)
    const token = await site.appPassword(alice, 'files:write')
    expect(await dav('alice', token)).toBe(207)
    await follow(`(&(uid=%s)(memberOf=cn=admins,ou=groups,${site.shown.base}))`)
    expect(await dav('alice', token)).toBe(401)
    await follow('(uid=%s)')
  })

  test('lets a disabled user in no more after the time of the cache', async () => {
    const dave = await site.addUser('dave')
    const token = await site.appPassword(dave, 'files:write')
    // Asked before the door knows the user, OpenList would count wrong passwords, and lock the address.
    await expect.poll(() => bindCode('dave', token), { timeout: 10_000 }).toBe(0)
    expect(await dav('dave', token)).toBe(207)
    await site.setDisabled('dave', true)
    const start = performance.now()
    await expect.poll(() => dav('dave', token), { timeout: 10_000, interval: 50 }).toBe(401)
    const milliseconds = Math.round(performance.now() - start)
    console.log(`OpenList refused a disabled user after ${milliseconds} ms.`)
    expect(milliseconds).toBeLessThan(CACHE_SECONDS * 1000 + 1000)
  })

  test(`serves ${REQUESTS} PROPFINDs with few questions to the site`, async () => {
    const token = await site.appPassword(alice, 'files:write')
    for (let n = 0; n < FILES; n++)
      writeFileSync(join(openlist.folder, 'files', `film ${n}.mkv`), 'x'.repeat(n))
    const users = { ldap: ['alice', token], own: ['local', 'local-Passw0rd'] } as const
    for (const [user, password] of Object.values(users)) expect(await dav(user, password)).toBe(207)
    const times = { ldap: [] as number[], own: [] as number[] }
    site.relay.asked = []
    const start = performance.now()
    for (let round = 0; round < ROUNDS; round++)
      for (const kind of ['ldap', 'own'] as const)
        for (let n = 0; n < REQUESTS / ROUNDS; n++) {
          const [user, password] = users[kind]
          const begun = performance.now()
          expect(await dav(user, password)).toBe(207)
          times[kind].push(performance.now() - begun)
        }
    const seconds = (performance.now() - start) / 1000
    const { asked } = site.relay
    const [ldap, own] = [median(times.ldap), median(times.own)]
    console.log(
      `${REQUESTS} PROPFINDs of ${FILES} files: ${asked.length} questions in ${seconds.toFixed(1)} s ` +
        `(remembered for ${CACHE_SECONDS} s); median ${ldap.toFixed(2)} ms by LDAP, ` +
        `${own.toFixed(2)} ms by a password of OpenList, ratio ${(ldap / own).toFixed(2)}.`,
    )
    // One for the list and one for the password, each time the door has forgotten them.
    expect(asked.length).toBeLessThanOrEqual(2 * (Math.ceil(seconds / CACHE_SECONDS) + 1))
  })

  test('lives on while the site is away, and recovers', async () => {
    const token = await site.appPassword(alice, 'files:write')
    expect(await dav('alice', token)).toBe(207)
    await site.relay.stop()
    expect(await dav('alice', token)).toBe(207)
    expect(await webSignIn('alice', token)).toMatchObject({ code: 200 })
    await expect.poll(() => bindCode('alice', 'another-Passw0rd')).toBe(52)
    expect(await dav('alice', token)).toBe(207)
    await site.relay.run()
    await expect.poll(() => bindCode('alice', 'new-Passw0rd'), { timeout: 10_000 }).toBe(49)
    expect(await dav('alice', token)).toBe(207)
  })
})

describe.skipIf(sftpgo === undefined || plugin === undefined)(
  'a real SFTPGo that asks the door through its plugin',
  () => {
    let server: SftpgoServer
    let upload: string

    beforeAll(async () => {
      upload = join(folder, 'upload.txt')
      writeFileSync(upload, 'from carol\n')
      server = await SftpgoServer.startWithPlugin(sftpgo ?? '', {
        program: plugin ?? '',
        env: {
          SFTPGO_PLUGIN_AUTH_LDAP_URL: `ldap://127.0.0.1:${site.port}`,
          SFTPGO_PLUGIN_AUTH_LDAP_BASE_DN: `ou=people,${site.shown.base}`,
          SFTPGO_PLUGIN_AUTH_LDAP_BIND_DN: site.shown.bindDn,
          SFTPGO_PLUGIN_AUTH_LDAP_PASSWORD: site.shown.bindPassword,
          SFTPGO_PLUGIN_AUTH_LDAP_SEARCH_QUERY: '(&(objectClass=person)(uid=%username%))',
        },
      })
    })
    afterAll(() => server.stop())
    beforeEach(() => server.moveClients())

    test('takes an app password over WebDAV, FTP and SFTP', async () => {
      const token = await site.appPassword(carol, 'files:write')
      expect(await server.webdav('carol', token, 'PUT', '/dav.txt')).toBe(201)
      expect((await server.ftp('carol', token)).status).toBe(0)
      for (const method of ['password', 'keyboard-interactive'] as const) {
        const proof = { password: token, method }
        const { printed } = await server.sftp(
          'carol',
          proof,
          `put ${upload} ${method}.txt`,
          'ls -1',
        )
        expect(printed).toContain(`${method}.txt`)
      }
    })

    test('refuses wrong passwords, nobody, and an account with two-step verification', async () => {
      for (const [username, password] of [
        ['carol', PASSWORD],
        ['alice', 'wrong-Passw0rd'],
        ['nobody', PASSWORD],
        ['admin', ADMIN_PASSWORD],
      ] as const) {
        server.moveClients()
        expect(await server.webdav(username, password)).toBe(401)
        expect((await server.ftp(username, password)).status).toBe(67)
        expect((await server.sftp(username, { password }, 'ls')).status).toBe(255)
      }
    })

    test('refuses a disabled user after the time of the cache', async () => {
      const erin = await site.addUser('erin')
      const token = await site.appPassword(erin, 'files:write')
      await expect.poll(() => server.webdav('erin', token), { timeout: 10_000 }).toBe(207)
      await site.setDisabled('erin', true)
      const start = performance.now()
      await expect.poll(() => server.webdav('erin', token), { timeout: 10_000 }).toBe(401)
      const milliseconds = Math.round(performance.now() - start)
      console.log(`SFTPGo refused a disabled user after ${milliseconds} ms.`)
      expect(milliseconds).toBeLessThan(CACHE_SECONDS * 1000 + 2000)
    })
  },
)
