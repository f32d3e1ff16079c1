import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  globSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { IncomingMessage, request } from 'node:http'
import { createServer, type Server, Socket } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  test,
  vi,
} from 'vitest'
import { UsageError } from '../../src/programs/kit/command-error.ts'
import { readSecretKeys } from '../../src/programs/site/dev-vars.ts'
import { bannerOf } from '../../src/programs/start/banner.ts'
import { readCaller } from '../../src/programs/start/front-request.ts'
import { readStartOptions } from '../../src/programs/start/options.ts'
import { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { listenersOf, workerdsOf } from '../support/listeners.ts'
import type { Program } from '../support/program.ts'

let clone: Clone

beforeEach(() => {
  clone = new Clone(inject('startedSite'))
})
/** Takes a clone in which nothing was ever started. */
async function takeFreshClone(): Promise<void> {
  await clone.remove()
  clone = new Clone(inject('freshClone'))
}
afterEach(() => clone.remove())

const signIn = (port: string, password: string) =>
  new Client(`http://127.0.0.1:${port}`).signIn('admin', password)

/** What every start ends with. */
const bannerOfPort = (port: string) =>
  new RegExp(
    [
      String.raw`\nLatchkey \d+\.\d+\.\d+ serves on http://localhost:${port} \(Ctrl-C stops it\)\n`,
      `  account page +http://localhost:${port}/account`,
      `  interface +http://localhost:${port}/docs`,
      `  sign in +admin; password lost: npm run latchkey -- user password admin --generate`,
      String.raw`  all well\? +npm run latchkey -- doctor\n\n$`,
    ].join(String.raw`\n`),
  )

test('npm start serves from a fresh clone, and a second start keeps what the first made', async () => {
  await takeFreshClone()
  const devVars = clone.path('.dev.vars')
  writeFileSync(devVars, 'TOKEN_HOURS=1')
  const port = await freePort()
  const first = clone.start({ PORT: port })
  await first.until('serves on')
  const [, password = ''] = /password {2}(\S+)/.exec(first.printed) ?? []
  expect(first.stdout).toMatch(bannerOfPort(port))
  expect(await signIn(port, password)).toMatchObject({ code: 200 })
  expect(readFileSync(devVars, 'utf8')).toMatch(/^TOKEN_HOURS=1\nSECRET_KEYS=[\w-]{43}\n$/)
  expect(await first.stop()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nStopped\.\n$/),
  })

  const second = clone.start({ PORT: port })
  await second.until('serves on')
  expect(second.stdout).toMatch(bannerOfPort(port))
  expect(second.printed).not.toContain('shown only once')
  expect(await signIn(port, password)).toMatchObject({ code: 200 })
})

test('npm start writes its secret into a file for its user alone', () => {
  // There, npm start has run once in a fresh clone.
  const devVars = join(inject('startedSite'), '.dev.vars')
  expect(readFileSync(devVars, 'utf8')).toMatch(/^SECRET_KEYS=[\w-]{43}\n$/)
  expect(statSync(devVars).mode & 0o777).toBe(0o600)
})

/** Makes Node refuse to run wrangler, and to load it or the bundler. */
const WITHOUT_WRANGLER = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module'
    if (process.argv[1]?.endsWith('wrangler.js')) throw new Error('ran wrangler')
    registerHooks({
      resolve(name, context, next) {
        if (name === 'wrangler' || name === 'esbuild') throw new Error('loaded ' + name)
        return next(name, context)
      },
    })`)}`,
}

// Starts the site five times, three of them in vain, and bundles once.
test('npm start runs the bundle of the last start, also with other variables, but none that is stale or from elsewhere', async () => {
  const answerOf = async (env: Record<string, string>) => {
    const port = await freePort()
    const service = clone.start({ PORT: port, ...env })
    await service.until('serves on')
    const site = `http://127.0.0.1:${port}`
    const ping = await fetch(`${site}/ping`)
    const metadata = await fetch(`${site}/.well-known/openid-configuration`)
    const { issuer }: { issuer: string } = await metadata.json()
    const [, address = ''] = /^ {2}account page +(\S+)$/m.exec(service.stdout) ?? []
    const answer = [await ping.text(), issuer, address]
    await service.stop()
    return answer
  }
  const expectBuild = async () =>
    expect(await clone.start({ PORT: await freePort(), ...WITHOUT_WRANGLER }).ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('loaded wrangler'),
    })
  clone.own('src')
  const toml = 'https://toml.example.org'
  const changes: [file: string, change: (text: string) => string][] = [
    // No part of a program on the command line: npm start itself runs as it was built.
    [
      'src/app/app.ts',
      (text) => text.replace('app.all(PING, ping)', "app.all(PING, () => new Response('pang'))"),
    ],
    ['wrangler.toml', (text) => text.replaceAll(/^(ISSUER|SITE_ADDRESS) = ""/gm, `$1 = "${toml}"`)],
  ]
  for (const [file, change] of changes) {
    const before = readFileSync(clone.path(file), 'utf8')
    writeFileSync(clone.path(file), change(before))
    await expectBuild()
    writeFileSync(clone.path(file), before)
  }
  const apply = ([file, change]: (typeof changes)[number]) =>
    writeFileSync(clone.path(file), change(readFileSync(clone.path(file), 'utf8')))
  changes.forEach(apply)
  expect(await answerOf({})).toEqual(['pang', toml, `${toml}/account`])
  const [vars, shell] = ['https://vars.example.org', 'https://shell.example.org']
  appendFileSync(clone.path('.dev.vars'), `SITE_ADDRESS=${vars}\nISSUER=${vars}\n`)
  const fromShell = { ...WITHOUT_WRANGLER, ISSUER: shell }
  expect(await answerOf(fromShell)).toEqual(['pang', shell, `${vars}/account`])

  const kept = clone.path('.wrangler/latchkey.bundle')
  expect(readFileSync(kept, 'utf8')).not.toContain(readSecretKeys(clone.path('.dev.vars')))
  expect(statSync(kept).mode & 0o777).toBe(0o600)
  writeFileSync(kept, 'half a bun')
  await expectBuild()
})

