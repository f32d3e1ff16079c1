import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { staticDigest } from '../../src/passwords/passwords.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import type { Envelope } from '../support/envelope.ts'
import { freePort } from '../support/free-port.ts'
import { SoftwarePasskey } from '../support/passkey.ts'
import { registerAt, signInAt } from '../support/passkey-client.ts'
import { makeKey } from '../support/sftp-machine.ts'
import { execute, findProgram, stop } from './programs.ts'

const ADMIN_PASSWORD = 'old-admin-Passw0rd'
const PASSWORD = 'alice-Passw0rd'
const START_MILLISECONDS = 60_000

/** OpenList reads a body as its content type says. */
class OpenListClient extends Client {
  override async call(...[method, path, { token = '', body } = {}]: Parameters<Client['call']>) {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { Authorization: token, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const envelope: Envelope = await response.json()
    return envelope
  }
}

/** What a client sees of alice. */
async function seen(client: Client) {
  const { token } = (await client.signIn('alice', PASSWORD)).data
  const me = (await client.call('GET', '/api/me', { token })).data
  const keys = (await client.call('GET', '/api/me/sshkey/list', { token })).data
  const { username, base_path: basePath, role, permission, disabled, otp } = me
  return {
    me: { username, basePath, role, permission, disabled, otp },
    keys: keys.content.map(({ title, fingerprint }: Record<string, string>) => ({
      title,
      fingerprint,
    })),
  }
}

const KEY_TYPES = ['ES256', 'EdDSA', 'RS256'] as const

const program = findProgram('OPENLIST_BIN', 'openlist')

describe.skipIf(program === undefined)('a site that moves in from a real OpenList', () => {
  let folder: string
  let data: string
  let clone: Clone
  let openlist: ChildProcess
  let old: Client
  let site: Client
  let before: Awaited<ReturnType<typeof seen>>
  let passkeys: SoftwarePasskey[]

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-openlist-'))
    data = join(folder, 'data')
    clone = new Clone()
    await startOpenList()
    await fill()
    before = await seen(old)
    await stop(openlist)
    await clone.serve('first-Passw0rd')
    await clone.stop()
    const options = ['--passkey-rp-id', 'localhost']
    const imported = await clone.latchkey(['import', join(data, 'data.db'), ...options])
    if (imported.code !== 0) throw new Error(imported.stdout + imported.stderr)
    const { url } = await clone.serve('first-Passw0rd')
    site = new Client(url.replace('127.0.0.1', 'localhost'))
  })

  afterAll(async () => {
    await stop(openlist)
    await clone.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function startOpenList(): Promise<void> {
    const set = ['admin', 'set', ADMIN_PASSWORD, '--data', data]
    const { status, printed } = await execute(program ?? '', set, { cwd: folder })
    if (status !== 0) throw new Error(printed)
    const port = await freePort()
    const config = JSON.parse(readFileSync(join(data, 'config.json'), 'utf8'))
    config.scheme = { ...config.scheme, address: '127.0.0.1', http_port: Number(port) }
    writeFileSync(join(data, 'config.json'), JSON.stringify(config))
    openlist = spawn(program ?? '', ['server', '--data', data, '--no-prefix'], {
      cwd: folder,
      stdio: 'ignore',
    })
    // Passkeys belong to the host name.
    old = new OpenListClient(`http://localhost:${port}`)
    await vi.waitFor(() => old.call('GET', '/api/public/settings'), {
      timeout: START_MILLISECONDS,
      interval: 200,
    })
  }

  /** Gives it a user with a key, and with a passkey of each type that has signed in there. */
  async function fill(): Promise<void> {
    const admin = (await old.signIn('admin', ADMIN_PASSWORD)).data.token
    const body = { username: 'alice', password: PASSWORD, base_path: '/', permission: 0xc00 }
    succeeded(await old.call('POST', '/api/admin/user/create', { token: admin, body }))
    const { publicKey } = makeKey(folder, 'laptop')
    const added = await old.call('POST', '/api/me/sshkey/add', {
      token: (await old.signIn('alice', PASSWORD)).data.token,
      body: { title: 'laptop', key: publicKey },
    })
    succeeded(added)
    const setting = { key: 'webauthn_login_enabled', value: 'true', type: 'bool', group: 7 }
    const saved = { token: admin, body: [setting] }
    succeeded(await old.call('POST', '/api/admin/setting/save', saved))
    const { origin } = new URL(old.url)
    passkeys = await Promise.all(KEY_TYPES.map((type) => SoftwarePasskey.make(type, { origin })))
    for (const passkey of passkeys) {
      const { token } = (await old.signIn('alice', PASSWORD)).data
      succeeded(await registerAt(old, passkey, token))
      succeeded(await signInAt(old, passkey, 'alice'))
    }
  }

  test('keeps its users, their passwords and their keys', async () => {
    expect(await seen(site)).toEqual(before)
    const body = { username: 'alice', password: await staticDigest(PASSWORD) }
    expect(await site.call('POST', '/api/auth/login/hash', { body })).toMatchObject({ code: 200 })
    expect(await site.signIn('alice', 'wrong-Passw0rd')).toMatchObject({ code: 401 })
  })

  test.each(KEY_TYPES)('keeps its passkeys, with and without a name: %s', async (type) => {
    clone.sql(`insert or ignore into settings values ('webauthn_login_enabled', 'true')`)
    const passkey = passkeys[KEY_TYPES.indexOf(type)]
    if (passkey === undefined) throw new Error(`no passkey of type ${type}`)
    passkey.origin = new URL(site.url).origin
    expect(await signInAt(site, passkey, 'alice')).toMatchObject({ code: 200 })
    expect(await signInAt(site, passkey)).toMatchObject({ code: 200 })
    const { counter } = passkey
    // OpenList stores no counter after the registration, so this one counts from its first use here.
    passkey.counter = 0
    expect(await signInAt(site, passkey, 'alice')).toMatchObject({ code: 400 })
    passkey.counter = counter
    expect(await signInAt(site, passkey, 'alice')).toMatchObject({ code: 200 })
  })
})

function succeeded({ code, message }: Envelope): void {
  if (code !== 200) throw new Error(message)
}
