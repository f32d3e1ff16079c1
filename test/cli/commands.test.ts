import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { SETTINGS } from '../../src/capabilities/settings/definitions.ts'
import { ED1, ED2 } from '../reference/keys.ts'
import { phoneCode } from '../support/authenticator.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'

const PASSWORD = 'alice-Passw0rd'
const LAST = '(no other enabled admin has a password)'

/** Util-linux has the program that makes one; elsewhere these tests are skipped. */
const hasNoTerminal = spawnSync('script', ['--version']).error !== undefined

let clone: Clone
/** It serves all the while: what a command writes the site reads, and the other way round. */
let site: Client

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
})
afterAll(() => clone.remove())

const run = (...args: string[]) => clone.command(args)

/** A command that goes well, and what it tells programs. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await run('--json', ...args)
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** Makes a user who is signed in, over HTTP, which is faster than a command. */
async function addUser(username: string): Promise<string> {
  const admin = await tokenOf('admin', ADMIN_PASSWORD)
  const body = { username, password: PASSWORD }
  await site.call('POST', '/api/admin/user/create', { token: admin, body })
  return tokenOf(username, PASSWORD)
}

async function tokenOf(username: string, password: string): Promise<string> {
  const { data, message } = await site.signIn(username, password)
  if (data === null) throw new Error(message)
  return data.token
}

function typePassword(first: string, second: string) {
  return clone.typed(
    ['user', 'password', 'typist'],
    [
      ['New password', first],
      ['Repeat the password', second],
    ],
  )
}

/** In a process of its own, so that two can race. */
function demote(name: string) {
  return clone.latchkey(['user', 'set', name, '--role', 'general'])
}

function addServer(name: string, ...scopes: string[]) {
  return run('service-token', 'add', name, ...scopes.flatMap((scope) => ['--scope', scope]))
}

function load(settings: unknown) {
  return clone.command(['setting', 'import'], JSON.stringify(settings))
}

const refused = (reason: string | RegExp) => ({
  code: 1,
  stdout: '',
  stderr: typeof reason === 'string' ? `${reason}\n` : expect.stringMatching(reason),
})

