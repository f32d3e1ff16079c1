import * as v from 'valibot'
import { cleanFolder, isBelow } from '../../core/base/clean-folder.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { callAsAdmin, type OriginDeps } from '../files/origin.ts'
import { isAtOrBelow } from './decision.ts'
import { foldPath } from './spelling.ts'

/** Storages of these show the files of other ones at a second path, which has its own metas. */
const SECOND_PATHS = new Set(['Alias', 'Crypt', 'Strm', 'Chunk'])

interface Storage {
  /** Where it is shown. */
  mount: string
  /** Whether OpenList spreads what is there over several storages, in turns. */
  isSpread: boolean
  driver: string
  /** The folder of the disk that a `Local` one shows. */
  root: string | undefined
  /** The folder of the disk where a `Local` one keeps what is deleted in it. */
  bin: string | undefined
  /** The paths at the file server whose files it shows, for the kinds that show those of others. */
  shows: string[]
  /** Whether the key alone makes the names that it shows: a Crypt that encrypts all of them. */
  isSealed: boolean
}
export type Storages = readonly Storage[]

const storagesSchema = v.object({
  content: v.nullable(
    v.array(
      v.object({
        mount_path: v.string(),
        driver: v.string(),
        addition: v.optional(v.string(), ''),
      }),
    ),
  ),
})
const localSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    root_folder_path: v.pipe(v.string(), v.minLength(1)),
    // Another text than a path means that nothing is kept.
    recycle_bin_path: v.optional(v.string(), ''),
  }),
)
const showingSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    /** Of Alias and Strm. */
    paths: v.optional(v.string(), ''),
    /** Of Crypt and Chunk. */
    remote_path: v.optional(v.string(), ''),
    /** Of Crypt. */
    filename_encryption: v.optional(v.string()),
    directory_name_encryption: v.optional(v.string()),
  }),
)

/**
 * Several storages whose paths differ after `.balance` alone are shown as one
 * (`GetActualMountPath`).
 */
const BALANCE = '.balance'

/** Returns the path at which a storage is shown. */
export function shownPathOf(mount: string): string {
  const path = cleanFolder(mount)
  const end = path.lastIndexOf(BALANCE)
  return end === -1 ? path : cleanFolder(path.slice(0, end))
}

export async function listStorages(deps: OriginDeps, files: FileServer): Promise<Storage[]> {
  const { data } = await callAsAdmin(deps, files, '/api/admin/storage/list')
  const content = v.is(storagesSchema, data) ? (data.content ?? []) : []
  return content.map(({ mount_path: mount, driver, addition }) => {
    const local = driver === 'Local' ? v.safeParse(localSchema, addition) : undefined
    const { root_folder_path: root, recycle_bin_path: bin = '' } = local?.success
      ? local.output
      : {}
    return {
      mount: shownPathOf(mount),
      isSpread: mount.includes(BALANCE),
      driver,
      root: root && cleanFolder(root),
      bin: bin.startsWith('/') ? cleanFolder(bin) : undefined,
      ...readShown(driver, addition),
    }
  })
}

/** The name that a path has in an Alias or Strm, in front of it (`getPair`). */
const NAME = /^[^:/]*:/

/** Takes what can't be read for a storage that shows all. */
function readShown(
  driver: string,
  addition: string | undefined,
): Pick<Storage, 'shows' | 'isSealed'> {
  if (!SECOND_PATHS.has(driver)) return { shows: [], isSealed: false }
  const read = v.safeParse(showingSchema, addition)
  if (!read.success) return { shows: ['/'], isSealed: false }
  const { paths, remote_path, filename_encryption, directory_name_encryption } = read.output
  const lines = [...paths.split('\n'), remote_path].map((line) => line.trim())
  const shown = lines.filter(Boolean).map((line) => cleanFolder(line.replace(NAME, '')))
  return {
    shows: shown.length > 0 ? shown : ['/'],
    isSealed: filename_encryption === 'standard' && directory_name_encryption === 'true',
  }
}

/** Tells whether a path is in one of several storages that are shown as one. */
export function isSpread(storages: Storages, path: string): boolean {
  return storages.some((storage) => storage.isSpread && isAtOrBelow(path, storage.mount))
}

/**
 * Tells whether a move stays in one storage. One in an Alias may be between two others.
 *
 * @param to The folder.
 */
export function isMoveInOneStorage(
  storages: Storages,
  { from, to }: { from: string; to: string },
): boolean {
  const holder = holderOf(storages, from)
  if (holder === undefined || holder.driver === 'Alias') return false
  if (isSpread(storages, from) || isSpread(storages, to)) return false
  return holderOf(storages, to) === holder && !storages.some(({ mount }) => isBelow(mount, from))
}

/** Tells whether a folder is in the storage that is shown at a path, and in none below it. */
export function isInStorage(storages: Storages, shown: string, path: string): boolean {
  const isInOther = ({ mount }: Storage) => isBelow(mount, shown) && isAtOrBelow(path, mount)
  return isAtOrBelow(path, shown) && !storages.some(isInOther)
}

/** Finds the storage that a path is in. */
function holderOf(storages: Storages, path: string): Storage | undefined {
  return storages
    .filter(({ mount }) => isAtOrBelow(path, mount))
    .toSorted((a, b) => b.mount.length - a.mount.length)[0]
}

/** Returns what tells the storages that a path is in: several, where they are shown as one. */
function holding(storages: Storages, path: string): (storage: Storage) => boolean {
  const mount = holderOf(storages, path)?.mount
  return (storage) => storage.mount === mount
}

/** Returns where the storage of a path is shown; `/` for a path of none. */
export function storageAt(storages: Storages, path: string): string {
  return holderOf(storages, path)?.mount ?? '/'
}

