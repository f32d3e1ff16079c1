import { and } from 'drizzle-orm'
import { folderRules } from '../../../schema/tables.ts'
import type { Operator } from '../../core/access/operators.ts'
import { act, change, of } from '../../core/access/subject.ts'
import { GENERAL, GUEST } from '../../core/accounts/roles.ts'
import { MAX_FOLDER_RULES, MAX_RULE_FOLDERS } from '../../core/accounts/groups.ts'
import { insertEvents } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { writing } from '../../core/database/statements.ts'
import type { Access } from './decision.ts'
import { readFolder } from './fields.ts'
import { isNoFolderMoving, refuseWhileMoving, selectFolderMove } from './folder-move.ts'
import { needFileServer, type RuleDeps } from './folder-rules.ts'
import { eachOf, isOfVersion, member, recordingMetas } from './meta-store.ts'
import { listForeignIn, type Meta } from './metas.ts'
import { readRights, type Rights } from './plan.ts'
import { isFileThere, pathsWhere } from './there.ts'
import type { Whose } from './rule-store.ts'
import { writeInTime } from './write-in-time.ts'

/** How often the rules may change while lists are read. */
const MAX_TRIES = 4

type NewRule = Whose & { path: string; access: Access }

/**
 * Makes rules of the lists that OpenList has of its own in a folder.
 *
 * @returns The number of rules, and of folders that wait to be written.
 * @throws {Refusal} Those of `readFolder`; `noFileServer`, `notAdmin`, `confirmationNeeded`,
 *   `tooManyFolderRules`, `tooManyRuleFolders`, `fileHasOwnUsers`, `filesUnavailable`,
 *   `filesBroken`.
 */
export async function adoptFolder(
  deps: RuleDeps,
  operator: Operator,
  asked: string | null | undefined,
): Promise<{ rules: number; waiting: number }> {
  const folder = readFolder(asked)
  const files = await needFileServer(deps, operator)
  await act(deps, of(operator), { fresh: true }, () => ({}))
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const rights = await readRights(deps, files)
    const metas = listForeignIn(folder, rights)
    const rules = metas.flatMap((meta) => rulesOf(meta, rights))
    if (rules.length === 0) return { rules: 0, waiting: await writeInTime(deps) }
    refuseTooMany(rules, rights)
    await refuseFiles(deps, files, metas)
    const adopted = metas.map(({ path, id: remoteId }) => ({
      path,
      remoteId,
      isOwn: false,
      lists: undefined,
    }))
    const { made, moving } = await change(
      deps,
      of(operator),
      { kind: 'folder_rule_created', fresh: true },
      ({ now, by, event }) => {
        const where = and(isOfVersion(rights.version), isNoFolderMoving(deps.db, now))
        return {
          moving: selectFolderMove(deps.db, now),
          event: insertEvents(
            deps.db,
            by,
            event,
            { detail: member('path') },
            { from: eachOf(metas.map(({ path }) => ({ path }))), where },
          ),
          recorded: recordingMetas(deps.db, by, adopted, where),
          // It changes the version, so it is the last one.
          made: writing(deps.db, by)
            .insert(
              folderRules,
              {
                path: member('path'),
                builtIn: member('builtIn'),
                groupId: member('groupId'),
                userId: member('userId'),
                access: member('access'),
                createdAt: now,
              },
              { from: eachOf(rules), where },
            )
            // A rule that stands there already is what somebody wanted.
            .onConflictDoNothing()
            .returning({ id: folderRules.id }),
        }
      },
    )
    if (made.length > 0) return { rules: made.length, waiting: await writeInTime(deps) }
    refuseWhileMoving(moving)
  }
  throw new Refusal('unavailable', {
    detail: 'the rules change all the time',
    retryAfterSeconds: 1,
  })
}

/**
 * Lists of a folder show its files, whatever users these have.
 *
 * @throws {Refusal} `fileHasOwnUsers`, `filesUnavailable`.
 */
async function refuseFiles(
  deps: RuleDeps,
  files: FileServer,
  metas: readonly Meta[],
): Promise<void> {
  const paths = metas.map(({ path }) => path)
  const [path] = await pathsWhere(paths, (each) => isFileThere(deps, files, each))
  if (path !== undefined) throw new Refusal('fileHasOwnUsers', { values: { path } })
}

/** @throws {Refusal} `tooManyFolderRules`, `tooManyRuleFolders`. */
function refuseTooMany(made: readonly NewRule[], { rules, folders }: Rights): void {
  if (rules.length + made.length > MAX_FOLDER_RULES)
    throw new Refusal('tooManyFolderRules', { values: { limit: MAX_FOLDER_RULES } })
  if (new Set([...folders, ...made.map(({ path }) => path)]).size > MAX_RULE_FOLDERS)
    throw new Refusal('tooManyRuleFolders', { values: { limit: MAX_RULE_FOLDERS } })
}

/**
 * Returns the rules that say what the lists of a meta say: one for everybody, and one for each user
 * on them. Ids of nobody are left out.
 */
function rulesOf(
  meta: Pick<Meta, 'path' | 'read_users' | 'write_users'>,
  { people, remoteUsers }: Pick<Rights, 'people' | 'remoteUsers'>,
): NewRule[] {
  const { path } = meta
  const readers = new Set(meta.read_users ?? [])
  const writers = new Set(meta.write_users ?? [])
  const accessOf = (id: number): Access => {
    if (readers.size > 0 && !readers.has(id)) return 'none'
    return writers.size === 0 || writers.has(id) ? 'write' : 'read'
  }
  const listed = remoteUsers.filter(
    ({ remoteId }) => readers.has(remoteId) || writers.has(remoteId),
  )
  const guest = listed.find(({ role }) => role === GUEST)
  const others = readers.size > 0 ? 'none' : 'read'
  const isGuestEnabled = people.some(({ role, isEnabled }) => role === GUEST && isEnabled)
  const ofGuest = guest === undefined ? others : accessOf(guest.remoteId)
  const nobody = { builtIn: null, groupId: null, userId: null }
  return [
    { path, ...nobody, builtIn: 'user', access: others },
    ...(others === 'none' || isGuestEnabled || guest !== undefined
      ? [{ path, ...nobody, builtIn: 'guest' as const, access: ofGuest }]
      : []),
    ...listed
      .filter(({ role }) => role === GENERAL)
      .map(({ userId, remoteId }) => ({ path, ...nobody, userId, access: accessOf(remoteId) }))
      .filter(({ access }) => access !== others),
  ]
}
