import { afterAll, beforeAll, expect, test } from 'vitest'
import { Clone } from '../support/clone.ts'

let clone: Clone

beforeAll(() => {
  clone = new Clone()
})
afterAll(() => clone.remove())

const GROUPS = ['user', '2fa', 'session', 'key', 'setting', 'service-token', 'event']

/** Makes Node refuse to load wrangler. */
const env = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `import { registerHooks } from 'node:module'
     registerHooks({ resolve(name, context, next) {
       if (name === 'wrangler') throw new Error('loaded wrangler')
       return next(name, context)
     } })`,
  )}`,
}

test('--help names every command, with an example each, and loads no wrangler', async () => {
  const help = (...args: string[]) => clone.latchkey([...args, '--help'], { env })
  const top = await help()
  expect(top).toMatchObject({ code: 0, stderr: '' })
  for (const group of GROUPS) expect(top.stdout).toContain(`  ${group} `)
  // With the command "help" that each group has.
  const groups = await Promise.all([help('setting'), help('2fa')])
  expect(groups.map(({ stdout }) => [...stdout.matchAll(/^ {2}([a-z]+) .*[<[]/gm)].length)).toEqual(
    [7, 2],
  )
  expect(await help('user', 'add')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/custom-share-id[^]*Example:\n {2}latchkey user add /),
  })
  expect((await clone.latchkey(['user', 'list'], { env })).stderr).toContain('loaded wrangler')
})

test('what is wrong with a command line is said before a site is opened, with exit code 2', async () => {
  const wrong: [args: string[], reason: string][] = [
    [[], 'Usage: latchkey'],
    [['usr'], "unknown command 'usr'\n(Did you mean user?)"],
    [['user', 'lst'], '(Did you mean list?)'],
    [['user', 'add', 'bob', '--password', 'x'], "unknown option '--password'"],
    [['user', 'add', 'bob\n', '--generate'], 'It must not contain control characters.'],
    [['user', 'password', 'bob'], 'use --password-stdin or --generate'],
    [['user', 'delete', 'bob'], 'confirm with --yes'],
    [['user', 'set', 'bob', '--base-path', 'x'], 'It must be an absolute path.'],
  ]
  const ran = await Promise.all(wrong.map(([args]) => clone.latchkey(args, { env })))
  expect(ran).toEqual(
    wrong.map(([, reason]) => ({ code: 2, stdout: '', stderr: expect.stringContaining(reason) })),
  )
})

test('where nothing was ever started, a command says what to do', async () => {
  expect(await clone.latchkey(['user', 'list'])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^The database is missing, [^\n]* run npm start first[^\n]*\(D1_ERROR: no such table: users[^\n]*\)\.\n$/,
    ),
  })
})
