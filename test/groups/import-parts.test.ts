import { beforeEach, expect, test } from 'vitest'
import { folderRules, groupMembers } from '../../schema/tables.ts'
import { COMMAND_LINE, isOperator } from '../../src/core/access/operators.ts'
import {
  insertOldFolderRules,
  insertOldMembers,
  selectMissingMembers,
  selectMissingRules,
  updateRules,
} from '../../src/programs/import/store.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { addGroup } from '../support/groups.ts'

let site: CheapSite

beforeEach(async () => {
  site = new CheapSite()
  await site.addFirstUsers()
})

/** Writes rows in two parts, as an import does with more than a statement takes. */
async function inParts<Row>(rows: Row[], write: (some: Row[]) => Promise<unknown>): Promise<void> {
  await write(rows.slice(0, rows.length / 2))
  await write(rows.slice(rows.length / 2))
}

test('an import in parts puts a user into as many groups as one in a piece', async () => {
  const userId = await site.addUser('alice', { password: 'alice-Passw0rd', createdAt: site.now })
  const names = Array.from({ length: 50 }, (_, place) => `group ${place}`)
  for (const name of names) await addGroup(site, name)
  const members = names.map((nameKey, before) => ({
    nameKey,
    userId,
    usernameKey: 'alice',
    before,
  }))
  const by = isOperator(site.deps.db, COMMAND_LINE, site.now)
  await inParts(members, (some) => insertOldMembers(site.deps.db, by, some, site.now))
  expect(await site.db.$count(groupMembers)).toBe(50)
})

test('an import in parts makes as many rules as one in a piece', async () => {
  const rules = Array.from({ length: 1000 }, (_, before) => ({
    path: `/folder ${before % 200}`,
    builtIn: null,
    nameKey: null,
    userId: -1 - before,
    access: 'read' as const,
    before,
    folders: Math.min(before + 1, 200),
  }))
  const by = isOperator(site.deps.db, COMMAND_LINE, site.now)
  await inParts(rules, (some) => insertOldFolderRules(site.deps.db, by, some, site.now))
  expect(await site.db.$count(folderRules)).toBe(1000)
})

test('an import names the rules and members that another writer kept out', async () => {
  const userId = await site.addUser('alice', { password: 'alice-Passw0rd', createdAt: site.now })
  await addGroup(site, 'family')
  const by = isOperator(site.deps.db, COMMAND_LINE, site.now)
  const whose = [
    { builtIn: 'user', nameKey: null, userId: null },
    { builtIn: null, nameKey: 'family', userId: null },
    { builtIn: null, nameKey: 'gone', userId: null },
    { builtIn: null, nameKey: null, userId },
    { builtIn: null, nameKey: null, userId: 99 },
    { builtIn: null, nameKey: null, userId: -99 },
  ] as const
  const rules = whose.map((each, before) => {
    return { ...each, path: `/f${before}`, access: 'read' as const, before, folders: before + 1 }
  })
  await insertOldFolderRules(site.deps.db, by, rules, site.now)
  const missing = await selectMissingRules(site.deps.db, rules)
  expect(missing.map(({ path }) => path)).toEqual(['/f2', '/f4'])
  const members = ['family', 'gone'].map((nameKey, before) => {
    return { nameKey, userId, usernameKey: 'alice', before }
  })
  await insertOldMembers(site.deps.db, by, members, site.now)
  expect(await selectMissingMembers(site.deps.db, members, site.now)).toEqual([
    { nameKey: 'gone', username: 'alice' },
  ])
})

test('an import changes the rules here that are stricter at the source, and no others', async () => {
  const by = isOperator(site.deps.db, COMMAND_LINE, site.now)
  const rules = ['/a', '/b', '/c'].map((path, before) => {
    const whose = { builtIn: 'user' as const, nameKey: null, userId: null }
    return { ...whose, path, access: 'write' as const, before, folders: before + 1 }
  })
  await insertOldFolderRules(site.deps.db, by, rules, site.now)
  const stricter = [
    { id: 1, access: 'none' as const },
    { id: 3, access: 'read' as const },
  ]
  expect(await updateRules(site.deps.db, by, stricter)).toEqual([{ id: 1 }, { id: 3 }])
  expect(await updateRules(site.deps.db, by, stricter)).toEqual([])
  const now = await site.db.select({ access: folderRules.access }).from(folderRules)
  expect(now.map(({ access }) => access)).toEqual(['none', 'write', 'read'])
})
