import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { toBase64 } from '../../src/core/base/encoding.ts'
import { passkeyRowsOf, readPasskey } from '../../src/programs/import/passkeys.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { oldHash, writeOpenListDatabase } from '../support/openlist-database.ts'
import { AAGUID, SoftwarePasskey } from '../support/passkey.ts'
import { signInAt } from '../support/passkey-client.ts'

const NOW = Date.parse('2026-11-22T00:00:00Z')

let clone: Clone
/** Under http://localhost, where browsers have passkeys. */
let site: Client

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  // Before the start, because a Worker remembers the settings for half a minute.
  clone.sql(`insert into settings values ('webauthn_login_enabled', 'true')`)
  site = new Client((await clone.serve()).url.replace('127.0.0.1', 'localhost'))
})
afterAll(() => clone.remove())

/** A member of the column `authn`, as OpenList 4.2.5 writes it. */
function credentialOf(passkey: SoftwarePasskey, signCount = 0) {
  return {
    id: toBase64(passkey.id),
    publicKey: toBase64(passkey.publicKey),
    attestationType: 'none',
    attestationFormat: 'none',
    transport: ['internal', 'hybrid'],
    flags: { userPresent: true, userVerified: true, backupEligible: false, backupState: false },
    authenticator: {
      AAGUID: toBase64(AAGUID),
      signCount,
      cloneWarning: false,
      attachment: 'platform',
    },
    attestation: { clientDataJSON: '', clientDataHash: '', authenticatorData: '' },
  }
}

/** The passkey of a user of the old site, used some times. */
async function oldPasskey(userId: number, counter: number): Promise<SoftwarePasskey> {
  const passkey = await SoftwarePasskey.make('ES256', { origin: new URL(site.url).origin })
  passkey.counter = counter
  passkey.userHandle = new Uint8Array([userId, 0, 0, 0, 0, 0, 0, 0])
  return passkey
}

async function begin(username: string) {
  const query = username === '' ? '' : `?username=${username}`
  const { data } = await site.call('GET', `/api/authn/webauthn_begin_login${query}`)
  return data
}

function signInWith(passkey: SoftwarePasskey, username = '') {
  return signInAt(site, passkey, username)
}

function writeSource(name: string, users: Record<string, string | number>[], siteUrl?: string) {
  const path = clone.path(name)
  const settings = siteUrl === undefined ? [] : [{ key: 'site_url', value: siteUrl }]
  writeOpenListDatabase(path, { users, settings })
  return path
}

describe('latchkey import', () => {
  test('brings the passkeys of OpenList, which then sign in', async () => {
    const [newer, old, wrapped] = [
      await oldPasskey(31, 7),
      await oldPasskey(31, 0),
      await oldPasskey(32, 3),
    ]
    const { flags: _, ...withoutFlags } = credentialOf(old)
    const path = writeSource(
      'data.db',
      [
        {
          id: 31,
          username: 'anna',
          ...oldHash('anna-Passw0rd', 's'),
          authn: JSON.stringify([
            {
              ...credentialOf(newer, 7),
              name: 'Laptop',
              created_at: '2026-06-09T10:11:12.5+08:00',
              last_used_at: '2026-07-01T00:00:00Z',
            },
            withoutFlags,
          ]),
        },
        {
          id: 32,
          username: 'ben',
          ...oldHash('ben-Passw0rd', 's'),
          authn: JSON.stringify([{ credential: credentialOf(wrapped, 3), name: 'Key' }]),
        },
        { id: 33, username: 'clara', ...oldHash('clara-Passw0rd', 's'), authn: '[]' },
        { id: 34, username: 'dora', ...oldHash('dora-Passw0rd', 's'), authn: 'null' },
        { id: 35, username: 'eve', ...oldHash('eve-Passw0rd', 's'), authn: '{broken' },
      ],
      'http://localhost:5244',
    )
    const { code, stdout } = await clone.command(['import', path])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^ {2}passkeys +3 +0 +0 +1$/m)
    expect(stdout).toMatch(
      /^ {2}passkey "": it is not a passkey as OpenList stores them \(of "eve"\)$/m,
    )
    expect(stdout).toContain(
      'the passkeys of localhost work only while this site is visited as localhost, or as a host under it',
    )
    expect((await begin('anna')).options.publicKey.allowCredentials).toHaveLength(2)
    expect((await begin('clara')).options.publicKey).not.toHaveProperty('allowCredentials')

    expect(await signInWith(newer, 'anna')).toMatchObject({ code: 200 })
    expect(await signInWith(old)).toMatchObject({ code: 200 })
    expect(await signInWith(wrapped, 'ben')).toMatchObject({ code: 200 })
    // The counter of the old site counts on.
    wrapped.counter = 2
    expect(await signInWith(wrapped, 'ben')).toMatchObject({ code: 400 })

    const listed = await clone.command(['--json', 'passkey', 'list', 'anna'])
    expect(JSON.parse(listed.stdout).content).toMatchObject([
      {
        id: newer.listedId,
        name: 'Laptop',
        created_at: '2026-06-09T02:11:12.500+00:00',
        rp_id: 'localhost',
        backup_eligible: false,
      },
      { id: old.listedId, name: 'Passkey' },
    ])
    const again = await clone.command(['--json', 'import', path])
    expect(JSON.parse(again.stdout)).toMatchObject({
      passkeys: { imported: 0, kept: 3, refused: 1 },
    })
  })

  test('says which passkeys can not come, and why', async () => {
    const passkey = await oldPasskey(41, 0)
    const own = JSON.stringify([credentialOf(passkey)])
    const users = [
      { id: 41, username: 'frank', ...oldHash('frank-Passw0rd', 's'), authn: own },
      // A user who exists here has this id already.
      { id: 1, username: 'greta', ...oldHash('greta-Passw0rd', 's'), authn: own },
    ]
    const refusals = async (...options: string[]) => {
      const path = writeSource(`refused-${options.length}.db`, users)
      const args = ['--json', 'import', path, '--dry-run', ...options]
      const { refused } = JSON.parse((await clone.command(args)).stdout)
      return refused.map(({ reason }: { reason: string }) => reason)
    }
    const unknown =
      'the host name of the old site is unknown: name it with --passkey-rp-id <host name>'
    expect(await refusals()).toEqual([`${unknown} (of "greta")`, `${unknown} (of "frank")`])
    expect(await refusals('--passkey-rp-id', 'files.example.org')).toEqual([
      'it holds the old id of its user, who has a new one (of "greta")',
    ])
    const wrong = await clone.command(['import', 'x.db', '--passkey-rp-id', '192.0.2.1'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('a host name') })
  })

  test('refuses a credential that is malformed, and says which member', async () => {
    const good = credentialOf(await oldPasskey(1, 0))
    expect(read(good)).toMatchObject({ rpId: 'localhost', algorithm: -7, backupEligible: null })
    const { publicKey: _, ...keyless } = good
    const bad: [unknown, string][] = [
      [keyless, 'publicKey is missing'],
      [{ ...good, id: '' }, 'id is malformed'],
      [{ ...good, id: `${good.id}=` }, 'id is malformed'],
      [{ ...good, id: toBase64(new Uint8Array(1024)) }, 'id is malformed'],
      [{ ...good, authenticator: { signCount: -1 } }, 'authenticator.signCount is malformed'],
      [{ ...good, publicKey: toBase64(Uint8Array.of(0xa0)) }, expectKey()],
      // A further byte after the key: strict CBOR has none.
      [
        { ...good, publicKey: toBase64(Uint8Array.of(...fromBytes(good.publicKey), 0)) },
        expectKey(),
      ],
      [null, 'it is not a passkey as OpenList stores them'],
      ['text', 'it is not a passkey as OpenList stores them'],
    ]
    for (const [credential, reason] of bad) expect(read(credential)).toBe(reason)
  })
})

