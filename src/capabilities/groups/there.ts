import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { callAsAdmin, callOrigin, type OriginDeps } from '../files/origin.ts'
import { isAway } from '../files/write-users.ts'
import { nameOf, parentOf } from './openlist-paths.ts'

const meSchema = v.object({ base_path: v.literal('/') })

/** Tells whether OpenList's admin sees all folders: one with a base path can't look outside of it. */
export async function seesAll(deps: OriginDeps, files: FileServer): Promise<boolean> {
  const { data } = await callOrigin(deps, files, '/api/me', { token: files.token })
  return v.is(meSchema, data)
}

/** Returns a file or a folder of the file server; `undefined` for none. */
export async function itemAt(deps: OriginDeps, files: FileServer, path: string): Promise<unknown> {
  const { code, data } = await get(deps, files, path)
  return code === 200 ? data : undefined
}

/** Tells whether OpenList says that nothing is at a path. A storage that fails says something else. */
export async function isGone(deps: OriginDeps, files: FileServer, path: string): Promise<boolean> {
  const { code, message } = await get(deps, files, path)
  return code !== 200 && message.includes('object not found')
}

/**
 * What is at a path. `unknown` also for what a list of users hides from the admin there, and for a
 * file that has no link.
 */
export type Kind = 'file' | 'folder' | 'gone' | 'unknown'

const kindSchema = v.object({ is_dir: v.boolean() })
const GONE = /object not found$|^failed get storage: storage not found;/

/** @throws {Refusal} `filesUnavailable`, `filesBroken`. */
export async function kindAt(deps: OriginDeps, files: FileServer, path: string): Promise<Kind> {
  const { code, message, data } = await get(deps, files, path)
  if (code !== 200) return GONE.test(message) ? 'gone' : 'unknown'
  if (!v.is(kindSchema, data)) return 'unknown'
  return data.is_dir ? 'folder' : 'file'
}

/** OpenList waits for a storage that does not answer, some for ever. */
const PATIENCE_MILLISECONDS = 2500

/**
 * Returns the file server for a look at a storage that nothing depends on: it is given up soon.
 *
 * @param patienceMilliseconds How long each call may take.
 */
export function hurried(
  files: FileServer,
  patienceMilliseconds = PATIENCE_MILLISECONDS,
): FileServer {
  return {
    ...files,
    timeoutMilliseconds: Math.min(files.timeoutMilliseconds, patienceMilliseconds),
  }
}

function get(deps: OriginDeps, files: FileServer, path: string) {
  const call = { token: files.token, body: { path, password: '' } }
  return callOrigin(deps, files, '/api/fs/get', call)
}

/** A Worker opens no more requests at once. */
const LOOKED_UP_AT_ONCE = 6

/** Lists the paths for which `holds` tells so. */
export async function pathsWhere(
  paths: readonly string[],
  holds: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const found: string[] = []
  for (let first = 0; first < paths.length; first += LOOKED_UP_AT_ONCE) {
    const some = paths.slice(first, first + LOOKED_UP_AT_ONCE)
    const are = await Promise.all(some.map(holds))
    found.push(...some.filter((_, place) => are[place]))
  }
  return found
}

const fileSchema = v.object({ is_dir: v.literal(false) })

const listSchema = v.object({
  content: v.nullable(v.array(v.object({ name: v.string(), is_dir: v.boolean() }))),
})

/**
 * Lists what is in a folder.
 *
 * @param isNew Whether OpenList asks the storage, whatever list it keeps.
 * @returns `undefined` for a folder that is not there, or has more names than can be held.
 * @throws {Refusal} `filesUnavailable`.
 */
export async function listAt(deps: OriginDeps, files: FileServer, path: string, isNew = false) {
  const body = { path, password: '', page: 1, per_page: 0, refresh: isNew }
  try {
    const { data } = await callAsAdmin(deps, files, '/api/fs/list', body)
    return v.is(listSchema, data) ? (data.content ?? []) : undefined
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'filesBroken') return undefined
    throw error
  }
}

/**
 * Tells whether a path is that of a file, as far as is known. A list of users without the admin
 * there hides a file from this admin, but not in the list of its folder.
 *
 * @throws {Refusal} `filesUnavailable`.
 */
export async function isFileThere(
  deps: OriginDeps,
  files: FileServer,
  path: string,
): Promise<boolean> {
  const item = await itemAt(deps, files, path)
  if (item !== undefined) return v.is(fileSchema, item)
  const listed = (await listAt(deps, files, parentOf(path))) ?? []
  return listed.some(({ name, is_dir: isFolder }) => name === nameOf(path) && !isFolder)
}

/**
 * Lists of a folder show its files with their links, whatever rules these have.
 *
 * @returns Whether something is there; `undefined` while nobody can tell, because the file server
 *   is away, or does not answer soon.
 * @throws {Refusal} `folderIsFile`.
 */
export async function refuseFile(
  deps: OriginDeps,
  files: FileServer,
  path: string,
): Promise<boolean | undefined> {
  if (files.problem !== undefined) return undefined
  try {
    const item = await itemAt(deps, hurried(files), path)
    if (v.is(fileSchema, item)) throw new Refusal('folderIsFile')
    return item !== undefined
  } catch (error) {
    if (!(error instanceof Refusal) || !isAway(error)) throw error
    return undefined
  }
}