describe('latchkey user', () => {
  test('add, set, show and list: what a command writes, the site reads', async () => {
    const added = await clone.latchkey(['user', 'add', 'alice', '--password-stdin'], {
      input: `${PASSWORD}\nnot this\n`,
    })
    const [, id = ''] =
      /^Created alice \(id (\d+)\), without permissions: npm run latchkey -- user set alice --permission [^\n]*\n$/.exec(
        added.stdout,
      ) ?? []
    expect(added).toMatchObject({ code: 0, stderr: '' })
    const token = await tokenOf('alice', PASSWORD)
    const change = [
      '--permission',
      '+sftp-read,+share',
      '--base-path',
      '/a/{username}',
      '--sso-id',
      '-s',
    ]
    expect(await json('user', 'set', `#${id}`, ...change)).toMatchObject({ username: 'alice' })
    const { data } = await site.call('GET', '/api/me', { token })
    expect(data).toMatchObject({ permission: 0x4400, base_path: '/a/alice', sso_id: '-s' })
    const shown = await json('user', 'show', 'alice')
    const firstPage = await run('user', 'list', '--limit', '1')
    const permissions = ['sftp-read', 'share']
    expect(shown).toEqual({
      ...data,
      passkey: false,
      sub: expect.stringMatching(/^[0-9a-f]{32}$/),
      permissions,
      sessions: 1,
      keys: 0,
      passkeys: 0,
      app_passwords: 0,
      groups: ['user'],
      linked_accounts: [],
      locked: [],
      email: '',
      email_verified: false,
      ends_at: null,
      waiting: false,
      created_at: expect.stringMatching(/^20/),
      registered_from: '',
    })
    expect((await run('user', 'show', 'alice')).stdout).toMatch(
      /\nrole +general\n[^]*\npermission +sftp-read, share\n/,
    )
    expect(firstPage.stdout).toMatch(
      /^id +username +role .*\n1 +admin +admin +all but webdav-write, sftp-read, .*\n$/,
    )
    expect(firstPage.stderr).toMatch(
      /^This shows 1 of \d+; --page and --limit show the others\.\n$/,
    )
  })

  test('say in one line what is refused, and change nothing', async () => {
    await addUser('robert')
    const short = await clone.command(['user', 'password', 'robert', '--password-stdin'], 'short\n')
    expect(short).toEqual(refused('password must have 8 to 1024 characters'))
    expect(await site.signIn('robert', PASSWORD)).toMatchObject({ code: 200 })
    const refusals: [args: string[], reason: string][] = [
      [['show', 'robret'], 'There is no user "robret": did you mean "robert"?'],
      [
        ['add', 'ROBERT', '--generate'],
        'There is a user "robert" already, and "ROBERT" differs only in upper and lower case: nothing was changed.',
      ],
      [['add', 'robert', '--generate'], 'There is a user "robert" already: nothing was changed.'],
      [
        ['set', 'robert', '--name', 'ａdmin'],
        'There is a user "admin" already, and "ａdmin" looks the same: nothing was changed.',
      ],
      [['set', 'admin', '--role', 'general'], `admin user can not be demoted ${LAST}`],
      [['disable', 'admin'], `admin user can not be disabled ${LAST}`],
      [['delete', 'admin', '--yes'], `cannot delete admin or guest ${LAST}`],
    ]
    for (const [args, reason] of refusals)
      expect(await run('user', ...args)).toEqual(refused(reason))
    const token = await tokenOf('admin', ADMIN_PASSWORD)
    const { data } = await site.call('GET', '/api/me', { token })
    expect(data).toMatchObject({ role: 2, disabled: false })
  })

  test('names of a hostile database reach no terminal as they are', async () => {
    await addUser('plain')
    const name = 'x\u009b2J\u001b]0;title\u0007\u202e'
    const [row] = clone.sql(`select id from users where username = 'plain'`)
    const word = `#${String(row?.['id'])}`
    clone.sql(`update users set username = '${name}' where username = 'plain'`)
    for (const args of [
      ['user', 'list'],
      ['user', 'list', '--json'],
      ['user', 'show', word],
      ['user', 'disable', word],
      ['user', 'enable', word, '--json'],
      ['user', 'show', `${name}?`, '--json'],
    ]) {
      const { stdout, stderr } = await run(...args)
      expect(stdout + stderr, args.join(' ')).toMatch(/x(?:�|\\u009b)2J/)
      expect(stdout + stderr, args.join(' ')).not.toMatch(/(?!\n)[\p{Cc}\u202E]/u)
    }
    clone.sql(`delete from users where username = '${name}'`)
  })

  test('list narrows to names, admins, disabled users and those without a second factor', async () => {
    await addUser('Lister-one')
    await addUser('lister-two')
    await json('user', 'disable', 'lister-two')
    const names = async (...options: string[]) => {
      const { content, total } = await json('user', 'list', ...options)
      expect(content).toHaveLength(total)
      return content.map(({ username }: { username: string }) => username)
    }
    const search = ['--search', 'LISTER']
    expect(await names(...search)).toEqual(['Lister-one', 'lister-two'])
    expect(await names(...search, '--disabled')).toEqual(['lister-two'])
    expect(await names('--admins')).toEqual(['admin'])
    expect(await names(...search, '--admins')).toEqual([])
    clone.sql(`update users set totp_seed = 'sealed' where username = 'Lister-one'`)
    expect(await names(...search, '--without-2fa')).toEqual(['lister-two'])
    expect(await names('--without-2fa')).not.toContain('guest')
    const none = await run('user', 'list', '--search', '%')
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No users found.\n' })
  })

  test('password, disable and enable count at once', async () => {
    const old = await addUser('carol')
    const { stdout } = await run('user', 'password', 'carol', '--generate')
    const [, password = ''] = /\npassword {2}(\S{20})\n$/.exec(stdout) ?? []
    expect(await site.call('GET', '/api/me', { token: old })).toMatchObject({ code: 401 })
    const token = await tokenOf('carol', password)
    await json('user', 'disable', 'carol')
    expect(await site.call('GET', '/api/me', { token })).toMatchObject({ code: 401 })
    await json('user', 'enable', 'carol')
    expect(await site.signIn('carol', password)).toMatchObject({ code: 200 })
  })

  test('password lists everything that still works, as the pages do', async () => {
    const token = await addUser('listed')
    await site.call('POST', '/api/me/sshkey/add', { token, body: { title: 'mine', key: ED1 } })
    const app = { name: 'rclone', scopes: ['files:read'] }
    await site.call('POST', '/api/me/tokens/create', { token, body: app })
    const channel = { kind: 'ntfy', address: 'https://203.0.114.1/topic', topics: ['password'] }
    await site.call('POST', '/api/me/notices/save', { token, body: channel })
    for (const statement of [
      `insert into passkeys (credential_id, user_id, public_key, algorithm, sign_count, backed_up, transports, aaguid, rp_id, name, created_at)
       select 'AAAA', id, '', -7, 0, 0, '', '${'0'.repeat(32)}', 'localhost', 'phone', 1 from users where username = 'listed'`,
      `insert into identities (issuer, subject, user_id, platform, name, linked_at, linked_by)
       select 'https://id.example.org', 'sub-1', id, 'OIDC', 'alice@example.org', 1, 'user' from users where username = 'listed'`,
    ])
      clone.sql(statement)
    const { stdout, stderr } = await run('user', 'password', 'listed', '--generate')
    expect(stderr).toBe(`
This still works. Delete what the user does not recognise.

Passkeys (npm run latchkey -- passkey delete listed ID):

Linked accounts (npm run latchkey -- identity delete listed SUBJECT):

App passwords (npm run latchkey -- token delete listed ID):

Channel for notices (only the user can delete it):

SSH keys (npm run latchkey -- key delete listed ID):
`)
    const rows = [
      /\nAAAA +phone +1970/,
      /\nsub-1 +alice@example.org +OIDC +1970/,
      /\n\d+ +rclone +files:read +20/,
      /\nntfy +203.0.114.1 +20/,
      /\n\d+ +mine +SHA256:\S{43} +20/,
    ]
    for (const row of rows) expect(stdout).toMatch(row)
    expect(await json('user', 'password', 'listed', '--generate')).toEqual({
      id: expect.any(Number),
      username: 'listed',
      deleted_keys: 0,
      passkeys: ['AAAA'],
      linked_accounts: ['OIDC: alice@example.org'],
      addresses: [],
      app_passwords: [expect.stringMatching(/^\d+$/)],
      channels: ['ntfy: 203.0.114.1'],
      keys: [expect.stringMatching(/^\d+$/)],
      password: expect.stringMatching(/^\S{20}$/),
    })
  })

  test('password shows the SSH keys that go on working, and deletes them when told to', async () => {
    const token = await addUser('stolen')
    const add = (title: string, key: string, as = token) =>
      site.call('POST', '/api/me/sshkey/add', { token: as, body: { title, key } })
    await add('mine', ED1)
    await add('of the thief', ED2)
    const shown = await run('user', 'password', 'stolen', '--generate')
    expect(shown.stdout).toMatch(/\npassword {2}\S{20}\n/)
    expect(shown.stdout).toMatch(
      /\n\d+ +mine +SHA256:\S{43} +\S+\n\d+ +of the thief +SHA256:\S{43} /,
    )
    expect(shown.stderr).toMatch(
      /^\nThis still works[^\n]*\n\nSSH keys \(npm run latchkey -- key delete stolen ID\):\n$/,
    )
    expect(await json('key', 'list', 'stolen')).toMatchObject({ total: 2 })
    const deleted = await json('user', 'password', 'stolen', '--generate', '--delete-keys')
    expect(deleted).toMatchObject({ username: 'stolen', deleted_keys: 2, keys: [] })
    expect(await json('key', 'list', 'stolen')).toMatchObject({ total: 0 })
  })

  test.skipIf(hasNoTerminal)('password asks on a terminal whether to delete them', async () => {
    const token = await addUser('asked')
    const body = { title: 'mine', key: ED1 }
    await site.call('POST', '/api/me/sshkey/add', { token, body })
    const command = ['user', 'password', 'asked', '--generate']
    const kept = await clone.typed(command, [['Delete 1 SSH key? [y/N]', 'n']])
    expect([kept.code, kept.stdout]).toEqual([0, expect.stringContaining('Set a new password')])
    expect(await json('key', 'list', 'asked')).toMatchObject({ total: 1 })
    const deleted = await clone.typed(command, [['Delete 1 SSH key? [y/N]', 'y']])
    expect(deleted.stdout).toContain('Deleted 1 SSH key of asked.')
    expect(await json('key', 'list', 'asked')).toMatchObject({ total: 0 })
  })

  test('unlock lets in who has failed too often', async () => {
    await addUser('locked')
    for (let i = 0; i < 5; i++) await site.signIn('locked', 'wrong-Passw0rd')
    expect(await site.signIn('locked', PASSWORD)).toMatchObject({ code: 429 })
    const until = expect.stringMatching(/^\d{4}-/)
    const locked = [{ kind: 'pair', network: '127.0.0.1', until }]
    expect(await json('user', 'list', '--locked')).toMatchObject({
      content: [{ username: 'locked', locked }],
    })
    expect(await json('user', 'show', 'locked')).toMatchObject({ locked })
    expect((await run('user', 'unlock', 'locked')).stdout).toBe('Unlocked locked.\n')
    expect(await json('user', 'list', '--locked')).toMatchObject({ content: [], total: 0 })
    expect(await site.signIn('locked', PASSWORD)).toMatchObject({ code: 200 })
  })

  test('of two admins who are demoted at once, one stays', async () => {
    await addUser('second')
    await json('user', 'set', 'second', '--role', 'admin')
    const [one, other] = await Promise.all([demote('admin'), demote('second')])
    expect(new Set([one?.code, other?.code])).toEqual(new Set([0, 1]))
    // Whoever stays an admin: for the other tests it has to be this one.
    await run('user', 'set', 'admin', '--role', 'admin')
    await run('user', 'set', 'second', '--role', 'general')
  })

  test.skipIf(hasNoTerminal)('delete asks first', async () => {
    await addUser('temporary')
    const command = ['user', 'delete', 'temporary']
    const kept = await clone.typed(command, [['[y/N]', 'n']])
    expect([kept.code, kept.stdout]).toEqual([1, expect.stringContaining('Nothing was changed.')])
    const deleted = await clone.typed(command, [['[y/N]', 'y']])
    expect([deleted.code, deleted.stdout]).toEqual([
      0,
      expect.stringContaining('Deleted temporary'),
    ])
    expect(await site.signIn('temporary', PASSWORD)).toMatchObject({ code: 401 })
  })

  test.skipIf(hasNoTerminal)(
    'a password that is typed is asked twice and never shown',
    async () => {
      await addUser('typist')
      const set = await typePassword('typed-Passw0rd', 'typed-Passw0rd')
      expect([set.code, set.stdout]).toEqual([0, expect.stringContaining('Set a new password')])
      expect(set.stdout).not.toContain('typed-')
      expect(await site.signIn('typist', 'typed-Passw0rd')).toMatchObject({ code: 200 })
      const differs = await typePassword('typed-Passw0rd-2', 'typed-Passw0rd-3')
      expect([differs.code, differs.stdout]).toEqual([
        1,
        expect.stringContaining('passwords differ'),
      ])
      expect(differs.stdout).not.toContain('typed-')
    },
  )
})