test('npm start and commands keep the data in the folder that LATCHKEY_DATA names, and none in the checkout', async () => {
  const bundle = readFileSync(clone.path('.wrangler/latchkey.bundle'))
  rmSync(clone.path('.wrangler'), { recursive: true })
  writeFileSync(clone.path('.dev.vars'), 'ISSUER=https://checkout.example.org\n')
  const checkout = readdirSync(clone.folder)
  const data = clone.path('elsewhere/latchkey')
  const refused = clone.start({ LATCHKEY_DATA: data, ADMIN_PASSWORD: 'short' })
  expect(await refused.ended).toMatchObject({ code: 1 })
  expect(statSync(data).mode & 0o777).toBe(0o700)
  // Building it takes most of the time of a first start.
  mkdirSync(join(data, '.wrangler'))
  writeFileSync(join(data, '.wrangler/latchkey.bundle'), bundle)
  const port = await freePort()
  const service = clone.start({ PORT: port, LATCHKEY_DATA: data })
  await service.until('serves on')
  const metadata = await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`)
  expect(await metadata.json()).toMatchObject({ issuer: `http://127.0.0.1:${port}` })
  const list = await clone.latchkey(['user', 'list'], { env: { LATCHKEY_DATA: data } })
  expect(list).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ *1 +admin /m) })
  expect(readdirSync(data).toSorted()).toEqual(['.dev.vars', '.wrangler'])
  expect(statSync(data).mode & 0o777).toBe(0o700)
  const made = readdirSync(clone.folder).filter((name) => !checkout.includes(name))
  expect(made).toEqual(['elsewhere'])
  const wrong = await clone.latchkey(['user', 'list'], {
    env: { LATCHKEY_DATA: clone.path('package.json') },
  })
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^Can't use .*package\.json \(LATCHKEY_DATA\) as a folder \(\w+\)\.\n$/,
    ),
  })
})

test('npm start says in one line what keeps it from starting', async () => {
  const busy = createServer()
  const port = await freePort()
  await new Promise<void>((resolve) => busy.listen(Number(port), '127.0.0.1', resolve))
  const failures: [Record<string, string>, RegExp][] = [
    [
      { PORT: port },
      /^Port \d+ is in use or not allowed: choose another one with PORT, such as 8788\.\n$/,
    ],
    [{ PORT: 'http' }, /^PORT must be a number from 1 to 65535, not "http"\.\n$/],
    [{ ADMIN_PASSWORD: 'short' }, /^ADMIN_PASSWORD: password must have 8 to 1024 characters\.\n$/],
  ]
  for (const [env, line] of failures) {
    const service = clone.start(env)
    expect(await service.ended).toMatchObject({ code: 1 })
    expect(service.printed).toMatch(line)
  }
  await new Promise((resolve) => busy.close(resolve))
})

test('npm start says in one sentence that another start has this folder, which goes on', async () => {
  const ports = [await freePort(), await freePort()] as const
  const both = ports.map((PORT) => clone.start({ PORT }))
  const loser = await Promise.race(both.map((started) => started.ended.then(() => started)))
  const winner = both.find((started) => started !== loser)
  await winner?.until('serves on')
  const sentence =
    /^Another start(?: \(process \d+\))? serves the site of this folder, or prepares it: stop that one first, or use another folder for another site\.\n$/
  expect(loser.printed).toMatch(sentence)
  const third = await clone.start({ PORT: await freePort() }).ended
  expect(third).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) })
  const [, pid = ''] = /\(process (\d+)\)/.exec(third.stderr) ?? []
  expect(() => process.kill(Number(pid), 0)).not.toThrow()
  // What is left of a start that was killed is in nobody's way.
  await winner?.kill()
  await clone.start({ PORT: await freePort() }).until('serves on')
})

