import type { FileServer } from '../../core/base/file-server.ts'
import type { OriginDeps } from '../files/origin.ts'
import { joinNames, nameOf, parentOf } from './openlist-paths.ts'
import { type Kind, kindAt, listAt } from './there.ts'

/** The folders that are listed for one request, or one change of rules. */
const MAX_FOLDERS = 500
/** So many items are asked for one by one: the folder of an item can have very many names. */
const MAX_ITEMS = 5

/** The names in a folder, and whether they are those of folders. */
type Names = ReadonlyMap<string, boolean>

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
    if (this.#items++ < MAX_ITEMS) return kindAt(this.#deps, this.#files, item)
    const names = await this.#list(parentOf(item))
    const isFolder = names?.get(nameOf(item))
    if (isFolder !== undefined) return isFolder ? 'folder' : 'file'
    return names === undefined ? 'unknown' : 'gone'
  }

  /** As `stayIn` does, for a folder. */
  async stayBelow(folder: string): Promise<boolean> {
    const folders = [folder]
    for (const each of folders) {
      const names = await this.#list(each)
      if (names === undefined) return false
      for (const [name, isFolder] of names) {
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
    const names = listed && new Map(listed.map(({ name, is_dir: isFolder }) => [name, isFolder]))
    this.#lists.set(path, names)
    return names
  }
}
