import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { type Finding, good, some, warning } from '../../../programs/kit/findings.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'
import { findFileServer } from '../../../programs/site/file-server.ts'
import type { Checks } from '../../../programs/site/in-programs.ts'
import type { Site } from '../../../programs/site/site.ts'
import { isEnding, readRights, type Rights } from '../plan.ts'
import { isOpenToGuest } from '../open-to-guest.ts'
import { listForeignIn } from '../metas.ts'
import { findWarningsOfAll } from '../warnings.ts'
import type { WeakRule } from '../weak-rules.ts'

const CHECK = 'folder rules'

export const checks: Checks = {
  async ofData(site, { isRemote }) {
    const files = await findFileServer(isRemote)
    return files === undefined || files.problem !== undefined ? [] : checkFolders(site, files)
  },
  ofFiles: checkFolders,
}

/** Compares folder rules with the file server. Changes nothing. */
async function checkFolders(site: Site, files: FileServer): Promise<Finding[]> {
  try {
    const rights = await readRights(site, files)
    const foreign = listForeignIn('/', rights).map(({ path }) => path)
    if (rights.folders.length === 0 && rights.records.length === 0) return judgeForeign(foreign)
    const { weak, secondPaths, missing } = await findWarningsOfAll(site, files, rights.folders)
    return [
      ...judgeForeign(foreign),
      ...judgeWritten(rights),
      ...judgeUnderWay(rights),
      ...judgeEnding(rights),
      ...judgeOpenToGuest(rights),
      ...judgeMissing(missing),
      ...judgeSecondPaths(secondPaths),
      ...judgeWeak(weak),
    ]
  } catch (error) {
    // The check of the file server itself says why.
    if (error instanceof Refusal) return []
    throw error
  }
}

/** The rules of folders around them are not written. */
function judgeForeign(foreign: string[]): Finding[] {
  if (foreign.length === 0) return []
  const text = `${some(foreign)}: OpenList lists users there, and this site has no rule: users of the folder above can copy, move and share it, and rules around it are not written`
  const remedy = `${latchkey('folder-rule', 'adopt', 'PATH')} makes rules of the lists`
  return [warning(CHECK, text, remedy)]
}

function judgeWritten({ folders, writes, blocked }: Rights): Finding[] {
  const waiting = Array.from(new Set(writes.map(({ path }) => path)))
  if (waiting.length > 0)
    return [
      warning(
        CHECK,
        `${some(waiting)}: OpenList does not have what the rules say; the run every five minutes writes it`,
        `${latchkey('folder-rule', 'sync')} writes it now`,
      ),
    ]
  if (blocked.length > 0) return []
  return [good(CHECK, `OpenList has the users of ${folders.length} folders with rules`)]
}

function judgeUnderWay({ underWay }: Rights): Finding[] {
  if (underWay === 0) return []
  const text = `OpenList may still work on requests that began before a change of rights, and reach what is closed since: ${underWay}`
  return [warning(CHECK, text, 'wait until they have ended, or restart OpenList')]
}

function judgeEnding(rights: Rights): Finding[] {
  if (!isEnding(rights)) return []
  const text =
    'OpenList has not ended all tasks, or shares, that a change of rights has taken: until then a task may write into a closed folder, and delete what stands at its target'
  const remedy = `wait until the tasks that OpenList lists as Canceling have ended, or restart OpenList; ${latchkey('folder-rule', 'sync')} looks again`
  return [warning(CHECK, text, remedy)]
}

function judgeOpenToGuest(rights: Rights): Finding[] {
  const paths = rights.folders.filter((path) => isOpenToGuest(rights, path))
  if (paths.length === 0) return []
  const text = `${some(paths)}: closed to users, and open to visitors who are not signed in: who signs out reads it`
  return [warning(CHECK, text, 'make a rule none of the group guest there, too')]
}

function judgeMissing(folders: string[]): Finding[] {
  if (folders.length === 0) return []
  const text = `${some(folders)}: OpenList has no such folder, or its storage does not work`
  return [warning(CHECK, text, 'a folder that was renamed needs rules for its new path')]
}

function judgeSecondPaths(paths: string[]): Finding[] {
  if (paths.length === 0) return []
  const text = `${some(paths)}: the same files stand at another path, where other rules hold`
  return [warning(CHECK, text, 'make rules for these folders, too')]
}

function judgeWeak(weak: readonly WeakRule[]): Finding[] {
  const ofKind = (kind: WeakRule['weakness']) =>
    weak
      .filter(({ weakness }) => weakness === kind)
      .map(({ path, username }) => `${username} at ${path}`)
  const hidden = ofKind('out_of_reach')
  const powerless = ofKind('no_bits')
  return [
    ...(hidden.length === 0
      ? []
      : [
          warning(
            CHECK,
            `${some(hidden)}: the base path hides the folder`,
            'give the user another base path, such as /',
          ),
        ]),
    ...(powerless.length === 0
      ? []
      : [
          warning(
            CHECK,
            `${some(powerless)}: may write by a rule, and has no permission that changes files`,
            'give the user one of the permissions make, rename, move, copy, remove',
          ),
        ]),
  ]
}
