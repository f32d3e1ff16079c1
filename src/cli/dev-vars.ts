import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { base64url } from 'jose'
import { parseSecretKeys } from '../tokens/key-ring.ts'
import { CommandError } from './command-error.ts'

const SECRET_BYTES = 32
const FILE = '.dev.vars'

/** One fresh entry for `SECRET_KEYS`. */
export function newSecretKey(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/**
 * Sees to it that `.dev.vars` holds a usable `SECRET_KEYS`, and makes the file where there is none.
 *
 * @throws {CommandError} When the file can't be written, or what it says is of no use; it is never
 *   overwritten.
 */
export function ensureDevVars(): void {
  if (!existsSync(FILE)) {
    try {
      writeFileSync(FILE, `SECRET_KEYS=${newSecretKey()}\n`, { mode: 0o600 })
    } catch (error) {
      throw new CommandError(
        `Can't write ${FILE} here (${codeOf(error)}): make this folder writable.`,
      )
    }
    return
  }
  const problem = parseSecretKeys(readSecretKeys())
  if (typeof problem === 'string') {
    throw new CommandError(
      `${FILE} is broken: ${problem}. To begin anew, delete the file (all sign-ins and 2FA end).`,
    )
  }
}

/** What `.dev.vars` says. */
export function readSecretKeys(): string | undefined {
  try {
    return parseEnv(readFileSync(FILE, 'utf8'))['SECRET_KEYS']
  } catch (error) {
    throw new CommandError(`Can't read ${FILE} (${codeOf(error)}): it must be a file you may read.`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
