import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromBase64Url, toBase64 } from '../../src/core/base/encoding.ts'
import { passkeyRowsOf, readPasskey } from '../../src/programs/import/passkeys.ts'
import { checkPublicKey } from '../../src/capabilities/passkeys/cose.ts'
import type { RawRow } from '../../src/programs/import/source.ts'

const NOW = Date.parse('2026-11-22T00:00:00Z')
const MAX_COUNTER = 2 ** 32 - 1

/** A member of the column `authn`, as OpenList (commit 0b1e9d0) wrote it. */
const RECORDED = {
  id: '8eDNXE/k7iLl2sM7BObdgQSB0u20A3W0RWFo2IzcUL8=',
  publicKey:
    'pQECAyYgASFYIDs1JYl5cIU62P6p1fp8brGExkOd01gz4WReFf1tDITNIlggKosNbsfqYqurwdwcbKWqV7iLvUr3tNlyp55Ur0q5Jos=',
  attestationType: 'none',
  transport: ['internal', 'hybrid'],
  flags: { userPresent: true, userVerified: true, backupEligible: false, backupState: false },
  authenticator: {
    AAGUID: 'oKGio6SlpqeoqaqrrK2urw==',
    signCount: 0,
    cloneWarning: false,
    attachment: 'platform',
  },
  attestation: {
    clientDataJSON: 'e30=',
    clientDataHash: 'ZTVQbj2THf57WpM5R/0cI4PhK/qvrJt9hk4g7ukWzvk=',
    authenticatorData: null,
    publicKeyAlgorithm: 0,
    object: 'oA==',
  },
}

/** A row of the table `passkeys` of this program. */
const OWN_ROW = {
  credential_id: '8eDNXE_k7iLl2sM7BObdgQSB0u20A3W0RWFo2IzcUL8',
  user_id: 3,
  public_key: RECORDED.publicKey.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  algorithm: -7,
  sign_count: 5,
  backup_eligible: 1,
  backed_up: 0,
  transports: 'hybrid internal',
  aaguid: 'a0a1a2a3a4a5a6a7a8a9aaabacadaeaf',
  rp_id: 'files.example.org',
  name: 'phone',
  created_at: NOW - 5,
  last_used_at: null,
  discoverable: 1,
}

function rowsOf(authn: unknown): RawRow[] {
  return passkeyRowsOf([{ id: 3, authn }])
}

/**
 * Returns the members that do not fit the table; the reason of a refusal fits when it is a
 * sentence.
 */
function faultsIn(row: RawRow): string[] {
  const passkey = readPasskey(row, [], 'localhost', NOW)
  if (typeof passkey === 'string') return REASON.test(passkey) ? [] : [passkey]
  const { credentialId, publicKey, signCount, createdAt, lastUsedAt } = passkey
  const idBytes = fromBase64Url(credentialId)?.length ?? 0
  const checks = {
    credentialId: idBytes > 0 && idBytes <= 1023,
    publicKey: algorithmOf(publicKey) === passkey.algorithm,
    signCount: Number.isInteger(signCount) && signCount >= 0 && signCount <= MAX_COUNTER,
    aaguid: /^[0-9a-f]{32}$/.test(passkey.aaguid),
    transports: /^(?:[a-z-]+(?: [a-z-]+)*)?$/.test(passkey.transports),
    name: /^[^\p{Cc}]{1,200}$/u.test(passkey.name),
    rpId: passkey.rpId !== '',
    createdAt: isPast(createdAt),
    lastUsedAt: lastUsedAt === null || isPast(lastUsedAt),
  }
  return Object.entries(checks).flatMap(([name, isRight]) => (isRight ? [] : [name]))
}

