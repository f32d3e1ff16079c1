import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Clone, CommandRunner } from '../support/clone.ts'

let clone: Clone
/** Runs commands in one process that can't load wrangler and Miniflare. */
let runner: CommandRunner

beforeAll(() => {
  clone = new Clone(inject('startedSite'))
  runner = new CommandRunner(env)
})
afterAll(async () => {
  await runner.end()
  await clone.remove()
})

const GROUPS = [
  'user',
  '2fa',
  'session',
  'key',
  'passkey',
  'token',
  'setting',
  'service-token',
  'event',
]
const COMMANDS = [...GROUPS, 'doctor', 'backup', 'restore', 'import']

/** Makes Node refuse to load wrangler and Miniflare. */
const env = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `import { registerHooks } from 'node:module'
     registerHooks({ resolve(name, context, next) {
       if (name === 'wrangler' || name === 'miniflare') throw new Error('loaded ' + name)
       return next(name, context)
     } })`,
  )}`,
}

test('--help of every command loads neither wrangler nor Miniflare', async () => {
  const helps = await Promise.all(
    COMMANDS.map((name) => runner.run(clone.folder, [name, '--help'])),
  )
  expect(helps).toEqual(
    COMMANDS.map((name) => ({
      code: 0,
      stdout: expect.stringContaining(`Usage: latchkey ${name} `),
      stderr: '',
    })),
  )
})

test('--help names every command, with an example each', async () => {
  const help = (...args: string[]) => runner.run(clone.folder, [...args, '--help'])
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
    stdout: expect.stringMatching(
      /custom-share-id[^]*Examples:\n {2}npm run latchkey -- user add /,
    ),
  })
  // Without a running site, a command needs them.
  expect((await clone.latchkey(['user', 'list'], { env })).stderr).toContain('loaded ')
})

test('what is wrong with a command line is said before a site is opened, with exit code 2', async () => {
  const wrong: [args: string[], reason: string][] = [
    [[], 'Usage: latchkey'],
    [['usr'], "unknown command 'usr'\n(Did you mean user?)"],
    [['user', 'lst'], '(Did you mean list?)'],
    [['user', 'add', 'bob', '--password', 'x'], 'Use --generate, or --password-stdin.'],
    [['user', 'password', 'bob', '--password=x'], 'Use --generate, or --password-stdin.'],
    [['user', 'list', '--password', 'x'], "unknown option '--password'\n(--help lists"],
    [['event', 'list', '--kind', 'sign'], 'Did you mean sign'],
    [['event', 'list', '--kind', 'kye_added'], 'Did you mean key_added'],
    [['event', 'list', '--kind', 'x'], "'x' is invalid. --help lists the choices."],
    [['user', 'add', 'bob\n', '--generate'], 'It must not contain control characters.'],
    [['user', 'password', 'bob'], 'use --password-stdin or --generate'],
    [['user', 'delete', 'bob'], 'confirm with --yes'],
    [['user', 'set', 'bob', '--base-path', 'x'], 'It must be an absolute path.'],
    [['user', 'set', 'bob', '--role', 'root'], 'Allowed choices are general, admin'],
  ]
  const ran = await Promise.all(wrong.map(([args]) => runner.run(clone.folder, args)))
  expect(ran).toEqual(
    wrong.map(([, reason]) => ({ code: 2, stdout: '', stderr: expect.stringContaining(reason) })),
  )
})

test('a reader that has seen enough makes no command fail', async () => {
  const piped = 'set -o pipefail; node src/programs/launch.cjs main --help | true'
  for (let i = 0; i < 3; i++) expect((await clone.shell(piped).ended).stderr).toBe('')
})

test('where nothing was ever started, a command says what to do', async () => {
  const fresh = new Clone(inject('freshClone'))
  try {
    expect(await fresh.command(['user', 'list'])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The database is missing, [^\n]* run npm start first[^\n]*\(D1_ERROR: no such table: users[^\n]*\)\.\n$/,
      ),
    })
  } finally {
    await fresh.remove()
  }
})

test('a command works through the site that is served, without a runtime of its own', async () => {
  const served = new Clone(inject('startedSite'))
  try {
    const site = await served.serve()
    const run = (args: string[], input = '') => served.latchkey(args, { env, input })
    expect(await run(['user', 'add', 'alice', '--password-stdin'], 'alice-Passw0rd')).toMatchObject(
      {
        code: 0,
        stderr: '',
      },
    )
    expect(await site.signIn('alice', 'alice-Passw0rd')).toMatchObject({ code: 200 })
    expect(await run(['setting', 'set', 'site_title', 'Ours'])).toMatchObject({ code: 0 })
    const settings = await site.call('GET', '/api/public/settings')
    expect(settings.data.site_title).toBe('Ours')
    served.sql('drop table settings')
    expect(await run(['setting', 'list'])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The database is missing, .*D1_ERROR: no such table: settings/,
      ),
    })
    await served.stop()
    expect((await run(['user', 'list'])).stderr).toContain('loaded ')
  } finally {
    await served.remove()
  }
})

test('a wrong command line is answered in JSON, when JSON is asked for', async () => {
  for (const [args, error] of [
    [['usr', '--json'], "unknown command 'usr'\n(Did you mean user?)"],
    [['--json', 'user', 'list', '--password', 'x'], "unknown option '--password'"],
    [['user', 'add', '--json'], "missing required argument 'name'"],
  ] as const) {
    const { code, stdout, stderr } = await clone.latchkey(args, { env })
    expect([code, stdout, JSON.parse(stderr)]).toEqual([2, '', { error }])
  }
})
