import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import * as v from 'valibot'
import type { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'

const hasNoTerminal = spawnSync('script', ['--version']).error !== undefined

const keySet = v.object({ keys: v.array(v.object({ kid: v.string() })) })
const rotated = v.object({ kid: v.string() })

let clone: Clone
let served: Client

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  // The commands then open no runtime of their own.
  served = await clone.serve()
})
afterAll(() => clone.remove())

/** `client add`, with another name each time. */
let programs = 0
const add = (...args: string[]) =>
  clone.command(['client', 'add', `program-${++programs}`, ...args])
const ISSUER = ['--issuer', 'https://account.example.org']

test('client add prints the seven settings of OpenList, with addresses as OpenList compares them', async () => {
  const site = 'https://account.example.org:8443'
  const { code, stdout } = await add(
    '--openlist',
    'https://files.example.org/',
    '--issuer',
    `${site}/`,
  )
  expect(code).toBe(0)
  expect(
    stdout
      .replace(/[\da-f]{24}/, 'ID')
      .replace(/lks_\S{43}/, 'SECRET')
      .split('\n'),
  ).toEqual([
    'sso_login_enabled: true',
    'sso_login_platform: OIDC',
    'sso_client_id: ID',
    'sso_client_secret: SECRET',
    `sso_endpoint_name: ${site}`,
    'sso_auto_register: true',
    'sso_default_permission: 0',
    '',
  ])
  expect(clone.sql('select redirect_uris from openid_clients')).toEqual([
    {
      redirect_uris: JSON.stringify([
        'https://files.example.org/api/auth/sso_callback?method=sso_get_token',
        'https://files.example.org/api/auth/sso_callback?method=get_sso_id',
        'https://files.example.org/api/auth/sso_get_token',
        'https://files.example.org/api/auth/get_sso_id',
      ]),
    },
  ])
})

test('client add needs the address of this site, at which alone the program gets codes', async () => {
  for (const program of ['--openlist', '--sftpgo', '--grafana', '--redirect'])
    expect(await add(program, 'https://it.example.org')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--issuer https://account.example.org'),
    })
  const wiki = ['--redirect', 'https://wiki.example.org/callback', ...ISSUER]
  const { code, stdout } = await add(...wiki)
  expect(code).toBe(0)
  const [, id] = /^client_id: ([\da-f]{24})\nclient_secret: lks_\S{43}\n/m.exec(stdout) ?? []
  expect(clone.sql(`select issuer from openid_clients where id = '${id}'`)).toEqual([
    { issuer: 'https://account.example.org' },
  ])
})

test('client add prints what can be pasted', async () => {
  const issuer = ['--issuer', 'https://account.example.org']
  const grafana = await add('--grafana', 'https://it.example.org', ...issuer)
  expect(grafana.stdout).toContain('GF_SERVER_ROOT_URL=https://it.example.org/\n')
  const sftpgo = await add('--sftpgo', 'https://it.example.org', ...issuer)
  expect(JSON.parse(`{${sftpgo.stdout}}`)).toMatchObject({
    oidc: { config_url: 'https://account.example.org', scopes: ['openid', 'profile'] },
  })
  const json = await add('--json', '--sftpgo', 'https://it.example.org', ...issuer)
  expect(JSON.parse(json.stdout)).toMatchObject({
    settings: { scopes: ['openid', 'profile'] },
  })
  const openlist = await add('--openlist', 'https://it.example.org', ...issuer)
  expect(openlist.stderr).toContain('sso_auto_register: true')
})

test('client add says what is missing or wrong', async () => {
  expect((await add()).stderr).toContain(
    'Say which app it is (--openlist, --sftpgo, --grafana, --cloudflare-access), or give --redirect.',
  )
  const many = Array.from({ length: 21 }, (_, i) => `https://many.example.org/${i}`)
  for (const option of ['--redirect', '--post-logout']) {
    const redirect = ['--redirect', 'https://many.example.org/cb']
    const outcome = await add(...redirect, ...many.flatMap((uri) => [option, uri]), ...ISSUER)
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`The number of ${option} must be at most 20.`),
    })
  }
  expect(await add('--openlist', 'https://files.example.org/?page=1', ...ISSUER)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('It must be the address of a site, without a query.'),
  })
  expect((await add('--redirect', 'http://evil.example.org/')).stderr).toContain(
    'It must begin with https:// (http only on this machine).',
  )
})

test('client list shows whom a program asks and lets in', async () => {
  await add(
    '--redirect',
    'https://list.example.org/cb',
    '--first-party',
    '--admins-only',
    ...ISSUER,
  )
  const { stdout } = await clone.command(['client', 'list'])
  expect(stdout).toMatch(/^name +client id +first party +admins only +redirect uris/)
  expect(stdout).toMatch(/ yes +yes +https:\/\/list\.example\.org\/cb/)
})

test('client add puts the e-mail address into ID tokens for Cloudflare Access, or with --email-in-id-token', async () => {
  const wiki = ['--redirect', 'https://wiki.example.org/cb', ...ISSUER]
  const kinds = [
    ['--cloudflare-access', 'team', ...ISSUER],
    ['--grafana', 'https://graphs.example.org', ...ISSUER],
    wiki,
    [...wiki, '--email-in-id-token'],
  ]
  const shown: unknown[] = []
  for (const kind of kinds) {
    expect(await add(...kind)).toMatchObject({ code: 0 })
    const { stdout } = await clone.command(['client', 'show', `program-${programs}`, '--json'])
    shown.push(JSON.parse(stdout).email_in_id_token)
  }
  expect(shown).toEqual([true, false, false, true])
})

