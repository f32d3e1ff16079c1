import { Refusal } from '../../../core/base/refusals.ts'
import type { ListedNames } from '../listed-names.ts'
import { nameOf } from '../openlist-paths.ts'
import type { Move } from './items.ts'

/**
 * Refuses a copy or a move of a file in the place of a folder: where a storage has no sizes of
 * folders, OpenList removes the folder first (`op.Put`), with what was closed in it meanwhile.
 *
 * @throws {Refusal} `folderDenied`, `objectNotFound`; `filesUnavailable`, `filesBroken`.
 */
export async function refuseFilesOntoFolders(
  listed: ListedNames,
  moves: readonly Move[],
): Promise<void> {
  for (const [to, moved] of Map.groupBy(moves, (move) => move.to)) {
    const names = new Set(moved.map(({ from }) => nameOf(from)))
    const taken = new Set(await listed.foldersAmong(to, names))
    for (const { from } of moved.filter((move) => taken.has(nameOf(move.from)))) {
      const kind = await listed.kindOf(from)
      if (kind === 'gone') throw new Refusal('objectNotFound')
      if (kind !== 'folder') throw new Refusal('folderDenied')
    }
  }
}
