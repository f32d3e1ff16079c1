import * as v from 'valibot'
import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { Deps } from '../../../core/deps.ts'
import { validateJson } from '../../../web/http/input.ts'
import type { FileCall, GuardedCall } from '../../../web/kit/file-guard.ts'
import { callAsAdmin } from '../../files/origin.ts'
import { type FolderRule, isAtOrBelow } from '../decision.ts'
import { moveFolders } from '../folder-move.ts'
import { hasFolders } from '../meta-store.ts'
import { withSmallNames } from '../openlist-members.ts'
import { readRights } from '../plan.ts'
import { isInStorage, listStorages, moved, shownPathOf } from '../second-paths.ts'
import { understoodJson } from './readings.ts'

const storageSchema = v.pipe(
  v.record(v.string(), v.unknown()),
  v.transform(withSmallNames),
  v.looseObject({ id: v.number(), mount_path: v.string() }),
)
const mountSchema = v.object({ mount_path: v.string() })

/**
 * Guards the path of a storage: its files go to another path, and rules do not follow. To disable
 * or to delete a storage opens nothing.
 *
 * @returns `undefined` for another call.
 */
export function guardStorages(
  deps: Deps,
  files: FileServer,
  call: FileCall,
): GuardedCall | undefined {
  const isUpdate = call.path === '/api/admin/storage/update' && call.method === 'POST'
  if (call.area !== 'api' || !isUpdate) return undefined
  let sent: v.InferOutput<typeof storageSchema> | undefined
  return {
    admit: async () => {
      if (!(await hasFolders(deps.db))) return {}
      sent = validateJson(storageSchema, call.body())
      return understoodJson(sent)
    },
    send: (_, send) =>
      moveFolders(deps, files, async () => {
        if (sent !== undefined) await refuseMove(deps, files, sent)
        else if (await hasFolders(deps.db)) throw new Refusal('folderIsMoving')
        return send()
      }),
  }
}

/**
 * Refuses another path for a storage, unless each rule in it has its like at the new path.
 *
 * @throws {Refusal} `storageHasRules`; `invalidBody`, `filesUnavailable`, `filesBroken`.
 */
async function refuseMove(
  deps: Deps,
  files: FileServer,
  sent: v.InferOutput<typeof storageSchema>,
): Promise<void> {
  const [{ data }, storages, rights] = await Promise.all([
    callAsAdmin(deps, files, `/api/admin/storage/get?id=${sent.id}`),
    listStorages(deps, files),
    readRights(deps, files),
  ])
  // OpenList refuses the update of a storage that is not there.
  if (!v.is(mountSchema, data)) return
  const [from, to] = [shownPathOf(data.mount_path), shownPathOf(sent.mount_path)]
  if (from === to) return
  const inIt = rights.rules.filter(({ path }) => isInStorage(storages, from, path))
  const isKept = inIt.every((rule) =>
    rights.at.get(moved(rule.path, from, to))?.some((other) => isLike(rule, other)),
  )
  const waits = [...rights.writes, ...rights.blocked].some(({ path }) => isAtOrBelow(path, to))
  if (inIt.length > 0 && (!isKept || waits)) throw new Refusal('storageHasRules')
}

function isLike(one: FolderRule, other: FolderRule): boolean {
  return (
    one.builtIn === other.builtIn &&
    one.groupId === other.groupId &&
    one.userId === other.userId &&
    one.access === other.access
  )
}
