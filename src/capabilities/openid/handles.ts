import * as base64url from 'jose/base64url'
import { sha256Hex } from '../../core/base/encoding.ts'
import type { Deps } from '../../core/deps.ts'

/** 16 bytes, base64url. */
const ID_CHARACTERS = 22
const ID_BYTES = 16
const SECRET_BYTES = 32

/** The kinds of handles. The prefix lets scanners of public code recognise the tokens. */
const PREFIX = { code: '', access: 'lka_', refresh: 'lkr_' } as const

type Kind = keyof typeof PREFIX

/** A code or a token: the id of its row, which is no secret, and 256 random bits. */
interface Handle {
  id: string
  /** The part that all refresh tokens of a row share; empty for the other kinds. */
  family: string
  secret: string
}

/** Makes the id of a row, or the part that its refresh tokens share. */
export function newGrantId({ randomBytes }: Pick<Deps, 'randomBytes'>): string {
  return base64url.encode(randomBytes(ID_BYTES))
}

export function newSecret({ randomBytes }: Pick<Deps, 'randomBytes'>): string {
  return base64url.encode(randomBytes(SECRET_BYTES))
}

export function handleText(kind: Kind, { id, family, secret }: Handle): string {
  return PREFIX[kind] + id + family + secret
}

/** @returns `undefined` for a text that is no handle of this kind. */
export function parseHandle(kind: Kind, text: string): Handle | undefined {
  const prefix = PREFIX[kind]
  const familyLength = kind === 'refresh' ? ID_CHARACTERS : 0
  const rest = text.slice(prefix.length)
  if (!text.startsWith(prefix) || rest.length !== ID_CHARACTERS + familyLength + 43)
    return undefined
  if (!/^[\w-]+$/.test(rest)) return undefined
  const secretStart = ID_CHARACTERS + familyLength
  return {
    id: rest.slice(0, ID_CHARACTERS),
    family: rest.slice(ID_CHARACTERS, secretStart),
    secret: rest.slice(secretStart),
  }
}

/** Hashes a secret as it is stored. 256 random bits need no salt and no slow hash. */
export const hashSecret = sha256Hex