test('npm start says in one sentence what is damaged, and leaves it as it is', async () => {
  // Writes the copy of the settings, which the first nightly run may not have done.
  expect(await clone.command(['setting', 'set', 'site_title', 'Ours'])).toMatchObject({ code: 0 })
  await clone.closeData()
  clone.sql('pragma wal_checkpoint(truncate)')
  const state = '.wrangler/state/v3'
  const [settings = ''] = globSync(`${state}/kv/*/*.sqlite`, { cwd: clone.folder }).filter(
    (name) => !name.endsWith('metadata.sqlite'),
  )
  // Where it has all pages, SQLite reads no other file.
  rmSync(clone.path(`${settings}-wal`), { force: true })
  const database = relative(clone.folder, clone.database)
  const bytes = readFileSync(clone.database)
  const middle = Buffer.from(bytes).fill(0x55, 4096 * 2, 4096 * 30)
  const damages: [file: string, content: Buffer, sentence: RegExp][] = [
    [database, Buffer.alloc(9000, 'x'), /^The database of this site is damaged \(file is not/],
    [database, middle, /^The database of this site is damaged \(.*move the folder \.wrangler away/],
    [database, bytes.subarray(0, 20_000), /^The database of this site is damaged \(/],
    [settings, Buffer.alloc(9000, 'x'), /^\S+\.sqlite is damaged .*: remove it.* no accounts\.\n$/],
    ['.wrangler/latchkey.lock', Buffer.alloc(9000, 'x'), /^Can't lock \S+ .*: remove that file/],
    ['wrangler.toml', Buffer.from('[vars'), /^wrangler\.toml can't be read: /],
  ]
  for (const [file, content, sentence] of damages) {
    const before = readFileSync(clone.path(file))
    writeFileSync(clone.path(file), content)
    const ended = await clone.start({ PORT: await freePort() }).ended
    expect([file, ended.code, ended.stderr]).toEqual([file, 1, expect.stringMatching(sentence)])
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(readFileSync(clone.path(file)).equals(content)).toBe(true)
    writeFileSync(clone.path(file), before)
  }
  rmSync(clone.path('.wrangler'), { recursive: true })
  writeFileSync(clone.path('.wrangler'), 'x')
  expect(await clone.start({ PORT: await freePort() }).ended).toEqual({
    code: 1,
    stdout: '',
    stderr: "Can't use .wrangler here as a folder (EEXIST): move it away, then start again.\n",
  })
})

test('npm start takes no link for its lock', async () => {
  const mine = clone.path('mine')
  const lock = clone.path('.wrangler/latchkey.lock')
  writeFileSync(mine, 'mine')
  rmSync(lock, { force: true })
  symlinkSync(mine, lock)
  expect(await clone.start({ PORT: await freePort() }).ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Can't lock \S+ \(it is a link\): remove that file/),
  })
  expect(readFileSync(mine, 'utf8')).toBe('mine')
})

test.runIf(process.getuid?.() === 0)('npm start refuses a link of another user', async () => {
  const link = clone.path('.wrangler/state/link')
  symlinkSync('/nonexistent', link)
  lchownSync(link, 65_534, 65_534)
  expect(await clone.start({ PORT: await freePort() }).ended).toMatchObject({
    code: 1,
    stderr: '.wrangler/state/link is a link that another user made: remove it.\n',
  })
})

test('npm start that is stopped while it prepares leaves nothing in the temporary folder', async () => {
  await takeFreshClone()
  const temporary = clone.path('tmp')
  mkdirSync(temporary)
  const service = clone.start({ PORT: await freePort(), TMPDIR: temporary })
  await vi.waitFor(() => expect(readdirSync(temporary)).not.toEqual([]), 60_000)
  expect(await service.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(temporary)).toEqual([])
})

test.runIf(process.getuid?.() === 0)('npm start names a folder it may not write', async () => {
  const service = clone.start({ PORT: await freePort() }, { asNobody: true })
  expect(await service.ended).toMatchObject({ code: 1 })
  expect(service.printed).toMatch(
    /^Can't write to \S+: change its owner to yourself, or clone into another folder\.\n$/,
  )
})

test('npm start says what is wrong with .dev.vars and leaves it alone', async () => {
  const devVars = clone.path('.dev.vars')
  for (const [content, problem] of [
    ['SECRET_KEYS=short\n', 'SECRET_KEYS, entry 1, is not base64url of at least 32 bytes'],
    ['nothing here\n', 'SECRET_KEYS is missing'],
  ] as const) {
    writeFileSync(devVars, content)
    const service = clone.start({ PORT: await freePort() })
    expect(await service.ended).toMatchObject({ code: 1 })
    expect(service.printed).toMatch(/^\.dev\.vars is invalid: [^\n]*\n$/)
    expect(service.printed).toContain(problem)
    expect(readFileSync(devVars, 'utf8')).toBe(content)
  }
  rmSync(devVars)
  mkdirSync(devVars)
  const service = clone.start({ PORT: await freePort() })
  expect(await service.ended).toMatchObject({ code: 1 })
  expect(service.printed).toMatch(/^Can't read \.dev\.vars \(EISDIR\)[^\n]*\n$/)
})

test('npm start says where people reach the site, which file server it has, and who can sign in', async () => {
  const insert = `insert into users (username, username_key, role, password_hash, created_at) values (?1, ?1, ?2, ?3, 0)`
  clone.sql(insert, 'olga', 0, 'x')
  clone.sql(insert, 'ida', 2, null)
  clone.sql(insert, "it's;me", 2, 'x')
  clone.sql("update users set disabled = 1 where username = 'admin'")
  const args = ['--files', 'http://127.0.0.1:5244']
  const SITE_ADDRESS = 'https://files.example.org'
  const vars = { SITE_ADDRESS, FILES_TOKEN: 'openlist-secret' }
  const service = clone.start({ PORT: await freePort(), ...vars }, { args })
  await service.until('doctor')
  expect(service.stdout).toContain(`
  account page   https://files.example.org/account
  interface      https://files.example.org/docs
  file server    http://127.0.0.1:5244; all well? npm run latchkey -- files check
`)
  expect(adviceIn(service.stdout)).toBe(
    String.raw`it's;me; password lost: npm run latchkey -- user password 'it'\''s;me' --generate`,
  )
})

const NO_FILES_TOKEN = 'FILES_TOKEN is missing: it is the setting “token” of OpenList'

test('npm start serves no file server that it is told to without its token', async () => {
  const address = 'http://127.0.0.1:5244'
  const refused = clone.start({ PORT: await freePort() }, { args: ['--files', address] })
  expect(await refused.ended).toMatchObject({ code: 1 })
  expect(refused.printed).toBe(
    `--files needs more: ${NO_FILES_TOKEN}. Set it in .dev.vars (docs/files.md), then start again.\n`,
  )
})

test('npm start says so when nobody can sign in, or several admins can', () => {
  const options = readStartOptions([], {}, () => ({}))
  if (options === undefined) throw new Error('no options')
  const [olga, ida, eve] = ['olga', 'ida', 'eve'].map((username, id) => ({ id, username }))
  if (olga === undefined || ida === undefined || eve === undefined) throw new Error('no admins')
  const alone = { address: undefined, fileServer: undefined }
  const adviceFor = (...admins: (typeof olga)[]) => adviceIn(bannerOf(options, admins, alone))
  expect(adviceFor()).toBe(
    'no admin is enabled and has a password: npm run latchkey -- doctor says what to do',
  )
  expect(adviceFor(olga, ida)).toMatch(/^olga or another admin; password lost: .* olga --generate$/)
  expect(adviceFor(olga, ida, eve)).toMatch(/^olga or 2 other admins; password lost: /)
})

/** What a start says about signing in. */
const adviceIn = (printed: string) => /^ {2}sign in +(.*)$/m.exec(printed)?.[1]

test('npm start on an open address says what is unprotected, and logs a line for each request, with the name of the user', async () => {
  const port = await freePort()
  const service = clone.start({ PORT: port }, { args: ['--host', '0.0.0.0'] })
  await service.until('not encrypted')
  const client = new Client(`http://localhost:${port}`)
  const { data } = await client.signIn('admin', ADMIN_PASSWORD)
  await client.call('GET', '/api/me?secret', { token: data.token })
  // The name of a user is looked up once, and the line waits for it.
  await service.until(' ms admin\n')
  await client.call('GET', '/api/me', {})
  for (let i = 0; i < 6; i++) await client.signIn('admin', 'wrong-Passw0rd')
  await statusOf(port, 'GET', '/account?secret')
  await statusOf(port, 'GET', '/ping')
  await statusOf(port, 'GET', '/cdn-cgi/x?secret')
  await service.until('/cdn-cgi/x')
  const [, log = ''] = service.stdout.split('docs/self-hosting.md).\n')
  const lines = log.trim().split('\n')
  const timeless = lines.map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:]{8}Z /, 'at '))
  expect(timeless.map((line) => line.replace(/^at (.*? )\d+ ms/, '$1T ms'))).toEqual([
    'POST /api/auth/login 200 T ms',
    'GET /api/me 200 T ms admin',
    'GET /api/me 200/401 T ms',
    ...Array<string>(5).fill('POST /api/auth/login 200/401 T ms'),
    'POST /api/auth/login 200/429 T ms',
    'GET /account 303 T ms',
    'GET /ping 200 T ms',
    'GET /cdn-cgi/x 404 T ms',
  ])
  expect(service.stderr).toBe('')
})

test('npm start --json logs requests and events for programs, and says why its variables give it no file server', async () => {
  const port = await freePort()
  // As in a container whose OpenList has not made its token yet.
  const address = 'http://127.0.0.1:5244'
  const service = clone.start({ PORT: port, FILES_ORIGIN: address }, { args: ['--json'] })
  await service.until('doctor')
  expect(service.stdout).toContain(
    `  file server    ${address}; no files are served: ${NO_FILES_TOKEN}; npm run latchkey -- files check\n`,
  )
  await signIn(port, ADMIN_PASSWORD)
  await statusOf(port, 'GET', '/cdn-cgi/x')
  await service.stop()
  const [, log = ''] = service.stdout.split('doctor\n')
  const lines = log
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  // The Worker's lines take another way than those of the front server, so any may be first.
  const passed = { event: 'request', network: '127.0.0.1', ms: expect.any(Number) }
  const expected = [
    { event: 'audit', kind: 'sign_in' },
    { ...passed, method: 'POST', route: '/api/auth/login', code: 200 },
    { ...passed, method: 'GET', route: '/cdn-cgi/x', code: 404 },
  ]
  expect(lines).toHaveLength(expected.length)
  expect(lines).toEqual(
    expect.arrayContaining(expected.map((line): unknown => expect.objectContaining(line))),
  )
})

/** Asks without making the path look better, as a browser would. */
async function statusOf(
  port: string | number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<number | undefined> {
  const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false })
  return new Promise((resolve, reject) => {
    asked
      .once('response', (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      .once('error', reject)
      .end(body)
  })
}

/** The envelope that a GET with a body gets. */
async function askEnvelope(
  port: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<unknown> {
  const asked = request({ host: '127.0.0.1', port, method: 'GET', path, headers, agent: false })
  const answered = once(asked, 'response')
  asked.end(body)
  const [response] = await answered
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return JSON.parse(text)
}

/** What other users may do with the files of a site. */
function modesIn(folder: string) {
  return globSync('.wrangler{,/**}', { cwd: folder }).map((name) => ({
    name,
    others: statSync(join(folder, name)).mode & 0o077,
  }))
}

/** What wrangler and Miniflare serve for developers, in this version or another. */
const TOOLS = [
  '/cdn-cgi',
  '/cdn-cgi/',
  '/cdn-cgi/explorer',
  '/cdn-cgi/explorer/api/d1/database/DB/raw',
  '/cdn-cgi/local/explorer',
  '/cdn-cgi/local/explorer/api/d1/database/DB/raw',
  '/cdn-cgi/handler/scheduled',
  '/cdn-cgi/handler/email',
  '/cdn-cgi/local/scheduled',
  '/cdn-cgi/local/email',
  '/cdn-cgi/local/platform-proxy',
  '/cdn-cgi/platform-proxy',
  '/cdn-cgi/mf/scheduled',
  '/cdn-cgi/mf/reload',
  '/cdn-cgi/ProxyWorker/pause',
  '/cdn-cgi/ProxyWorker/play',
  '/cdn-cgi/observability',
  '/cdn-cgi/trace',
  '/CDN-CGI/LOCAL/EXPLORER',
  '/%63dn-cgi/local/explorer',
  '/cdn-cgi%2Flocal/explorer',
  '//cdn-cgi/local/explorer',
  '/x/../cdn-cgi/local/explorer',
  '/__scheduled',
  '/__cf_local/stream',
]
const RAW_SQL = JSON.stringify({ sql: 'update users set disabled = 1', params: [] })

describe('a site that npm start serves', () => {
  let served: Clone
  let port: string
  let service: Program

  beforeAll(async () => {
    served = new Clone(inject('startedSite'))
    served.sql(`insert into sessions (id, user_id, created_at, expires_at, network, user_agent)
                values ('ended', 1, 0, 1, '', '')`)
    const paths = globSync('{.wrangler{,/**},.dev.vars}', { cwd: served.folder })
    for (const name of paths) chmodSync(served.path(name), 0o755)
    writeFileSync(served.path('mine'), 'mine')
    symlinkSync(served.path('mine'), served.path('.wrangler/latchkey.pid'))
    port = await freePort()
    service = served.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' })
    await service.until('doctor')
  })
  afterAll(() => served.remove())

  test('says that it ignores ADMIN_PASSWORD because there is an admin, and what to do', async () => {
    expect(service.printed).toContain(
      '\nADMIN_PASSWORD is ignored, because there is an admin already. To change the password: npm run latchkey -- user password admin\n',
    )
    expect(service.printed).not.toContain('chosen-Passw0rd')
    expect(await signIn(port, 'chosen-Passw0rd')).toMatchObject({ code: 401 })
  })

  test('keeps what it writes from other users, and narrows what they could read', () => {
    // There, npm start has run once in a fresh clone.
    const first = modesIn(inject('startedSite'))
    expect(first.length).toBeGreaterThan(10)
    expect(first.filter(({ others }) => others !== 0)).toEqual([])

    expect(modesIn(served.folder).filter(({ others }) => others !== 0)).toEqual([])
    expect(statSync(served.path('.dev.vars')).mode & 0o777).toBe(0o700)
  })

  test('writes to no file to which a link in its folder leads', () => {
    expect(readFileSync(served.path('mine'), 'utf8')).toBe('mine')
    expect(readFileSync(served.path('.wrangler/latchkey.pid'), 'utf8')).toContain(`${service.pid}`)
  })

  test('is cleaned up once a day by itself, the first time at once', async () => {
    const ended = `select id from sessions where id = 'ended'`
    await vi.waitFor(() => expect(served.sql(ended)).toEqual([]), 60_000)
  })

  test.for([
    ['identity;q=0', null],
    ['*;q=0', null],
    ['x, identity;q=0', null],
    ['gzip;q=0', null],
    ['gzip', 'gzip'],
    ['br, gzip;q=0.5, identity;q=0', 'gzip'],
  ] as const)(
    'answers a client that accepts the encodings %s, compressed as %s',
    async ([encoding, expected]) => {
      const headers = { 'Accept-Encoding': encoding }
      const response = await fetch(`http://127.0.0.1:${port}/api/public/settings`, { headers })
      expect(await response.json()).toMatchObject({ code: 200 })
      expect(response.headers.get('Content-Encoding')).toBe(expected)
    },
  )

  test("counts a client by its socket's address, whatever CF-Connecting-IP it sends", async () => {
    const codes = []
    for (let i = 1; i <= 9; i++) {
      const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
        method: 'POST',
        headers: { 'CF-Connecting-IP': `192.0.2.${i}` },
        body: JSON.stringify({ username: 'guest', password: 'wrong-Passw0rd' }),
      })
      const envelope: { code: number } = await response.json()
      codes.push(envelope.code)
    }
    expect(codes).toContain(429)
  })

  test('shows what the service understands, to people and to programs', async () => {
    const page = await fetch(`http://127.0.0.1:${port}/docs`)
    const text = await page.text()
    expect(page.headers.get('Content-Type')).toContain('text/html')
    expect(text).toContain('/api/auth/login')
    expect(text).not.toMatch(/style=|(src|href)="(?![/#])/)
    const document = await fetch(`http://127.0.0.1:${port}/openapi.json`)
    expect(document.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(await document.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Latchkey' } })
  })

  test('serves none of the tools for developers, and opens no other port that obeys', async () => {
    const before = served.sql('select * from users')
    for (const path of TOOLS) {
      for (const method of ['GET', 'POST']) {
        const body = method === 'POST' ? RAW_SQL : undefined
        expect([path, await statusOf(port, method, path, {}, body)]).toEqual([path, 404])
      }
    }

    const listeners = listenersOf(service.pid)
    expect(listeners.map((listener) => listener.port)).toContain(Number(port))
    expect(listeners.filter(({ isLoopback }) => !isLoopback)).toEqual([])
    const forged = {
      'CF-Connecting-IP': '192.0.2.1',
      'MF-Route-Override': 'latchkey',
      'MF-Op': 'GET',
      'MF-Op-Secret': 'guess',
      'X-Latchkey-Front': 'guess',
    }
    const signInBody = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD })
    for (const { port: other } of listeners.filter((listener) => listener.port !== Number(port))) {
      const calls: [string, string, string?][] = [
        ['GET', '/ping'],
        ['GET', '/json/list'],
        ['GET', '/account'],
        ['POST', '/api/auth/login', signInBody],
        ...TOOLS.map((path): [string, string, string] => ['POST', path, RAW_SQL]),
        ...TOOLS.map((path): [string, string] => ['GET', path]),
      ]
      for (const [method, path, body] of calls) {
        const status = await statusOf(other, method, path, forged, body)
        expect([path, status]).toEqual([
          path,
          expect.toSatisfy((code) => code >= 400 && code < 500),
        ])
      }
    }
    expect(served.sql('select * from users')).toEqual(before)
  })

  test('takes no Host header for a part of the path', async () => {
    const hosts = [
      'localhost/cdn-cgi/local/platform-proxy?',
      'localhost\\cdn-cgi\\local\\platform-proxy?',
      'x/ping?',
      'a;b',
      "x'y",
      'a,b',
      'localhost:99999999',
      '[::1',
      'x%2fy',
      '999.1.1.1',
    ]
    for (const host of hosts)
      expect([host, await statusOf(port, 'GET', '/account/sign-in', { host })]).toEqual([host, 400])
    for (const host of ['accounts.example.org', 'my_nas:1', '192.0.2.1:8787', '[2001:db8::1]:80'])
      expect([host, await statusOf(port, 'GET', '/account/sign-in', { host })]).toEqual([host, 200])
  })

  test('answers a GET or HEAD that has a body in chunks', async () => {
    const chunked = { 'Transfer-Encoding': 'chunked', Authorization: '' }
    const codes = new Map([
      ['/api/public/settings', 200],
      ['/api/me', 401],
      ['/api/nothing', 404],
    ])
    for (const body of ['hello', 'x'.repeat(100_000)]) {
      for (const [path, code] of codes)
        expect(await askEnvelope(port, path, chunked, body)).toMatchObject({ code })
      for (const path of [...codes.keys(), '/account/sign-in', '/'])
        for (const method of ['GET', 'HEAD'])
          expect([path, await statusOf(port, method, path, chunked, body)]).toEqual([
            path,
            path === '/' ? 302 : 200,
          ])
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect(await statusOf(port, method, '/api/me', chunked, 'hello')).toBeLessThan(300)
    expect(service.stderr).toBe('')
  })

  test('answers a body that is too large with 413, and logs no error when one breaks off', async () => {
    const large = 'x'.repeat(1_000_000)
    for (const headers of [{ 'Transfer-Encoding': 'chunked' }, { 'Content-Length': '1000000' }])
      for (const [path, status] of [
        ['/api/sftp/post_login', 413],
        ['/api/auth/login', 200],
      ] as const)
        for (let i = 0; i < 5; i++)
          expect([path, await statusOf(port, 'POST', path, headers, large)]).toEqual([path, status])
    for (const headers of [{ 'Transfer-Encoding': 'chunked' }, { 'Content-Length': '100' }]) {
      const broken = request({ host: '127.0.0.1', port, method: 'POST', path: '/broken', headers })
      broken.on('error', () => undefined)
      await new Promise<void>((resolve) => broken.write('half', () => resolve()))
      broken.destroy()
    }
    await service.untilHolds(() => service.stdout.split('POST /broken aborted').length === 3)
    expect(service.stderr).toBe('')
  })
})

/** Ends the workerd of a program as the kernel does when memory runs out. */
async function killWorkerd(pid: number): Promise<void> {
  await vi.waitFor(() => expect(workerdsOf(pid)).not.toEqual([]), { timeout: 60_000, interval: 1 })
  for (const workerd of workerdsOf(pid)) process.kill(workerd, 'SIGKILL')
}

test('npm start goes on after workerd has crashed, or Miniflare has, and says so', async () => {
  const port = await freePort()
  const service = clone.start({ PORT: port })
  await service.until('serves on')
  await killWorkerd(service.pid)
  await service.until('The Workers runtime crashed, and was started again.\n')
  expect(await signIn(port, ADMIN_PASSWORD)).toMatchObject({ code: 200 })
  // An address that Miniflare can't read, which it does not answer. It must not end the site.
  for (const { port: other } of listenersOf(service.pid))
    request({ host: '127.0.0.1', port: other, path: '//', signal: AbortSignal.timeout(1000) })
      .on('error', () => undefined)
      .end()
  await service.until('nobody waits for')
  expect(await statusOf(port, 'GET', '/ping')).toBe(200)
  expect(await service.stop()).toMatchObject({ code: 0 })
})

const GIVEN_UP = /^The Workers runtime crashed, and could not be started again: start anew\.$/m

test('npm start ends with a code and a line when workerd dies while it starts again', async () => {
  const service = clone.start({ PORT: await freePort() })
  await service.until('serves on')
  let isOver = false
  void service.ended.then(() => (isOver = true))
  const killEach = () => {
    for (const workerd of workerdsOf(service.pid)) process.kill(workerd, 'SIGKILL')
    expect(isOver).toBe(true)
  }
  await vi.waitFor(killEach, { timeout: 60_000, interval: 1 })
  expect(await service.ended).toMatchObject({ code: 1, stderr: expect.stringMatching(GIVEN_UP) })
})

test('npm start ends with a code and a line when the port of workerd was taken meanwhile', async () => {
  const port = await freePort()
  const service = clone.start({ PORT: port })
  await service.until('serves on')
  const [workerd] = workerdsOf(service.pid)
  const [own] = listenersOf(workerd ?? 0)
  await killWorkerd(service.pid)
  const taker = await vi.waitFor(() => listenOn(own?.port ?? 0), { timeout: 60_000, interval: 1 })
  expect(await service.ended).toMatchObject({ code: 1, stderr: expect.stringMatching(GIVEN_UP) })
  await new Promise((resolve) => taker.close(resolve))
})

function listenOn(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server))
  })
}

