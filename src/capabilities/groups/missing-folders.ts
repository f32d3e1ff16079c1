import { sql } from 'drizzle-orm'
import { auditEvents, folderRules } from '../../../schema/tables.ts'
import { insertEvents, logWritten } from '../../core/audit/events.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import type { OriginDeps } from '../files/origin.ts'
import { eachOf, member } from './meta-store.ts'
import { isGone, pathsWhere, seesAll } from './there.ts'

export function selectRuledFolders(db: Database) {
  return db.select({ path: folderRules.path }).from(folderRules).groupBy(folderRules.path)
}

/** A Worker has few requests for each run, and other parts of it need some. */
const MAX_LOOKED_UP = 20

/**
 * Records an event when a folder with rules is not there any more: renamed at the file server, or
 * with the folder above it, it is open to whom its rules refuse. Another one when it is back.
 *
 * @param folders Of more than twenty, each run looks for another twenty.
 */
export async function recordMissing(
  deps: OriginDeps & Pick<Deps, 'db' | 'now' | 'randomBytes'>,
  files: FileServer,
  folders: readonly string[],
): Promise<void> {
  const [random = 0] = deps.randomBytes(1)
  const first = folders.length > MAX_LOOKED_UP ? random % folders.length : 0
  const looked = [...folders.slice(first), ...folders.slice(0, first)].slice(0, MAX_LOOKED_UP)
  if (looked.length === 0 || !(await seesAll(deps, files))) return
  const gone = await pathsWhere(looked, (path) => isGone(deps, files, path))
  const there = looked.filter((path) => !gone.includes(path))
  const parts = {
    missing: recording(deps, 'folder_missing', gone, sql`${last('missing')} <= ${last('found')}`),
    found: recording(deps, 'folder_found', there, sql`${last('missing')} > ${last('found')}`),
  }
  logWritten(parts, await runBatch(deps.db, parts))
}

function recording(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  kind: 'folder_missing' | 'folder_found',
  paths: readonly string[],
  where: ReturnType<typeof sql>,
) {
  const event = { at: now(), kind, network: '', userAgent: '' }
  const from = eachOf(paths.map((path) => ({ path })))
  return insertEvents(db, THE_SERVICE, event, { detail: member('path') }, { from, where })
}

/** The id of the last event of a folder; 0 for none. */
function last(what: 'missing' | 'found') {
  return sql`coalesce((select max(${auditEvents.id}) from ${auditEvents}
    where ${auditEvents.kind} = ${sql.raw(`'folder_${what}'`)}
    and ${auditEvents.detail} = ${member('path')}), 0)`
}
