import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { callOrigin, type OriginDeps } from '../files/origin.ts'
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
  const call = { token: files.token, body: { path, password: '' } }
  const { code, data } = await callOrigin(deps, files, '/api/fs/get', call)
  return code === 200 ? data : undefined
}

/** Tells whether OpenList says that nothing is at a path. A storage that fails says something else. */
export async function isGone(deps: OriginDeps, files: FileServer, path: string): Promise<boolean> {
  const call = { token: files.token, body: { path, password: '' } }
  const { code, message } = await callOrigin(deps, files, '/api/fs/get', call)
  return code !== 200 && message.includes('object not found')
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
  const body = { path: parentOf(path), password: '', page: 1, per_page: 0, refresh: false }
  try {
    const { data } = await callOrigin(deps, files, '/api/fs/list', { token: files.token, body })
    const content = v.is(listSchema, data) ? (data.content ?? []) : []
    return content.some(({ name, is_dir: isFolder }) => name === nameOf(path) && !isFolder)
  } catch (error) {
    // A list that is too long to be read.
    if (error instanceof Refusal && error.refusal === 'filesBroken') return false
    throw error
  }
}

/**
 * Lists of a folder show its files with their links, whatever rules these have.
 *
 * @returns Whether something is there, as far as is known.
 * @throws {Refusal} `folderIsFile`. While the file server is away, nobody can tell.
 */
export async function refuseFile(
  deps: OriginDeps,
  files: FileServer,
  path: string,
): Promise<boolean> {
  if (files.problem !== undefined) return false
  try {
    const item = await itemAt(deps, files, path)
    if (v.is(fileSchema, item)) throw new Refusal('folderIsFile')
    return item !== undefined
  } catch (error) {
    if (!(error instanceof Refusal) || !isAway(error)) throw error
    return false
  }
}
