import { createMeter } from '../../core/database/database.ts'
import { openDatabase } from '../../core/database/open-database.ts'
import { type Database, randomBytes } from '../../core/deps.ts'
import { deriveScrypt } from '../../core/crypto/scrypt.ts'
import { createFirstAccounts } from '../site/first-accounts.ts'
import type { Wrangler } from '../site/cloudflare.ts'
import { WranglerD1 } from './wrangler-d1.ts'

/** An import of wrangler uploads a file and waits until it has run. */
const DEADLINE_MILLISECONDS = 5 * 60_000

/** @param folder Private and temporary. */
export function openDeployed(wrangler: Wrangler, folder: string): Database {
  return openDatabase(new WranglerD1(wrangler, folder), createMeter(), DEADLINE_MILLISECONDS)
}

/**
 * Creates the first accounts in the deployed database.
 *
 * @param folder Private and temporary.
 * @returns As `createFirstAccounts`.
 */
export function createDeployedAccounts(
  wrangler: Wrangler,
  folder: string,
  adminPassword: string | undefined,
): Promise<string | undefined> {
  const db = openDeployed(wrangler, folder)
  return createFirstAccounts({ db, hashPassword: deriveScrypt, randomBytes }, adminPassword)
}
