import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import * as base64url from 'jose/base64url'
import { parseSecretKeys } from '../../core/crypto/key-ring.ts'
import { codeOf, CommandError } from '../kit/command-error.ts'
import { installed, isPacked } from '../kit/places.ts'
import { STATE_FOLDER } from './local-database.ts'

const SECRET_BYTES = 32
export const DEV_VARS_FILE = '.dev.vars'
export const PRODUCTION_FILE = '.production.vars'

/** The file with the secrets of the deployed site: it belongs to the checkout, not to local data. */
export function productionFile(): string {
  return installed(PRODUCTION_FILE)
}

/** Generates an entry for `SECRET_KEYS`. */
export function newSecretKey(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/**
 * Checks that `.dev.vars` holds a usable `SECRET_KEYS`; adds the line when it is missing and the
 * site has no data yet, which could be sealed with a lost one.
 *
 * @throws {CommandError} When the file can't be written, or its value is not usable; what stands in
 *   a file is never overwritten.
 */
export function ensureDevVars(): void {
  const given = givenSecretKeys()
  if (given !== undefined) {
    const fault = parseSecretKeys(given)
    if (typeof fault === 'string') throw new CommandError(`SECRET_KEYS is invalid: ${fault}.`)
    return
  }
  const isThere = existsSync(DEV_VARS_FILE)
  if (!isThere || (readSecretKeys() === undefined && !existsSync(STATE_FOLDER))) {
    try {
      // The last line of a person may lack its end.
      const line = `${isThere ? '\n' : ''}SECRET_KEYS=${newSecretKey()}\n`
      writeFileSync(DEV_VARS_FILE, line, { mode: 0o600, flag: 'a' })
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
      `${DEV_VARS_FILE} is invalid: ${problem}. To start over, delete the file: this ends all sign-ins and two-step verification.`,
    )
  }
}

/**
 * Adds a line to `.dev.vars`, which only this user can read then.
 *
 * @param value Without anything that needs quotes.
 * @throws {CommandError} When the file can't be written.
 */
export function addDevVar(name: string, value: string): void {
  try {
    const text = existsSync(DEV_VARS_FILE) ? readFileSync(DEV_VARS_FILE, 'utf8') : ''
    const start = text === '' || text.endsWith('\n') ? '' : '\n'
    writeFileSync(DEV_VARS_FILE, `${start}${name}=${value}\n`, { mode: 0o600, flag: 'a' })
    chmodSync(DEV_VARS_FILE, 0o600)
  } catch (error) {
    throw new CommandError(`Can't write ${DEV_VARS_FILE} here (${codeOf(error)}).`)
  }
}

/** The file with the variables of a site. */
export function varsFile(isRemote: boolean): string {
  return isRemote ? 'wrangler.toml' : DEV_VARS_FILE
}

/** Variables of the Worker that stand in the environment, in `.dev.vars` or in `wrangler.toml`. */
const WORKER_VARS = [
  'TOKEN_HOURS',
  'FRESH_MINUTES',
  'PASSKEY_RP_ID',
  'PASSKEY_ORIGINS',
  'ISSUER',
  'SITE_ADDRESS',
  'MAIL_FROM',
  'TURNSTILE_VERIFY_URL',
  'FILES_ORIGIN',
  'FILES_TOKEN',
  'FILES_HEADERS',
  'FILES_HOST',
  'FILES_TIMEOUT_SECONDS',
  'FILES_PAGE_POLICY',
  'FILES_OPEN_LINKS',
]
/** Variables of the start alone: the Worker gets none of them. */
const START_VARS = ['SMTP_URL', 'BEHIND_PROXY', 'TRUSTED_PROXIES']

/** Returns the variables that the environment has. They count before `.dev.vars`. */
function environmentVars(): Record<string, string> {
  return Object.fromEntries(
    [...WORKER_VARS, ...START_VARS].flatMap((name) => {
      const value = process.env[name]
      return value ? [[name, value]] : []
    }),
  )
}

/** Returns the variables for the Worker that the environment or `.dev.vars` has. */
export function workerVars(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readLocalVars()).flatMap(([name, value]) =>
      WORKER_VARS.includes(name) && value !== undefined ? [[name, value]] : [],
    ),
  )
}

/** Reads the variables of the local site other than its secret. */
export function readLocalVars(): Record<string, string | undefined> {
  const { SECRET_KEYS: _, ...vars } = existsSync(DEV_VARS_FILE) ? readVarsFile(DEV_VARS_FILE) : {}
  return { ...vars, ...environmentVars() }
}

/**
 * Returns the `SECRET_KEYS` of the environment for the local site. In a checkout these are those of
 * production, for `--remote`.
 */
export function givenSecretKeys(): string | undefined {
  return isPacked() ? process.env['SECRET_KEYS'] || undefined : undefined
}

/** Reads `SECRET_KEYS` from `.dev.vars`, or from another file of that form. */
export function readSecretKeys(file = DEV_VARS_FILE): string | undefined {
  const given = file === DEV_VARS_FILE ? givenSecretKeys() : undefined
  if (given !== undefined) return given
  return readVarsFile(file)['SECRET_KEYS']
}

/** Reads a file of variables; nothing of it is checked. */
export function readVarsFile(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(
      `Can't read ${file} (${codeOf(error)}): it must be a file that you may read.`,
    )
  }
}

/**
 * Reads production's `SECRET_KEYS` from the environment, else from the copy in `.production.vars`.
 * Cloudflare never shows a secret again.
 *
 * @throws {CommandError} When both are missing, or the value is not usable.
 */
export function readProductionSecretKeys(): string {
  const secretKeys = findProductionSecretKeys()
  if (secretKeys !== undefined) return secretKeys
  throw new CommandError(
    `This needs production's secret, which can't be read back from Cloudflare: set SECRET_KEYS, or put your copy into ${PRODUCTION_FILE}.`,
  )
}

/** Like `readProductionSecretKeys`; `undefined` when both are missing. */
export function findProductionSecretKeys(): string | undefined {
  const isSet = Boolean(process.env['SECRET_KEYS'])
  if (!isSet && !existsSync(productionFile())) return undefined
  const secretKeys = isSet ? process.env['SECRET_KEYS'] : readSecretKeys(productionFile())
  const problem = parseSecretKeys(secretKeys)
  if (typeof problem !== 'string' && secretKeys !== undefined) return secretKeys
  throw new CommandError(
    `${isSet ? 'SECRET_KEYS of the environment' : PRODUCTION_FILE} is invalid: ${String(problem)}.`,
  )
}

/**
 * Generates production's secret and first writes a copy to this machine: Cloudflare never shows a
 * secret again.
 */
export function makeProductionSecretKeys(): string {
  const secretKeys = newSecretKey()
  try {
    writeFileSync(productionFile(), `SECRET_KEYS=${secretKeys}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new CommandError(`Can't write ${PRODUCTION_FILE} here (${codeOf(error)}).`)
  }
  return secretKeys
}
