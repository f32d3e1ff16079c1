import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import openapi from '../../schema/openapi.json' with { type: 'json' }
import { PARTS } from '../../scripts/rooms.ts'
import { EVENT_KINDS } from '../../src/core/audit/kinds.ts'
import { Clone } from '../support/clone.ts'
import {
  commandsOf,
  deadAnchorsOf,
  deadLinksOf,
  deadPathsOf,
  readDocuments,
  terminalSessionOf,
} from '../support/documents.ts'
import { freePort } from '../support/free-port.ts'
import { oldHash, writeOpenListDatabase } from '../support/openlist-database.ts'

const MAX_README_LINES = 150
const MAX_README_COLUMNS = 120

/** Commands that no test runs as they stand, each with the reason. */
const NOT_RUN: [commands: RegExp, reason: string][] = [
  [/^npm ci\b/, '.ci/run begins with npm ci; a test that runs it would replace its own libraries'],
  [/^(ADMIN_PASSWORD=\S+ |PORT=8788 )?npm start$/, 'the walkthrough and start.test.ts run it'],
  [/^npm start -- /, 'front.test.ts starts it behind a proxy'],
  [/^npm run latchkey -- (backup|restore) \/srv\//, 'backup.test.ts runs it'],
  [/^npm run test:real$/, 'needs programs that npm ci does not bring'],
  [/^npm run drill$/, 'takes minutes; a part of test:real'],
  [/ notice (add|topics|test) /, 'notices.test.ts runs them, with receivers of its own'],
  [/^(rclone|sftp) /, 'needs a file server; test/real/app-passwords.test.ts runs rclone'],
  [/token introspect < token\.txt$/, 'token.test.ts runs it'],
  [
    /^(useradd|install|su|cp \/safe)/,
    'as root; vps.test.ts of test:real runs them on a machine of its own',
  ],
  [/^npm run check$|^npm run size$/, '.ci/run runs it'],
  [/^npm run build:ldap$/, 'test/cli/ldap/program.test.ts runs it'],
  [/^npm test\b|^npm run test:(all|watch)\b/, 'it runs this test, or a part of them'],
  [
    /^npm run (bench|bench:keys|soak|screenshots)\b/,
    'takes minutes; parts have tests of their own',
  ],
  [
    /^npm run (openapi|interface|assets|bindings|migration)$/,
    'writes files; npm run check compares',
  ],
  [
    /^(SECRET_KEYS=… )?npm run (deploy|build)\b/,
    'deploy.test.ts runs it against an imitation of Cloudflare',
  ],
  [/--remote\b/, 'needs a deployed site; remote.test.ts and deploy.test.ts run such commands'],
  [/^npx wrangler /, "needs an account at Cloudflare; the command is wrangler's own"],
  [/^npm run pack\b|^(tar|ln) /, 'test/real/pack.test.ts makes a pack, and runs it elsewhere'],
  [/^docker /, 'needs Docker, and an image'],
  [/^git /, 'needs the remote repository'],
  [/ import \S+ --secrets /, 'import.test.ts moves such sites'],
  [/ reserved-name keep /, 'backup.test.ts runs it'],
  [/^sqlite3 /, 'needs a program that npm ci does not bring'],
  [/ files check$/, 'needs OpenList; files.test.ts runs it, and that of test:real'],
  [/ key add \S+ ~/, 'needs a key in the home of its user; commands.test.ts adds keys'],
  [/^npm run latchkey -- user password \w+$/, 'asks on a terminal; commands.test.ts types it'],
  [
    /^(apt-get|cd|systemctl|sh install\.sh) |^echo "\$TOKEN" /,
    'sshd.test.ts runs install.sh as root',
  ],
]

const documents = readDocuments()
const commands = new Set(documents.flatMap(commandsOf))
const runnable = [...commands].filter(
  (command) => !NOT_RUN.some(([pattern]) => pattern.test(command)),
)

const [readme] = documents.filter(({ path }) => path === 'README.md')
if (readme === undefined) throw new Error('there is no README.md')

let clone: Clone
let port: string

/** Starts the site with the very line of the README's walkthrough; its Worker was built before. */
beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  rmSync(clone.path('.wrangler/state'), { recursive: true })
  port = await freePort()
  const [start = ''] = commandsOf(readme).filter((command) => command.startsWith('ADMIN_PASSWORD='))
  await clone.shell(asScript(start), { PORT: port }).until('serves on')
})
afterAll(() => clone.remove())

