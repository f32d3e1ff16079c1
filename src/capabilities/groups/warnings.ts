import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { callAsAdmin, type OriginDeps } from '../files/origin.ts'
import { listStorages, secondPathsOf, secondPathsWithoutRules } from './second-paths.ts'
import { rulesByPath } from './decision.ts'
import { isOpenToGuest } from './open-to-guest.ts'
import { readPeople, readRules, selectPeople, selectRules } from './store.ts'
import { hurried, itemAt, pathsWhere, seesAll } from './there.ts'
import { findWeakRules, selectGivenRights, type WeakRule } from './weak-rules.ts'

/** What makes a rule weaker than it looks. Operators see these words in the API. */
const WARNINGS = [
  'tasks_under_way',
  'requests_under_way',
  'unsigned_links',
  'open_to_guest',
  'other_path',
  'out_of_reach',
  'no_bits',
  'no_folder',
] as const
export type FolderWarning = (typeof WARNINGS)[number]

const settingSchema = v.object({ value: v.string() })

/**
 * Finds what makes the rules of a folder weaker than they look.
 *
 * @param mayBeMissing Whether to look for the folder.
 * @param seen What was found when it was written.
 */
export async function findWarnings(
  deps: OriginDeps & Pick<Deps, 'db' | 'now'>,
  files: FileServer,
  path: string,
  mayBeMissing: boolean,
  seen: readonly FolderWarning[],
): Promise<FolderWarning[]> {
  const { rights, rules, people } = await runBatch(deps.db, {
    rights: selectGivenRights(deps.db, path),
    rules: selectRules(deps.db),
    people: selectPeople(deps.db),
  })
  const found = new Set([...seen, ...findWeakRules(rights).map(({ weakness }) => weakness)])
  const here = { at: rulesByPath(readRules(rules)), people: readPeople(people, deps.now()) }
  if (isOpenToGuest(here, path)) found.add('open_to_guest')
  for (const warning of await findThere(deps, files, path, mayBeMissing)) found.add(warning)
  return WARNINGS.filter((warning) => found.has(warning))
}

/** Finds the users who have less than rules give, second paths of files, and folders not there. */
export async function findWarningsOfAll(
  deps: OriginDeps & Pick<Deps, 'db'>,
  files: FileServer,
  folders: readonly string[],
): Promise<{ weak: WeakRule[]; secondPaths: string[]; missing: string[] }> {
  const { rights } = await runBatch(deps.db, { rights: selectGivenRights(deps.db) })
  return {
    weak: findWeakRules(rights),
    secondPaths: secondPathsWithoutRules(await listStorages(deps, files), folders),
    missing: await findMissing(deps, files, folders),
  }
}

/** OpenList asks the storages for their sizes when it lists them, for three seconds. */
const LIST_MILLISECONDS = 4000

/** @returns Nothing while the file server is away. */
async function findThere(
  deps: OriginDeps,
  files: FileServer,
  path: string,
  mayBeMissing: boolean,
): Promise<FolderWarning[]> {
  if (files.problem !== undefined) return []
  const listing = hurried(files, LIST_MILLISECONDS)
  const [signs, storages, missing] = await Promise.all([
    orUnknown(signsLinks(deps, listing)),
    orUnknown(listStorages(deps, listing)),
    mayBeMissing ? orUnknown(findMissing(deps, hurried(files), [path])) : [],
  ])
  const found: [FolderWarning, boolean][] = [
    ['unsigned_links', signs === false],
    ['other_path', storages !== undefined && secondPathsOf(storages, path).length > 0],
    ['no_folder', missing !== undefined && missing.length > 0],
  ]
  return found.filter(([, isFound]) => isFound).map(([warning]) => warning)
}

/** @returns `undefined` while the file server does not answer, or not as it should. */
async function orUnknown<Found>(finding: Promise<Found>): Promise<Found | undefined> {
  try {
    return await finding
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Tells whether OpenList asks for signatures of all links to files (`sign_all`). */
export async function signsLinks(deps: OriginDeps, files: FileServer): Promise<boolean> {
  const { data } = await callAsAdmin(deps, files, '/api/admin/setting/get?key=sign_all')
  return v.is(settingSchema, data) && data.value === 'true'
}

/** Lists the folders that are not there. An admin who can't see all folders can't tell: then none. */
export async function findMissing(
  deps: OriginDeps,
  files: FileServer,
  folders: readonly string[],
): Promise<string[]> {
  if (folders.length === 0 || !(await seesAll(deps, files))) return []
  return pathsWhere(folders, async (path) => (await itemAt(deps, files, path)) === undefined)
}
