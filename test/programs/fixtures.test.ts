import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Ways to write into a database, behind the site's back. */
const WRITES = [
  /\binsert\s+(?:or\s+\w+\s+)?into\b/i,
  /\bupdate\s+\w+\s+set\b/i,
  /\bdelete\s+from\b/i,
  /\breplace\s+into\b/i,
  /\.(?:sql|prepare|remember)\(/,
  /\b(?:db|database)\.exec\(/,
  /node:sqlite/,
  /schema\/tables/,
]

const writesIn = (text: string) => WRITES.filter((pattern) => pattern.test(text)).map(String)

test('the screenshots show what users have done, never rows that were written for them', () => {
  const files = globSync('test/screenshots/*.ts')
  expect(files.length).toBeGreaterThan(8)
  const found = files.flatMap((file) =>
    writesIn(readFileSync(file, 'utf8')).map((pattern) => `${file}: ${pattern}`),
  )
  expect(found).toEqual([])
})

test('each way to write rows is found', () => {
  const texts = [
    'insert into users (id) values (9)',
    'INSERT OR IGNORE INTO users (id) values (9)',
    'update users set totp_step = 0',
    'delete\n from users',
    'replace into users (id) values (9)',
    "clone.sql('select 1')",
    'database.prepare(statement)',
    'database.exec(statement)',
    'clone.remember()',
    "import { DatabaseSync } from 'node:sqlite'",
    "import { users } from '../../schema/tables.ts'",
  ]
  for (const text of texts) expect(writesIn(text), text).not.toEqual([])
})
