import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { OriginDeps } from '../../files/origin.ts'
import type { SeenRules } from '../decision.ts'
import { ListedNames } from '../listed-names.ts'
import { areMet, readsWhole, refuseUnmet, writesWhole } from '../needs.ts'
import { isCopiedByOtherName, listStorages, storageAt } from '../second-paths.ts'
import type { ItemCall } from './items.ts'

/**
 * Refuses what OpenList would do by names that no request says: those that it lists in a folder
 * lead anywhere in its storage, and so do those in an archive, or a torrent.
 *
 * @throws {Refusal} `folderDenied`; `filesUnavailable`, `filesBroken`.
 */
export async function refuseUnseenNames(
  deps: OriginDeps,
  files: FileServer,
  item: ItemCall,
  seen: SeenRules,
  basePath: string,
): Promise<void> {
  if (areMet(seen, [writesWhole('/')])) return
  const listed = new ListedNames(deps, files)
  const walks = item.walks?.(basePath)
  if (walks !== undefined && !(await listed.stayBelow(walks))) throw new Refusal('folderDenied')
  const [copies, fills] = [item.copies?.(basePath) ?? [], item.fills?.(basePath) ?? []]
  const sources = [...copies, ...(item.moves?.(basePath) ?? [])].map(({ from }) => from)
  if (sources.length + fills.length === 0) return
  const storages = await listStorages(deps, files)
  refuseUnmet(
    seen,
    fills.map((folder) => writesWhole(storageAt(storages, folder))),
  )
  const renamed = copies.filter(({ from }) => isCopiedByOtherName(storages, from))
  refuseUnmet(
    seen,
    renamed.map(({ to }) => writesWhole(to)),
  )
  // Also in one storage: where it can't do so by itself, OpenList goes through the folder.
  for (const source of sources)
    if (!areMet(seen, [readsWhole(storageAt(storages, source))]) && !(await listed.stayIn(source)))
      throw new Refusal('folderDenied')
}