test('client delete takes the program with this id before one with this name', async () => {
  await add('--redirect', 'https://first.example.org/cb', ...ISSUER)
  const name = `program-${programs}`
  const [{ id } = {}] = clone.sql(`select id from openid_clients where name = '${name}'`)
  const redirect = ['--redirect', 'https://second.example.org/cb', ...ISSUER]
  expect(await clone.command(['client', 'add', String(id), ...redirect])).toMatchObject({ code: 0 })
  expect(await clone.command(['client', 'delete', String(id), '--yes'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(name),
  })
  expect(
    clone.sql(`select redirect_uris from openid_clients where name = '${String(id)}'`),
  ).toEqual([{ redirect_uris: '["https://second.example.org/cb"]' }])
})

test('client set changes what it names, and keeps the rest', async () => {
  const wiki = ['--redirect', 'https://wiki.example.org/callback', '--first-party', ...ISSUER]
  await clone.command(['client', 'add', 'set', ...wiki])
  const set = (...args: string[]) => clone.command(['client', 'set', ...args])
  expect(await set('set')).toMatchObject({ code: 2, stderr: expect.stringContaining('see --help') })
  expect(await set('set', '--new-name', 'reset', '--first-party', 'off')).toMatchObject({
    code: 0,
    stdout: 'Changed the app reset.\n',
  })
  await set('reset', '--redirect', 'https://new.example.org/callback')
  const { stdout } = await clone.command(['client', 'show', 'reset', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    redirect_uris: ['https://new.example.org/callback'],
    first_party: false,
    is_public: false,
    issuer: 'https://account.example.org',
  })
  await clone.command(['client', 'add', 'taken', ...wiki])
  expect(await set('reset', '--new-name', 'taken')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is an app "taken" already.'),
  })
})

test('client delete needs --yes without a terminal', async () => {
  await add('--redirect', 'https://gone.example.org/cb', ...ISSUER)
  const name = `program-${programs}`
  expect(await clone.command(['client', 'delete', name])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('confirm with --yes'),
  })
  expect(await clone.command(['client', 'show', name])).toMatchObject({ code: 0 })
  expect(await clone.command(['client', 'delete', name, '--yes'])).toMatchObject({ code: 0 })
  expect(await clone.command(['client', 'show', name])).toMatchObject({ code: 1 })
})

test.skipIf(hasNoTerminal)('client delete asks first', async () => {
  await add('--redirect', 'https://asked.example.org/cb', ...ISSUER)
  const command = ['client', 'delete', `program-${programs}`]
  const kept = await clone.typed(command, [['[y/N]', 'n']])
  expect([kept.code, kept.stdout]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  expect(await clone.typed(command, [['[y/N]', 'y']])).toMatchObject({ code: 0 })
})

const rotate = (...args: string[]) => clone.command(['signing-key', 'rotate', ...args])

test('signing-key rotate says when, and makes no second waiting key without --yes', async () => {
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?\+00:00`
  const said = new RegExp(
    String.raw`^Made the signing key \S+\.\nIt signs from ${time}; the key before it is shown until ${time}\.\n$`,
  )
  expect((await rotate()).stdout).toMatch(said)
  expect(await rotate()).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/waits already: it signs from [^]*confirm with --yes/),
  })
  expect((await rotate('--yes')).stdout).toMatch(said)
  expect((await rotate('--now')).stdout).toContain('It signs now; the key before it is shown')
  expect((await rotate('--stolen')).stdout).toContain('It signs now; all older keys are deleted.')
})

/** The keys that the site shows, the newest first. */
async function shownKeys(): Promise<string[]> {
  const response = await fetch(new URL('/oauth/jwks', served.url))
  return v.parse(keySet, await response.json()).keys.map(({ kid }) => kid)
}

async function makeKey(...args: string[]): Promise<string> {
  const { stdout } = await rotate('--json', ...args)
  return v.parse(rotated, JSON.parse(stdout)).kid
}

test('signing-key rotate changes the key set of a running site at once', async () => {
  await makeKey('--stolen')
  const before = await shownKeys()
  expect(before).toHaveLength(1)
  const second = await makeKey('--now')
  expect(await shownKeys()).toEqual([second, ...before])
  const third = await makeKey('--stolen')
  expect(await shownKeys()).toEqual([third])
})

test('client add prints no issuer that no ID token will have', async () => {
  const registered = () => clone.sql('select count(*) as total from openid_clients')
  const before = registered()
  const openlist = ['--openlist', 'https://files.example.org']
  for (const issuer of [
    'https://Account.example.org',
    'https://account.example.org:443',
    'https://account.example.org/latchkey',
    'http://account.example.org',
    'account.example.org',
  ])
    expect(await add(...openlist, '--issuer', issuer)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be the address of this site'),
    })
  const file = clone.path('wrangler.toml')
  const config = readFileSync(file, 'utf8')
  writeFileSync(file, config.replace('ISSUER = ""', 'ISSUER = "https://account.example.org/"'))
  expect(await add(...openlist)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no origin: set it to https:\/\/account\.example\.org\.\n$/),
  })
  expect(registered()).toEqual(before)
})
