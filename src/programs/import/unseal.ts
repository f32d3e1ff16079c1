import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { toBase32 } from '../../core/base/base32.ts'
import { createKeyRing, type KeyRing } from '../../core/crypto/key-ring.ts'
import { openSeed } from '../../capabilities/two-factor/sealed.ts'
import { codeOf, CommandError, messageOf } from '../kit/command-error.ts'
import { readId } from './columns.ts'
import type { RawRow, Source } from './source.ts'
import { isEncrypted, openWorkerValue } from './worker-cipher.ts'

/** The secrets of the old site, from a file such as its `.dev.vars`. */
export interface OldSecrets {
  /** The `SECRET_KEYS` of a Latchkey site. */
  ring?: KeyRing
  /** The `JWT_SECRET` of OpenList-Worker. */
  workerSecret?: string
}

/** @throws {CommandError} When the file can't be read, or holds no secret that fits. */
export async function readOldSecrets(file: string): Promise<OldSecrets> {
  const vars = parseFile(file)
  const { SECRET_KEYS: secretKeys, JWT_SECRET: workerSecret } = vars
  if (secretKeys === undefined && workerSecret === undefined)
    throw new CommandError(`${file} has neither SECRET_KEYS nor JWT_SECRET.`)
  return {
    ...(secretKeys !== undefined && { ring: await ringOf(file, secretKeys) }),
    ...(workerSecret !== undefined && { workerSecret }),
  }
}

function parseFile(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`Can't read ${file} (${codeOf(error)}): name a file that you may read.`)
  }
}

async function ringOf(file: string, secretKeys: string): Promise<KeyRing> {
  try {
    return await createKeyRing(secretKeys)
  } catch (error) {
    throw new CommandError(`${file} is invalid: ${messageOf(error) ?? String(error)}.`)
  }
}

/**
 * Opens what the source has encrypted, so that its rows are those of OpenList.
 *
 * @param ring The key ring of this site, which opens the seeds of a site with the same secret.
 * @throws {CommandError} When a seed of a Latchkey site can't be opened: without its second factor,
 *   the password alone would open the account.
 */
export async function unseal(source: Source, secrets: OldSecrets, ring: KeyRing): Promise<Source> {
  if (source.kind === 'latchkey')
    return { ...source, users: await openSeeds(source.users, secrets.ring ?? ring) }
  if (source.kind === 'openlist-worker')
    return {
      ...source,
      users: await Promise.all(source.users.map((row) => openUser(row, secrets.workerSecret))),
    }
  return source
}

async function openSeeds(rows: RawRow[], ring: KeyRing): Promise<RawRow[]> {
  const opened: RawRow[] = []
  let failed = 0
  for (const { totp_seed: sealed, ...row } of rows) {
    const seed = typeof sealed === 'string' ? await seedOf(ring, sealed, row['id']) : ''
    if (seed === undefined) failed += 1
    else opened.push({ ...row, otp_secret: seed })
  }
  if (failed === 0) return opened
  throw new CommandError(
    `The two-step verification of ${failed === 1 ? '1 user' : `${failed} users`} is sealed with other SECRET_KEYS: name the .dev.vars of the old site, with --secrets <file>. Nothing was changed.`,
  )
}

/** @returns The seed in base32; `undefined` when it can't be opened. */
async function seedOf(ring: KeyRing, sealed: string, id: unknown): Promise<string | undefined> {
  try {
    return toBase32(await openSeed(ring, sealed, readId(id) ?? 0))
  } catch {
    return undefined
  }
}

/** Opens the columns of a user of OpenList-Worker; what can't be opened stays as it is. */
async function openUser(row: RawRow, secret: string | undefined): Promise<RawRow> {
  if (secret === undefined) return row
  const columns = await Promise.all(
    Object.entries(row).map(async ([name, value]) => [
      name,
      isEncrypted(value) ? ((await openWorkerValue(value, secret)) ?? value) : value,
    ]),
  )
  return Object.fromEntries(columns)
}
