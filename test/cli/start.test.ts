import { once } from 'node:events'
import {
  chmodSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { listenersOf, workerdsOf } from '../support/listeners.ts'

let clone: Clone

beforeEach(() => {
  clone = new Clone()
})
afterEach(() => clone.remove())

const signIn = (port: string, password: string) =>
  new Client(`http://127.0.0.1:${port}`).signIn('admin', password)

test('npm start serves from a fresh clone, and a second start keeps what the first made', async () => {
  const port = await freePort()
  const first = clone.start({ PORT: port })
  await first.until('serves on')
  const [, password = ''] = /password {2}(\S+)/.exec(first.printed) ?? []
  expect(first.printed).toContain(`Latchkey serves on http://127.0.0.1:${port}`)
  expect(await signIn(port, password)).toMatchObject({ code: 200 })
  const devVars = clone.path('.dev.vars')
  expect(readFileSync(devVars, 'utf8')).toMatch(/^SECRET_KEYS=[\w-]{43}\n$/)
  expect(statSync(devVars).mode & 0o777).toBe(0o600)
  expect(await first.stop()).toMatchObject({ code: 0 })

  const second = clone.start({ PORT: port })
  await second.until('serves on')
  expect(second.printed).not.toContain('password')
  expect(await signIn(port, password)).toMatchObject({ code: 200 })
})

test('npm start says that it ignores ADMIN_PASSWORD because there is an admin, and what to do', async () => {
  const first = clone.start({ PORT: await freePort() })
  await first.until('serves on')
  await first.stop()
  const port = await freePort()
  const second = clone.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' })
  await second.until('serves on')
  expect(second.printed).toContain(
    '\nADMIN_PASSWORD is ignored, because there is an admin already. To change the password: npm run latchkey -- user password admin\n',
  )
  expect(second.printed).not.toContain('chosen-Passw0rd')
  expect(await signIn(port, 'chosen-Passw0rd')).toMatchObject({ code: 401 })
})

test('npm start shows what the service understands, to people and to programs', async () => {
  const port = await freePort()
  await clone.start({ PORT: port }).until('serves on')
  const page = await fetch(`http://127.0.0.1:${port}/docs`)
  const text = await page.text()
  expect(page.headers.get('Content-Type')).toContain('text/html')
  expect(page.headers.get('Content-Security-Policy')).toMatch(
    /^default-src 'none'; style-src 'self'/,
  )
  expect(text).toContain('POST /api/auth/login')
  expect(text).not.toMatch(/<script|style=|(src|href)="(?![/#])/)
  const document = await fetch(`http://127.0.0.1:${port}/openapi.json`)
  expect(document.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(await document.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Latchkey' } })
})

test('npm start takes the first password from ADMIN_PASSWORD', async () => {
  const port = await freePort()
  const service = clone.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' })
  await service.until('serves on')
  expect(service.printed).not.toContain('chosen-Passw0rd')
  expect(await signIn(port, 'chosen-Passw0rd')).toMatchObject({ code: 200 })
})

test('npm start says in one line what keeps it from starting', async () => {
  const busy = createServer()
  const port = await freePort()
  await new Promise<void>((resolve) => busy.listen(Number(port), '127.0.0.1', resolve))
  const failures: [Record<string, string>, RegExp][] = [
    [
      { PORT: port },
      /^Port \d+ is in use or not allowed: choose another port, for example PORT=8788 npm start\.\n$/,
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

test('npm start serves none of the tools for developers, and opens no other port that obeys', async () => {
  const port = await freePort()
  const service = clone.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' })
  await service.until('serves on')
  const before = clone.sql('select * from users')
  for (const path of TOOLS) {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? RAW_SQL : undefined
      expect([path, await statusOf(port, method, path, {}, body)]).toEqual([path, 404])
    }
  }

  const listeners = listenersOf(service.pid)
  expect(listeners.map((one) => one.port)).toContain(Number(port))
  expect(listeners.filter(({ isLoopback }) => !isLoopback)).toEqual([])
  const forged = {
    'CF-Connecting-IP': '192.0.2.1',
    'MF-Route-Override': 'latchkey',
    'MF-Op': 'GET',
    'MF-Op-Secret': 'guess',
    'X-Latchkey-Front': 'guess',
  }
  const signInBody = JSON.stringify({ username: 'admin', password: 'chosen-Passw0rd' })
  for (const { port: other } of listeners.filter((one) => one.port !== Number(port))) {
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
      expect([path, status]).toEqual([path, expect.toSatisfy((code) => code >= 400 && code < 500)])
    }
  }
  expect(clone.sql('select * from users')).toEqual(before)
})

test('npm start takes no Host header for a part of the path', async () => {
  const port = await freePort()
  await clone.start({ PORT: port }).until('serves on')
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

/** Ends the workerd of a program as the kernel does when memory runs out. */
async function killWorkerd(pid: number): Promise<void> {
  await vi.waitFor(() => expect(workerdsOf(pid)).not.toEqual([]), { timeout: 60_000, interval: 1 })
  for (const workerd of workerdsOf(pid)) process.kill(workerd, 'SIGKILL')
}

test('npm start goes on after workerd has crashed, and says so', async () => {
  const port = await freePort()
  const service = clone.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' })
  await service.until('serves on')
  await killWorkerd(service.pid)
  await service.until('The Workers runtime crashed, and was started again.\n')
  expect(await signIn(port, 'chosen-Passw0rd')).toMatchObject({ code: 200 })
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

test('npm start answers a GET or HEAD that has a body in chunks', async () => {
  const port = await freePort()
  const service = clone.start({ PORT: port })
  await service.until('serves on')
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

test('a command opens no port that obeys, while it works on the site', async () => {
  const serving = clone.start({ PORT: await freePort() })
  await serving.until('serves on')
  await serving.stop()
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

test('npm start keeps what it writes from other users, and narrows what they could read', async () => {
  const first = clone.start({ PORT: await freePort() })
  await first.until('serves on')
  const modes = () =>
    globSync('.wrangler{,/**}', { cwd: clone.folder }).map((name) => ({
      name,
      others: statSync(clone.path(name)).mode & 0o077,
    }))
  expect(modes().length).toBeGreaterThan(10)
  expect(modes().filter(({ others }) => others !== 0)).toEqual([])
  await first.stop()

  const paths = globSync('{.wrangler{,/**},.dev.vars}', { cwd: clone.folder })
  for (const name of paths) chmodSync(clone.path(name), 0o755)
  await clone.start({ PORT: await freePort() }).until('serves on')
  expect(modes().filter(({ others }) => others !== 0)).toEqual([])
  expect(statSync(clone.path('.dev.vars')).mode & 0o777).toBe(0o700)
})

test('no program lets other users write the code that it compiles', async () => {
  const modules = clone.path('node_modules')
  rmSync(modules)
  mkdirSync(modules)
  for (const name of readdirSync('node_modules'))
    if (name !== '.cache')
      symlinkSync(join(process.cwd(), 'node_modules', name), join(modules, name))
  for (const program of ['start', 'main']) {
    const run = clone.shell(`unset NODE_COMPILE_CACHE; umask 0; node src/cli/${program}.ts --help`)
    expect(await run.ended).toMatchObject({ code: 0 })
    const written = globSync('node_modules/.cache{,/**}', { cwd: clone.folder })
    expect(written.length).toBeGreaterThan(3)
    for (const name of written)
      expect([name, statSync(clone.path(name)).mode & 0o077]).toEqual([name, 0])
    rmSync(join(modules, '.cache'), { recursive: true })
  }
})

test("npm start counts a client by its socket's address, whatever CF-Connecting-IP it sends", async () => {
  const port = await freePort()
  await clone.start({ PORT: port }).until('serves on')
  const codes = []
  for (let i = 1; i <= 9; i++) {
    const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
      method: 'POST',
      headers: { 'CF-Connecting-IP': `192.0.2.${i}` },
      body: JSON.stringify({ username: 'admin', password: 'wrong-Passw0rd' }),
    })
    const envelope: { code: number } = await response.json()
    codes.push(envelope.code)
  }
  expect(codes).toContain(429)
})

test('npm start behind a proxy serves its clients over https, and nobody else', async () => {
  const port = await freePort()
  const service = clone.start(
    { PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' },
    { args: ['--behind-proxy', 'X-Forwarded-For'] },
  )
  await service.until('serves on')
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

test('npm start cleans up once a day by itself, the first time at once', async () => {
  const port = await freePort()
  const first = clone.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' })
  await first.until('serves on')
  await signIn(port, 'chosen-Passw0rd')
  await first.stop()
  expect(clone.sql('update sessions set expires_at = 1 returning id')).toHaveLength(1)
  await clone.start({ PORT: port }).until('serves on')
  await vi.waitFor(() => expect(clone.sql('select id from sessions')).toEqual([]), 60_000)
})

test('npm start serves the data that wrangler keeps here', async () => {
  await clone.wrangler('d1', 'migrations', 'apply', 'DB', '--local')
  const insert = `insert into users (username, username_key, role, created_at) values ('alice', 'alice', 0, 0)`
  await clone.wrangler('d1', 'execute', 'DB', '--local', '--command', insert)
  const port = await freePort()
  await clone.start({ PORT: port, ADMIN_PASSWORD: 'chosen-Passw0rd' }).until('serves on')
  const client = new Client(`http://127.0.0.1:${port}`)
  const { data } = await client.signIn('admin', 'chosen-Passw0rd')
  const users = await client.call('GET', '/api/admin/user/list', { token: data.token })
  expect(users.data.content).toMatchObject([{ username: 'alice' }, { username: 'admin' }, {}])
})

test('npm start on an open address says what is unprotected', async () => {
  const port = await freePort()
  const service = clone.start({ PORT: port }, { args: ['--host', '0.0.0.0'] })
  await service.until('not encrypted')
  expect(await statusOf(port, 'GET', '/ping')).toBe(200)
})

test('npm start says in one line what is wrong with its command line, and --help what there is', async () => {
  const wrong: [args: string[], env: Record<string, string>, line: RegExp][] = [
    [['--prot', '80'], {}, /^unknown option '--prot' \(--help lists the options\)\n$/],
    [['more'], {}, /^too many arguments\.[^\n]*\n$/],
    [
      ['--host', 'localhost'],
      {},
      /^option '--host <address>' [^\n]* It must be an IP address\.[^\n]*\n$/,
    ],
    [['--host', '192.0.2.1'], {}, /^This machine has no address 192\.0\.2\.1\.\n$/],
    [['--behind-proxy', 'X Real'], {}, /^[^\n]* It must be the name of a header\.[^\n]*\n$/],
    [['--behind-proxy'], {}, /^option '--behind-proxy <header>' argument missing[^\n]*\n$/],
    [['--proxy-address', '192.0.2.1'], {}, /^--proxy-address needs --behind-proxy\.\n$/],
    [[], { BEHIND_PROXY: 'a: b' }, /^BEHIND_PROXY must be the name of a header, not "a: b"\.\n$/],
  ]
  for (const [args, env, line] of wrong) {
    const ended = await clone.start({ PORT: await freePort(), ...env }, { args }).ended
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(line) })
  }
  const help = await clone.start({}, { args: ['--help'] }).ended
  expect(help).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('--behind-proxy <header>'),
  })
})