test('a command opens no port that obeys, while it works on a site that is not served', async () => {
  // It has opened the site when it reads its standard input.
  const command = clone.holdLatchkey('setting', 'import')
  await vi.waitFor(() => expect(listenersOf(command.pid).length).toBeGreaterThan(1), 60_000)
  const listeners = listenersOf(command.pid)
  // workerd and what it calls back: no inspector, no debug port, no registry.
  expect(listeners).toHaveLength(2)
  for (const { port } of listeners) {
    for (const path of TOOLS) {
      const status = await statusOf(port, 'POST', path, { 'MF-Op': 'GET' }, RAW_SQL)
      expect([path, status]).toEqual([path, expect.toSatisfy((code) => code >= 400 && code < 500)])
    }
  }
  command.finishInput('{"site_title":"Ours"}')
  expect(await command.ended).toMatchObject({ code: 0 })
})

test('no program lets other users write the code that it compiles', async () => {
  clone.own('src')
  const modules = clone.path('node_modules')
  rmSync(modules)
  mkdirSync(modules)
  for (const name of readdirSync('node_modules'))
    if (name !== '.cache')
      symlinkSync(join(process.cwd(), 'node_modules', name), join(modules, name))
  for (const program of ['start', 'main', 'deploy/main']) {
    const launch = `node src/programs/launch.cjs ${program} --help`
    const run = clone.shell(`unset NODE_COMPILE_CACHE; umask 0; ${launch}`)
    expect(await run.ended).toMatchObject({ code: 0 })
    const written = globSync('node_modules/.cache{,/**}', { cwd: clone.folder })
    expect(written.length).toBeGreaterThan(3)
    for (const name of written)
      expect([name, statSync(clone.path(name)).mode & 0o077]).toEqual([name, 0])
    rmSync(join(modules, '.cache'), { recursive: true })
  }
})

