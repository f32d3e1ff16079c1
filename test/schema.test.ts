import { eq, is } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { env } from 'cloudflare:workers'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as tables from '../schema/tables.ts'
import { recoveryCodes, sessions, sshKeys, users } from '../schema/tables.ts'
import { NOW, Site } from './support/site.ts'

let site: Site

beforeEach(() => {
  site = new Site()
})

/** Gives a user one row of everything that a user can own. */
async function addBelongings(userId: number): Promise<void> {
  const suffix = `of ${userId}`
  await site.db.insert(sshKeys).values({
    userId,
    title: 'laptop',
    fingerprint: `SHA256:${suffix}`,
    type: 'ssh-ed25519',
    bits: 256,
    line: 'x',
    addedAt: NOW,
    lastUsedAt: NOW,
  })
  await site.db.insert(sessions).values({
    id: `session ${suffix}`,
    userId,
    createdAt: NOW,
    expiresAt: NOW,
    network: '192.0.2.1',
    userAgent: '',
  })
  await site.db.insert(recoveryCodes).values({ userId, codeHash: `hash ${suffix}` })
}

/** The database's own reason, which Drizzle wraps. */
async function reasonAgainst(insertion: Promise<unknown>): Promise<string> {
  const error: unknown = await insertion.catch((refusal: unknown) => refusal)
  if (!(error instanceof Error)) return 'none'
  return error.cause instanceof Error ? error.cause.message : error.message
}

describe('a user who is deleted', () => {
  test('leaves no key, session or recovery code, and takes nobody else along', async () => {
    const [alice, bob] = [await site.addUser('alice'), await site.addUser('bob')]
    await addBelongings(alice)
    await addBelongings(bob)
    await site.db.delete(users).where(eq(users.id, alice))
    for (const table of [sshKeys, sessions, recoveryCodes]) {
      expect((await site.db.select().from(table)).map((row) => row.userId)).toEqual([bob])
    }
  })

  test('leaves an id that nobody gets again', async () => {
    await site.addUser('alice')
    const bob = await site.addUser('bob')
    await site.db.delete(users)
    expect(await site.addUser('bob')).toBe(bob + 1)
  })
})

describe('a row that belongs to nobody', () => {
  test('is refused', async () => {
    expect(await reasonAgainst(addBelongings(7))).toMatch(/FOREIGN KEY/)
  })
})

describe('an SSH key that is deleted', () => {
  test('leaves an id that no key gets again', async () => {
    const alice = await site.addUser('alice')
    await addBelongings(alice)
    await site.db.delete(sshKeys)
    await site.db.delete(sessions)
    await site.db.delete(recoveryCodes)
    await addBelongings(alice)
    expect((await site.db.select().from(sshKeys)).map(({ id }) => id)).toEqual([2])
  })
})

describe('a user name', () => {
  test.each([
    ['alice', 'alice'],
    ['alice', 'ALICE'],
    ['Ünïcøde', 'üNÏCØDE'],
    ['Ünïcøde', 'Ünïcøde'.normalize('NFD')],
    ['alice', 'ａｌｉｃｅ'],
    ['straße', 'STRASSE'],
    ['ὀδυσσεύς', 'ὈΔΥΣΣΕΎΣ'],
    ['file', 'ﬁle'],
    ['K', '\u212A'],
  ])('%s leaves no room for %s', async (name, lookAlike) => {
    await site.addUser(name)
    expect(await reasonAgainst(site.addUser(lookAlike))).toMatch(/UNIQUE.*username_key/)
  })

  test('that differs in more than case and form is another', async () => {
    for (const name of ['alice', 'älice', 'alice ', 'al1ce', 'alice2']) {
      expect(await reasonAgainst(site.addUser(name)), name).toBe('none')
    }
  })

  test('is given', async () => {
    expect(await reasonAgainst(site.addUser(''))).toMatch(/CHECK.*users_username_given/)
  })
})

describe('a role', () => {
  test('is 0, 1 or 2', async () => {
    for (const role of [0, 1, 2]) await site.addUser(`role ${role}`, { role })
    for (const role of [-1, 3, 4, 1.5]) {
      const reason = await reasonAgainst(site.addUser(`role ${role}`, { role }))
      expect(reason, `${role}`).toMatch(/CHECK.*users_role_known/)
    }
  })
})

describe('a key', () => {
  test('has a title and a fingerprint of its own among those of its user', async () => {
    const [alice, bob] = [await site.addUser('alice'), await site.addUser('bob')]
    const row = { type: 'ssh-ed25519', bits: 256, line: 'x', addedAt: NOW, lastUsedAt: NOW }
    const insert = (userId: number, title: string, fingerprint: string) =>
      reasonAgainst(
        site.db
          .insert(sshKeys)
          .values({ ...row, userId, title, fingerprint })
          .execute(),
      )
    expect(await insert(alice, 'laptop', 'SHA256:a')).toBe('none')
    expect(await insert(alice, 'laptop', 'SHA256:b')).toMatch(/UNIQUE.*title/)
    expect(await insert(alice, 'phone', 'SHA256:a')).toMatch(/UNIQUE.*fingerprint/)
    expect(await insert(bob, 'laptop', 'SHA256:a')).toBe('none')
  })
})

describe('the migrations', () => {
  test('make the tables and the columns of schema/tables.ts', async () => {
    const declared = Object.values<unknown>(tables)
      .filter((table) => is(table, SQLiteTable))
      .map((table) => getTableConfig(table))
      .map(({ name, columns }) => [name, columns.map((column) => column.name).toSorted()])
    const made = await Promise.all(
      declared.map(async ([name]) => {
        const { results } = await env.DB.prepare('select name from pragma_table_info(?)')
          .bind(name)
          .all<{ name: string }>()
        return [name, results.map((column) => column.name).toSorted()]
      }),
    )
    expect(made).toEqual(declared)
  })
})
