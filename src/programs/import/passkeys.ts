import * as base64url from 'jose/base64url'
import * as v from 'valibot'
import { fromBase64, fromBase64Url, toHex } from '../../core/base/encoding.ts'
import { parsePasskeySite } from '../../core/base/passkey-site.ts'
import { knownTransports, newNameSchema } from '../../capabilities/passkeys/answer-schemas.ts'
import { checkPublicKey } from '../../capabilities/passkeys/cose.ts'
import { PasskeyError } from '../../capabilities/passkeys/reasons.ts'
import { MAX_PASSKEYS_PER_USER } from '../../capabilities/passkeys/store.ts'
import { KeyError } from '../../core/crypto/wire.ts'
import { parseGoTime } from './columns.ts'
import type { RawRow } from './source.ts'

/** A valid passkey of the source. */
export interface OldPasskey {
  /** Base64url. */
  credentialId: string
  /** COSE_Key, base64url. */
  publicKey: string
  algorithm: number
  signCount: number
  /** Null when it must be taken from the first sign-in. */
  backupEligible: boolean | null
  backedUp: boolean
  /** Separated by spaces. */
  transports: string
  /** 32 hexadecimal digits. */
  aaguid: string
  rpId: string
  name: string
  /** Unix time, milliseconds. */
  createdAt: number
  lastUsedAt: number | null
  discoverable: boolean
}

const DEFAULT_NAME = 'Passkey'
/** @see https://www.w3.org/TR/webauthn-3/#sctn-attested-credential-data */
const MAX_ID_BYTES = 1023
const AAGUID_BYTES = 16
const MAX_COUNTER = 2 ** 32 - 1
/** An RSA key of 8192 bits is shorter. */
const MAX_PUBLIC_KEY_BYTES = 2048

function bytesIn(decode: typeof fromBase64, maxBytes: number) {
  const isFit = (text: string) => {
    const length = decode(text)?.length ?? 0
    return length > 0 && length <= maxBytes
  }
  return v.pipe(
    v.string(),
    v.check(isFit),
    v.transform((text) => decode(text) ?? new Uint8Array()),
  )
}

const counter = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_COUNTER))

/** The members that OpenList writes in Go's JSON: binary ones as base64. */
const goCredential = v.object({
  id: bytesIn(fromBase64, MAX_ID_BYTES),
  publicKey: bytesIn(fromBase64, MAX_PUBLIC_KEY_BYTES),
  transport: v.nullish(v.array(v.string()), []),
  flags: v.nullish(v.object({ backupState: v.nullish(v.boolean(), false) })),
  authenticator: v.object({
    AAGUID: v.nullish(v.string(), ''),
    signCount: v.nullish(counter, 0),
  }),
})

/** Members of newer versions, beside the others or beside `credential`. */
const goAdditions = v.object({
  name: v.fallback(newNameSchema, ''),
  created_at: v.optional(v.unknown()),
  last_used_at: v.optional(v.unknown()),
})

/**
 * Turns the column `authn` of users into rows, one for each passkey. A column that is no list
 * becomes one row without a passkey, which `readPasskey` refuses.
 */
export function passkeyRowsOf(users: readonly RawRow[]): RawRow[] {
  return users.flatMap(({ id, authn }) =>
    listIn(authn).map((credential) => ({ user_id: id, credential })),
  )
}

function listIn(authn: unknown): unknown[] {
  if (authn === undefined || authn === null || authn === '') return []
  try {
    const list: unknown = typeof authn === 'string' ? JSON.parse(authn) : authn
    return Array.isArray(list) ? list : list === null ? [] : [undefined]
  } catch {
    return [undefined]
  }
}

/** Returns the name of a passkey for the report; empty when it has none. */
export function passkeyNameOf({ credential, name }: RawRow): string {
  const member = v.safeParse(v.object({ name: v.string() }), credential)
  return member.success ? member.output.name : typeof name === 'string' ? name : ''
}

/**
 * Reads a row of `passkeyRowsOf`, or of the table of another Latchkey site.
 *
 * @param others The passkeys that the user has already.
 * @param rpId The RP ID of the old site, for passkeys that don't hold theirs.
 * @param now Unix time, milliseconds.
 * @returns The passkey, or the reason why it can't be imported.
 */
export function readPasskey(
  row: RawRow,
  others: readonly OldPasskey[],
  rpId: string | undefined,
  now: number,
): OldPasskey | string {
  const passkey = 'credential' in row ? readGoCredential(row, rpId, now) : readOwn(row, now)
  if (typeof passkey === 'string') return passkey
  if (others.length >= MAX_PASSKEYS_PER_USER)
    return `a user can have at most ${MAX_PASSKEYS_PER_USER} passkeys`
  return passkey
}

