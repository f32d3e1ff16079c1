import { beforeEach, expect, test } from 'vitest'
import { folderRules, groupMembers } from '../../schema/tables.ts'
import { COMMAND_LINE, isOperator } from '../../src/core/access/operators.ts'
import { insertOldFolderRules, insertOldMembers } from '../../src/programs/import/store.ts'
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
