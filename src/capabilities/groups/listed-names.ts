import type { FileServer } from '../../core/base/file-server.ts'
import type { OriginDeps } from '../files/origin.ts'
import { joinNames, nameOf, parentOf } from './openlist-paths.ts'
import { foldPath } from './spelling.ts'
import { type Kind, kindAt, listAt, pathsWhere } from './there.ts'

/** The folders that are listed for one request, or one change of rules. */
const MAX_FOLDERS = 500
/** So many items are asked for one by one: the folder of an item can have very many names. */
const MAX_ITEMS = 5

/** What is in a folder. */
interface Names {
  /** The names, and whether they are those of folders. */
  areFolders: ReadonlyMap<string, boolean>
  /** Those of folders, folded. */
  folders: ReadonlySet<string | undefined>
}

/**
 * Looks through folders as OpenList does when it copies or moves them by their names. It takes a
 * backslash for a slash, so that a file called `..\closed` is the folder beside.
 */
export class ListedNames {
  readonly #deps: OriginDeps
  readonly #files: FileServer
  readonly #lists = new Map<string, Names | undefined>()
  #items = 0

  constructor(deps: OriginDeps, files: FileServer) {
    this.#deps = deps
    this.#files = files
  }

  /**
   * Tells whether no name in an item leads out of it.
   *
   * @returns False also for an item that is not there, and for too many folders.
   * @throws {Refusal} `filesUnavailable`.
   */
  async stayIn(item: string): Promise<boolean> {
    const kind = await this.kindOf(item)
    return kind === 'folder' ? this.stayBelow(item) : kind === 'file'
  }

  /** Tells what an item is. @throws {Refusal} `filesUnavailable`, `filesBroken`. */
  async kindOf(item: string): Promise<Kind> {
    if (this.#items++ < MAX_ITEMS) {
      const kind = await kindAt(this.#deps, this.#files, item)
      if (kind !== 'unknown') return kind
    }
    const names = await this.#list(parentOf(item))
    const isFolder = names?.areFolders.get(nameOf(item))
    if (isFolder !== undefined) return isFolder ? 'folder' : 'file'
    return names === undefined ? 'unknown' : 'gone'
  }

  /**
   * Lists the names that are those of folders in a folder, as its storage takes them: it may not
   * look at their case. What OpenList does not tell counts as a folder.
   *
   * @throws {Refusal} `filesUnavailable`, `filesBroken`.
   */
  async foldersAmong(folder: string, names: ReadonlySet<string>): Promise<string[]> {
    const listed = names.size > MAX_ITEMS ? await this.#list(folder) : undefined
    if (names.size > MAX_ITEMS && listed === undefined && (await this.#isNoFolder(folder)))
      return []
    const maybe = Array.from(names).filter((name) => listed === undefined || mayBe(name, listed))
    return pathsWhere(maybe, async (name) => {
      const isFolder = listed?.areFolders.get(name)
      if (isFolder !== undefined) return isFolder
      const kind = await kindAt(this.#deps, this.#files, joinNames(folder, name))
      return kind === 'folder' || (kind === 'unknown' && this.#mayHave(folder, name))
    })
  }

  /** Tells whether a folder may be in a folder that OpenList does not show by itself. */
  async #mayHave(folder: string, name: string): Promise<boolean> {
    const names = await this.#list(folder)
    return names === undefined ? !(await this.#isNoFolder(folder)) : mayBe(name, names)
  }

  async #isNoFolder(path: string): Promise<boolean> {
    const kind = await kindAt(this.#deps, this.#files, path)
    return kind === 'gone' || kind === 'file'
  }

  /** As `stayIn` does, for a folder. */
  async stayBelow(folder: string): Promise<boolean> {
    const folders = [folder]
    for (const each of folders) {
      const names = await this.#list(each)
      if (names === undefined) return false
      for (const [name, isFolder] of names.areFolders) {
        if (/^\.{1,2}$|[\\/]/.test(name)) return false
        if (isFolder) folders.push(joinNames(each, name))
      }
    }
    return true
  }

  async #list(path: string): Promise<Names | undefined> {
    if (this.#lists.has(path)) return this.#lists.get(path)
    if (this.#lists.size > MAX_FOLDERS) return undefined
    const listed = await listAt(this.#deps, this.#files, path)
    const names = listed && {
      areFolders: new Map(listed.map((each) => [each.name, each.is_dir])),
      folders: new Set(listed.filter((each) => each.is_dir).map((each) => foldName(each.name))),
    }
    this.#lists.set(path, names)
    return names
  }
}

function foldName(name: string): string | undefined {
  return foldPath(`/${name}`)
}

/** Tells whether a storage may take a name for that of a folder. */
function mayBe(name: string, { folders }: Names): boolean {
  const folded = foldName(name)
  return folded === undefined || folders.has(folded)
}