function readDocument(path: string): string {
  return documents.find((document) => document.path === path)?.text ?? ''
}

function blocksIn(text: string): string[] {
  return [...text.matchAll(/^```.*?^```/gms)].map(([block]) => block)
}

const translated = documents.filter(({ path }) => path.endsWith('.zh-CN.md'))

describe.each(translated.map(({ path }) => path))('%s', (path) => {
  const english = path.replace('.zh-CN', '')

  test('and the English document link to each other at their tops', () => {
    for (const [one, other] of [
      [path, english],
      [english, path],
    ] as const) {
      const [first] = readDocument(one).split('\n')
      expect(first, one).toContain(`](${other.replace(/^.*\//, '')})`)
    }
  })

  test.runIf(path.startsWith('docs/'))('has the commands and settings of the English one', () => {
    expect(blocksIn(readDocument(path))).toEqual(blocksIn(readDocument(english)))
  })
})

describe('README.md', () => {
  test('is short, and fits a terminal', () => {
    const lines = readme.text.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(MAX_README_LINES)
    expect(lines.filter((line) => line.length > MAX_README_COLUMNS)).toEqual([])
  })

  test('shows what its commands print, from the top', async ({ skip }) => {
    skip(spawnSync('curl', ['--version']).status !== 0, 'curl is not installed')
    const { typed, printed } = terminalSessionOf(readme)
    const script = typed
      .map((line) => line.replace('http://127.0.0.1:8787', `http://127.0.0.1:${port}`))
      .map((line) => (line.startsWith('curl') ? `${line}; echo` : line))
      .join('\n')
    const { stdout } = await clone.shell(script).ended
    const answers = stdout.trimEnd().split('\n')
    expect(answers).toHaveLength(printed.length)
    for (const [i, answer] of answers.entries())
      expect(answer).toMatch(withOmissions(printed[i] ?? ''))
  })

  test('names everything in src, part by part', () => {
    const [, table = ''] = /^## Folders\n(.*?)^## /ms.exec(readme.text) ?? []
    const named = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) => namesIn(cell))
    expect(named.toSorted()).toEqual(readdirSync('src').toSorted())
    const parts = Object.keys(PARTS)
    const places = named.map((name) =>
      parts.indexOf(parts.includes(name) ? name : isMounted(name) ? 'app' : ''),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
  })
})

/** Tells whether a file of `src` is what the Worker mounts and runs. */
function isMounted(name: string): boolean {
  return PARTS.app.rooms.some((room) => room === name.replace(/\.tsx?$/, ''))
}