/**
 * Lists where the storages are shown that a name with backslashes may lead into, in a folder of
 * one: it, and those of the same place of the disk; `/` for one that hands on to others, which read
 * the name in their own way.
 */
export function storagesReached(storages: Storages, path: string): string[] {
  const holder = holderOf(storages, path)
  if (holder === undefined || holder.shows.length > 0) return ['/']
  const others = onSameDisk(storages, holder.mount)
  return [holder.mount, ...others.map((other) => storageAt(storages, other))]
}

/**
 * Tells whether a copy of a path may get another name than that of the path: one of a whole storage
 * has a name of the driver (`root`, `Cloud Drive`), one in a storage that shows other places that
 * of the place, and one of a WebDAV server its `displayname`, or none.
 */
export function isCopiedByOtherName(storages: Storages, path: string): boolean {
  return storages.some(({ mount, driver, shows }) => {
    const isNamedBehind = shows.length > 0 || driver === 'WebDav'
    return mount === path || (isNamedBehind && isAtOrBelow(path, mount))
  })
}

/** Tells whether a path is on the disk of the file server. */
export function isLocal(storages: Storages, path: string): boolean {
  return storages.filter(holding(storages, path)).every(({ driver }) => driver === 'Local')
}

/** Tells whether a storage takes the end of a name for the address of the file. */
export function takesAddresses(storages: Storages, path: string): boolean {
  return holderOf(storages, path)?.driver === 'UrlTree'
}

/** Lists where the files of a folder, or some of them, may stand a second time. */
export function secondPathsOf(storages: Storages, folder: string): string[] {
  const isHolder = holding(storages, folder)
  const places = [folder, ...storages.filter(isHolder).flatMap(({ shows }) => shows)]
  const onDisk = places.flatMap((place) => onSameDisk(storages, place))
  const others = storages.filter((each) => !isHolder(each))
  const found = [...places, ...onDisk, ...whereHandedOn(others, [...places, ...onDisk])]
  return found.filter((path) => !isAtOrBelow(path, folder))
}

/** Lists the storages that show files of some paths, or of one another that does. */
function whereHandedOn(storages: Storages, paths: readonly string[]): string[] {
  const isShowing = ({ shows }: Storage) =>
    shows.some((shown) => paths.some((path) => mayMeet(shown, path)))
  const mounts = storages.filter(isShowing).map(({ mount }) => mount)
  if (mounts.length === 0) return []
  const others = storages.filter(({ mount }) => !mounts.includes(mount))
  return [...mounts, ...whereHandedOn(others, mounts)]
}

/**
 * Lists the places behind the storage of a path, at all their paths, whose names the storage shows,
 * or makes its own of: a file `...bin` there is `..` in a Crypt, and a folder `[openlist_chunk]..`
 * in a Chunk.
 */
export function placesBehind(storages: Storages, path: string): string[] {
  const reached = new Set(storages.filter(holding(storages, path)))
  for (const { shows, isSealed } of reached)
    for (const place of isSealed ? [] : shows) {
      const isHolder = holding(storages, place)
      for (const storage of storages)
        if (isHolder(storage) || isBelow(storage.mount, place)) reached.add(storage)
    }
  const places = Array.from(reached).flatMap(({ shows, isSealed }) => (isSealed ? [] : shows))
  // What is written through these gets its name behind them, and no such one.
  const others = storages.filter((storage) => !reached.has(storage) || storage.shows.length === 0)
  const real = places.filter((place) => !holderOf(storages, place)?.shows.length)
  return real.flatMap((place) => [place, ...secondPathsOf(others, place)])
}

/** Tells whether a folder may be another one, or in it, or the other in it, in any spelling. */
function mayMeet(one: string, other: string): boolean {
  const [a, b] = [foldPath(one) ?? '/', foldPath(other) ?? '/']
  return isAtOrBelow(a, b) || isAtOrBelow(b, a)
}

/**
 * Lists the second paths of all folders with rules where no other rule holds. One above both paths
 * says the same of both.
 */
export function secondPathsWithoutRules(storages: Storages, folders: readonly string[]): string[] {
  const found = folders.flatMap((folder) =>
    secondPathsOf(storages, folder).filter(
      (path) =>
        !folders.some(
          (ruled) =>
            isAtOrBelow(ruled, path) || (isAtOrBelow(path, ruled) && !isAtOrBelow(folder, ruled)),
        ),
    ),
  )
  return Array.from(new Set(found))
}

/**
 * Lists where `Local` storages show a folder, what is in it, a part of it, or what was deleted in
 * it.
 */
function onSameDisk(storages: Storages, folder: string): string[] {
  const isHolder = holding(storages, folder)
  const shown = storages.filter((each) => isHolder(each) || isAtOrBelow(each.mount, folder))
  return shown.flatMap((storage) => {
    const others = storages.filter((each) => each !== storage)
    const below = (place: string) =>
      isHolder(storage) ? moved(folder, storage.mount, place) : place
    return [
      ...(storage.root === undefined ? [] : whereShown(others, below(storage.root))),
      ...(storage.bin === undefined ? [] : whereShown(storages, below(storage.bin))),
    ]
  })
}

/** Lists where storages show a place of the disk, or a part of it. */
function whereShown(storages: Storages, place: string): string[] {
  return storages.flatMap(({ mount, root }) => {
    if (root === undefined) return []
    if (isAtOrBelow(place, root)) return [moved(place, root, mount)]
    return isAtOrBelow(root, place) ? [mount] : []
  })
}

/** Returns where a path is when the folder above it is another one. */
export function moved(path: string, from: string, to: string): string {
  return cleanFolder(`${to}/${path.slice(from.length)}`)
}
