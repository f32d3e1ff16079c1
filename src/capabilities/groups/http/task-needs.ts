import { cleanFolder } from '../../../core/base/clean-folder.ts'
import { type Need, readsWhole, takesAway, writesWhole } from '../needs.ts'
import { joinNames, nameOf } from '../openlist-paths.ts'

/** A copy or a move: `copy [/storage](/file in it) to [/storage](/folder in it)`. */
const TRANSFER = /^(copy|move|merge) \[(.*)\]\((.*)\) to \[(.*)\]\((.*)\)$/s

/**
 * Returns what a task of the file server needs that is begun again. OpenList tells of a task its
 * name alone (`FileTransferTask.GetName`).
 *
 * @returns `undefined` for a name that does not say it, or may mean several things.
 */
export function needsOfTask(name: string): Need[] | undefined {
  const [, kind, from = '', file = '', to = '', folder = ''] = TRANSFER.exec(name) ?? []
  const isClear = name.split('](').length === 3 && name.split(') to [').length === 2
  // Storages of a name with this ending are one folder.
  if (kind === undefined || !isClear || `${from} ${to}`.includes('.balance')) return undefined
  const source = joinNames(cleanFolder(from), file)
  const target = joinNames(cleanFolder(to), folder, nameOf(source))
  return [kind === 'move' ? takesAway(source) : readsWhole(source), writesWhole(target)]
}
