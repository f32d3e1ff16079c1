import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import * as base64url from 'jose/base64url'
import { parseSecretKeys } from '../crypto/key-ring.ts'
import { codeOf, CommandError } from './command-error.ts'

const SECRET_BYTES = 32
export const DEV_VARS_FILE = '.dev.vars'
export const PRODUCTION_FILE = '.production.vars'

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
  if (!existsSync(DEV_VARS_FILE)) {
    try {
      writeFileSync(DEV_VARS_FILE, `SECRET_KEYS=${newSecretKey()}\n`, { mode: 0o600 })
    } catch (error) {
      throw new CommandError(
        `Can't write ${DEV_VARS_FILE} here (${codeOf(error)}): make this folder writable.`,
      )
    }
    return
  }
  const problem = parseSecretKeys(readSecretKeys())
  if (typeof problem === 'string') {
    throw new CommandError(
      `${DEV_VARS_FILE} is broken: ${problem}. To begin anew, delete the file (all sign-ins and 2FA end).`,
    )
  }
}

/** What `.dev.vars` says, or another file of that form. */
export function readSecretKeys(file = DEV_VARS_FILE): string | undefined {
  try {
    return parseEnv(readFileSync(file, 'utf8'))['SECRET_KEYS']
  } catch (error) {
    throw new CommandError(`Can't read ${file} (${codeOf(error)}): it must be a file you may read.`)
  }
}

/**
 * Production's `SECRET_KEYS`, which nobody can read back from Cloudflare: from the environment,
 * else from the copy in `.production.vars`.
 *
 * @throws {CommandError} When there is neither, or what there is is of no use.
 */
export function readProductionSecretKeys(): string {
  const secretKeys = findProductionSecretKeys()
  if (secretKeys !== undefined) return secretKeys
  throw new CommandError(
    `This needs production's secret, which can't be read back from Cloudflare: set SECRET_KEYS, or put your copy into ${PRODUCTION_FILE}.`,
  )
}

/** As `readProductionSecretKeys`; `undefined` when there is neither. */
export function findProductionSecretKeys(): string | undefined {
  const isSet = Boolean(process.env['SECRET_KEYS'])
  if (!isSet && !existsSync(PRODUCTION_FILE)) return undefined
  const secretKeys = isSet ? process.env['SECRET_KEYS'] : readSecretKeys(PRODUCTION_FILE)
  const problem = parseSecretKeys(secretKeys)
  if (typeof problem !== 'string' && secretKeys !== undefined) return secretKeys
  throw new CommandError(
    `${isSet ? 'SECRET_KEYS of the environment' : PRODUCTION_FILE} is broken: ${String(problem)}.`,
  )
}

/** Makes production's secret, and keeps a copy here first: Cloudflare never shows it again. */
export function makeProductionSecretKeys(): string {
  const secretKeys = newSecretKey()
  try {
    writeFileSync(PRODUCTION_FILE, `SECRET_KEYS=${secretKeys}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new CommandError(`Can't write ${PRODUCTION_FILE} here (${codeOf(error)}).`)
  }
  return secretKeys
}
