import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { callOrigin, type OriginDeps } from '../files/origin.ts'

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
