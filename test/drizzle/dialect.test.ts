import { env } from 'cloudflare:workers'
import { asc, count, desc, eq, exists, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { alias, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { createDatabase, type Database } from '../../src/drizzle/builders.ts'

const pets = sqliteTable('pe"ts', {
  id: integer('id').primaryKey(),
  name: text('na"me').notNull().default('Rex'),
  isTame: integer('tame', { mode: 'boolean' }),
  parentId: integer('parent'),
})
const parents = alias(pets, 'parents')
const stamped = sqliteTable('stamped', { at: integer('at').$onUpdate(() => 1) })

const ours = createDatabase((statements) =>
  env.DB.batch(
    statements.map((statement) => env.DB.prepare(statement.sql).bind(...statement.params)),
  ),
)

/** With Drizzle's own dialect and session. */
const drizzles = drizzle(env.DB)

const all = { id: pets.id, name: pets.name, isTame: pets.isTame, parentId: pets.parentId }
const named = { id: sql`null`.as('id'), name: sql`${'Dot'}`.as('name') }
const rest = { isTame: sql`1`.as('tame'), parentId: sql`max(${pets.id})`.as('parent') }

const queries: [name: string, query: (db: Database) => PromiseLike<unknown>][] = [
  ['some columns', (db) => db.select({ n: pets.name, tame: pets.isTame }).from(pets)],
  ['a condition', (db) => db.select(all).from(pets).where(gt(pets.id, 1))],
  ['an empty window', (db) => db.select(all).from(pets).limit(0)],
  ['a window', (db) => db.select(all).from(pets).orderBy(desc(pets.id)).limit(1).offset(1)],
  [
    'two orders',
    (db) => db.select(all).from(pets).orderBy(asc(pets.parentId), desc(pets.name)).offset(0),
  ],
  [
    'groups',
    (db) => db.select({ of: pets.parentId, n: count() }).from(pets).groupBy(pets.parentId),
  ],
  [
    'an inner join',
    (db) =>
      db
        .select({ child: pets.id, parent: { name: parents.name, isTame: parents.isTame } })
        .from(pets)
        .innerJoin(parents, eq(parents.id, pets.parentId)),
  ],
  [
    'a left join, whose table is null where it has no row',
    (db) =>
      db
        .select({ id: pets.id, parent: { name: parents.name, isTame: parents.isTame } })
        .from(pets)
        .leftJoin(parents, eq(parents.id, pets.parentId)),
  ],
  [
    'another name',
    (db) => {
      const isParent = db.select({ id: pets.id }).from(pets).where(eq(pets.parentId, parents.id))
      return db.select({ name: parents.name }).from(parents).where(exists(isParent))
    },
  ],
  ['rows, with what is not given', (db) => db.insert(pets).values([{ id: 7 }, { isTame: true }])],
  ['an undefined', (db) => db.insert(pets).values({ name: undefined, id: 8 }).returning(all)],
  [
    'a row from rows',
    (db) =>
      db
        .insert(pets)
        .select(db.select({ ...named, ...rest }).from(pets))
        .returning({ id: pets.id, loud: sql<string>`upper(${pets.name})` }),
  ],
  ['a conflict', (db) => db.insert(pets).values({ id: 1 }).onConflictDoNothing().returning(all)],
  [
    'a conflict that changes',
    (db) =>
      db
        .insert(pets)
        .values({ id: 1, name: 'New' })
        .onConflictDoUpdate({ target: pets.id, set: { name: sql`excluded."na""me" || '!'` } }),
  ],
  [
    'a change',
    (db) =>
      db
        .update(pets)
        .set({ isTame: false, parentId: sql`${pets.id} + 1`, name: undefined })
        .where(gt(pets.id, 1))
        .returning({ id: pets.id, tame: pets.isTame }),
  ],
  ['a change of all', (db) => db.update(pets).set({ parentId: null })],
  ['a deletion', (db) => db.delete(pets).where(eq(pets.id, 2)).returning(all)],
  ['a deletion of all', (db) => db.delete(pets)],
  [
    'a batch',
    (db) => db.batch([db.delete(pets).returning({ id: pets.id }), db.select(all).from(pets)]),
  ],
]

/** What a query answers, and the rows that there are after it. */
async function outcome(db: Database, query: (db: Database) => PromiseLike<unknown>) {
  await env.DB.batch([
    env.DB.prepare('drop table if exists "pe""ts"'),
    env.DB.prepare(
      'create table "pe""ts" (id integer primary key, "na""me" text, tame integer, parent integer)',
    ),
    env.DB.prepare(
      `insert into "pe""ts" values (1, 'Ada', 1, null), (2, 'Bo', 0, 1), (3, 'Cy', null, 1)`,
    ),
  ])
  const answer = await query(db)
  const { results } = await env.DB.prepare('select * from "pe""ts"').all()
  await env.DB.prepare('drop table "pe""ts"').run()
  return { rows: Array.isArray(answer) ? answer : [], results }
}

test.each(queries)('does what Drizzle does: %s', async (_, query) => {
  const expected = await outcome(drizzles, query)
  await expect(outcome(ours, query)).resolves.toEqual(expected)
})

const refused: [name: string, query: () => { toSQL: () => unknown }][] = [
  ['having', () => ours.select({ n: count() }).from(pets).groupBy(pets.id).having(gt(count(), 1))],
  ['setOperators', () => ours.select(all).from(pets).union(ours.select(all).from(pets))],
  ['limit', () => ours.delete(pets).limit(1)],
  ['orderBy', () => ours.update(pets).set({ id: 1 }).orderBy(pets.id)],
  ['from', () => ours.update(pets).set({ id: 1 }).from(parents)],
  ['onUpdateFn', () => ours.update(stamped).set({ at: 2 })],
]

test('refuses two columns of one name, of which D1 would give one', async () => {
  const fields = { child: pets.id, parent: parents.id }
  const joined = outcome(ours, (db) =>
    db.select(fields).from(pets).innerJoin(parents, eq(parents.id, pets.parentId)),
  )
  await expect(joined).rejects.toThrow('two columns have the same name')
})

test.each(refused)('refuses what it does not know: %s', (name, query) => {
  expect(() => query().toSQL()).toThrow(`${name}: not in this dialect`)
})
