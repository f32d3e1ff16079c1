import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readOpenListToken } from '../../src/programs/container/openlist-token.ts'
import { readSecretFiles } from '../../src/programs/container/secret-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-container-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('the token of OpenList', () => {
  const TOKEN = 'openlist-0c8de1cb'

  /** Writes the folder of OpenList. @returns The database, open. */
  function openOpenList(mode: 'delete' | 'wal', database: object = {}): DatabaseSync {
    const given = { type: 'sqlite3', db_file: '/opt/openlist/data/data.db', table_prefix: 'x_' }
    const config = { database: { ...given, ...database } }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
    const opened = new DatabaseSync(join(folder, 'data.db'))
    opened.exec(`pragma journal_mode = ${mode};
      create table x_setting_items (key text primary key, value text);
      insert into x_setting_items values ('token', '${TOKEN}')`)
    return opened
  }

  test('is read without a WAL', () => {
    openOpenList('delete').close()
    expect(readOpenListToken(folder)).toBe(TOKEN)
  })

  test('is read from the WAL while OpenList has the database open', () => {
    const opened = openOpenList('wal')
    expect(readOpenListToken(folder)).toBe(TOKEN)
    opened.close()
  })

  test('is read after OpenList has closed its WAL', () => {
    openOpenList('wal').close()
    expect(readOpenListToken(folder)).toBe(TOKEN)
  })

  test('is read from the WAL that an OpenList has left that was killed', () => {
    const opened = openOpenList('wal')
    const left = join(folder, 'left')
    mkdirSync(left)
    for (const name of ['config.json', 'data.db', 'data.db-wal', 'data.db-shm'])
      cpSync(join(folder, name), join(left, name))
    opened.close()
    expect(readOpenListToken(left)).toBe(TOKEN)
  })

  test('is none before the first start, without a row, in another database, and by a prefix that is SQL', () => {
    expect(readOpenListToken(folder)).toBeUndefined()
    const opened = openOpenList('delete', { table_prefix: '"; drop table x_setting_items; --' })
    expect(readOpenListToken(folder)).toBeUndefined()
    opened.exec('delete from x_setting_items')
    opened.close()
    for (const database of [{}, { type: 'mysql' }]) {
      const given = { type: 'sqlite3', db_file: 'data/data.db', table_prefix: 'x_', ...database }
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ database: given }))
      expect(readOpenListToken(folder)).toBeUndefined()
    }
  })
})

/** Writes a secret into a file. */
function secret(text: string): string {
  const file = join(folder, 'secret')
  writeFileSync(file, text)
  return file
}

const refused = (env: Record<string, string>) => () => readSecretFiles(env)

describe('a secret in a file', () => {
  test('counts without the end of its line', () => {
    const env: Record<string, string | undefined> = { FILES_TOKEN_FILE: secret('a b\n') }
    readSecretFiles(env)
    expect(env['FILES_TOKEN']).toBe('a b')
  })

  test('is refused beside the secret itself, and where it is missing or empty', () => {
    expect(refused({ SMTP_URL: 'x', SMTP_URL_FILE: secret('y') })).toThrow(
      'SMTP_URL and SMTP_URL_FILE are both set: keep one of them.',
    )
    expect(refused({ SECRET_KEYS_FILE: secret('\n') })).toThrow(
      /^SECRET_KEYS_FILE names an empty file: \S+\.$/,
    )
    expect(refused({ ADMIN_PASSWORD_FILE: join(folder, 'none') })).toThrow(
      /^Can't read \S+ \(ADMIN_PASSWORD_FILE\) as the user \d+: ENOENT\.$/,
    )
  })
})

test.each(['docs/container.md', 'docs/container.zh-CN.md'])(
  'compose.yaml passes on the variables that %s tells to write into .env, and no other',
  (guide) => {
    const [, section = ''] = readFileSync(guide, 'utf8').split(/^## (?:Settings|设置)$/m)
    const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? []
    const cells = table.split('\n').map((row) => row.split('|')[1] ?? '')
    const named = cells.flatMap((cell) => cell.match(/\b[A-Z_]+\b/g) ?? [])
    const passed = readFileSync('compose.yaml', 'utf8').matchAll(/'\$\{([A-Z_]+):-/g)
    expect(Array.from(passed, ([, name = '']) => name).toSorted()).toEqual(named.toSorted())
  },
)
