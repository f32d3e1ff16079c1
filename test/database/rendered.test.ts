import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { rendered } from '../../src/database/rendered.ts'

test('a rendered piece says the same in a statement as the piece itself', () => {
  const piece = sql`iif(${users.disabled}, 'off', ${users.username})`
  const query = (one: typeof piece) =>
    drizzle(env.DB)
      .select({ id: users.id })
      .from(users)
      .where(sql`${one} = ${'alice'}`)
      .toSQL()
  expect(query(rendered(piece))).toEqual(query(piece))
})

test('a piece with a value is not rendered: the value would be lost', () => {
  expect(() => rendered(sql`${users.id} = ${7}`)).toThrow('this piece has values')
})