describe('what users hold', () => {
  test('2fa cancel lets in who has lost the phone', async () => {
    const token = await addUser('phoneless')
    const { data } = await site.call('POST', '/api/auth/2fa/generate', { token })
    const body = { secret: data.secret, code: phoneCode(data.secret) }
    await site.call('POST', '/api/auth/2fa/verify', { token, body })
    expect(await site.signIn('phoneless', PASSWORD)).toMatchObject({ code: 402 })
    expect((await run('2fa', 'cancel', 'phoneless')).stdout).toMatch(
      /^Switched two-step verification/,
    )
    expect(await site.signIn('phoneless', PASSWORD)).toMatchObject({ code: 200 })
    expect(await run('2fa', 'cancel', 'phoneless')).toEqual(refused(/is off: nothing was changed/))
  })

  test('session list and end list the sessions of users, and sign them out', async () => {
    const token = await addUser('traveller')
    const other = await tokenOf('traveller', PASSWORD)
    const { content, total } = await json('session', 'list', 'traveller')
    const { data } = await site.call('GET', '/api/me/sessions', { token })
    const own = data.content.find(({ current }: { current: boolean }) => current)
    expect(total).toBe(2)
    const { current: _, ...session } = own
    expect(content).toContainEqual(session)
    const end = () => run('session', 'end', 'traveller', '--session', own.id)
    expect((await end()).stdout).toBe('Ended 1 session of traveller.\n')
    expect(await site.call('GET', '/api/me', { token })).toMatchObject({ code: 401 })
    expect(await end()).toEqual(refused('no such session'))
    expect(await json('session', 'end', 'traveller', '--all')).toMatchObject({ ended: 1 })
    expect(await site.call('GET', '/api/me', { token: other })).toMatchObject({ code: 401 })
  })

  test('key list and delete', async () => {
    const token = await addUser('holder')
    await site.call('POST', '/api/me/sshkey/add', { token, body: { title: 'laptop', key: ED1 } })
    const { data } = await site.call('GET', '/api/me/sshkey/list', { token })
    expect(await json('key', 'list', 'holder')).toEqual(data)
    const { id } = data.content[0]
    expect(await run('key', 'delete', 'admin', `${id}`)).toEqual(
      refused(`admin has no key ${id}, see: npm run latchkey -- key list admin`),
    )
    expect((await run('key', 'delete', 'holder', `${id}`)).stdout).toMatch(/^Deleted key /)
    expect((await site.call('GET', '/api/me/sshkey/list', { token })).data.total).toBe(0)
  })
})

