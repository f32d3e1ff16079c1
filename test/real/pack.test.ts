import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { Client } from '../support/client.ts'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { Program } from '../support/program.ts'

const MAX_FILES = 1200
/** Files that are no part of a pack: tools, types, and what a used checkout holds. */
const FOREIGN =
  /(^|\/)(wrangler|esbuild|typescript|sharp|vitest)\/|\.d\.ts$|\.map$|\.dev\.vars|\.wrangler|\.sqlite/

let folder: string
/** The pack, moved away from where it was made. */
let site: string
let data: string
const programs: Program[] = []

beforeAll(() => {
  const secret = 'FILES_TOKEN=not-for-a-pack\n'
  if (!existsSync('.dev.vars')) writeFileSync('.dev.vars', secret, { flag: 'wx' })
  try {
    execFileSync(process.execPath, ['scripts/pack.ts', '--tar'])
  } finally {
    if (readFileSync('.dev.vars', 'utf8') === secret) rmSync('.dev.vars')
  }
  folder = mkdtempSync(join(tmpdir(), 'latchkey-pack-'))
  const [archive = ''] = globSync('.build/latchkey-*.tar.gz')
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  const [name = ''] = readdirSync(folder)
  site = join(folder, name)
})
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()))
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  data = mkdtempSync(join(folder, 'data-'))
})

/** Runs a program as somebody would who has Node alone. */
function run(words: string[], env: Record<string, string>): Program {
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`
  const set = Object.entries({ PATH: path, LATCHKEY_DATA: data, ...env })
  const given = set.map(([name, value]) => `${name}=${value}`)
  const program = new Program('env', ['-i', ...given, ...words], { cwd: folder })
  programs.push(program)
  return program
}

function latchkey(args: string[], env: Record<string, string> = {}): Program {
  return run([join(site, 'latchkey'), ...args], env)
}

/** Runs the entry of the container, as the image does. */
function container(args: string[], env: Record<string, string> = {}): Program {
  const command = { LATCHKEY_COMMAND: 'in-container latchkey' }
  const entry = [process.execPath, join(site, 'launch.cjs'), 'container/main']
  return run([...entry, ...args], { ...command, ...env })
}

async function serve(env: Record<string, string> = {}) {
  const port = await freePort()
  const service = latchkey(['start'], { PORT: port, ...env })
  await service.until('serves on')
  return { service, client: new Client(`http://127.0.0.1:${port}`) }
}

test('a pack is complete, and holds no tools and nothing of a used checkout', () => {
  const names = globSync('**/*', { cwd: site }).concat(globSync('**/.*', { cwd: site }))
  const files = names.filter((name) => lstatSync(join(site, name)).isFile())
  expect(files.length).toBeLessThan(MAX_FILES)
  expect(files.filter((name) => FOREIGN.test(name))).toEqual([])
  const manifest = JSON.parse(readFileSync(join(site, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: 'latchkey', version: packageJson.version })
  const installed = globSync('node_modules/{*,@*/*}/package.json', { cwd: site }).map((path) =>
    path.replace('node_modules/', '').replace('/package.json', ''),
  )
  expect(installed.length).toBe(21)
  expect(Object.keys(manifest.dependencies)).toEqual(
    expect.arrayContaining([...installed, 'hono', 'drizzle-orm', 'commander']),
  )
  expect(readFileSync(join(site, 'worker.json'), 'utf8')).not.toContain('not-for-a-pack')
})

test('a pack starts in another folder, runs commands beside the site, and stops', async () => {
  const { service, client } = await serve({ ADMIN_PASSWORD })
  expect(await client.signIn('admin', ADMIN_PASSWORD)).toMatchObject({ code: 200 })
  expect((await fetch(new URL('/account/sign-in', client.url))).status).toBe(200)
  const list = await latchkey(['user', 'list']).ended
  expect(list).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ *1 +admin /m) })
  expect(service.stdout).toContain(`${join(site, 'latchkey')} doctor`)
  expect(await service.stop('SIGTERM')).toMatchObject({ code: 0 })
  const remote = await latchkey(['user', 'list', '--remote']).ended
  expect(remote).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^This installation has no wrangler: [^\n]+\n$/),
  })
  expect(readdirSync(data).toSorted()).toEqual(['.dev.vars', '.wrangler'])
})

