import { type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { rendered } from '../../src/core/database/rendered.ts'

function query(piece: SQL) {
  return drizzle(env.DB)
    .select({ id: users.id })
    .from(users)
    .where(sql`${piece} = ${'alice'}`)
    .toSQL()
}

test('a rendered piece says the same in a statement as the piece itself', () => {
  const piece = sql`iif(${users.disabled}, 'off', ${users.username})`
  expect(query(rendered(() => piece))).toEqual(query(piece))
})

test('a piece with a value is rendered in no statement: the value would be lost', () => {
  expect(() => query(rendered(() => sql`${users.id} = ${7}`))).toThrow('this piece has values')
})