function readGoCredential(
  { credential }: RawRow,
  rpId: string | undefined,
  now: number,
): OldPasskey | string {
  const wrapper = v.safeParse(v.object({ credential: v.unknown() }), credential)
  const isWrapped = wrapper.success && wrapper.output.credential !== undefined
  const parsed = v.safeParse(goCredential, isWrapped ? wrapper.output.credential : credential)
  if (!parsed.success) return malformed(parsed.issues[0])
  const { id, publicKey, transport, flags, authenticator } = parsed.output
  const algorithm = algorithmOf(publicKey)
  if (algorithm === undefined) return BAD_KEY
  if (rpId === undefined) return NO_RP_ID
  const { name, created_at: created, last_used_at: used } = v.parse(goAdditions, credential)
  const aaguid = fromBase64(authenticator.AAGUID)
  return {
    credentialId: base64url.encode(id),
    publicKey: base64url.encode(publicKey),
    algorithm,
    signCount: authenticator.signCount,
    backupEligible: null,
    backedUp: flags?.backupState ?? false,
    transports: knownTransports(transport).join(' '),
    aaguid: toHex(aaguid?.length === AAGUID_BYTES ? aaguid : new Uint8Array(AAGUID_BYTES)),
    rpId,
    name: name || DEFAULT_NAME,
    ...timesOf(parseGoTime(created), parseGoTime(used), now),
    // OpenList has asked for discoverable ones only since June 2026.
    discoverable: false,
  }
}

/** Integers may be `bigint`. */
const integer = v.pipe(
  v.unknown(),
  v.transform((value): unknown => (typeof value === 'bigint' ? Number(value) : value)),
)
const bit = v.pipe(integer, v.picklist([0, 1]), v.transform(Boolean))
/** Unix time, milliseconds. */
const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** A row of the table `passkeys`. */
const ownRow = v.object({
  credential_id: bytesIn(fromBase64Url, MAX_ID_BYTES),
  public_key: bytesIn(fromBase64Url, MAX_PUBLIC_KEY_BYTES),
  sign_count: v.pipe(integer, counter),
  backup_eligible: v.nullable(bit),
  backed_up: bit,
  transports: v.string(),
  aaguid: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  rp_id: v.pipe(v.string(), v.check(isRpId)),
  name: newNameSchema,
  created_at: v.pipe(integer, time),
  last_used_at: v.pipe(integer, v.nullable(time)),
  discoverable: bit,
})

function readOwn(row: RawRow, now: number): OldPasskey | string {
  const parsed = v.safeParse(ownRow, row)
  if (!parsed.success) return malformed(parsed.issues[0])
  const { output: old } = parsed
  const algorithm = algorithmOf(old.public_key)
  if (algorithm === undefined) return BAD_KEY
  return {
    credentialId: base64url.encode(old.credential_id),
    publicKey: base64url.encode(old.public_key),
    algorithm,
    signCount: old.sign_count,
    backupEligible: old.backup_eligible,
    backedUp: old.backed_up,
    transports: knownTransports(old.transports.split(' ')).join(' '),
    aaguid: old.aaguid,
    rpId: old.rp_id,
    name: old.name || DEFAULT_NAME,
    ...timesOf(old.created_at, old.last_used_at ?? undefined, now),
    discoverable: old.discoverable,
  }
}

const BAD_KEY = 'its public key is not one that passkeys have here: ES256, EdDSA or RS256, sound'
const NO_RP_ID =
  'the host name of the old site is unknown: name it with --passkey-rp-id <host name>'

/** @returns `undefined` for a key that the ceremonies would refuse. */
function algorithmOf(publicKey: Uint8Array<ArrayBuffer>): number | undefined {
  try {
    return checkPublicKey(publicKey)
  } catch (error) {
    if (error instanceof PasskeyError || error instanceof KeyError) return undefined
    throw error
  }
}

function timesOf(created: number | undefined, used: number | undefined, now: number) {
  const createdAt = Math.min(created ?? now, now)
  return { createdAt, lastUsedAt: used === undefined ? null : Math.min(used, now) }
}

/** Says what is wrong without quoting the value. */
function malformed(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue)
  if (path === null) return 'it is not a passkey as OpenList stores them'
  return issue.input === undefined ? `${path} is missing` : `${path} is malformed`
}

export function isRpId(name: string): boolean {
  return name !== '' && typeof parsePasskeySite(name) !== 'string'
}

/** Returns the host name in the setting `site_url` of the old site, if passkeys can have it. */
export function oldRpId(settings: readonly RawRow[]): string | undefined {
  const address = settings.find(({ key }) => key === 'site_url')?.['value']
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined
  const { hostname } = new URL(address)
  return isRpId(hostname) ? hostname : undefined
}