test('the entry of a container serves as the owner of the data with SECRET_KEYS of the environment, and tells its health', async () => {
  // The site may become a user that enters no folder of root.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const secrets = { SECRET_KEYS: randomBytes(32).toString('base64url'), PUID: '4321' }
  const service = container([], { HOST: '127.0.0.1', PORT: port, ADMIN_PASSWORD, ...secrets })
  await service.until('serves on')
  const client = new Client(`http://127.0.0.1:${port}`)
  expect(await client.signIn('admin', ADMIN_PASSWORD)).toMatchObject({ code: 200 })
  expect(service.stdout).toContain('in-container latchkey doctor')
  expect(service.stdout).toContain('(docker compose stop latchkey stops it)')
  expect(readdirSync(data).toSorted()).toEqual(['.wrangler', 'backups'])
  expect(statSync(data).uid).toBe(process.getuid?.() === 0 ? 4321 : process.getuid?.())
  expect(await container(['health']).ended).toEqual({ code: 0, stdout: '', stderr: '' })
  const made = await container(['secrets', 'new'], secrets).ended
  expect(made.stdout).toContain('SECRET_KEYS of the environment holds 1 entry')
  expect(made.stdout).toContain('in-container latchkey secrets reseal')
  expect(made.stdout).not.toMatch(/npm|npx|deployed/)
  const lost = await container(['secrets', 'new'], { SECRET_KEYS: 'short' }).ended
  expect(lost.stdout).toContain('but the environment has no valid SECRET_KEYS: put the list')
  const helps = await Promise.all(
    ['backup', 'restore'].map((name) => container([name, '--help']).ended),
  )
  expect(helps.map(({ stdout }) => stdout.trim().split('\n').at(-1)?.trim())).toEqual([
    'in-container latchkey backup backups/latchkey-$(date +%F).sqlite',
    'docker compose run --rm latchkey restore backups/latchkey-2026-11-21.sqlite',
  ])
  expect(await service.stop('SIGTERM')).toMatchObject({ code: 0 })
  expect(await container(['health']).ended).toMatchObject({
    code: 1,
    stderr: 'The site does not answer.\n',
  })
  expect(await container([], { PORT: port, SECRET_KEYS: 'short' }).ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('`docker compose run --rm latchkey secrets new`'),
  })
})

test('a pack for another CPU says so in one line', async () => {
  const packages = join(site, 'node_modules/@cloudflare')
  const [own = ''] = readdirSync(packages)
  const other = own.endsWith('-arm64') ? 'workerd-linux-64' : 'workerd-linux-arm64'
  renameSync(join(packages, own), join(packages, other))
  try {
    expect(await latchkey(['user', 'list']).ended).toMatchObject({
      code: 1,
      stderr: `This installation is for another CPU or system than this one: take the archive for linux-${process.arch}, or run npm ci.\n`,
    })
  } finally {
    renameSync(join(packages, other), join(packages, own))
  }
})

/** A version before the pack, whose last migration is an older one. */
const OLDER = '2cbbeece'
const PASSWORD = 'another-Passw0rd'

test('a pack takes over the data of an older checkout, copies them before it migrates, and everybody signs in', async ({
  skip,
}) => {
  const archived = spawnSync('git', ['archive', OLDER], { maxBuffer: 1 << 28 })
  skip(archived.status !== 0, `the history has no ${OLDER}`)
  const old = join(folder, 'older')
  mkdirSync(old)
  execFileSync('tar', ['-x', '-C', old], { input: archived.stdout })
  symlinkSync(join(process.cwd(), 'node_modules'), join(old, 'node_modules'))
  const { scripts } = JSON.parse(readFileSync(join(old, 'package.json'), 'utf8'))
  const port = await freePort()
  const before = new Program('bash', ['-c', `${scripts.prestart} && ${scripts.start}`], {
    cwd: old,
    env: {
      ...process.env,
      PORT: port,
      ADMIN_PASSWORD,
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    },
  })
  programs.push(before)
  await before.until('serves on')
  const oldClient = new Client(`http://127.0.0.1:${port}`)
  const { token } = (await oldClient.signIn('admin', ADMIN_PASSWORD)).data
  const body = { username: 'alice', password: PASSWORD, base_path: '/', permission: 0 }
  const made = await oldClient.call('POST', '/api/admin/user/create', { token, body })
  expect(made).toMatchObject({ code: 200 })
  await before.stop()
  for (const name of ['.wrangler', '.dev.vars'])
    cpSync(join(old, name), join(data, name), { recursive: true, filter: () => true })
  const { client, service } = await serve()
  for (const [name, password] of [
    ['admin', ADMIN_PASSWORD],
    ['alice', PASSWORD],
  ] as const)
    expect(await client.signIn(name, password)).toMatchObject({ code: 200 })
  const [backup = '', ...more] = readdirSync(join(data, 'backups'))
  expect(more).toEqual([])
  expect(backup).toMatch(/^before-upgrade-\d{4}-\d{8}T\d{9}Z\.sqlite$/)
  expect(statSync(join(data, 'backups', backup)).mode & 0o777).toBe(0o600)
  await service.stop()
  // What the older version does with newer data, this one does with data of a later one.
  const [file = ''] = globSync(join(data, '.wrangler/state/v3/d1/*/*.sqlite')).filter(
    (path) => !path.endsWith('metadata.sqlite'),
  )
  const database = new DatabaseSync(file)
  database.exec("insert into d1_migrations (name) values ('9999_later.sql')")
  database.close()
  const noted = join(data, '.wrangler/latchkey.version')
  expect(readFileSync(noted, 'utf8')).toBe(`${packageJson.version}\n`)
  writeFileSync(noted, '9.8.7\n')
  // That of the later version is of no use to this one.
  cpSync(join(data, 'backups', backup), join(data, 'backups/before-upgrade-9999-99999999.sqlite'))
  const refusal = (what: string) =>
    `A later version of Latchkey has changed the database (9999_later.sql), and this one left it as it is: take ${what} again, or restore backups/${backup}, a copy of before.\n`
  expect(await latchkey(['start'], { PORT: port }).ended).toMatchObject({
    code: 1,
    stderr: refusal('the archive of version 9.8.7 or a later one'),
  })
  expect(await container([], { PORT: port }).ended).toMatchObject({
    code: 1,
    stderr: refusal('the image latchkey:9.8.7 or a later one'),
  })
})
