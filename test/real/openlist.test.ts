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

const program = findProgram('OPENLIST_BIN', 'openlist')

describe.skipIf(program === undefined)('a site that moves in from a real OpenList', () => {
  let folder: string
  let data: string
  let clone: Clone
  let openlist: ChildProcess
  let old: Client
  let site: Client

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-openlist-'))
    data = join(folder, 'data')
    clone = new Clone()
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
    old = new OpenListClient(`http://127.0.0.1:${port}`)
    await vi.waitFor(() => old.call('GET', '/api/public/settings'), {
      timeout: START_MILLISECONDS,
      interval: 200,
    })
    await fill(old)
    await clone.serve('first-Passw0rd')
    await clone.stop()
  })

  afterAll(async () => {
    await stop(openlist)
    await clone.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Gives it a user with a key. */
  async function fill(client: Client) {
    const admin = (await client.signIn('admin', ADMIN_PASSWORD)).data.token
    const body = { username: 'alice', password: PASSWORD, base_path: '/', permission: 0xc00 }
    const created = await client.call('POST', '/api/admin/user/create', { token: admin, body })
    expect(created).toMatchObject({ code: 200 })
    const { publicKey } = makeKey(folder, 'laptop')
    const added = await client.call('POST', '/api/me/sshkey/add', {
      token: (await client.signIn('alice', PASSWORD)).data.token,
      body: { title: 'laptop', key: publicKey },
    })
    expect(added).toMatchObject({ code: 200 })
  }

  test('keeps its users, their passwords and their keys', async () => {
    const before = await seen(old)
    await stop(openlist)
    const imported = await clone.latchkey(['import', join(data, 'data.db')])
    expect(imported, imported.stderr).toMatchObject({ code: 0 })
    site = await clone.serve('first-Passw0rd')
    expect(await seen(site)).toEqual(before)
    const body = { username: 'alice', password: await staticDigest(PASSWORD) }
    expect(await site.call('POST', '/api/auth/login/hash', { body })).toMatchObject({ code: 200 })
    expect(await site.signIn('alice', 'wrong-Passw0rd')).toMatchObject({ code: 401 })
  })
})