/** One sentence, which can't hold a value of the row. */
const REASON = /^[A-Za-z][\w.:,<>" -]{0,160}$/

function algorithmOf(publicKey: string): number {
  return checkPublicKey(fromBase64Url(publicKey) ?? new Uint8Array())
}

function isPast(time: number): boolean {
  return Number.isSafeInteger(time) && time >= 0 && time <= NOW
}

/** Anything that JSON or SQLite can hold. */
const anyValue = fc.oneof(
  fc.anything({ withNullPrototype: false, withBigInt: true }),
  fc.jsonValue(),
  fc.double(),
  fc.bigInt(),
  fc.constantFrom('', '0', 'AA==', 'AA', '\u0000', '2026-06-09T10:11:12Z', '{}', 1e300, -1, 0.5),
  fc.uint8Array({ maxLength: 1100 }).map((bytes) => toBase64(bytes)),
)

/** A copy with one member, at any depth, replaced or removed. */
function withMember(value: unknown, path: readonly number[], change: unknown): unknown {
  const [first, ...rest] = path
  if (typeof value !== 'object' || value === null || first === undefined) return change
  const keys = Object.keys(value)
  const key = keys[first % keys.length]
  if (key === undefined) return change
  const changed = Object.entries(value).map(([name, member]): [string, unknown] =>
    name === key ? [name, withMember(member, rest, change)] : [name, member],
  )
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed)
}

const mutation = fc.tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }), anyValue)

describe('readPasskey', () => {
  test('reads what OpenList wrote, in all four forms', () => {
    const { flags: _, ...old } = RECORDED
    const newer = { ...RECORDED, name: 'phone', created_at: '2026-06-09T10:11:12Z' }
    const wrapped = { credential: RECORDED, name: 'key', last_used_at: '2026-06-09T10:11:12Z' }
    const [row, ...others] = rowsOf(JSON.stringify([RECORDED, old, newer, wrapped])).map((item) =>
      readPasskey(item, [], 'localhost', NOW),
    )
    const plain = {
      credentialId: OWN_ROW.credential_id,
      publicKey: OWN_ROW.public_key,
      algorithm: -7,
      signCount: 0,
      backupEligible: null,
      backedUp: false,
      transports: 'hybrid internal',
      aaguid: OWN_ROW.aaguid,
      rpId: 'localhost',
      name: 'Passkey',
      createdAt: NOW,
      lastUsedAt: null,
      discoverable: false,
    }
    const time = Date.parse('2026-06-09T10:11:12Z')
    expect(row).toEqual(plain)
    expect(others).toEqual([
      plain,
      { ...plain, name: 'phone', createdAt: time },
      { ...plain, name: 'key', lastUsedAt: time },
    ])
  })

  test('reads a row of this program', () => {
    expect(readPasskey(OWN_ROW, [], undefined, NOW)).toMatchObject({
      signCount: 5,
      backupEligible: true,
      rpId: 'files.example.org',
      name: 'phone',
      discoverable: true,
    })
  })

  test('takes any column for a list of passkeys or refuses it', () => {
    fc.assert(
      fc.property(fc.oneof(anyValue, fc.json()), (authn) => {
        expect(rowsOf(authn).flatMap(faultsIn)).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  test('takes a passkey of OpenList with any member changed, or says in one sentence why not', () => {
    fc.assert(
      fc.property(mutation, fc.boolean(), ([path, change], isWrapped) => {
        const credential = withMember(RECORDED, path, change)
        const wrapper = { credential, name: change, created_at: change, last_used_at: change }
        const row = { user_id: 3, credential: isWrapped ? wrapper : credential }
        expect(faultsIn(row)).toEqual([])
      }),
      { numRuns: 3000 },
    )
  })

  test('takes a row of this program with any column changed, or says in one sentence why not', () => {
    fc.assert(
      fc.property(mutation, ([[first = 0], change]) => {
        const row = withMember(OWN_ROW, [first], change)
        expect(faultsIn({ ...OWN_ROW, ...(typeof row === 'object' && row) })).toEqual([])
      }),
      { numRuns: 3000 },
    )
  })
})
