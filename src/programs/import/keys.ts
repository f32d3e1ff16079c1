import * as v from 'valibot'
import { MAX_KEYS_PER_USER } from '../../capabilities/ssh-keys/store.ts'
import { parsePublicKey } from '../../capabilities/ssh-keys/openssh.ts'
import { titleSchema } from '../../capabilities/ssh-keys/title.ts'
import { KeyError } from '../../core/crypto/wire.ts'
import { parseGoTime, reasonOf, textColumn } from './columns.ts'
import type { RawRow } from './source.ts'

/** A valid key of the source. */
export interface OldKey {
  title: string
  fingerprint: string
  type: string
  bits: number
  line: string
  /** Unix time, milliseconds. */
  addedAt: number
  /** Unix time, milliseconds. */
  lastUsedAt: number
}

const keyRow = v.object({ title: titleSchema, key_str: v.pipe(textColumn, v.nonEmpty()) })

/**
 * Reads a row of `x_ssh_public_keys`.
 *
 * @param others The keys that the user has already.
 * @param now Unix time, milliseconds.
 * @returns The key, or the reason why it can't be imported.
 */
export function readKey(row: RawRow, others: OldKey[], now: number): OldKey | string {
  const parsed = v.safeParse(keyRow, row)
  if (!parsed.success) return reasonOf(parsed.issues[0])
  try {
    const { title, key_str: text } = parsed.output
    const { fingerprint, type, bits, line } = parsePublicKey(text)
    if (others.length >= MAX_KEYS_PER_USER)
      return `a user can have at most ${MAX_KEYS_PER_USER} keys`
    const twin = others.find((key) => key.title === title || key.fingerprint === fingerprint)
    if (twin?.title === title) return 'another key of the user has this title'
    if (twin !== undefined) return `the user has this key already, as ${JSON.stringify(twin.title)}`
    const addedAt = Math.min(parseGoTime(row['added_time']) ?? now, now)
    const lastUsedAt = Math.max(Math.min(parseGoTime(row['last_used_time']) ?? 0, now), addedAt)
    return { title, fingerprint, type, bits, line, addedAt, lastUsedAt }
  } catch (error) {
    if (error instanceof KeyError) return error.message
    throw error
  }
}