describe('the documents', () => {
  test('link to files and headings that exist', () => {
    expect(
      documents.flatMap((document) => [...deadLinksOf(document), ...deadAnchorsOf(document)]),
    ).toEqual([])
  })

  test('name files and folders that exist', () => {
    expect(documents.flatMap(deadPathsOf)).toEqual([])
  })

  test('list every endpoint of the OpenAPI document', () => {
    const page = readFileSync('docs/interface.md', 'utf8')
    const endpoints = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(endpoints.filter((endpoint) => !page.includes(`| \`${endpoint}\` |`))).toEqual([])
  })

  test('list every kind of event', () => {
    const page = readFileSync('docs/interface.md', 'utf8')
    expect(EVENT_KINDS.filter((kind) => !page.includes(`\`${kind}\``))).toEqual([])
  })

  test('lead nobody to files that git would publish: databases, backups, secrets', () => {
    const made = [
      'data.db',
      'data.db-wal',
      'data.db-shm',
      'backup.json',
      'latchkey-2026-11-21.sqlite',
      'old.sqlite',
      'old.sql',
      'old.dev.vars',
      'worker.vars',
      '.wrangler-newer/state',
    ]
    const { stdout } = spawnSync('git', ['check-ignore', '--no-index', ...made])
    expect(String(stdout).split('\n').filter(Boolean)).toEqual(made)
  })

  test('name only scripts of package.json', () => {
    const scripts = [...commands].flatMap((command) =>
      [...command.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, script = '']) => script),
    )
    expect(scripts.filter((script) => !Object.hasOwn(packageJson.scripts, script))).toEqual([])
  })

  test('have a reason only for commands that they name', () => {
    const stale = NOT_RUN.filter(
      ([pattern]) => ![...commands].some((command) => pattern.test(command)),
    )
    expect(stale).toEqual([])
  })

  test('name every decision in the list of decisions', () => {
    const list = readFileSync('docs/decisions/README.md', 'utf8')
    const pages = readdirSync('docs/decisions').filter((name) => name !== 'README.md')
    expect(pages.filter((page) => !list.includes(`(${page})`))).toEqual([])
  })

  test('give commands that work, each as it stands, beside the running site', async () => {
    expect(runnable.length).toBeGreaterThan(30)
    writeImports()
    const codes = new Map<string, number | null>()
    for (const command of runnable) {
      arrange(command)
      codes.set(command, await exitCodeOf(command))
    }
    expect([...codes].filter(([, code]) => code !== 0)).toEqual([])
  })
})

async function exitCodeOf(command: string): Promise<number | null> {
  const ended = /^npm run latchkey -- [^<>|]+$/.test(command)
    ? clone.command(wordsOf(command).slice(4))
    : clone.shell(asScript(command)).ended
  return (await ended).code
}

/** Files and folders in backticks, without the slash at the end of a folder. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+?)\/?`/g)].map(([, name = '']) => name)
}

/** As a shell splits a line; single quotes are the only ones in use. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

/** Runs scripts directly: npm takes half a second, and hands no signal on. */
function asScript(command: string): string {
  const { start, latchkey, secrets } = packageJson.scripts
  return command
    .replace(/\bnpm start\b/, start)
    .replace(/\bnpm run (?:-s )?latchkey --/, latchkey)
    .replace(/\bnpm run secrets\b/, secrets)
}

/** Matches a line of which `…` leaves something out. */
function withOmissions(line: string): RegExp {
  const parts = line
    .split('…')
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`)
}

/** What `import` reads. */
function writeImports(): void {
  const user = { id: 5, username: 'olga', role: 0, permission: 0, ...oldHash('old-olga', 's') }
  writeOpenListDatabase(clone.path('data.db'), { users: [user] })
  writeFileSync(clone.path('backup.json'), JSON.stringify({ users: [], settings: [] }))
}

/** Alice is there before every command but the one that adds her, with what the command takes away. */
function arrange(command: string): void {
  if (command.includes('user add alice')) {
    clone.sql("delete from users where username = 'alice'")
    return
  }
  clone.sql(
    "insert into users (username, username_key, created_at) values ('alice', 'alice', 0) on conflict do nothing",
  )
  const seed = command.includes('2fa cancel') ? 'sealed' : null
  clone.sql("update users set totp_seed = ? where username = 'alice'", seed)
  clone.sql(
    `insert into ssh_keys (id, user_id, title, fingerprint, type, bits, line, added_at, last_used_at)
     select 7, id, 'laptop', 'SHA256:x', 'ssh-ed25519', 256, 'ssh-ed25519 x', 0, 0 from users where username = 'alice'
     on conflict do nothing`,
  )
}
