import * as v from 'valibot'
import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { callAsAdmin, type OriginDeps } from '../../files/origin.ts'
import type { SeenRules } from '../decision.ts'
import { areMet, readsWhole, refuseUnmet, writesWhole } from '../needs.ts'
import { joinNames, nameOf, parentOf } from '../openlist-paths.ts'
import { isCopiedByOtherName, listStorages, storageAt } from '../second-paths.ts'
import type { ItemCall, Move } from './items.ts'

/** The folders of one request that are looked through. */
const MAX_FOLDERS = 500

const listedSchema = v.object({
  content: v.nullable(v.array(v.object({ name: v.string(), is_dir: v.boolean() }))),
})

/**
 * Refuses what OpenList would do by names that no request says. It takes a backslash in the name of
 * a file for a slash, so a file called `..\closed` is the folder beside for all that goes through
 * its folder; an archive, or a torrent, puts such names anywhere in the storage.
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
  const [copies, fills] = [item.copies?.(basePath) ?? [], item.fills?.(basePath) ?? []]
  const walks = item.walks?.(basePath)
  if (walks !== undefined) await lookThrough(deps, files, [walks])
  if (copies.length + fills.length === 0) return
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
  // Also in one storage: where it can't copy by itself, OpenList goes through the folder.
  const partly = copies.filter(({ from }) => !areMet(seen, [readsWhole(storageAt(storages, from))]))
  await lookThrough(deps, files, await foldersOf(deps, files, partly))
}

/** @throws {Refusal} `folderDenied` for an item that is not there. */
async function foldersOf(
  deps: OriginDeps,
  files: FileServer,
  copies: readonly Move[],
): Promise<string[]> {
  const byFolder = Map.groupBy(copies, ({ from }) => parentOf(from))
  if (byFolder.size > MAX_FOLDERS) throw new Refusal('folderDenied')
  const folders: string[] = []
  for (const [folder, items] of byFolder) {
    const isFolder = new Map(
      (await list(deps, files, folder)).map(({ name, is_dir: isDir }) => [name, isDir]),
    )
    for (const { from } of items) {
      const is = isFolder.get(nameOf(from))
      if (is === undefined) throw new Refusal('folderDenied')
      if (is) folders.push(from)
    }
  }
  return folders
}

/** @throws {Refusal} `folderDenied` for a name that is a path, and for too many folders. */
async function lookThrough(
  deps: OriginDeps,
  files: FileServer,
  given: readonly string[],
): Promise<void> {
  const folders = [...given]
  for (const folder of folders) {
    if (folders.length > MAX_FOLDERS) throw new Refusal('folderDenied')
    for (const { name, is_dir: isFolder } of await list(deps, files, folder)) {
      if (/^\.{1,2}$|[\\/]/.test(name)) throw new Refusal('folderDenied')
      if (isFolder) folders.push(joinNames(folder, name))
    }
  }
}

async function list(deps: OriginDeps, files: FileServer, path: string) {
  const body = { path, password: '', page: 1, per_page: 0, refresh: false }
  const { data } = await callAsAdmin(deps, files, '/api/fs/list', body)
  if (!v.is(listedSchema, data)) throw new Refusal('folderDenied')
  return data.content ?? []
}
