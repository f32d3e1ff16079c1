import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { newSecretKey } from '../../src/programs/site/dev-vars.ts'
import { phoneCode } from '../support/authenticator.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { FakeCloudflare } from '../support/fake-cloudflare.ts'
import { freePort } from '../support/free-port.ts'
import type { Envelope } from '../support/envelope.ts'
import { SoftwarePasskey } from '../support/passkey.ts'
import { ServedWorker } from '../support/served-worker.ts'
import { SECRET_KEYS } from '../support/secrets.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
const PASSWORD = 'alice-Passw0rd'
const MINUTE = 60_000
/** Bits 10 and 11. */
const SFTP = 3 << 10
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHzsLvYmY1gdR2JQw3br6B9smKmS5wMpB7GZYkGLZYQe laptop'

/** What a test has started. */
let clones: Clone[]
let workers: ServedWorker[]
let accounts: FakeCloudflare[]

beforeEach(() => {
  clones = []
  workers = []
  accounts = []
})
afterEach(async () => {
  for (const worker of workers) await worker.stop()
  for (const clone of clones) await clone.remove()
  for (const account of accounts) await account.stop()
})

function newClone(): Clone {
  const clone = new Clone()
  clones.push(clone)
  return clone
}

/** Prints a line of the drill, for docs/operating.md. */
function say(line: string): void {
  console.log(line)
}

/** What alice has to sign in with. */
interface Alice {
  /** Base32. */
  seed: string
  passkey: SoftwarePasskey
  /** Time of the latest code, which can't be used twice. */
  codeAt: number
}

