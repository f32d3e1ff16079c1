import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { callOrigin, type OriginDeps } from '../files/origin.ts'
import { isAway } from '../files/write-users.ts'

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

const fileSchema = v.object({ is_dir: v.literal(false) })

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