describe('key add', () => {
  test('gives a user the key in a file or from the standard input, with an event', async () => {
    const token = await addUser('keyless')
    writeFileSync(clone.path('laptop.pub'), `# mine\n${ED1}\n`)
    const [, , comment = ''] = ED1.split(' ')
    const added = await run('key', 'add', 'keyless', 'laptop.pub')
    expect(added).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Added ".+" to keyless: SHA256:\S{43}\n$/),
      stderr: '',
    })
    expect(added.stdout).toContain(`"${comment}"`)
    const fromInput = await clone.command(['key', 'add', '--title', 'phone', 'keyless', '-'], ED2)
    expect(fromInput).toMatchObject({ code: 0, stderr: '' })
    const { data } = await site.call('GET', '/api/me/sshkey/list', { token })
    expect(data.content.map(({ title }: { title: string }) => title)).toEqual([comment, 'phone'])
    const { content } = await json('event', 'list', '--user', 'keyless', '--kind', 'key_added')
    expect(content).toMatchObject([
      { what: 'phone', by: 'command line' },
      { what: comment, by: 'command line' },
    ])
  })

  test('says why a key is refused, and adds nothing', async () => {
    await addUser('strict')
    writeFileSync(clone.path('one.pub'), ED1)
    writeFileSync(clone.path('bare.pub'), ED2.split(' ').slice(0, 2).join(' '))
    writeFileSync(clone.path('private'), '-----BEGIN OPENSSH PRIVATE KEY-----\n')
    expect((await run('key', 'add', 'strict', 'one.pub')).code).toBe(0)
    // Without a comment, the name of the file is the title.
    expect(await json('key', 'add', 'strict', 'bare.pub')).toMatchObject({ title: 'bare.pub' })
    const refusals: [args: string[], reason: string | RegExp][] = [
      [['strict', 'one.pub', '--title', 'x'], /^key already exists as "/],
      [['strict', 'one.pub', '--title', 'bare.pub'], 'key with the same title already exists'],
      [['strict', 'private'], /^provided key invalid: this is a private key/],
      [['strict', 'none.pub'], /^Can't read none.pub \(ENOENT\)/],
      [['strcit', 'one.pub'], 'There is no user "strcit": did you mean "strict"?'],
      [['guest', 'one.pub'], 'Guest user can not manage SSH keys'],
    ]
    for (const [args, reason] of refusals)
      expect(await run('key', 'add', ...args)).toEqual(refused(reason))
    expect(await clone.command(['key', 'add', 'strict', '-'], 'hello')).toEqual(
      refused('provided key invalid: it must begin with its type, such as ssh-ed25519'),
    )
    expect(await json('key', 'list', 'strict')).toMatchObject({ total: 2 })
  })
})