/** Runs a command that must work, and returns what it printed. */
async function run(clone: Clone, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await clone.latchkey(args)
  if (code !== 0) throw new Error(`latchkey ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

/** Serves a site under localhost, which has passkeys. */
async function serve(clone: Clone): Promise<Client> {
  const { url } = await clone.serve(ADMIN_PASSWORD)
  return new Client(url.replace('127.0.0.1', 'localhost'))
}

async function begin(site: Client, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(new URL(path, site.url), { headers })
  const { data }: Envelope = await response.json()
  return data
}

async function finish(
  site: Client,
  path: string,
  session: string,
  answer: object,
  headers: Record<string, string> = {},
): Promise<Envelope> {
  const init = { method: 'POST', headers: { session, ...headers }, body: JSON.stringify(answer) }
  const envelope: Envelope = await (await fetch(new URL(path, site.url), init)).json()
  return envelope
}

/** A folder from which a site is deployed to the stand-in for Cloudflare. */
class Deployed {
  readonly cloudflare: FakeCloudflare
  readonly folder = newClone()

  private constructor(cloudflare: FakeCloudflare) {
    this.cloudflare = cloudflare
  }

  static async inNewAccount(): Promise<Deployed> {
    const cloudflare = await FakeCloudflare.start()
    accounts.push(cloudflare)
    return new Deployed(cloudflare)
  }

  get #env() {
    return { CLOUDFLARE_API_BASE_URL: this.cloudflare.url, CLOUDFLARE_API_TOKEN: 'token' }
  }

  /** Runs wrangler as docs/deploying.md says. */
  async wrangler(...args: string[]): Promise<void> {
    say(`  wrangler ${args.join(' ')}`)
    const program = 'node_modules/wrangler/bin/wrangler.js'
    const { code, stderr } = await this.folder.run(program, args, { CI: '1', ...this.#env })
    if (code !== 0) throw new Error(`wrangler ${args.join(' ')}: ${stderr}`)
  }

  /** `npm run deploy` */
  async deploy(env: Record<string, string>): Promise<void> {
    const program = 'src/programs/deploy/main.ts'
    const { code, stdout, stderr } = await this.folder.run(program, [], { ...this.#env, ...env })
    if (code !== 0) throw new Error(`npm run deploy: ${stderr}`)
    say(`  npm run deploy: ${/^ {4}(.+)\nDone/m.exec(stdout)?.[1] ?? ''}`)
  }

  get #databaseId(): string {
    return this.cloudflare.d1.ids.get('latchkey') ?? ''
  }

  /**
   * A folder whose commands work on the database of the stand-in: it lends no bindings to commands
   * with `--remote`.
   */
  commands(): Clone {
    const clone = newClone()
    const toml = readFileSync(clone.path('wrangler.toml'), 'utf8')
    const name = 'database_name = "latchkey"'
    const id = `database_id = "${this.#databaseId}"`
    writeFileSync(clone.path('wrangler.toml'), toml.replace(name, `${name}\n${id}`))
    mkdirSync(clone.path('.wrangler/state'), { recursive: true })
    symlinkSync(this.cloudflare.d1.folder, clone.path('.wrangler/state/v3'))
    return clone
  }

  /** Runs the Worker that was uploaded, with the secret that was uploaded, over the database. */
  async serve(): Promise<Client> {
    const worker = await ServedWorker.start(this.cloudflare.workerFolder, {
      stateFolder: this.cloudflare.d1.folder,
      databaseId: this.#databaseId,
      secretKeys: this.cloudflare.secrets.get('SECRET_KEYS') ?? '',
    })
    workers.push(worker)
    return new Client(worker.url.href.replace('127.0.0.1', 'localhost'))
  }

  /** Loses the Worker, the database and the namespace. */
  async lose(): Promise<void> {
    for (const worker of workers.splice(0)) await worker.stop()
    for (const account of accounts.splice(0)) await account.stop()
  }
}

/** Makes a site with alice, who has a password, an authenticator app, a passkey and an SSH key. */
async function settle(clone: Clone): Promise<{ site: Client; alice: Alice }> {
  const site = await serve(clone)
  await run(clone, 'setting', 'set', 'webauthn_login_enabled', 'true')
  return { site, alice: await addAlice(site) }
}

/** Adds alice to a site that has passkeys. */
async function addAlice(site: Client): Promise<Alice> {
  const admin = (await site.signIn('admin', ADMIN_PASSWORD)).data.token
  const body = { username: 'alice', password: PASSWORD, permission: SFTP }
  await site.call('POST', '/api/admin/user/create', { token: admin, body })
  const token = (await site.signIn('alice', PASSWORD)).data.token
  await site.call('POST', '/api/me/sshkey/add', { token, body: { title: 'laptop', key: KEY } })
  const passkey = await SoftwarePasskey.make('ES256', { origin: new URL(site.url).origin })
  const started = await begin(site, '/api/authn/webauthn_begin_registration', {
    Authorization: token,
  })
  const made = await passkey.create(started.options.publicKey)
  const path = '/api/authn/webauthn_finish_registration'
  await finish(site, path, started.session, made, { Authorization: token })
  const { data } = await site.call('POST', '/api/auth/2fa/generate', { token })
  const codeAt = Date.now()
  const proof = { code: phoneCode(data.secret, codeAt), secret: data.secret }
  await site.call('POST', '/api/auth/2fa/verify', { token, body: proof })
  return { seed: data.secret, passkey, codeAt: codeAt - MINUTE }
}

const FILES = ['schema.sql', 'data.sql'] as const

/** Backs a site up as docs/deploying.md says, with the local database in place of the deployed one. */
async function exportData(clone: Clone): Promise<void> {
  for (const [file, without] of [
    ['schema.sql', '--no-data'],
    ['data.sql', '--no-schema'],
  ] as const) {
    const args = ['d1', 'export', 'DB', '--local', without, '--output', file]
    const { code, stderr } = await clone.wrangler(...args)
    expect(code, stderr).toBe(0)
  }
}

/** Fills an empty database with a backup: all tables before the rows that refer to them. */
async function fillDatabase(clone: Clone): Promise<void> {
  for (const file of FILES) {
    say(`  wrangler d1 execute DB --file ${file}`)
    const args = ['d1', 'execute', 'DB', '--local', '--file', file]
    const { code, stderr } = await clone.wrangler(...args)
    expect(code, stderr).toBe(0)
  }
}

/** Signs alice in in every way. */
async function signInEveryWay(clone: Clone, site: Client, alice: Alice): Promise<void> {
  expect((await site.signIn('alice', PASSWORD)).code, 'a password alone').toBe(402)
  expect((await signInWithCode(site, alice)).code, 'password and code').toBe(200)
  const { passkey } = alice
  passkey.origin = new URL(site.url).origin
  const { options, session } = await begin(site, '/api/authn/webauthn_begin_login')
  const answer = await passkey.get(options.publicKey)
  const signedIn = await finish(site, '/api/authn/webauthn_finish_login', session, answer)
  expect(signedIn.code, 'passkey').toBe(200)
  const name = `sftp-${Math.random()}`
  const server = await run(clone, 'service-token', 'add', name, '--scope', 'sftp:keys')
  const token = server.split(/\s+/).at(-1) ?? ''
  const keys = await fetch(new URL('/api/sftp/authorized_keys?username=alice', site.url), {
    headers: { Authorization: `Bearer ${token}` },
  })
  expect(await keys.text(), 'SSH key').toContain(KEY.split(' ')[1])
  say('  alice signs in with password and code, with her passkey, and with her SSH key')
}

/** Signs in with a code of a later step than the one before. */
async function signInWithCode(site: Client, alice: Alice): Promise<Envelope> {
  const code = phoneCode(alice.seed, Date.now(), alice.codeAt > Date.now() - 30_000 ? 1 : 0)
  alice.codeAt = Date.now()
  const body = { username: 'alice', password: PASSWORD, otp_code: code }
  return site.call('POST', '/api/auth/login', { body })
}

// Deploys twice, and runs wrangler five times beside: most of a minute.
test('the deployed site is lost: backup and SECRET_KEYS make a new one', async () => {
  say('1. A deployed site is lost. Its backup and SECRET_KEYS are kept elsewhere.')
  const old = await Deployed.inNewAccount()
  await old.deploy({ ADMIN_PASSWORD })
  await run(old.commands(), 'setting', 'set', 'webauthn_login_enabled', 'true')
  const site = await old.serve()
  const alice = await addAlice(site)
  const before = (await signInWithCode(site, alice)).data.token
  const [schema, data] = FILES
  await old.wrangler('d1', 'export', 'latchkey', '--remote', '--no-data', '--output', schema)
  await old.wrangler('d1', 'export', 'latchkey', '--remote', '--no-schema', '--output', data)
  const lateBody = { username: 'late', password: PASSWORD }
  const admin = (await site.signIn('admin', ADMIN_PASSWORD)).data.token
  await site.call('POST', '/api/admin/user/create', { token: admin, body: lateBody })
  const [, secret = ''] = readFileSync(old.folder.path('.production.vars'), 'utf8')
    .trim()
    .split('=')
  await old.lose()
  say('  Worker, database and namespace are gone')

  const rebuilt = await Deployed.inNewAccount()
  for (const file of FILES) copyFileSync(old.folder.path(file), rebuilt.folder.path(file))
  await rebuilt.wrangler('d1', 'create', 'latchkey')
  await rebuilt.wrangler('d1', 'execute', 'latchkey', '--remote', '--file', schema)
  await rebuilt.wrangler('d1', 'execute', 'latchkey', '--remote', '--file', data)
  await rebuilt.deploy({ SECRET_KEYS: secret })
  const commands = rebuilt.commands()
  say(`  session end --everyone: ${await run(commands, 'session', 'end', '--everyone')}`)
  const again = await rebuilt.serve()
  alice.codeAt = 0
  await signInEveryWay(commands, again, alice)
  expect(await again.call('GET', '/api/me', { token: before })).toMatchObject({ code: 401 })
  say('  lost: sessions, and what was written after the backup (the user late is unknown)')
  expect((await again.signIn('late', PASSWORD)).code).toBe(401)
})

test('the secret is rotated', async () => {
  say('2. SECRET_KEYS is rotated: a new key stands before the old one.')
  const clone = newClone()
  const { site, alice } = await settle(clone)
  const { token } = (await signInWithCode(site, alice)).data
  await clone.stop()
  const vars = clone.path('.dev.vars')
  const [, oldKey = ''] = readFileSync(vars, 'utf8').trim().split('=')
  const newKey = newSecretKey()
  writeFileSync(vars, `SECRET_KEYS=${newKey},${oldKey}\n`)
  const rotated = await serve(clone)
  expect((await rotated.call('GET', '/api/me', { token })).code).toBe(200)
  say('  sessions of before go on')
  clone.sql('update users set totp_step = 0')
  alice.codeAt = 0
  await signInEveryWay(clone, rotated, alice)
  await clone.stop()
  say('  the old key is removed')
  writeFileSync(vars, `SECRET_KEYS=${newKey}\n`)
  const without = await serve(clone)
  expect((await without.call('GET', '/api/me', { token })).code).toBe(401)
  clone.sql('update users set totp_step = 0')
  alice.codeAt = 0
  await signInEveryWay(clone, without, alice)
  say(
    '  lost: sessions that the old key signed, and the authenticator apps of those who did not sign in meanwhile',
  )
})

test('the database is taken back to yesterday', async () => {
  say('3. The database is taken back to yesterday. Today alice ended a session, which a thief has.')
  const clone = newClone()
  const { site, alice } = await settle(clone)
  const stolen = (await signInWithCode(site, alice)).data.token
  await exportData(clone)
  expect((await site.call('GET', '/api/auth/logout', { token: stolen })).code).toBe(200)
  expect((await site.call('GET', '/api/me', { token: stolen })).code).toBe(401)
  await clone.stop()
  rmSync(clone.path('.wrangler'), { recursive: true })
  await fillDatabase(clone)
  const restored = await serve(clone)
  expect((await restored.call('GET', '/api/me', { token: stolen })).code).toBe(200)
  say('  the ended session works again')
  say(`  session end --everyone: ${await run(clone, 'session', 'end', '--everyone')}`)
  expect((await restored.call('GET', '/api/me', { token: stolen })).code).toBe(401)
  say('  it is ended again')
  clone.sql('update users set totp_step = 0')
  alice.codeAt = 0
  await signInEveryWay(clone, restored, alice)
})

test('the KV namespace is deleted', async () => {
  say('4. Everything in the KV namespace is deleted.')
  const worker = await ServedWorker.start(inject('workerFolder'), { secretKeys: SECRET_KEYS })
  try {
    await worker.setUp(ADMIN_PASSWORD)
    const { data } = await worker.call('POST', '/api/auth/login', {
      body: { username: 'admin', password: ADMIN_PASSWORD },
    })
    const body = [{ key: 'site_title', value: 'Ours' }]
    await worker.call('POST', '/api/admin/setting/save', { token: data.token, body })
    expect(await worker.emptySettings()).toBe(1)
    expect((await worker.call('GET', '/api/public/settings')).data.site_title).toBe('Ours')
    expect((await worker.call('GET', '/api/me', { token: data.token })).code).toBe(200)
    say('  public settings and sessions go on, from D1')
    await worker.runScheduled()
    expect(await worker.emptySettings()).toBe(1)
    say('  the nightly run has written the copy of the settings again; nothing is lost')
  } finally {
    await worker.stop()
  }
})

test('an old version meets a new database', async () => {
  say('5. A later version has changed the database, and this one is started on it.')
  const clone = newClone()
  await settle(clone)
  await clone.stop()
  clone.sql('alter table users add column later text')
  clone.sql("insert into d1_migrations (name) values ('9999_later.sql')")
  const before = clone.sql('select * from users')
  const { code, stderr } = await clone.start({ PORT: await freePort() }).ended
  expect([code, stderr]).toEqual([1, expect.stringContaining('A later version of Latchkey')])
  say(`  npm start: ${stderr.trim()}`)
  const { stdout } = await clone.latchkey(['doctor'])
  expect(stdout).toContain('the database is newer than this copy, by 9999_later.sql')
  say('  doctor: the database is newer than this copy, by 9999_later.sql')
  expect(clone.sql('select * from users')).toEqual(before)
  say('  nothing was changed; npm run deploy refuses to upload in the same way')
})