test('npm start behind a proxy serves its clients over https, and nobody else', async () => {
  appendFileSync(clone.path('.dev.vars'), '\nBEHIND_PROXY=X-Forwarded-For\n')
  const port = await freePort()
  const service = clone.start({ PORT: port })
  await service.until('serves on')
  expect(service.stdout).toContain('for the proxy that sets x-forwarded-for')
  const through = (scheme: string, path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      redirect: 'manual',
      headers: { 'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Proto': scheme },
    })
  const page = await through('https', '/account/sign-in')
  expect(page.status).toBe(200)
  expect(page.headers.get('Strict-Transport-Security')).not.toBeNull()
  const redirect = await through('http', '/account')
  expect([redirect.status, redirect.headers.get('Location')]).toEqual([
    308,
    'https://127.0.0.1/account',
  ])
  expect(await (await through('http', '/api/me')).json()).toMatchObject({
    code: 403,
    message: 'https is required',
  })
  const { status } = await fetch(`http://127.0.0.1:${port}/ping`)
  expect(status).toBe(403)
})

/** The proxy by the command line, the environment and `.dev.vars`. */
const proxyOf = (args: string[], env: string, file: string) =>
  readStartOptions(args, { BEHIND_PROXY: env }, () => ({ BEHIND_PROXY: file }))?.proxy

