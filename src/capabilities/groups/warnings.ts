import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { callAsAdmin, type OriginDeps } from '../files/origin.ts'
import { isAtOrBelow } from './decision.ts'
import { itemAt, seesAll } from './there.ts'
import { findWeakRules, selectGivenRights, type WeakRule } from './weak-rules.ts'

/** What makes a rule weaker than it looks. Operators see these words in the API. */
const WARNINGS = ['unsigned_links', 'other_path', 'out_of_reach', 'no_bits', 'no_folder'] as const
export type FolderWarning = (typeof WARNINGS)[number]

/** Storages of these show the files of other ones at a second path, which has its own metas. */
const SECOND_PATHS = new Set(['Alias', 'Crypt', 'Strm', 'Chunk'])

const settingSchema = v.object({ value: v.string() })
const storagesSchema = v.object({
  content: v.nullable(v.array(v.object({ mount_path: v.string(), driver: v.string() }))),
})

/** Finds what makes the rules of a folder weaker than they look. */
export async function findWarnings(
  deps: OriginDeps & Pick<Deps, 'db'>,
  files: FileServer,
  path: string,
): Promise<FolderWarning[]> {
  const { rights } = await runBatch(deps.db, { rights: selectGivenRights(deps.db, path) })
  const found = new Set<FolderWarning>(findWeakRules(rights).map(({ weakness }) => weakness))
  for (const warning of await findThere(deps, files, path)) found.add(warning)
  return WARNINGS.filter((warning) => found.has(warning))
}

/** Finds the users who have less than rules give, and the second paths of files. */
export async function findWarningsOfAll(
  deps: OriginDeps & Pick<Deps, 'db'>,
  files: FileServer,
): Promise<{ weak: WeakRule[]; secondPaths: string[] }> {
  const { rights } = await runBatch(deps.db, { rights: selectGivenRights(deps.db) })
  return { weak: findWeakRules(rights), secondPaths: await listSecondPaths(deps, files) }
}

/** @returns Nothing while the file server is away. */
async function findThere(
  deps: OriginDeps,
  files: FileServer,
  path: string,
): Promise<FolderWarning[]> {
  if (files.problem !== undefined) return []
  try {
    const [signs, paths, isThere] = await Promise.all([
      callAsAdmin(deps, files, '/api/admin/setting/get?key=sign_all'),
      listSecondPaths(deps, files),
      isFolderThere(deps, files, path),
    ])
    const isSigned = v.is(settingSchema, signs.data) && signs.data.value === 'true'
    const found: [FolderWarning, boolean][] = [
      ['unsigned_links', !isSigned],
      ['other_path', paths.some((mount) => !isAtOrBelow(mount, path))],
      ['no_folder', !isThere],
    ]
    return found.filter(([, isFound]) => isFound).map(([warning]) => warning)
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}

async function listSecondPaths(deps: OriginDeps, files: FileServer): Promise<string[]> {
  const { data } = await callAsAdmin(deps, files, '/api/admin/storage/list')
  const content = v.is(storagesSchema, data) ? (data.content ?? []) : []
  return content
    .filter(({ driver }) => SECOND_PATHS.has(driver))
    .map(({ mount_path: mount }) => mount)
}

/** An admin who can't see all folders can't tell: then nothing is said. */
async function isFolderThere(deps: OriginDeps, files: FileServer, path: string): Promise<boolean> {
  return !(await seesAll(deps, files)) || (await itemAt(deps, files, path)) !== undefined
}