describe('the site', () => {
  test('setting set, get, list and reset', async () => {
    await run('setting', 'reset', '--all')
    expect((await run('setting', 'set', 'site_title', 'My files')).stdout).toBe('Set site_title.\n')
    const stdin = ['setting', 'set', 'robots_txt', '--stdin']
    await clone.command(stdin, 'User-agent: *\nDisallow: /\n')
    const { content } = await json('setting', 'list', '--changed')
    expect(content).toMatchObject([
      { key: 'site_title', value: 'My files', default: 'Latchkey', changed: true },
      { key: 'robots_txt', value: 'User-agent: *\nDisallow: /' },
    ])
    expect((await run('setting', 'get', 'site_title')).stdout).toBe('My files\n')
    expect(await run('setting', 'get', 'site_titel')).toEqual(
      refused('There is no setting "site_titel": did you mean "site_title"?'),
    )
    expect(await run('setting', 'set', 'main_color', 'reddish')).toEqual(refused(/^main_color /))
    const { changed } = await json('setting', 'reset', '--all')
    expect(changed.toSorted()).toEqual(['robots_txt', 'site_title'])
  })

  test('setting import takes what export prints, all of it or nothing', async () => {
    const settings = { main_color: '#123456', site_title: 'Taken' }
    await run('setting', 'reset', '--all')
    expect(await load({ ...settings, main_color: 'no' })).toEqual(refused(/^main_color /))
    expect(await load({ site_title: 7 })).toEqual(
      refused(
        'This is not a file of settings: "site_title" must be a text in quotes. Nothing was changed.',
      ),
    )
    expect((await run('setting', 'export')).stdout).toBe('{}\n')
    expect((await load(settings)).code).toBe(0)
    const changed = await run('setting', 'export')
    const all = await run('setting', 'export', '--all')
    expect(JSON.parse(changed.stdout)).toEqual(settings)
    const exported = SETTINGS.filter(({ isReadOnly, isSecret }) => !isReadOnly && !isSecret)
    expect(Object.keys(JSON.parse(all.stdout)).toSorted()).toEqual(
      exported.map(({ key }) => key).toSorted(),
    )
    expect((await load(JSON.parse(all.stdout))).stdout).toBe(
      'Nothing changed: every setting already has this value.\n',
    )
  })

  test('service-token add, list and delete', async () => {
    const added = await run('service-token', 'add', 'files')
    expect(added).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^latchkey_[\w-]{43}\n$/),
      stderr: '',
    })
    const listed = await run('service-token', 'list')
    expect(listed.stdout).toMatch(/\nfiles +sftp:keys sftp:passwords +\d{4}-/)
    expect(listed.stdout).not.toContain(added.stdout.trim())
    expect(await run('service-token', 'add', 'files')).toEqual(refused(/delete it first\.\n$/))
    expect((await run('service-token', 'delete', 'files')).stdout).toBe(
      'Deleted the service token files.\n',
    )
    expect(await run('service-token', 'delete', 'files')).toEqual(refused(/^There is no service/))
  })

  test('service-token add gives the scopes that are asked for, and no others', async () => {
    await addServer('keys', 'sftp:keys')
    await addServer('passwords', 'sftp:passwords')
    await addServer('each', 'sftp:passwords', 'sftp:keys', 'sftp:keys')
    await addServer('both', 'sftp')
    const unknown = await addServer('unknown', 'root')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain(
      'must be one of sftp:keys, sftp:passwords, introspect, ldap, sftp',
    )
    const { content } = await json('service-token', 'list')
    expect(content.map(({ name, scope }: Record<string, string>) => `${name}: ${scope}`)).toEqual([
      'both: sftp:keys sftp:passwords',
      'each: sftp:keys sftp:passwords',
      'keys: sftp:keys',
      'passwords: sftp:passwords',
    ])
  })

  test('user add refuses two wishes for the password, and hints at a command to paste', async () => {
    expect(await run('user', 'add', 'bare', '--generate', '--without-password')).toMatchObject({
      code: 2,
      stderr: 'Use either --without-password or --generate, not both.\n',
    })
    const { stdout } = await run('user', 'add', 'bare', '--without-password')
    const [, hint = ''] = /: npm run latchkey -- (.*)\n$/.exec(stdout) ?? []
    expect(hint).toBe('user set bare --permission +sftp-read')
    expect(await run(...hint.split(' '))).toMatchObject({ code: 0 })
  })

  test('event list and event export find a deleted user by id and by name', async () => {
    const { id } = await json('user', 'add', 'leaver', '--generate')
    await run('user', 'delete', 'leaver', '--yes')
    for (const user of [`#${id}`, 'leaver']) {
      const { content } = await json('event', 'list', '--user', user)
      expect(content.map(({ kind }: Record<string, string>) => kind)).toEqual([
        'user_deleted',
        'user_made',
      ])
      const { stdout } = await run('event', 'export', '--user', user)
      expect(stdout.trim().split('\n')).toHaveLength(2)
    }
    expect(await run('event', 'list', '--user', 'leavre')).toMatchObject({ code: 1 })
  })

  test('event list tells what commands and users did, by user, kind and time', async () => {
    await run('user', 'add', 'newcomer', '--generate')
    await site.signIn('newcomer', 'wrong-Passw0rd')
    const own = await json('event', 'list', '--user', 'newcomer')
    const made = await json('event', 'list', '--kind', 'user_made', '--since', '1h', '--limit', '1')
    const never = await run('event', 'list', '--since', '2999-01-01')
    const kinds = own.content.map(({ kind, network }: Record<string, string>) => [kind, network])
    expect(kinds).toEqual([
      ['sign_in_refused', '127.0.0.1'],
      ['user_made', 'command line'],
    ])
    expect(own.more).toBe(false)
    expect(made.content).toMatchObject([{ user: 'newcomer', kind: 'user_made' }])
    expect(never).toEqual({ code: 0, stdout: '', stderr: 'No events found.\n' })
  })

  test('event list tells what changed of a user, from what to what, and who did it', async () => {
    await run('user', 'add', 'riser', '--generate')
    await run('user', 'set', 'riser', '--role', 'admin', '--permission', '+sftp-read')
    const { stdout } = await run('event', 'list', '--user', 'riser')
    expect(stdout).toMatch(/ role_changed +riser +command line +role general → admin /)
    expect(stdout).toMatch(/ user_changed +riser +command line +permission none → sftp-read /)
    const role = await json('event', 'list', '--user', 'riser', '--kind', 'role_changed')
    expect(role.content).toMatchObject([
      {
        actor: { id: null, username: null, command_line: true },
        changes: [{ field: 'role', from: 0, to: 2 }],
        by: 'command line',
      },
    ])
  })
})
