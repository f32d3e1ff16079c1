import { logError } from '../../core/database/log.ts'
import type { RunPart } from '../../core/deps.ts'
import { selectHasFolders } from './meta-store.ts'
import { recordMissing, selectRuledFolders } from './missing-folders.ts'
import { untilTasksEnd, writeAll } from './writer.ts'

/**
 * The run every five minutes: writes the folders that wait, and puts right what was changed at the
 * file server itself, or came back with a backup of it. It notices folders that are not there.
 */
export const frequent: RunPart = async ({ deps, batch }) => {
  const { found, ruled } = await batch.add({
    found: selectHasFolders(deps.db),
    ruled: selectRuledFolders(deps.db),
  })
  const files = deps.fileServer()
  if (found.length === 0 || files === undefined || files.problem !== undefined) return
  try {
    const { areTasksLeft } = await writeAll(deps, files)
    if (areTasksLeft) deps.defer(untilTasksEnd({ ...deps, db: deps.backgroundDb }, files))
    await recordMissing(
      deps,
      files,
      ruled.map(({ path }) => path),
    )
  } catch (error) {
    logError(error, { during: 'the folders of the file server' })
  }
}