test('npm start takes the proxy from its command line before the environment, and from there before .dev.vars', () => {
  expect(proxyOf(['--behind-proxy', 'X-One'], 'X-Two', 'X-Three')?.header).toBe('x-one')
  expect(proxyOf([], 'X-Two', 'X-Three')?.header).toBe('x-two')
  expect(proxyOf([], '', 'X-Three')?.header).toBe('x-three')
  expect(proxyOf([], '', '')).toBeUndefined()
  for (const [env, file] of [
    ['a: b', ''],
    ['', 'a: b'],
  ] as const)
    expect(() => proxyOf([], env, file)).toThrow(
      'BEHIND_PROXY must be the name of a header, not "a: b".',
    )
})

test.for([
  ['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.2', '127.0.0.1', '::1']],
  ['172.16.0.0/12, fd00::/8', ['172.31.255.255', 'fd12::1'], ['172.32.0.0', 'fc00::1']],
] as const)('npm start trusts the proxies of TRUSTED_PROXIES=%s alone', ([text, ours, others]) => {
  const env = { BEHIND_PROXY: 'X-Forwarded-For', TRUSTED_PROXIES: text }
  const proxy = readStartOptions([], env, () => ({}))?.proxy
  const answered = (remoteAddress: string) => {
    const headers = { 'x-forwarded-for': ['203.0.113.9'], 'x-forwarded-proto': ['https'] }
    const incoming = Object.assign(new IncomingMessage(new Socket()), {
      headersDistinct: headers,
      socket: { remoteAddress },
    })
    return typeof readCaller(incoming, proxy) !== 'string'
  }
  expect(ours.filter((address) => !answered(address))).toEqual([])
  expect(others.filter(answered)).toEqual([])
})