/** Reads a column with one member. */
function read(credential: unknown) {
  const [row = {}] = passkeyRowsOf([{ id: 1, authn: JSON.stringify([credential]) }])
  return readPasskey(row, [], 'localhost', NOW)
}

function expectKey(): string {
  return 'its public key is not one that passkeys have here: ES256, EdDSA or RS256, sound'
}

function fromBytes(base64: string): Buffer {
  return Buffer.from(base64, 'base64')
}

describe('latchkey passkey', () => {
  test('delete takes an id or its beginning, and 2fa cancel --passkeys takes all', async () => {
    const [first, second] = [await oldPasskey(51, 0), await oldPasskey(51, 0)]
    const authn = JSON.stringify([credentialOf(first), credentialOf(second)])
    const users = [{ id: 51, username: 'hanna', ...oldHash('hanna-Passw0rd', 's'), authn }]
    const path = writeSource('hanna.db', users)
    await clone.command(['import', path, '--passkey-rp-id', 'localhost'])
    const row = await clone.command(['user', 'list', '--search', 'hanna'])
    expect(row.stdout).toMatch(/^id +username .* second factor +disabled\n.* passkey +no\n$/)
    const lacking = await clone.command(['user', 'list', '--search', 'hanna', '--without-2fa'])
    expect(lacking.stderr).toBe('No users found.\n')

    const unknown = await clone.command(['passkey', 'delete', 'hanna', '****'])
    expect(unknown).toEqual({
      code: 1,
      stdout: '',
      stderr: 'hanna has no passkey with this id, see: npm run latchkey -- passkey list hanna\n',
    })
    expect(
      await clone.command(['passkey', 'delete', 'hanna', first.listedId.slice(0, 20)]),
    ).toEqual({ code: 0, stdout: 'Deleted passkey "Passkey" of hanna.\n', stderr: '' })
    expect(await signInWith(first, 'hanna')).toMatchObject({ code: 400 })

    const refused = await clone.command(['2fa', 'cancel', 'hanna'])
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('hanna still has 1 passkey; to delete it: '),
    })
    expect(await signInWith(second, 'hanna')).toMatchObject({ code: 200 })
    expect(await clone.command(['2fa', 'cancel', 'hanna', '--passkeys'])).toEqual({
      code: 0,
      stdout: 'Deleted 1 passkey of hanna; all sessions have ended.\n',
      stderr: '',
    })
    expect(await signInWith(second, 'hanna')).toMatchObject({ code: 400 })
    const none = await clone.command(['passkey', 'list', 'hanna'])
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'hanna has no passkeys.\n' })
  })
})
