import type { FileServer } from '../../core/base/file-server.ts'
import { toHex } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { callAsAdmin, type OriginDeps } from '../files/origin.ts'
import { type Meta, type MetaWrite, recordOf } from './metas.ts'

const SCRATCH_BYTES = 16

/** The metas of the file server while some are written: which ids are taken, and which are free. */
export interface SendingMetas {
  /** The id of the meta that a write is for. */
  idFor: (write: MetaWrite) => number
  /** An id that another meta has; `undefined` when there is no other one. */
  otherThan: (id: number) => number | undefined
  remove: (id: number) => void
}

/** @param metas As they are there. */
export function sendingMetas(metas: readonly Meta[]): SendingMetas {
  const ids = new Set(metas.map(({ id }) => id))
  let next = Math.max(0, ...ids) + 1
  const given = new Map<MetaWrite, number>()
  return {
    idFor: (write) => {
      if (write.meta !== undefined) return write.meta.id
      const id = given.get(write) ?? next++
      given.set(write, id)
      ids.add(id)
      return id
    },
    otherThan: (id) => Array.from(ids).find((each) => each !== id && !isGiven(given, each)),
    remove: (id) => void ids.delete(id),
  }
}

function isGiven(given: ReadonlyMap<MetaWrite, number>, id: number): boolean {
  return Array.from(given.values()).includes(id)
}

/**
 * Sends a write twice: the file server forgets the meta that it keeps in memory before it stores
 * the new one, so a request in between makes it keep the old one.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function sendMeta(
  deps: OriginDeps,
  files: FileServer,
  sending: SendingMetas,
  write: MetaWrite,
): Promise<void> {
  const { kind } = write
  if (kind === 'forget') return
  const id = sending.idFor(write)
  if (kind === 'delete') return deleteMeta(deps, files, sending, { id, path: write.path })
  const body = { ...recordOf(write), id }
  await send(deps, files, kind, body)
  await send(deps, files, 'update', body)
}

async function send(
  deps: OriginDeps,
  files: FileServer,
  call: 'create' | 'update',
  body: object,
): Promise<void> {
  const { code } = await callAsAdmin(deps, files, `/api/admin/meta/${call}`, body)
  if (code !== 200)
    throw new Refusal('filesBroken', { detail: `a meta can't be written: ${call}, ${code}` })
}

async function deleteMeta(
  deps: OriginDeps,
  files: FileServer,
  sending: SendingMetas,
  meta: { id: number; path: string },
): Promise<void> {
  await remove(deps, files, meta.id)
  sending.remove(meta.id)
  await forgetMeta(deps, files, sending, meta)
}

/**
 * Makes the file server forget what it keeps in memory of a deleted meta. A second deletion would
 * not: it finds the path by the row. A creation with the id of another meta does: it forgets the
 * path, and then fails.
 */
export async function forgetMeta(
  deps: OriginDeps,
  files: FileServer,
  sending: Pick<SendingMetas, 'otherThan'>,
  { id, path }: { id: number; path: string },
): Promise<void> {
  const other = sending.otherThan(id)
  const taken = other ?? (await makeScratch(deps, files, id))
  for (let times = 0; times < 2; times++) await forgetPath(deps, files, path, taken)
  if (other === undefined) await remove(deps, files, taken)
}

async function forgetPath(deps: OriginDeps, files: FileServer, path: string, taken: number) {
  const body = { id: taken, path }
  const { code } = await callAsAdmin(deps, files, '/api/admin/meta/create', body)
  // The other one has gone meanwhile, so this is a meta.
  if (code === 200) await remove(deps, files, taken)
}

/** Makes a meta at a path that nobody asks for. @returns Its id. */
async function makeScratch(
  deps: OriginDeps & { randomBytes: (length: number) => Uint8Array },
  files: FileServer,
  after: number,
): Promise<number> {
  const path = `/.${toHex(deps.randomBytes(SCRATCH_BYTES))}`
  await send(deps, files, 'create', { id: after + 1, path })
  return after + 1
}

async function remove(deps: OriginDeps, files: FileServer, id: number): Promise<void> {
  const { code, message } = await callAsAdmin(deps, files, `/api/admin/meta/delete?id=${id}`, {})
  if (code !== 200 && !/record not found/.test(message))
    throw new Refusal('filesBroken', { detail: `a meta can't be deleted: ${code}` })
}
