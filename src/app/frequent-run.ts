import { loadParts, startParts } from './run-parts.ts'
import { keyFolders, withoutKeyParts } from '../core/accounts/folder-keys.ts'
import { keyGroups, withoutKeyGroups } from '../core/accounts/group-keys.ts'
import { inOneBatch } from '../core/database/shared-batch.ts'
import { runBatch } from '../core/database/statements.ts'
import type { Deps } from '../core/deps.ts'

/**
 * Runs every five minutes: does what the capabilities name, such as sending notices, mails and
 * logouts that were not delivered before, and makes missing keys of folders and groups. It takes
 * one round trip to D1 when there is nothing to do. One part that fails keeps no other one from its
 * work.
 */
export async function runFrequently(deps: Deps): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const loaded = await loadParts('frequent')
  await inOneBatch(
    (statements) => runBatch(db, statements),
    (batch) => [
      ...startParts(loaded, { deps, now, batch }),
      batch.add(withoutKeyParts(db)).then((found) => keyFolders(deps, found)),
      batch.add(withoutKeyGroups(db)).then((found) => keyGroups(deps, found)),
    ],
  )
}
