import {
  and,
  desc,
  eq,
  getTableColumns,
  getTableName,
  gt,
  lte,
  notInArray,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { deletedItems, users } from '../../../schema/tables.ts'
import { insertEvents } from '../audit/events.ts'
import type { EventKind } from '../audit/kinds.ts'
import { Refusal } from '../base/refusals.ts'
import { type Authority, type Parts, THE_SERVICE, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import type { ReaderDeps } from './act-as.ts'
import type { SessionActor } from './actor.ts'
import { UNDO_MILLISECONDS, type UndoSlot } from './undo-slot.ts'
import { change, type ChangeDeps, of, own, read } from './subject.ts'

/** The deleted things that are kept of one user: the latest. */
const MAX_KEPT_OF_USER = 10

/** The name of a thing on a page is cut after so many characters. */
const NAME_CHARACTERS = 200

type DeletedKind = 'ssh_key' | 'invitation' | 'client' | 'user'

/** The rows of a table that a deletion takes away. */
type DeletedRows = readonly [table: SQLiteTable, which: SQL | undefined]

interface Deletion {
  kind: DeletedKind
  /** A subquery. */
  name: SQL
  /** The thing itself first. */
  rows: readonly [DeletedRows, ...DeletedRows[]]
}

/**
 * Keeps what is about to be deleted for `UNDO_MILLISECONDS`. The statements stand before those that
 * delete, with the same conditions.
 *
 * @param slot `undefined` for a deletion that can't be undone: by a program or a command.
 * @returns Parts of a batch.
 */
export function keepDeleted(
  db: Database,
  by: Authority,
  slot: UndoSlot | undefined,
  { kind, name, rows }: Deletion,
  now: number,
) {
  if (slot === undefined) return {}
  const { userId, id, deletedAt } = deletedItems
  const isOwn = eq(userId, slot.session.userId)
  const latest = db.select({ id }).from(deletedItems).where(isOwn)
  const isOld = notInArray(id, latest.orderBy(desc(deletedAt)).limit(MAX_KEPT_OF_USER - 1))
  const [[table, which]] = rows
  const lists = rows.flatMap(([from, where]) => [sql`${getTableName(from)}`, listOf(from, where)])
  return {
    dropped: writing(db, by).delete(deletedItems, and(isOwn, isOld)),
    kept: writing(db, by).insert(
      deletedItems,
      {
        userId: slot.session.userId,
        sessionId: slot.session.sessionId,
        id: slot.id,
        kind,
        name: sql`substr(${name}, 1, ${NAME_CHARACTERS})`,
        rows: sql`json_object(${sql.join(lists, sql`, `)})`,
        deletedAt: now,
      },
      { where: sql`exists (select 1 from ${table} where ${which ?? sql`true`})` },
    ),
  }
}

/** D1 takes 32 arguments of a function: 16 columns. */
const COLUMNS_OF_OBJECT = 16

/** Selects rows as a JSON list. Null is left out of a row; texts and whole numbers are as in D1. */
function listOf(table: SQLiteTable, which: SQL | undefined): SQL {
  const columns = Object.values(getTableColumns(table))
  const objects: SQL[] = []
  for (let first = 0; first < columns.length; first += COLUMNS_OF_OBJECT) {
    const some = columns.slice(first, first + COLUMNS_OF_OBJECT)
    const members = some.flatMap((column) => [sql.raw(`'${column.name}'`), column])
    objects.push(sql`json_object(${sql.join(members, sql`, `)})`)
  }
  const row = objects.reduce((whole, part) => sql`json_patch(${whole}, ${part})`, sql`'{}'`)
  return sql`(select json_group_array(json(${row})) from ${table} where ${which ?? sql`true`})`
}

/** Rows of a table that were kept, in a statement that has the row of `deleted_items`. */
export function keptRows(table: SQLiteTable): SQL {
  return sql`json_each(${deletedItems.rows}, ${sql.raw(`'$.${getTableName(table)}'`)})`
}

/** The value of a column in a row of `keptRows`. */
export function keptValue(column: { name: string }, row = sql.raw('"value"')): SQL {
  return sql`${row} ->> ${sql.raw(`'$.${column.name}'`)}`
}

/** How a kind of deleted thing is brought back. */
export interface Undo {
  kind: DeletedKind
  event: EventKind
  /** Only an operator brings it back. */
  isOfSite: boolean
  /** The table of the thing itself. */
  table: SQLiteTable
  /** The tables of what belongs to it, with a condition on each kept row. */
  others?: readonly { table: SQLiteTable; where?: SQL }[]
  /** Columns of the event, with values of a kept row of the thing. */
  eventColumns: Partial<Record<'userId' | 'detail' | 'changes', SQL>>
  /** Columns of the thing that get other values than they had. */
  columns?: (session: SessionActor) => Record<string, unknown>
  /**
   * Holds, for the row of `deleted_items`, while everything may be added again: the names are free
   * and the limits are kept.
   */
  fits: (db: Database, session: SessionActor) => SQL
  /** Further statements, which stand after the others, under this condition. */
  after?: (db: Database, by: Authority, isClaimed: SQL) => Parts
}

/** Holds for what this session has deleted lately, and whose user has the same password since. */
function isUndoable({ userId, sessionId }: SessionActor, id: string, now: number): SQL | undefined {
  return and(
    eq(deletedItems.userId, userId),
    eq(deletedItems.sessionId, sessionId),
    eq(deletedItems.id, id),
    gt(deletedItems.deletedAt, now - UNDO_MILLISECONDS),
    sql`exists (select 1 from ${users} where ${users.id} = ${deletedItems.userId} and ${users.passwordChangedAt} <= ${deletedItems.deletedAt})`,
  )
}

function selectUndoable(db: Database, session: SessionActor, id: string, now: number) {
  const { kind, name, deletedAt } = deletedItems
  return db
    .select({ kind: sql<DeletedKind>`${kind}`.as('kind'), name, deletedAt })
    .from(deletedItems)
    .where(isUndoable(session, id, now))
}

/**
 * Finds what a session has deleted and can bring back.
 *
 * @throws {Refusal} `undoGone`.
 */
export async function getUndoable(deps: ReaderDeps, session: SessionActor, id: string) {
  const { found, account } = await read(deps, own(session), {
    found: selectUndoable(deps.db, session, id, deps.now()),
  })
  const [item] = found
  if (item === undefined) throw new Refusal('undoGone')
  return { account, item }
}

/**
 * Brings back what the session has deleted. What had ended with it stays ended. It takes what
 * adding takes: a fresh session, and that of an operator for a thing of the site.
 *
 * One statement claims it, in the transaction that brings it back: nothing comes back twice.
 *
 * @throws {Refusal} `confirmationNeeded`, `notAdmin`; `undoGone`, `undoBlocked`.
 */
export async function bringBack(
  deps: ChangeDeps,
  session: SessionActor,
  id: string,
  {
    kind,
    event: eventKind,
    isOfSite,
    table,
    others = [],
    eventColumns,
    columns,
    fits,
    after,
  }: Undo,
): Promise<void> {
  const { db } = deps
  const subject = isOfSite ? of(session) : own(session)
  const isClaimed = and(
    eq(deletedItems.userId, session.userId),
    eq(deletedItems.id, id),
    eq(deletedItems.claimed, true),
  )
  const { found, claimed } = await change(
    deps,
    subject,
    { kind: eventKind, fresh: true },
    ({ now, by, event }) => {
      const isFound = and(isUndoable(session, id, now), eq(deletedItems.kind, kind))
      return {
        found: selectUndoable(db, session, id, now),
        claimed: writing(db, by)
          .update(deletedItems, { claimed: true }, and(isFound, fits(db, session)))
          .returning({ id: deletedItems.id }),
        event: insertEvents(db, by, event, eventColumns, {
          from: keptBeside(table),
          where: isClaimed,
        }),
        restored: writing(db, by).insert(
          table,
          { ...columnsOf(table), ...columns?.(session) },
          { from: keptBeside(table), where: isClaimed },
        ),
        ...Object.fromEntries(
          others.map(({ table: other, where }) => [
            getTableName(other),
            // What somebody else has now, such as an identity of a provider, stays theirs.
            writing(db, by)
              .insert(other, columnsOf(other), {
                from: keptBeside(other),
                where: and(isClaimed, where),
              })
              .onConflictDoNothing(),
          ]),
        ),
        ...after?.(db, by, isClaimed ?? sql`false`),
        forgotten: writing(db, by).delete(deletedItems, isClaimed),
      }
    },
  )
  if (found.length === 0) throw new Refusal('undoGone')
  if (claimed.length === 0) throw new Refusal('undoBlocked')
}

/** The kept rows of a table, each beside the row of `deleted_items`. */
export function keptBeside(table: SQLiteTable): SQL {
  return sql`${deletedItems}, ${keptRows(table)}`
}

/** The columns of a table, with the values of a row of `keptRows`. */
function columnsOf(table: SQLiteTable): Record<string, SQL> {
  return Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([name, column]) => [name, keptValue(column)]),
  )
}

/** Deletes for good what nobody can bring back any more. */
export function pruneDeleted(db: Database, now: number) {
  return writing(db, THE_SERVICE).delete(
    deletedItems,
    lte(deletedItems.deletedAt, now - UNDO_MILLISECONDS),
  )
}