test.for([
  '192.0.2',
  'proxy',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  ',',
  '0.0.0.0/0',
  '::/0',
])('npm start refuses TRUSTED_PROXIES=%s', (text) => {
  const env = { BEHIND_PROXY: 'X-Forwarded-For', TRUSTED_PROXIES: text }
  expect(() => readStartOptions([], env, () => ({}))).toThrow(/^TRUSTED_PROXIES must /)
  const alone = { TRUSTED_PROXIES: '192.0.2.1' }
  expect(() => readStartOptions([], alone, () => ({}))).toThrow(/^TRUSTED_PROXIES needs BEHIND/)
})

test('npm start says why the nightly run has failed, and goes on, with --quiet too, which logs no request', async () => {
  clone.sql('drop table openid_logouts')
  const port = await freePort()
  const service = clone.start({ PORT: port }, { args: ['--quiet'] })
  await service.until('"during":"nightly run"')
  expect(service.stderr).toMatch(/no such table: (?:main\.)?openid_logouts/)
  expect(await statusOf(port, 'GET', '/ping')).toBe(200)
  expect(await statusOf(port, 'GET', '/cdn-cgi/x')).toBe(404)
  await service.stop()
  expect(service.stdout).toMatch(bannerOfPort(port))
})

const WRANGLERS_TABLE = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

