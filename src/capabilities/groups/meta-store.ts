import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as v from 'valibot'
import { fileUsers, folderMetas, folderRules, folderState, users } from '../../../schema/tables.ts'
import { type Authority, runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import type { MetaRecord } from './metas.ts'

/** Selects the metas that this site has written. */
export function selectMetaRecords(db: Database) {
  return db.select().from(folderMetas).orderBy(folderMetas.path)
}

const idsSchema = v.pipe(v.string(), v.parseJson(), v.array(v.number()))

/** Reads the rows of `selectMetaRecords`. */
export function readMetaRecords(rows: Awaited<ReturnType<typeof selectMetaRecords>>): MetaRecord[] {
  return rows.map(({ path, remoteId, isOwn, readUsers, writeUsers }) => ({
    path,
    remoteId,
    isOwn,
    lists:
      readUsers === null || writeUsers === null
        ? undefined
        : { read: v.parse(idsSchema, readUsers), write: v.parse(idsSchema, writeUsers) },
  }))
}

/** Selects a row when there is a folder rule, or a meta that this site has written. */
export function selectHasFolders(db: Database) {
  return db
    .select({ has: sql<number>`1` })
    .from(folderState)
    .where(sql`${hasRow(folderRules)} or ${hasRow(folderMetas)}`)
}

/** Tells whether `selectHasFolders` selects a row. */
export async function hasFolders(db: Database): Promise<boolean> {
  const { found } = await runBatch(db, { found: selectHasFolders(db) })
  return found.length > 0
}

function hasRow(table: SQLiteTable) {
  return sql`exists (select 1 from ${table})`
}

/**
 * Selects the users of the file server, with the role of each one's account (null after its end),
 * and whether the account has got another name, which is not written there.
 */
export function selectRemoteUsers(db: Database) {
  return db
    .select({
      userId: fileUsers.userId,
      remoteId: fileUsers.remoteId,
      remoteName: fileUsers.remoteName,
      nextName: fileUsers.nextName,
      role: users.role,
      isRenamed: sql`${users.username} <> ${fileUsers.username}`.mapWith(Boolean),
    })
    .from(fileUsers)
    .leftJoin(users, eq(users.id, fileUsers.userId))
    .where(isNull(fileUsers.goneAt))
}

/**
 * Writes records of metas; without lists, those of metas whose write begins.
 *
 * @param where A further condition.
 */
export function recordingMetas(
  db: Database,
  by: Authority,
  records: readonly MetaRecord[],
  where?: SQL,
) {
  const rows = records.map(({ path, remoteId, isOwn, lists }) => ({
    path,
    remoteId,
    isOwn: isOwn ? 1 : 0,
    read: lists && JSON.stringify(lists.read),
    write: lists && JSON.stringify(lists.write),
  }))
  return writing(db, by)
    .insert(
      folderMetas,
      {
        path: member('path'),
        remoteId: member('remoteId'),
        isOwn: member('isOwn'),
        readUsers: member('read'),
        writeUsers: member('write'),
      },
      { from: eachOf(rows), where },
    )
    .onConflictDoUpdate({
      target: folderMetas.path,
      set: {
        remoteId: sql`excluded.remote_id`,
        isOwn: sql`excluded.is_own`,
        readUsers: sql`excluded.read_users`,
        writeUsers: sql`excluded.write_users`,
      },
    })
}

/** Reads rows in JSON, each as `each`. */
export function eachOf(rows: readonly object[]) {
  return sql`json_each(${JSON.stringify(rows)}) as each`
}

/** Selects a member of a row in JSON. */
export function member(name: string) {
  return sql`json_extract(each.value, ${sql.raw(`'$.${name}'`)})`
}

/** Forgets metas that have no lists of ours any more. */
export function forgettingMetas(db: Database, paths: readonly string[]) {
  const listed = sql`(select value from json_each(${JSON.stringify(paths)}))`
  return writing(db, THE_SERVICE).delete(folderMetas, sql`${folderMetas.path} in ${listed}`)
}

/**
 * Records that everything is there as the rules of a version want it.
 *
 * @param version As it was read before the file server was asked.
 */
export async function recordSettled(db: Database, version: string): Promise<void> {
  await runBatch(db, {
    settled: writing(db, THE_SERVICE).update(
      folderState,
      { written: version },
      and(eq(folderState.id, 1), eq(folderState.version, version)),
    ),
  })
}

/** Records that something has to be done there still, though no right has changed since. */
export async function recordUnsettled(db: Database): Promise<void> {
  await runBatch(db, {
    unsettled: writing(db, THE_SERVICE).update(folderState, { written: '' }, eq(folderState.id, 1)),
  })
}

/** Holds while the rules, and all that they depend on, are of a version. */
export function isOfVersion(version: string): SQL {
  return sql`coalesce((${sql`select ${folderState.version} from ${folderState}`}), '') = ${version}`
}
