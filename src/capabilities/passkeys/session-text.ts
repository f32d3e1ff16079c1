import type { Deps } from '../../core/deps.ts'
import { openBox, sealBox } from '../../core/crypto/sealed-box.ts'
import { PasskeyError } from './reasons.ts'

const CHALLENGE_BYTES = 32
/** Time that a user has for the dialogue of the browser. */
export const CEREMONY_MILLISECONDS = 5 * 60 * 1000
export const MAX_NAME_CHARACTERS = 100

/** UTF-8 needs at most four bytes for a character. */
const NAME_BYTES = 4 * MAX_NAME_CHARACTERS
/** Kind, challenge, expiry, user id, length of the name, name. */
const TEXT_BYTES = 1 + CHALLENGE_BYTES + 8 + 8 + 2 + NAME_BYTES
const EXPIRY_OFFSET = 1 + CHALLENGE_BYTES
const KINDS = ['assertion', 'registration'] as const
/** It stands in place of a user id. Ids begin at 1. */
const ANYBODY = -1

const USE = 'passkey ceremony'

/** A ceremony that has begun. The client keeps it as a sealed text, so nothing is stored. */
export interface Ceremony {
  /** `assertion` is a sign-in or a confirmation. */
  kind: (typeof KINDS)[number]
  challenge: Uint8Array<ArrayBuffer>
  /** Unix time, milliseconds. */
  expiresAt: number
  /** The user who may answer; `undefined` for anybody with a discoverable passkey. */
  userId: number | undefined
  /** The name of the new passkey; empty otherwise. */
  name: string
}

type TextDeps = Pick<Deps, 'keyRing' | 'randomBytes' | 'now'>

/** Begins a ceremony. @returns The ceremony and its text, which always has the same length. */
export async function beginCeremony(
  deps: TextDeps,
  kind: Ceremony['kind'],
  userId: number | undefined,
  name = '',
): Promise<{ ceremony: Ceremony; session: string }> {
  const challenge = deps.randomBytes(CHALLENGE_BYTES)
  const expiresAt = deps.now() + CEREMONY_MILLISECONDS
  const ceremony: Ceremony = { kind, challenge, expiresAt, userId, name }
  const ring = await deps.keyRing()
  return { ceremony, session: await sealBox(deps, ring, toBytes(ceremony), USE, 'ceremony') }
}

/**
 * Opens the text of a ceremony.
 *
 * @throws {PasskeyError} `session text` for a text that is not ours or is of the other kind;
 *   `expired`.
 */
export async function openCeremony(
  deps: Pick<TextDeps, 'keyRing' | 'now'>,
  kind: Ceremony['kind'],
  session: string,
): Promise<Ceremony> {
  const ring = await deps.keyRing()
  const bytes = await openBox(ring, session, USE, 'a ceremony', 'ceremony').catch(() => undefined)
  const ceremony = bytes && fromBytes(bytes)
  if (ceremony?.kind !== kind) throw new PasskeyError('session text')
  if (ceremony.expiresAt <= deps.now()) throw new PasskeyError('expired')
  return ceremony
}

function toBytes({ kind, challenge, expiresAt, userId, name }: Ceremony): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(TEXT_BYTES)
  const view = new DataView(bytes.buffer)
  const encoded = new TextEncoder().encode(name)
  bytes[0] = KINDS.indexOf(kind)
  bytes.set(challenge, 1)
  view.setFloat64(EXPIRY_OFFSET, expiresAt)
  view.setFloat64(EXPIRY_OFFSET + 8, userId ?? ANYBODY)
  view.setUint16(EXPIRY_OFFSET + 16, encoded.length)
  bytes.set(encoded, EXPIRY_OFFSET + 18)
  return bytes
}

function fromBytes(bytes: Uint8Array<ArrayBuffer>): Ceremony | undefined {
  const view = new DataView(bytes.buffer)
  const kind = KINDS[bytes[0] ?? KINDS.length]
  // A box of another version of this program, which the same key has sealed.
  if (bytes.length !== TEXT_BYTES || kind === undefined) return undefined
  const userId = view.getFloat64(EXPIRY_OFFSET + 8)
  const nameStart = EXPIRY_OFFSET + 18
  const nameEnd = nameStart + view.getUint16(EXPIRY_OFFSET + 16)
  return {
    kind,
    challenge: bytes.slice(1, EXPIRY_OFFSET),
    expiresAt: view.getFloat64(EXPIRY_OFFSET),
    userId: userId === ANYBODY ? undefined : userId,
    name: new TextDecoder().decode(bytes.subarray(nameStart, nameEnd)),
  }
}