test('npm start serves the data that wrangler keeps here, migrates the rest, each whole or not at all, and takes the first password from ADMIN_PASSWORD', async () => {
  // As wrangler 4.155 leaves them after the first migration. At the end it finds them again.
  const file = clone.database
  rmSync(clone.path('.wrangler/state'), { recursive: true })
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file)
  database.exec(WRANGLERS_TABLE)
  database.exec(readFileSync('schema/migrations/0000_accounts.sql', 'utf8'))
  database.exec(`insert into d1_migrations (name) values ('0000_accounts.sql')`)
  database.close()
  clone.own('schema')
  clone.sql(
    `insert into users (username, username_key, role, created_at) values ('alice', 'alice', 0, 0)`,
  )
  const migration = clone.path('schema/migrations/9999_more.sql')
  writeFileSync(migration, 'create table more (id integer);\ninsert into most (id) values (1);\n')
  expect(await clone.start({ PORT: await freePort() }).ended).toEqual({
    code: 1,
    stdout: expect.any(String),
    stderr: expect.stringMatching(
      /^The migration 9999_more\.sql can't be applied, and was rolled back: .*no such table: most.*\n$/,
    ),
  })
  const tables = `select name from sqlite_master where name = 'more'`
  expect(clone.sql(tables)).toEqual([])
  // The data were copied before each of the two tries.
  const [copy = ''] = readdirSync(clone.path('backups'))
  expect(copy).toMatch(/^before-upgrade-0000-\d{8}T\d{9}Z\.sqlite$/)
  expect(statSync(clone.path(`backups/${copy}`)).mode & 0o777).toBe(0o600)

  writeFileSync(migration, `create table more (id text default ';');\n-- one; two\n`)
  const port = await freePort()
  const service = clone.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' })
  await service.until('serves on')
  expect(service.printed).not.toContain('chosen-Passw0rd')
  const client = new Client(`http://127.0.0.1:${port}`)
  const { data } = await client.signIn('admin', 'chosen-Passw0rd')
  const users = await client.call('GET', '/api/admin/user/list', { token: data.token })
  expect(users.data.content).toMatchObject([{ username: 'alice' }, { username: 'admin' }, {}])
  expect(clone.sql(tables)).toHaveLength(1)
  await clone.stop()
  const again = await clone.wrangler('d1', 'migrations', 'apply', 'DB', '--local')
  expect(again.stdout).toContain('No migrations to apply')
})

test('npm start says in one line what is wrong with its command line, and --help what there is', async () => {
  const wrong: [args: string[], line: RegExp][] = [
    [
      ['--prot', '80'],
      /^unknown option '--prot' \(Did you mean --port\?\) \(--help lists the options\)\n$/,
    ],
    [['--host', '192.0.2.1'], /^This machine has no address 192\.0\.2\.1\.\n$/],
    [['--quiet', '--json'], /^\{"error":"Choose either --quiet or --json\."\}\n$/],
  ]
  for (const [args, line] of wrong) {
    const ended = await clone.start({ PORT: await freePort() }, { args }).ended
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(line) })
  }
  const help = await clone.start({}, { args: ['--help'] }).ended
  expect(help).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('--behind-proxy <header>'),
  })
})

test.each([
  ['--port 9305', ['9305'], { port: 'true' }, '--port', '--port 9305'],
  ['--port=9305', [], { port: '9305' }, '--port', '--port 9305'],
  [
    '--port 9305 --host=0.0.0.0',
    ['9305'],
    { port: 'true', host: '0.0.0.0' },
    '--port and --host',
    '--port <number> --host 0.0.0.0',
  ],
  [
    '--behind-proxy=X-Real-IP',
    [],
    { behind_proxy: 'X-Real-IP' },
    '--behind-proxy',
    '--behind-proxy X-Real-IP',
  ],
  ["--files='a b'", [], { files: 'a b' }, '--files', "--files 'a b'"],
] as const)('npm start %s, without --, says the right line', (_, words, kept, names, right) => {
  const env = Object.fromEntries(
    Object.entries(kept).map(([name, value]) => [`npm_config_${name}`, value]),
  )
  const reading = () => readStartOptions(words, env, () => ({}))
  expect(reading).toThrow(UsageError)
  expect(reading).toThrow(
    `npm kept ${names} for itself. Write -- before the options: npm start -- ${right}`,
  )
})

test('npm start says nothing about what npm is told for itself', () => {
  const env = { npm_config_json: 'true', npm_config_yes: 'true', npm_config_port: '' }
  expect(readStartOptions([], env, () => ({}))).toMatchObject({ log: 'lines' })
})

test.for([
  [['more'], /^too many arguments\.[^\n]*$/],
  [['--host', 'localhost'], /^option '--host <address>' [^\n]* It must be an IP address\.[^\n]*$/],
  [['--behind-proxy', 'X Real'], /^[^\n]* It must be the name of a header\.[^\n]*$/],
  [['--behind-proxy'], /^option '--behind-proxy <header>' argument missing[^\n]*$/],
  [['--proxy-address', '192.0.2.1'], /^--proxy-address needs --behind-proxy\.$/],
] as const)('npm start -- %j is a wrong command line', ([args, line]) => {
  const reading = () => readStartOptions(args, {}, () => ({}))
  expect(reading).toThrow(UsageError)
  expect(reading).toThrow(line)
})
