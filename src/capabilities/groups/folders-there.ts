import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { orUnavailable } from '../../core/database/database.ts'
import { listForeignIn } from './metas.ts'
import { isEnding, type PlanDeps, readRights } from './plan.ts'
import { listStorages, secondPathsWithoutRules } from './second-paths.ts'
import { hurried } from './there.ts'
import { findMissing, signsLinks } from './warnings.ts'

/** The number of folders that a page looks for at the file server. */
const MAX_LOOKED_UP = 20

/** The number of folders with users of OpenList's own that a page shows. */
const MAX_FOREIGN = 20

/** What the file server has of the folders with rules. */
export interface FoldersThere {
  /** The folders whose rights wait to be written. */
  waiting: string[]
  /** The requests under way that began before a change of rights. */
  underWay: number
  /** Whether OpenList still ends tasks, or shares, from before a change of rights. */
  isEnding: boolean
  /** The first folders with users of OpenList's own. Folders with rules above them wait. */
  foreign: string[]
  /** The folders that are not there, of the first twenty. */
  missing: string[]
  /** The storages that show files of others at a second path, where no rule is. */
  secondPaths: string[]
  signsLinks: boolean
}

/**
 * Compares the folders with rules with the file server, and changes nothing.
 *
 * @param deadlineMilliseconds How long all of it may take.
 * @returns `undefined` while the file server does not answer, or not as it should.
 */
export async function readFoldersThere(
  deps: PlanDeps,
  files: FileServer,
  folders: readonly string[],
  deadlineMilliseconds: number,
): Promise<FoldersThere | undefined> {
  if (files.problem !== undefined) return undefined
  const soon = hurried(files, deadlineMilliseconds)
  try {
    const answers = Promise.all([
      readRights(deps, soon),
      findMissing(deps, soon, folders.slice(0, MAX_LOOKED_UP)),
      listStorages(deps, soon),
      signsLinks(deps, soon),
    ])
    const [rights, missing, storages, signs] = await orUnavailable(answers, deadlineMilliseconds)
    const waiting = [...rights.writes, ...rights.blocked].map(({ path }) => path)
    return {
      waiting: Array.from(new Set(waiting)),
      underWay: rights.underWay,
      isEnding: isEnding(rights),
      foreign: listForeignIn('/', rights).slice(0, MAX_FOREIGN).map(pathOf),
      missing,
      secondPaths: secondPathsWithoutRules(storages, folders),
      signsLinks: signs,
    }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function pathOf({ path }: { path: string }): string {
  return path
}
