import type { Operator } from '../../core/access/operators.ts'
import { act, of } from '../../core/access/subject.ts'
import { deleteOrphansInTime } from '../files/write-in-time.ts'
import { needFileServer, type RuleDeps } from './folder-rules.ts'
import { writeFirst } from './write-in-time.ts'
import type { Written } from './writer.ts'

/**
 * Compares the rules with the file server, and writes what differs: the first folders before the
 * answer, the others after it.
 *
 * @throws {Refusal} `noFileServer`, `notAdmin`, `confirmationNeeded`.
 */
export async function syncFolders(deps: RuleDeps, operator: Operator): Promise<Written> {
  const files = await needFileServer(deps, operator)
  await act(deps, of(operator), { fresh: true }, () => ({}))
  await deleteOrphansInTime(deps, files)
  return writeFirst(deps, files)
}
