import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { SoftwarePasskey } from '../support/passkey.ts'
import { registerAt, signInAt } from '../support/passkey-client.ts'
import { makeKey } from '../support/sftp-machine.ts'
import { OpenListServer, succeeded } from './openlist-server.ts'
import { findProgram } from './programs.ts'

const PASSWORD = 'alice-Passw0rd'

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
  let openlist: OpenListServer
  let clone: Clone
  let old: Client
  let site: Client
  let before: Awaited<ReturnType<typeof seen>>
  let passkeys: SoftwarePasskey[]

  beforeAll(async () => {
    clone = new Clone()
    openlist = await OpenListServer.start(program ?? '')
    old = openlist.client
    await fill()
    before = await seen(old)
    await openlist.stop()
    await clone.serve('first-Passw0rd')
    await clone.stop()
    const options = ['--passkey-rp-id', 'localhost']
    const imported = await clone.latchkey(['import', openlist.database, ...options])
    if (imported.code !== 0) throw new Error(imported.stdout + imported.stderr)
    const { url } = await clone.serve('first-Passw0rd')
    site = new Client(url.replace('127.0.0.1', 'localhost'))
  })

  afterAll(async () => {
    await openlist.remove()
    await clone.remove()
  })

  /** Gives it a user with a key, and with a passkey of each type that has signed in there. */
  async function fill(): Promise<void> {
    await openlist.addUser('alice', PASSWORD)
    const { publicKey } = makeKey(openlist.folder, 'laptop')
    const added = await old.call('POST', '/api/me/sshkey/add', {
      token: (await old.signIn('alice', PASSWORD)).data.token,
      body: { title: 'laptop', key: publicKey },
    })
    succeeded(added)
    await openlist.set({ webauthn_login_enabled: 'true' })
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
