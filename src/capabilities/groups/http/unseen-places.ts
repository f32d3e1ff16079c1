import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { Deps } from '../../../core/deps.ts'
import type { OriginDeps } from '../../files/origin.ts'
import type { SeenRules } from '../decision.ts'
import { ListedNames } from '../listed-names.ts'
import { areOpenBehind } from '../names-behind.ts'
import { areMet, readsWhole, refuseUnmet, writesWhole } from '../needs.ts'
import {
  isCopiedByOtherName,
  isMoveInOneStorage,
  isSpread,
  listStorages,
  storageAt,
  storagesReached,
  takesAddresses,
} from '../second-paths.ts'
import { refuseFilesOntoFolders } from './files-onto-folders.ts'
import type { ItemCall } from './items.ts'

/**
 * Refuses a general user what may reach a place that the request does not say, where there are
 * rules:
 *
 * - A move to another storage: OpenList removes its source once all that is under way into the same
 *   folder is done, whatever the source has become, and nothing cancels that.
 * - A file in the place of a folder, which OpenList deletes.
 * - What is put into a storage that takes names for addresses, and fetches them itself.
 * - What OpenList would do by names that it finds: those in a folder lead anywhere in its storage,
 *   and so do those in an archive, or a torrent. A user may change the names behind an Alias,
 *   Crypt, Strm or Chunk after the look.
 *
 * @throws {Refusal} `otherStorage`, `folderDenied`, `partOfSiteClosed`, `partOfStorageClosed`,
 *   `openBehind`, `folderNotSearched`, `objectNotFound`; `filesUnavailable`, `filesBroken`.
 */
export async function refuseUnseenPlaces(
  deps: OriginDeps & Pick<Deps, 'db' | 'now'>,
  files: FileServer,
  item: ItemCall,
  seen: SeenRules,
  basePath: string,
): Promise<void> {
  const mayWriteAll = areMet(seen, [writesWhole('/')])
  if (item.reachesSite === true && !mayWriteAll) throw new Refusal('partOfSiteClosed')
  const copies = item.copies?.(basePath) ?? []
  const moves = item.moves?.(basePath) ?? []
  const fills = item.fills?.(basePath) ?? []
  const renames = item.renames?.(basePath) ?? []
  const walks = item.walks?.(basePath) ?? []
  const isPlaced = [copies, moves, fills, renames, walks].some(({ length }) => length > 0)
  const storages = isPlaced ? await listStorages(deps, files) : []

  if (!moves.every((move) => isMoveInOneStorage(storages, move))) throw new Refusal('otherStorage')
  if ([...copies.map(({ to }) => to), ...fills].some((path) => takesAddresses(storages, path)))
    throw new Refusal('folderDenied')
  const listed = new ListedNames(deps, files)
  await refuseFilesOntoFolders(listed, item.overwrites?.(basePath) ?? [])
  if (mayWriteAll) return

  const filled = fills.flatMap((folder) => storagesReached(storages, folder))
  if (!areMet(seen, filled.map(writesWhole))) throw new Refusal('partOfStorageClosed')
  const renamed = [...copies, ...moves].filter(({ from }) => isCopiedByOtherName(storages, from))
  refuseUnmet(
    seen,
    renamed.map(({ to }) => writesWhole(to)),
  )

  const copied = areMet(seen, [readsWhole('/')]) ? [] : copies.map(({ from }) => from)
  const listsNames = item.listsNames?.(basePath) ?? []
  const changed = [...moves.map(({ from }) => from), ...walks, ...listsNames]
  if (await areOpenBehind(deps, seen.at, storages, [...copied, ...changed]))
    throw new Refusal('openBehind')

  // Of several storages at one path, the look may see another one than OpenList then works in.
  const refuseSpread = (path: string) => {
    if (isSpread(storages, path)) throw new Refusal('openBehind')
  }
  for (const folder of walks) {
    refuseSpread(folder)
    if (!(await listed.stayBelow(folder))) throw await whyNotSearched(listed, folder)
  }
  // Also in one storage: where it can't do so by itself, OpenList goes through the folder. One that
  // gets the name of another is gone through by what waits in a queue for that.
  const sources = [...copies, ...moves].map(({ from }) => from).concat(renames)
  for (const [storage, paths] of Map.groupBy(sources, (path) => storageAt(storages, path))) {
    if (areMet(seen, storagesReached(storages, storage).map(readsWhole))) continue
    for (const path of paths) {
      refuseSpread(path)
      if (!(await listed.stayIn(path))) throw await whyNotSearched(listed, path)
    }
  }
}

/** What is not there is not passed on: it may be there before OpenList looks. */
async function whyNotSearched(listed: ListedNames, path: string): Promise<Refusal> {
  const isGone = (await listed.kindOf(path)) === 'gone'
  return new Refusal(isGone ? 'objectNotFound' : 'folderNotSearched')
}
