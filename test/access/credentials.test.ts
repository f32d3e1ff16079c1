import { eq, getTableColumns, getTableName, inArray, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import * as tables from '../../schema/tables.ts'
import { BY_COMMAND, LISTED_METHODS } from '../../src/core/access/sign-in-methods.ts'
import { APP_PASSWORD_SCOPES, type AppPasswordScope } from '../../src/core/access/scopes.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { verifyToken } from '../../src/core/access/token.ts'
import { MAX_PERMISSION } from '../../src/core/accounts/roles.ts'
import { changeUser } from '../../src/capabilities/users/manage-users.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { BROWSER, FakeProviders, ISSUER as PROVIDER } from '../support/identity-provider.ts'
import { rememberSecret } from '../support/log.ts'
import { FILES_BINDINGS, FILES_ORIGIN, OpenListStandIn } from '../support/openlist-stand-in.ts'
import {
  codeFor,
  exchangeCode,
  FORM,
  PASSWORD,
  refreshWith,
  register,
  requestPath,
  userInfo,
} from '../support/openid.ts'
import { newKey } from '../support/new-key.ts'
import { PasskeySite } from '../support/passkey-user.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'
import { Visitor } from '../support/visitor.ts'

/**
 * What can become of an account after its credentials were made, in the way in which it happens. A
 * column of `users` that decides who gets in belongs to one of these (`STATE_OF_COLUMN`).
 */
const STATES = {
  nothing: async () => undefined,
  disabled: (world) => update(world, { disabled: true }),
  'disabled and enabled again': async (world) => {
    await update(world, { disabled: true })
    await update(world, { disabled: false })
  },
  // What an import or a restored backup may leave: nothing was ended.
  'disabled in the database': async ({ site, ids }) => {
    await site.db.update(tables.users).set({ disabled: true }).where(inArray(tables.users.id, ids))
  },
  // At the very millisecond, and for admins as well, who should have none.
  ended: async ({ site, ids }) => {
    await site.db
      .update(tables.users)
      .set({ endsAt: site.now })
      .where(inArray(tables.users.id, ids))
  },
  'an end that is to come': async ({ site, ids }) => {
    await site.db
      .update(tables.users)
      .set({ endsAt: site.now + HOUR })
      .where(inArray(tables.users.id, ids))
  },
  deleted: async ({ site, admin, ids }) => {
    for (const id of ids)
      await succeed(site.post(`/api/admin/user/delete?id=${id}`, undefined, { token: admin }))
  },
  'a second factor is demanded': (world) => demandFactor(world),
  'a second factor is demanded that the user has but did not show': async (world) => {
    const { site, ids } = world
    for (const userId of ids) await addPasskeyRow(site, userId)
    await demandFactor(world)
  },
  // The interface of OpenList changes no role; the pages and the command line do.
  'no admin any more': ({ site, chief }) => changeUser(site.deps, COMMAND_LINE, chief, { role: 0 }),
  'no permission any more': (world) => update(world, { permission: 0 }),
  'another name': async ({ site, admin, ids }) => {
    for (const id of ids)
      await succeed(
        site.post('/api/admin/user/update', { id, username: `new-${id}` }, { token: admin }),
      )
  },
  'another password': (world) => update(world, { password: 'Another-Passw0rd' }),
  'no single sign-on any more': async ({ site, admin }) => {
    await succeed(
      site.post('/api/admin/setting/save', [{ key: 'sso_login_enabled', value: 'false' }], {
        token: admin,
      }),
    )
  },
} as const satisfies Record<string, (world: World) => Promise<unknown>>
type State = keyof typeof STATES

/** Where nobody gets in who is told to go. */
const GONE = [
  'disabled',
  'disabled in the database',
  'ended',
  'deleted',
] as const satisfies readonly State[]
/** What has ended stays so. */
const ENDED = [...GONE, 'disabled and enabled again'] as const satisfies readonly State[]
const UNSHOWN = [
  'a second factor is demanded',
  'a second factor is demanded that the user has but did not show',
] as const satisfies readonly State[]
const SESSION_ENDS: State[] = [...ENDED, 'another password']
/** A credential at a door: how it is shown, and the states in which it lets nobody in. */
interface Row {
  enter: (world: World) => Promise<boolean>
  out: readonly State[] | 'always'
}

interface World {
  site: PasskeySite
  /** Of an admin who stays as they are. */
  admin: string
  /** Alice has a password, carol a second factor as well, and the chief is an admin. */
  ids: number[]
  alice: number
  chief: number
  service: string
  sessions: Record<string, string>
  /** Alice's, and the chief's of the scope `admin`, by scope and by what they were made with. */
  appPasswords: Record<string, Partial<Record<AppPasswordScope, string>>>
  /** Alice's SSH keys, by what they were made with. */
  keys: Record<string, string>
  chiefSession: string
  program: Awaited<ReturnType<typeof programOf>>
  carol: Awaited<ReturnType<typeof carolOf>>
  providers: FakeProviders
}

const succeed = async (answer: ReturnType<PasskeySite['post']>) => {
  const { code, message, data } = await answer
  if (code !== 200) throw new Error(message)
  return data
}

async function update({ site, admin, ids }: World, change: Record<string, unknown>) {
  for (const id of ids)
    await succeed(site.post('/api/admin/user/update', { id, ...change }, { token: admin }))
}

function demandFactor({ site, admin }: World) {
  const demand = [{ key: 'require_second_factor', value: 'everybody' }]
  return succeed(site.post('/api/admin/setting/save', demand, { token: admin }))
}

function addPasskeyRow(site: PasskeySite, userId: number) {
  const key = { publicKey: '', algorithm: -7, signCount: 0, backedUp: false, transports: '' }
  const names = { credentialId: `of-${userId}`, aaguid: '', rpId: 'localhost', name: 'key' }
  return site.db.insert(tables.passkeys).values({ ...key, ...names, userId, createdAt: site.now })
}

const PERSON = { sub: '4711', name: 'Alice Doe' }

const fakeProviders = new FakeProviders(() => Math.floor(oneSite.now / 1000))
let openlist = new OpenListStandIn()
const sendOut: typeof fakeProviders.fetch = (url, ...rest) =>
  url.startsWith(FILES_ORIGIN) ? openlist.send(url, ...rest) : fakeProviders.fetch(url, ...rest)
const oneSite: PasskeySite = new PasskeySite({ sendOut }, FILES_BINDINGS)

/** What the first test has made, and what the rows of the table change of it. */
let made: { world: World; cookies: [string, string][]; counter: number } | undefined

const fill = prepared(async () => {
  const world = await makeWorld()
  const { pending, passkey } = world.carol
  made = { world, cookies: [...pending.cookies], counter: passkey.counter }
})

/**
 * Puts the site and its credentials back to what the first test has made; the site remembers
 * nothing.
 */
async function restoreWorld(): Promise<World> {
  openlist = new OpenListStandIn()
  await fill(oneSite)
  if (made === undefined) throw new Error('nothing was made')
  const { world, cookies, counter } = made
  oneSite.deps.isolateMemory = {}
  world.carol.pending.cookies.clear()
  for (const [name, value] of cookies) world.carol.pending.cookies.set(name, value)
  world.carol.passkey.counter = counter
  return world
}

/** Makes every credential, and sets the clock on, so that one-time codes can be used again. */
async function makeWorld(): Promise<World> {
  const site = oneSite
  await site.addFirstUsers()
  await site.switchOn()
  const on = { sso_login_enabled: 'true', sso_login_platform: 'OIDC', sso_client_id: CLIENT_ID }
  const provider = { ...on, sso_client_secret: CLIENT_SECRET, sso_endpoint_name: PROVIDER }
  const rows = Object.entries(provider).map(([key, value]) => ({ key, value }))
  const permission = MAX_PERMISSION
  const [alice, carolId, chief] = await Promise.all([
    site.addUser('alice', { password: PASSWORD, permission }),
    site.addUser('carol', { password: PASSWORD, permission }),
    site.addUser('chief', { password: PASSWORD, permission, role: 2 }),
  ])
  const carol = await carolOf(site)
  // Other sessions of a user end with the second factor on, so this stands before them.
  const admin = await site.token('admin', ADMIN_PASSWORD)
  const adminSecret = await site.enrol(admin)
  rememberSecret(adminSecret)
  await succeed(site.post('/api/admin/setting/save', rows, { token: admin }))
  const token = await site.token('alice', PASSWORD)
  const identity = { issuer: PROVIDER, subject: PERSON.sub, platform: 'OIDC', name: PERSON.name }
  const linked = { userId: alice, linkedBy: 'user', linkedAt: site.now }
  await site.db.insert(tables.identities).values({ ...identity, ...linked })
  const sessions: World['sessions'] = {}
  for (const method of LISTED_METHODS) {
    const session = await site.token('alice', PASSWORD)
    const { sessionId } = await verifyToken(await site.deps.keyRing(), session, site.now)
    const { id } = tables.sessions
    await site.db.update(tables.sessions).set({ amr: method }).where(eq(id, sessionId))
    sessions[method] = session
  }
  const appPasswords: World['appPasswords'] = {}
  const keys: World['keys'] = {}
  for (const amr of MADE_WITH) {
    const ofThese: World['appPasswords'][string] = {}
    const scopes = OTHER_METHODS.includes(amr) ? [ONE_SCOPE] : APP_PASSWORD_SCOPES
    for (const scope of scopes) {
      const owner = scope === 'admin' ? chief : alice
      const name = `${scope} ${amr}`
      ofThese[scope] = (await addAppPassword(site, owner, [scope], { name, amr })).token
    }
    appPasswords[amr] = ofThese
    const { line } = newKey()
    const title = `made with ${amr}`
    await succeed(site.post('/api/me/sshkey/add', { title, key: line }, { token }))
    await site.db.update(tables.sshKeys).set({ amr }).where(eq(tables.sshKeys.title, title))
    keys[amr] = line.split(' ', 2).join(' ')
  }
  const service = (await addServiceToken(site.deps, 'files', 'sftp', 'introspect', 'ldap')) ?? ''
  rememberSecret(service)
  return {
    site,
    admin,
    ids: [alice, carolId, chief],
    alice,
    chief,
    service,
    sessions,
    appPasswords,
    keys,
    chiefSession: await site.token('chief', PASSWORD),
    program: await programOf(site, token),
    carol,
    providers: fakeProviders,
  }
}

/** Carol's second factors, and a sign-in of hers that waits for a code. */
async function carolOf(site: PasskeySite) {
  const token = await site.token('carol', PASSWORD)
  const secret = await site.enrol(token)
  const passkey = await site.passkeyOf(token)
  site.now += MINUTE
  const pending = new Visitor(site)
  await pending.post('/account/sign-in', { username: 'carol', password: PASSWORD })
  const recoveryCode = await firstRecoveryCode(site, token, secret)
  site.now += MINUTE
  return { secret, passkey, pending, recoveryCode }
}

async function firstRecoveryCode(site: PasskeySite, token: string, secret: string) {
  const code = { otp_code: site.code(secret) }
  const { recovery_codes } = await succeed(
    site.post('/api/auth/2fa/recovery_codes', code, { token }),
  )
  return String(recovery_codes[0])
}

/** What a program has of alice: a code that it has not used, and tokens. */
async function programOf(site: PasskeySite, token: string) {
  const client = await register(site, { name: 'files' })
  const visitor = new Visitor(site)
  visitor.cookies.set('session', token)
  const offline = { scope: 'openid offline_access' }
  const tokens = await exchangeCode(site, client, await codeFor(visitor, client, offline))
  return { client, code: await codeFor(visitor, client), ...tokens }
}

async function isServed({ site }: World, path: string, token: string) {
  return (await site.get(path, { token })).code === 200
}

async function opensPage({ site }: World, path: string, token: string) {
  const visitor = new Visitor(site)
  visitor.cookies.set('session', token)
  return (await visitor.get(path)).status === 200
}

async function isActive({ site, service }: World, token: string) {
  const body = new URLSearchParams({ token }).toString()
  const headers = { ...FORM, Authorization: `Bearer ${service}` }
  const answer = await site.fetch('POST', '/oauth/introspect', { body, headers })
  const { active } = await answer.json<{ active: boolean }>()
  return active
}

async function passesProxy({ site }: World, token: string, method = 'GET') {
  const headers = { 'X-Forwarded-Method': method }
  return (await site.fetch('GET', '/api/forward_auth', { token, headers })).status === 200
}

async function listsFiles({ site }: World, token: string) {
  return (await site.post('/api/fs/list', { path: '/' }, { token })).code === 200
}

async function opensDav({ site }: World, password: string, method = 'PROPFIND') {
  const headers = { Authorization: `Basic ${btoa(`alice:${password}`)}` }
  return (await site.fetch(method, '/dav/x', { headers })).status === 207
}

async function getsCode({ site, program }: World, token: string) {
  const visitor = new Visitor(site)
  visitor.cookies.set('session', token)
  const { location } = await visitor.get(requestPath(program.client, { prompt: 'none' }))
  return location?.includes('code=') === true
}

async function passesSftpgo({ site, service }: World, attempt: Record<string, string>) {
  const body = { username: 'alice', protocol: 'SSH', ip: '192.0.2.1', ...attempt }
  const headers = { Authorization: `Bearer ${service}` }
  const answer = await site.fetch('POST', '/api/sftp/external_auth', { body, headers })
  const { username } = await answer.json<{ username: string }>()
  return username === 'alice'
}

async function binds({ site, service }: World, attempt: { password: string; username?: string }) {
  const body = { username: 'alice', scope: 'files:read', ...attempt }
  const answer = await site.fetch('POST', '/api/ldap/bind', { body, token: `Bearer ${service}` })
  const { ok } = await answer.json<{ ok: boolean }>()
  return ok
}

/** Tells whether a sign-in begins a session that serves for more than to confirm it. */
async function signsIn(world: World, answer: ReturnType<PasskeySite['login']>) {
  const { data } = await answer
  return data !== null && isServed(world, '/api/me/sshkey/list', data.token)
}

/** The methods that count as a second factor. */
const SHOWN = ['otp', 'recovery', 'passkey', 'mfa']

/** With what app passwords and SSH keys are made: the methods of a session, a command, or unknown. */
const MADE_WITH = [...LISTED_METHODS, BY_COMMAND, '']
/** The scope that stands for the others where only what they were made with matters. */
const ONE_SCOPE = 'files:write' as const satisfies AppPasswordScope
const OTHER_METHODS = MADE_WITH.filter((amr) => amr !== 'pwd' && amr !== 'otp')

/** What rests on a password alone opens nothing while a second factor is demanded. */
const unlessShown = (amr: string): readonly State[] =>
  [...SHOWN, BY_COMMAND].includes(amr) ? [] : UNSHOWN

/** A session that began with a method, at each of its doors. */
function rowsOfSession(method: string): [string, Row][] {
  const out = SHOWN.includes(method) ? SESSION_ENDS : [...SESSION_ENDS, ...UNSHOWN]
  const at = (
    door: string,
    open: (world: World, token: string) => Promise<boolean>,
    more: State[] = [],
  ) =>
    [
      `session (${method}) at ${door}`,
      {
        enter: (world: World) => open(world, world.sessions[method] ?? ''),
        out: [...out, ...more],
      },
    ] satisfies [string, Row]
  return [
    at('the interface', (world, token) => isServed(world, '/api/me/sshkey/list', token)),
    at('the pages', (world, token) => opensPage(world, '/account/keys', token)),
    at('introspection', isActive),
    at('forward auth', passesProxy, ['no permission any more']),
    at('the file server', listsFiles),
    at('a program, without a question', getsCode),
  ]
}

/** The doors that a scope opens. */
const DOORS_OF_SCOPE: Record<AppPasswordScope, string[]> = {
  'files:read': ['forward auth', 'the file server', 'WebDAV', 'SFTPGo', 'LDAP'],
  'files:write': [
    'forward auth',
    'forward auth, to write',
    'the file server',
    'WebDAV',
    'WebDAV, to write',
    'SFTPGo',
    'LDAP',
  ],
  'account:read': ['the interface'],
  'account:write': ['the interface, to write'],
  admin: ['the interface for operators', 'the settings'],
}

/**
 * An app password of one scope that was made with a method, at each door, whether the scope opens
 * it or not.
 */
function rowsOfAppPassword(scope: AppPasswordScope, amr: string): [string, Row][] {
  const about = `app password (${scope}, made with ${amr})`
  const ends: State[] = [...ENDED, ...unlessShown(amr)]
  const shown = (world: World) => world.appPasswords[amr]?.[scope] ?? ''
  const at = (
    door: string,
    open: (world: World, token: string) => Promise<boolean>,
    more: State[] = [],
  ) => {
    const out = DOORS_OF_SCOPE[scope].includes(door) ? [...ends, ...more] : 'always'
    return [`${about} at ${door}`, { enter: (world) => open(world, shown(world)), out }] satisfies [
      string,
      Row,
    ]
  }
  const ofAdmin: State[] = scope === 'admin' ? ['no admin any more'] : []
  const files: State[] = ['no permission any more']
  return [
    at('the interface', (world, token) => isServed(world, '/api/me/sshkey/list', token)),
    at(
      'the interface, to write',
      async ({ site }, token) =>
        // Of an unknown key: who may write is told so.
        (await site.post('/api/me/sshkey/delete?id=0', undefined, { token })).code === 404,
    ),
    at(
      'the interface for operators',
      (world, token) => isServed(world, '/api/admin/user/list', token),
      ofAdmin,
    ),
    at(
      'the settings',
      async ({ site }, token) =>
        (await site.post('/api/admin/setting/save', [], { token })).code === 200,
      ofAdmin,
    ),
    at('forward auth', passesProxy, files),
    at('forward auth, to write', (world, token) => passesProxy(world, token, 'PUT'), files),
    // What the permissions allow there, the file server decides.
    at('the file server', listsFiles),
    at('WebDAV', opensDav, ['another name']),
    at('WebDAV, to write', (world, token) => opensDav(world, token, 'MKCOL'), ['another name']),
    at('SFTPGo', (world, password) => passesSftpgo(world, { password }), [
      ...files,
      'another name',
    ]),
    // Who may do what with files is a matter of groups there.
    at('LDAP', (world, password) => binds(world, { password }), ['another name']),
    [
      `${about} at introspection`,
      { enter: (world) => isActive(world, shown(world)), out: [...ends, ...ofAdmin] },
    ],
    [
      `${about} at the pages`,
      { enter: (world) => opensPage(world, '/account/keys', shown(world)), out: 'always' },
    ],
  ]
}

const linesOfSshd = async ({ site, service }: World) => {
  const path = '/api/sftp/authorized_keys?username=alice'
  return (await site.fetch('GET', path, { token: `Bearer ${service}` })).text()
}

/** An SSH key that was made with a method, at each door. */
function rowsOfKey(amr: string): [string, Row][] {
  const out: State[] = [...GONE, ...unlessShown(amr), 'no permission any more', 'another name']
  const shown = (world: World) => world.keys[amr] ?? ''
  return [
    [
      `SSH key (made with ${amr}) at sshd`,
      { enter: async (world) => (await linesOfSshd(world)).includes(shown(world)), out },
    ],
    [
      `SSH key (made with ${amr}) at SFTPGo`,
      { enter: (world) => passesSftpgo(world, { public_key: shown(world) }), out },
    ],
  ]
}

/** Every credential at every door, and when it lets nobody in. */
const ROWS: Record<string, Row> = {
  ...Object.fromEntries(LISTED_METHODS.flatMap(rowsOfSession)),
  ...Object.fromEntries(APP_PASSWORD_SCOPES.flatMap((scope) => rowsOfAppPassword(scope, 'otp'))),
  ...Object.fromEntries(
    APP_PASSWORD_SCOPES.flatMap((scope) => rowsOfAppPassword(scope, 'pwd')).filter(
      ([, { out }]) => out !== 'always',
    ),
  ),
  ...Object.fromEntries(
    OTHER_METHODS.flatMap((amr) =>
      rowsOfAppPassword(ONE_SCOPE, amr).filter(([name]) => /forward auth|introspection/.test(name)),
    ),
  ),
  ...Object.fromEntries(MADE_WITH.flatMap(rowsOfKey)),
  'session of an admin at the interface for operators': {
    enter: (world) => isServed(world, '/api/admin/user/list', world.chiefSession),
    out: [...SESSION_ENDS, ...UNSHOWN, 'no admin any more'],
  },
  'session of an admin at the pages for operators': {
    enter: (world) => opensPage(world, '/account/admin/users', world.chiefSession),
    out: [...SESSION_ENDS, ...UNSHOWN, 'no admin any more'],
  },
  'session of an admin at the management of the file server': {
    enter: (world) => isServed(world, '/api/admin/storage/list', world.chiefSession),
    out: [...SESSION_ENDS, ...UNSHOWN, 'no admin any more'],
  },
  'session at WebDAV': {
    enter: (world) => opensDav(world, world.sessions['pwd'] ?? ''),
    out: 'always',
  },
  'code of a program': {
    enter: async ({ site, program: { client, code } }) =>
      (await exchangeCode(site, client, code)).status === 200,
    out: [...SESSION_ENDS, ...UNSHOWN],
  },
  'access token at userinfo': {
    enter: async ({ site, program }) => (await userInfo(site, program.access_token)).status === 200,
    out: [...SESSION_ENDS, ...UNSHOWN],
  },
  'access token at introspection': {
    enter: (world) => isActive(world, world.program.access_token),
    out: [...SESSION_ENDS, ...UNSHOWN],
  },
  'access token at the interface': {
    enter: (world) => isServed(world, '/api/me/sshkey/list', world.program.access_token),
    out: 'always',
  },
  'refresh token': {
    enter: async ({ site, program: { client, refresh_token } }) =>
      (await refreshWith(site, client, refresh_token)).status === 200,
    out: [...SESSION_ENDS, ...UNSHOWN],
  },
  'ID token at the interface': {
    enter: (world) => isServed(world, '/api/me/sshkey/list', world.program.id_token),
    out: 'always',
  },
  'ID token at userinfo': {
    enter: async ({ site, program }) => (await userInfo(site, program.id_token)).status === 200,
    out: 'always',
  },
  'ID token at introspection': {
    enter: (world) => isActive(world, world.program.id_token),
    out: 'always',
  },
  'password at the interface': {
    enter: (world) => signsIn(world, world.site.login('alice', PASSWORD)),
    out: [...GONE, ...UNSHOWN, 'another name', 'another password'],
  },
  'password at the pages': {
    enter: async ({ site }) => {
      const visitor = new Visitor(site)
      await visitor.post('/account/sign-in', { username: 'alice', password: PASSWORD })
      return (await visitor.get('/account/keys')).status === 200
    },
    out: [...GONE, ...UNSHOWN, 'another name', 'another password'],
  },
  'password at WebDAV': {
    enter: (world) => opensDav(world, PASSWORD),
    out: 'always',
  },
  'access token at the file server': {
    enter: (world) => listsFiles(world, world.program.access_token),
    out: 'always',
  },
  'password at SFTPGo': {
    enter: (world) => passesSftpgo(world, { password: PASSWORD }),
    out: [...GONE, ...UNSHOWN, 'no permission any more', 'another name', 'another password'],
  },
  'password at LDAP': {
    enter: (world) => binds(world, { password: PASSWORD }),
    out: [...GONE, ...UNSHOWN, 'another name', 'another password'],
  },
  'password of a user with a code, alone, at LDAP': {
    enter: (world) => binds(world, { username: 'carol', password: PASSWORD }),
    out: 'always',
  },
  'password of a user with a code, alone': {
    enter: (world) => signsIn(world, world.site.login('carol', PASSWORD)),
    out: 'always',
  },
  'password and code': {
    enter: (world) => {
      const { site, carol } = world
      return signsIn(world, site.login('carol', PASSWORD, site.code(carol.secret)))
    },
    out: [...GONE, 'another name', 'another password'],
  },
  'password and recovery code': {
    enter: (world) => signsIn(world, world.site.login('carol', PASSWORD, world.carol.recoveryCode)),
    out: [...GONE, 'another name', 'another password'],
  },
  'sign-in that waits for a code': {
    enter: async ({ site, carol }) => {
      // The code of this time is that of another row.
      const code = site.code(carol.secret, 1)
      await carol.pending.post('/account/sign-in/code', { code })
      return (await carol.pending.get('/account/keys')).status === 200
    },
    out: [...GONE, 'another name', 'another password'],
  },
  passkey: {
    enter: (world) => signsIn(world, world.site.signInWith(world.carol.passkey)),
    out: GONE,
  },
  'identity at a provider': {
    enter: async ({ site, providers }) => {
      const visitor = new Visitor(site)
      const { location } = await visitor.get('/account/sign-in/sso', BROWSER)
      if (!location?.startsWith(PROVIDER)) return false
      await visitor.get(providers.signIn(location, PERSON), BROWSER)
      return (await visitor.get('/account/keys')).status === 200
    },
    out: [...GONE, ...UNSHOWN, 'no single sign-on any more'],
  },
  'service token': {
    enter: async ({ site, service }) => {
      const path = '/api/sftp/authorized_keys?username=nobody'
      return (await site.fetch('GET', path, { token: `Bearer ${service}` })).status === 200
    },
    out: [],
  },
}

// Signs in nine times for each state.
test.each(Object.entries(STATES))('what gets in after: %s', async (state, bring) => {
  const world = await restoreWorld()
  await bring(world)
  const entered: string[] = []
  for (const [name, { enter }] of Object.entries(ROWS)) if (await enter(world)) entered.push(name)
  const isIn = ({ out }: Row) => out !== 'always' && !out.some((closed) => closed === state)
  const expected = Object.entries(ROWS).filter(([, row]) => isIn(row))
  expect(entered).toEqual(expected.map(([name]) => name))
})

/** What becomes of an account when a column of `users` changes; null when it lets nobody in or out. */
const STATE_OF_COLUMN: Record<string, State | null> = {
  id: 'deleted',
  // What programs know the user as.
  sub: null,
  username: 'another name',
  // The name without differences of case; a sign-in compares `username`.
  usernameKey: null,
  passwordHash: 'another password',
  // Says why a session has ended, not whether.
  passwordChangedAt: null,
  role: 'no admin any more',
  permission: 'no permission any more',
  disabled: 'disabled',
  basePath: null,
  basePathKey: null,
  // A claim that nobody has confirmed; `identities` decides.
  ssoId: null,
  totpSeed: 'a second factor is demanded that the user has but did not show',
  totpStep: null,
  totpSession: null,
  createdAt: null,
  renamedAt: null,
  endsAt: 'ended',
  endToldFor: null,
  // Beside `disabled`.
  waiting: 'disabled',
  registeredNetwork: null,
  email: null,
  emailVerified: null,
  invitationId: null,
}

/**
 * The rows above that stand for a table which belongs to users; null for a table that lets nobody
 * in.
 */
const ROWS_OF_TABLE: Record<string, string | null> = {
  ssh_keys: 'SSH key',
  sessions: 'session',
  recovery_codes: 'password and recovery code',
  passkeys: 'passkey',
  identities: 'identity',
  app_passwords: 'app password',
  openid_grants: 'refresh token',
  openid_consents: null,
  notice_channels: null,
  // What a group gives is asked for each time.
  group_members: null,
  // They sign nobody in: a new password does, after a sign-in with it.
  links: null,
  // Mails that wait, with the sealed secret of such a link.
  mails: null,
  // What it brings back is in its own table again, and asked there.
  deleted_items: null,
}

describe('the table above has', () => {
  test('a state for every column of users', () => {
    expect(Object.keys(STATE_OF_COLUMN).toSorted()).toEqual(
      Object.keys(getTableColumns(tables.users)).toSorted(),
    )
  })

  test('a row for everything that belongs to a user', () => {
    const owned = Object.values(tables)
      .filter((table) => is(table, SQLiteTable))
      .filter((table) =>
        getTableConfig(table).foreignKeys.some(
          (key) => key.reference().foreignTable === tables.users,
        ),
      )
    expect(Object.keys(ROWS_OF_TABLE).toSorted()).toEqual(owned.map(getTableName).toSorted())
    const names = Object.keys(ROWS)
    for (const row of Object.values(ROWS_OF_TABLE))
      expect(row === null || names.some((name) => name.startsWith(row))).toBe(true)
  })
})
