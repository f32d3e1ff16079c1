import { is, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as v from 'valibot'
import { beforeEach, describe, expect, test } from 'vitest'
import * as tables from '../../schema/tables.ts'
import openapi from '../../schema/openapi.json' with { type: 'json' }
import { type Guard, SETTING_FIELDS } from '../../src/core/access/field-guards.ts'
import { GUARDED_CHANGES } from '../../src/core/access/guarded-changes.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { createWholeApp } from '../../src/app/app.ts'
import { keysOf, PAGE_NAMES } from '../../src/capabilities/settings/pages/admin/setting-pages.ts'
import { ALL_DEFAULTS } from '../../src/capabilities/settings/defaults.ts'
import { saveSettings } from '../../src/capabilities/settings/manage-settings.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { addGroup } from '../support/groups.ts'
import { MailSite } from '../support/mail-site.ts'
import { register } from '../support/openid.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE, NOW } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const NEW = 'another-Passw0rd'
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD'
const HOOK = 'https://hooks.example.org/x'
const IDENTITY = { issuer: 'https://github.com', subject: '4711' }
/** Their ids. Bob has 4. `SECOND` is another admin. */
const [ADMIN, GUEST, ALICE, WAITS, CLOSED, PLAIN, GONE, SECOND] = [1, 2, 3, 5, 6, 7, 8, 9] as const
const BITS = 0b110
const stale = { code: 403, message: 'Sign in again or confirm to do this', data: null }
const day = (days: number) => new Date(NOW + days * 24 * HOUR).toISOString()
const userPage = (form: string) => `POST /account/admin/users/:id{[0-9]+}/${form}`

/** What the tests hold: alice has everything that can be deleted, bob nothing. */
interface Held {
  alice: string
  bob: string
  admin: string
  /** The authenticator of alice. */
  seed: string
  clientId: string
}

/** One request to a door. */
interface Sent {
  /** A JSON body, or the fields of a form. */
  body?: Record<string, unknown> | readonly unknown[]
  query?: string
  /** In the place of a parameter of the path. */
  at?: string | number
  as?: 'alice' | 'bob' | 'admin'
}

/** What is sent to a door: what gives access, and what does not. */
interface Tried {
  gives?: readonly Sent[]
  takes?: readonly Sent[]
}

let site: MailSite
let held: Held

const arrange = prepared(async (arranged: CheapSite): Promise<Held> => {
  const { db } = arranged
  await arranged.addFirstUsers()
  const folder = { permission: BITS, basePath: '/homes' }
  await arranged.addUser('alice', {
    password: PASSWORD,
    ...folder,
    endsAt: NOW + 10 * 24 * HOUR,
    ssoId: 'x',
  })
  await arranged.addUser('bob', { password: PASSWORD })
  await arranged.addUser('waits', { password: PASSWORD, disabled: true, waiting: true })
  await arranged.addUser('closed', { password: PASSWORD, disabled: true })
  await arranged.addUser('plain', { password: PASSWORD, ...folder })
  await arranged.addUser('gone', { password: PASSWORD, endsAt: NOW - 24 * HOUR })
  await arranged.addUser('second', { password: PASSWORD, role: 2 })
  await db
    .update(tables.users)
    .set({ basePath: '/guests' })
    .where(sql`id = ${GUEST}`)
  await addGroup(arranged, 'family')
  await saveSettings(arranged.deps, COMMAND_LINE, STORED)
  const alice = await arranged.token('alice', PASSWORD)
  const seed = await arranged.enrol(alice)
  await arranged.post('/api/me/sshkey/add', { title: 'laptop', key: KEY }, { token: alice })
  const channel = { kind: 'webhook', address: HOOK, topics: ['password'] }
  await arranged.post('/api/me/notices/save', channel, { token: alice })
  await db.insert(tables.passkeys).values({
    credentialId: 'AAAA',
    userId: ALICE,
    publicKey: 'x',
    algorithm: -7,
    signCount: 0,
    backedUp: false,
    transports: '',
    aaguid: '',
    rpId: 'localhost',
    name: 'x',
    createdAt: NOW,
  })
  const identity = { ...IDENTITY, userId: ALICE, platform: 'Github', name: 'x', linkedAt: NOW }
  await db.insert(tables.identities).values({ ...identity, linkedBy: 'user' })
  const admin = await arranged.token('admin', ADMIN_PASSWORD)
  const ofSite = { ...channel, name: 'hook' }
  await arranged.post('/api/admin/notice/create', ofSite, { token: admin })
  await arranged.post('/api/admin/group/create', { name: 'editors' }, { token: admin })
  const members = { id: 1, users: [ALICE] }
  await arranged.post('/api/admin/group/member/add', members, { token: admin })
  const { clientId } = await register(arranged, { name: 'wiki' })
  await arranged.addUser('former')
  await db.delete(tables.users).where(sql`username = 'former'`)
  return { alice, bob: await arranged.token('bob', PASSWORD), admin, seed, clientId }
})

beforeEach(async () => {
  site = new MailSite()
  held = await arrange(site)
})

/** Everything that is stored, without what counts requests. */
async function readEverything(): Promise<string> {
  const { throttleCounters: _counters, commonPasswords: _list, ...others } = tables
  const stored = Object.values(others).filter((table) => is(table, SQLiteTable))
  return JSON.stringify(await Promise.all(stored.map((table) => site.db.select().from(table))))
}

/** What became of a request. */
async function send(door: string, { body: given = {}, query = '', at = '', as }: Sent) {
  const body = Array.isArray(given) ? given : withHeld(given)
  const path = door.replace('POST ', '').replace(/:\w+(?:\{[^}]*\})?/, String(at)) + query
  const isAdmins = path.includes('/admin/')
  const token = held[as ?? (isAdmins ? 'admin' : 'alice')]
  if (path.startsWith('/api/')) {
    const answer = await site.post(path, body, { token })
    if (answer.message === stale.message) return 'refused'
    return answer.code === 200 ? 'done' : answer.message
  }
  const visitor = new Visitor(site)
  visitor.cookies.set('session', token)
  const form = Object.entries(body).map(([name, value]) => [name, String(value)])
  const seen = await visitor.post(path, Object.fromEntries(form))
  if (seen.status === 403 && seen.html.includes('confirm_password')) return 'refused'
  return seen.status < 400 ? 'done' : `HTTP ${seen.status} ${seen.html.slice(-2000)}`
}

function withHeld(body: object) {
  const values = new Map([
    [CODE, site.code(held.seed, 1)],
    [CLIENT, held.clientId],
  ])
  const filled = Object.entries(body).map(([name, value]) => [
    name,
    values.get(String(value)) ?? value,
  ])
  return Object.fromEntries(filled)
}

/** What is stored when the tests of settings begin, where it is not the default. */
const STORED: Record<string, string> = {
  max_devices: '5',
  device_evict_policy: 'deny',
  register_approval: 'true',
  register_permission: String(BITS),
  register_base_path: '/homes',
  register_days: '30',
  webauthn_login_enabled: 'true',
  sso_login_platform: 'Github',
  sso_client_id: 'x',
  sso_client_secret: 'x',
  sso_login_enabled: 'true',
  sso_default_permission: String(BITS),
  sso_default_dir: '/homes',
}

/**
 * Values of each setting that `SETTING_FIELDS` guards in one direction: those that give more than
 * `STORED`, or than `from`, and those that give less.
 */
const DIRECTIONS: Record<string, { more: string[]; less: string[]; from?: string }> = {
  allow_register: { more: ['true'], less: ['false'] },
  register_approval: { more: ['false'], less: ['true'] },
  register_permission: { more: ['7', '8'], less: ['2', '0'] },
  register_base_path: { more: ['/', '/home', '/homes2'], less: ['/homes/{username}'] },
  register_days: { more: ['31', '0'], less: ['29'] },
  sso_login_enabled: { more: ['true'], less: ['false'], from: 'false' },
  sso_trust_mfa: { more: ['true'], less: ['false'] },
  sso_auto_register: { more: ['true'], less: ['false'] },
  sso_default_dir: { more: ['/'], less: ['/homes/new'] },
  sso_default_permission: { more: ['7'], less: ['4'] },
  sso_compatibility_mode: { more: ['true'], less: ['false'] },
}

/** Another value of each other setting. */
const OTHER_VALUES: Record<string, string> = {
  site_title: 'Files',
  // With `deny`, fewer sessions keep others out.
  max_devices: '4',
  device_evict_policy: 'evict_oldest',
  announcement: 'hello',
  pagination_type: 'pagination',
  default_page_size: '31',
  allow_indexed: 'true',
  allow_mounted: 'false',
  robots_txt: 'x',
  logo: '/x.svg',
  favicon: '/x.svg',
  main_color: '#123456',
  home_icon: 'x',
  home_container: 'hope_container',
  settings_layout: 'responsive',
  external_previews: '{"pdf":{"x":"https://evil.example/$e_url"}}',
  iframe_previews: '{"pdf":{"x":"https://evil.example/$e_url"}}',
  ocr_api: 'https://evil.example/',
  audio_cover: '/x.svg',
  audio_autoplay: 'false',
  video_autoplay: 'false',
  hide_files: '/x/',
  package_download: 'false',
  filename_char_mapping: '{}',
  forward_direct_link_params: 'true',
  search_index: 'bleve',
  auto_update_index: 'true',
  security_contact: 'mailto:x@example.org',
  webauthn_login_enabled: 'false',
  event_retention_days: '30',
  setup_checklist: 'false',
  require_second_factor: 'admins',
  passkey_related_origins: 'https://evil.example',
  sftp_address: 'evil.example',
  register_groups: 'family',
  register_reserved_names: 'x',
  turnstile_site_key: 'x',
  turnstile_secret: 'x',
  sso_login_platform: 'Dingtalk',
  sso_name: 'y',
  sso_client_id: 'y',
  sso_client_secret: 'y',
  sso_endpoint_name: 'https://evil.example',
  sso_extra_scopes: 'email',
  sso_oidc_username_key: 'email',
  sso_groups_claim: 'groups',
  sso_group_map: '{"staff":"family"}',
}

/** In a body: the next code of alice, and the id of the program. */
const [CODE, CLIENT] = ['a code', 'a program']
const whole: Tried = { gives: [{}] }
const id = (at: string | number): Sent => ({ query: `?id=${at}` })
const form = (body: Sent['body'] = {}, at: number = ALICE): Sent => ({ body, at })
const channel = { kind: 'webhook', address: HOOK, topics: ['password'] }
const ofForm = { kind: 'webhook', address: HOOK, 'topic-password': 'on' }

/** What the doors that need a fresh session are sent, and some that don't. */
const TRIED: Record<string, Tried> = {
  'POST /api/me/update': {
    gives: [
      { body: { username: 'bob', password: NEW }, as: 'bob' },
      { body: { username: 'alice', sso_id: '' } },
    ],
    takes: [{ body: { username: 'alice', password: '' } }],
  },
  'POST /api/me/email': { gives: [{ body: { email: 'x@example.org' } }] },
  'POST /account/email': { gives: [{ body: { email: 'x@example.org' } }] },
  'POST /api/auth/2fa/disable': {
    gives: [{ body: { otp_code: CODE } }],
  },
  'POST /account/security/off': { gives: [{ body: { code: CODE } }] },
  'POST /account/security/phone': { gives: [{ body: { code: CODE } }] },
  'POST /api/auth/2fa/recovery_codes': {
    gives: [{ body: { otp_code: CODE } }],
  },
  'POST /account/security/codes': { gives: [{ body: { code: CODE } }] },
  'POST /api/authn/delete_authn': { gives: [{ body: { id: 'AAAA' } }] },
  'POST /account/security/passkeys/delete': { gives: [{ body: { id: 'AAAA' } }] },
  'POST /account/security/identities/link': { gives: [{ as: 'bob' }] },
  'POST /account/security/identities/unlink': { gives: [{ body: IDENTITY }] },
  'POST /api/me/sshkey/add': { gives: [{ body: { title: 'x', key: KEY }, as: 'bob' }] },
  'POST /account/keys/add': { gives: [{ body: { title: 'x', key: KEY }, as: 'bob' }] },
  'POST /api/me/sshkey/delete': { takes: [id(1)] },
  'POST /account/keys/delete': { takes: [{ body: { id: 1 } }] },
  'POST /api/me/tokens/create': {
    gives: [{ body: { name: 'x', scopes: ['files:read'] } }],
  },
  'POST /account/app-passwords/create': {
    gives: [{ body: { name: 'x', use: 'read', lifetime: 'month' } }],
  },
  'POST /api/me/notices/save': { gives: [{ body: channel }] },
  'POST /account/notices/save': { gives: [{ body: ofForm }] },
  'POST /account/notices/topics': { gives: [{ body: ofForm }] },
  'POST /api/me/credentials/keep': whole,
  'POST /account/security/keep': whole,
  'POST /api/me/notices/delete': whole,
  'POST /account/notices/delete': whole,
  'POST /api/admin/user/create': { gives: [{ body: { username: 'x' } }] },
  'POST /account/admin/users/new': {
    gives: [{ body: { username: 'x', role: 0, base_path: '/', password: NEW } }],
  },
  'POST /api/admin/user/update': {
    gives: [
      { body: { id: PLAIN, username: 'x' } },
      { body: { id: PLAIN, password: NEW } },
      { body: { id: PLAIN, sso_id: 'x' } },
      { body: { id: CLOSED, disabled: false } },
      { body: { id: WAITS, disabled: false } },
      { body: { id: WAITS, disabled: false, permission: 0xffff, base_path: '/' } },
      { body: { id: GUEST, disabled: false } },
      { body: { id: PLAIN, permission: BITS | 1 } },
      { body: { id: PLAIN, permission: 1 } },
      { body: { id: GUEST, permission: 1 } },
      { body: { id: ADMIN, permission: 1 } },
      { body: { id: PLAIN, base_path: '/' } },
      { body: { id: PLAIN, base_path: '' } },
      { body: { id: PLAIN, base_path: '/home' } },
      { body: { id: PLAIN, base_path: '/homes2' } },
      { body: { id: PLAIN, base_path: '/Homes/x' } },
      { body: { id: GUEST, base_path: '/' } },
      { body: { id: PLAIN, disabled: true, permission: 0xffff } },
      { body: { id: SECOND, disabled: true } },
      { body: { id: ADMIN, disabled: true } },
    ],
    takes: [
      { body: { id: PLAIN, disabled: true } },
      { body: { id: PLAIN, permission: 2 } },
      { body: { id: PLAIN, permission: 0 } },
      { body: { id: PLAIN, base_path: '/homes/x' } },
      { body: { id: ADMIN, base_path: '/x' } },
      { body: { id: PLAIN, disabled: false, permission: BITS, base_path: '/homes/', sso_id: '' } },
      { body: { id: CLOSED, disabled: true, permission: 0, base_path: '/x', username: 'closed' } },
    ],
  },
  [userPage('change')]: {
    gives: [
      form({ username: 'plain', role: 2, base_path: '/homes', 'permission-1': 'on' }, PLAIN),
      form({ username: 'plain', role: 0, base_path: '/', 'permission-1': 'on' }, PLAIN),
      form({ username: 'plain', role: 0, base_path: '/homes', 'permission-0': 'on' }, PLAIN),
      form(
        { username: 'plain', role: 0, base_path: '/homes', 'permission-level': 'everything' },
        PLAIN,
      ),
      form({ username: 'guest', base_path: '/guests', 'permission-0': 'on' }, GUEST),
    ],
    takes: [form({ username: 'plain', role: 0, base_path: '/homes/x' }, PLAIN)],
  },
  [userPage('password')]: { gives: [form({ password: NEW }, PLAIN)] },
  [userPage('enable')]: {
    gives: [form({}, CLOSED), form({}, WAITS), form({}, GUEST)],
    takes: [form({}, PLAIN)],
  },
  [userPage('disable')]: { gives: [form({}, SECOND)], takes: [form({}, PLAIN)] },
  'POST /api/admin/user/details': {
    gives: [
      { body: { id: PLAIN, email: 'x@example.org' } },
      { body: { id: ALICE, ends_at: day(11) } },
      { body: { id: ALICE, ends_at: null } },
      { body: { id: GONE, ends_at: day(1) } },
      { body: { id: GONE, ends_at: null } },
      { body: { id: ALICE, email: 'x@example.org', ends_at: day(9) } },
      { body: { id: ALICE, email: '', ends_at: day(11) } },
    ],
    takes: [
      { body: { id: ALICE, ends_at: day(9) } },
      { body: { id: PLAIN, ends_at: day(9) } },
      { body: { id: PLAIN, ends_at: null, email: '' } },
    ],
  },
  [userPage('details')]: {
    gives: [
      form({ email: 'x@example.org' }),
      form({ email: '', ends_at: day(11).slice(0, 10), shown_end: day(10).slice(0, 10) }),
      form({ email: '', ends_at: '', shown_end: day(10).slice(0, 10) }),
    ],
    takes: [form({ email: '', ends_at: day(9).slice(0, 10), shown_end: day(10).slice(0, 10) })],
  },
  'POST /api/admin/user/approve': { gives: [id(WAITS)] },
  [userPage('approve')]: { gives: [form({}, WAITS)] },
  'POST /api/admin/user/reject': { gives: [id(WAITS)] },
  [userPage('reject')]: { gives: [form({}, WAITS)] },
  'POST /api/admin/user/delete': { gives: [id(PLAIN), id(SECOND)] },
  [userPage('delete')]: { gives: [form({}, PLAIN), form({}, SECOND)] },
  'POST /api/admin/user/reset_link': { gives: [{ body: { id: PLAIN } }] },
  [userPage('reset-link')]: { gives: [form({}, PLAIN)] },
  [userPage('unlock')]: { gives: [form({}, PLAIN)] },
  'POST /api/admin/user/cancel_2fa': { gives: [id(ALICE)] },
  [userPage('cancel-two-factor')]: { gives: [form()] },
  'POST /api/admin/user/passkey/delete': {
    gives: [{ query: `?uid=${ALICE}`, body: { id: 'AAAA' } }],
  },
  [userPage('delete-passkey')]: { gives: [form({ id: 'AAAA' })] },
  'POST /api/admin/user/identity/delete': {
    gives: [{ query: `?uid=${ALICE}`, body: IDENTITY }],
  },
  [userPage('unlink-identity')]: { gives: [form(IDENTITY)] },
  'POST /api/admin/user/sshkey/delete': { takes: [{ query: `?uid=${ALICE}&id=1` }] },
  [userPage('delete-key')]: { takes: [form({ id: 1 })] },
  [userPage('end-sessions')]: { takes: [form()] },
  'POST /api/admin/invitation/create': { gives: [{ body: {} }] },
  'POST /account/admin/invitations/add': whole,
  'POST /account/admin/programs/release': { gives: [{ body: { username: 'former' } }] },
  'POST /account/admin/programs/add': {
    gives: [{ body: { preset: 'other', name: 'x', redirect_uris: 'https://x.example/cb' } }],
  },
  'POST /account/admin/programs/edit': {
    gives: [{ body: { id: CLIENT, name: 'x', redirect_uris: 'https://x.example/cb' } }],
  },
  'POST /account/admin/programs/secret': { gives: [{ body: { id: CLIENT } }] },
  'POST /account/admin/programs/delete': { gives: [{ body: { id: CLIENT } }] },
  'POST /api/admin/group/create': { gives: [{ body: { name: 'board' } }] },
  'POST /api/admin/group/update': {
    gives: [{ body: { id: 1, name: 'board' } }, { body: { id: 1, note: 'x' } }],
  },
  'POST /api/admin/group/delete': { gives: [id(1)] },
  'POST /api/admin/group/member/add': { gives: [{ body: { id: 1, users: [PLAIN] } }] },
  'POST /api/admin/group/member/remove': { gives: [{ body: { id: 1, users: [ALICE] } }] },
  'POST /account/admin/groups/add': { gives: [{ body: { name: 'board' } }] },
  'POST /account/admin/groups/:id{[0-9]+}/save': { gives: [form({ name: 'board' }, 1)] },
  'POST /account/admin/groups/:id{[0-9]+}/delete': { gives: [form({}, 1)] },
  'POST /account/admin/groups/:id{[0-9]+}/join': { gives: [form({ username: 'plain' }, 1)] },
  'POST /account/admin/groups/:id{[0-9]+}/remove': { gives: [form({ uid: ALICE }, 1)] },
  'POST /api/admin/notice/create': { gives: [{ body: { ...channel, name: 'x' } }] },
  'POST /api/admin/notice/topics': { gives: [{ body: { id: 2, topics: ['new_admin'] } }] },
  'POST /api/admin/notice/delete': { gives: [id(2)] },
  'POST /account/admin/notices/add': { gives: [{ body: { ...ofForm, name: 'x' } }] },
  'POST /account/admin/notices/topics': { gives: [{ body: { ...ofForm, id: 2 } }] },
  'POST /account/admin/notices/delete': { gives: [{ body: { id: 2 } }] },
}

/** Doors that need a fresh session, and where they are tried. */
const ELSEWHERE: Record<string, string> = {
  'POST /account/security/check/password':
    'the form asks for the old password: test/pages/overview.test.ts',
  'POST /account/security/check/done': 'test/pages/overview.test.ts',
  'POST /account/sessions/known': 'test/pages/overview.test.ts',
  'POST /account/undo/bring-back': 'test/pages/undo.test.ts',
  'POST /account/admin/invitations/again': 'test/pages/invitations.test.ts',
  'POST /account/security/password':
    'the form asks for the old password: test/pages/account.test.ts',
  'POST /api/auth/2fa/verify': 'test/access/fresh-sessions.test.ts',
  'POST /api/admin/folder_rule/create': 'it needs a file server: test/groups/folder-rules.test.ts',
  'POST /api/admin/folder_rule/update': 'test/groups/folder-rules.test.ts',
  'POST /api/admin/folder_rule/delete': 'test/groups/folder-rules.test.ts',
  'POST /account/admin/folders/add': 'it needs a file server: test/pages/groups.test.ts',
  'POST /account/admin/folders/change': 'test/pages/groups.test.ts',
  'POST /account/admin/folders/adopt': 'test/pages/groups.test.ts',
  'POST /account/admin/folders/move': 'test/pages/groups.test.ts',
  'POST /account/admin/folders/sync': 'test/pages/groups.test.ts',
  'POST /api/admin/folder_rule/adopt': 'test/groups/moves.test.ts',
  'POST /api/admin/folder_rule/move': 'test/groups/moves.test.ts',
  'POST /api/admin/folder_rule/sync': 'test/groups/moves.test.ts',
  'POST /account/security/confirm': 'test/pages/fresh-sessions.test.ts',
  'POST /api/authn/webauthn_finish_registration': 'test/passkeys/registration.test.ts',
  'POST /account/security/passkeys/add': 'test/pages/passkeys.test.ts',
  'POST /account/admin/users/selected': 'test/pages/selected-users.test.ts',
  'POST /api/admin/setting/save': 'below, setting by setting',
  'POST /account/admin/settings/:page': 'below',
}

/** Doors of somebody who is not signed in, of programs and of servers. */
const WITHOUT_SESSION = [
  'POST /api/auth/login',
  'POST /api/auth/login/hash',
  'POST /api/auth/register',
  'POST /api/auth/forgotten',
  'POST /api/auth/reset',
  'POST /api/authn/webauthn_finish_login',
  'POST /account/sign-in',
  'POST /account/sign-in/passkey',
  'POST /account/sign-in/code',
  'POST /account/sign-in/sso/code',
  'POST /account/sign-in/sso/passkey',
  'POST /account/sign-in/sso/link',
  'POST /account/register',
  'POST /account/forgotten',
  'POST /api/sftp/used',
  'POST /api/sftp/external_auth',
  'POST /api/sftp/post_login',
  'POST /api/ldap/bind',
  'POST /oauth/introspect',
  'POST /oauth/token',
  'POST /oauth/userinfo',
  'POST /oauth/revoke',
  // What a program gets: test/openid has who is asked again.
  'POST /oauth/authorize',
  'POST /oauth/authorize/consent',
  'POST /oauth/authorize/confirm',
  'POST /oauth/authorize/switch',
  'POST /oauth/end_session',
  'POST /oauth/end_session/confirm',
]

const guardedSettings = Object.entries(SETTING_FIELDS)
const writable = guardedSettings.filter(([key]) => key !== 'version')

/** What doors are sent, with a name for the test. */
function sentAs(kind: keyof Tried): [name: string, door: string, sent: Sent][] {
  return Object.entries(TRIED).flatMap(([door, tried]) =>
    (tried[kind] ?? []).map((sent): [string, string, Sent] => {
      return [`${door} ${JSON.stringify(sent)}`, door, sent]
    }),
  )
}

describe('a session that is not fresh', () => {
  beforeEach(() => {
    site.now = NOW + 10 * MINUTE
  })

  test.each(sentAs('gives'))('gives no access by %s, and changes nothing', async (_, ...sent) => {
    const before = await readEverything()
    expect(await send(...sent)).toBe('refused')
    expect(await readEverything()).toBe(before)
  })

  test.each(sentAs('takes'))('takes access away by %s', async (_, ...sent) => {
    expect(await send(...sent)).toBe('done')
  })
})

describe('a fresh session', () => {
  test.each(sentAs('gives'))('gives access by %s', async (_, ...sent) => {
    expect(await send(...sent)).toBe('done')
  })
})

const save = (key: string, value: string) =>
  send('POST /api/admin/setting/save', { body: [{ key, value }] })
const saveByForm = (key: string, value: string) =>
  send('POST /account/admin/settings/:page', { at: pageOf(key), body: { [key]: value } })
const pageOf = (key: string) =>
  PAGE_NAMES.find((name) => keysOf(name).some((known) => known === key)) ?? ''
const isDirected = ([, { needs }]: [string, Guard]) => typeof needs === 'object'
const isGuarded = ({ needs }: Guard) => needs !== 'never'
const needing = (needs: Guard['needs']) => (entry: [string, Guard]) => entry[1].needs === needs

describe('a setting, in a session that is not fresh', () => {
  beforeEach(() => {
    site.now = NOW + 10 * MINUTE
  })

  test.each(guardedSettings.filter(isDirected))('%s: takes access away', async (key) => {
    for (const value of DIRECTIONS[key]?.less ?? [])
      expect(await save(key, value), value).toBe('done')
  })

  test.each(guardedSettings.filter(isDirected))('%s: gives none', async (key) => {
    const { more = [], from } = DIRECTIONS[key] ?? {}
    if (from !== undefined) await saveSettings(site.deps, COMMAND_LINE, { [key]: from })
    for (const value of more) {
      const before = await readEverything()
      expect(await save(key, value), value).toBe('refused')
      expect(await saveByForm(key, value), value).toBe('refused')
      expect(await readEverything()).toBe(before)
    }
  })

  test('gives none by a default', async () => {
    for (const key of ['max_devices', 'device_evict_policy', 'register_base_path']) {
      const { status, html } = await resetByForm(key)
      expect([status, html.includes('confirm_password')], key).toEqual([403, true])
    }
    expect((await resetByForm('register_permission')).status).toBe(200)
  })

  test.each(guardedSettings.filter(needing('always')))('%s: has no other value', async (key) => {
    const before = await readEverything()
    expect(await save(key, OTHER_VALUES[key] ?? '')).toBe('refused')
    expect(await readEverything()).toBe(before)
  })

  test.each(writable.filter(needing('never')))('%s: may have another', async (key) => {
    expect(await save(key, OTHER_VALUES[key] ?? '')).toBe('done')
  })

  test('keeps its value with everything that a form sends back', async () => {
    const kept = { ...ALL_DEFAULTS, ...STORED, sso_client_secret: '', turnstile_secret: '' }
    const { version: _, ...values } = kept
    const body = Object.entries(values).map(([key, value]) => ({ key, value }))
    expect(await send('POST /api/admin/setting/save', { body })).toBe('done')
  })

  test('is not lowered together with one that is raised', async () => {
    const before = await readEverything()
    const body = [
      { key: 'register_permission', value: '0' },
      { key: 'max_devices', value: '0' },
    ]
    expect(await send('POST /api/admin/setting/save', { body })).toBe('refused')
    expect(await readEverything()).toBe(before)
  })
})

describe('a setting, in a fresh session', () => {
  test.each(writable)('%s: changes', async (key) => {
    const values = DIRECTIONS[key]?.more ?? [OTHER_VALUES[key] ?? '']
    for (const value of values) expect(await save(key, value), value).toBe('done')
  })
})

async function resetByForm(key: string) {
  const visitor = new Visitor(site)
  visitor.cookies.set('session', held.admin)
  return visitor.post(`/account/admin/settings/${pageOf(key)}`, { reset: key })
}

describe('the list of changes names', () => {
  const listed = Object.entries(GUARDED_CHANGES).flatMap(([name, { doors: of, ...change }]) =>
    of.map((door) => ({ door, name, ...change })),
  )

  test('every request and form that changes something, once', async () => {
    const { routes } = await createWholeApp(() => site.deps)
    const found = routes
      .filter(({ method }) => !['GET', 'ALL', 'OPTIONS'].includes(method))
      .map(({ method, path }) => `${method} ${path}`)
    const known = [...listed.map(({ door }) => door), ...WITHOUT_SESSION]
    expect(known.toSorted()).toEqual([...new Set(found)].toSorted())
  })

  test('every field of every request', () => {
    const gaps = listed.flatMap(({ door, fields, beside = [] }) => {
      const known = [...Object.keys(fields), ...beside]
      return fieldsOf(door)
        .filter((field) => !known.includes(field))
        .map((field) => `${door}: ${field}`)
    })
    expect(gaps).toEqual([])
  })

  test('every setting', () => {
    expect(Object.keys(SETTING_FIELDS).toSorted()).toEqual(Object.keys(ALL_DEFAULTS).toSorted())
  })

  test('no door that needs a fresh session and is not tried', () => {
    const needs = listed
      .filter(({ fields }) => Object.values(fields).some(isGuarded))
      .map(({ door }) => door)
    expect(needs.filter((door) => !(door in TRIED) && !(door in ELSEWHERE))).toEqual([])
  })

  test('no field that is guarded in one direction and is not tried in both', () => {
    for (const kind of ['gives', 'takes'] as const) {
      const gaps = Object.values(GUARDED_CHANGES).flatMap(({ doors: of, fields }) => {
        if (fields === SETTING_FIELDS) return []
        const tried = of.flatMap((door) =>
          (TRIED[door]?.[kind] ?? []).flatMap(({ body = {} }) => Object.keys(body)),
        )
        return Object.entries(fields)
          .filter(isDirected)
          .map(([field]) => field)
          .filter((field) => !tried.includes(field))
      })
      expect(gaps, kind).toEqual([])
    }
    const directed = guardedSettings.filter(isDirected).map(([key]) => key)
    expect(Object.keys(DIRECTIONS).toSorted()).toEqual(directed.toSorted())
  })
})

const parametersSchema = v.optional(v.array(v.object({ name: v.string() })), [])
const shapeSchema = v.object({
  properties: v.optional(v.record(v.string(), v.unknown()), {}),
  items: v.optional(v.object({ properties: v.record(v.string(), v.unknown()) })),
})

/** The fields of a documented request. */
function fieldsOf(door: string): string[] {
  const [method = '', path = ''] = door.split(' ')
  const operation: unknown = Reflect.get(
    Object(Reflect.get(openapi.paths, path)),
    method.toLowerCase(),
  )
  if (operation === undefined) return []
  const { parameters, requestBody } = v.parse(
    v.object({
      parameters: parametersSchema,
      requestBody: v.optional(
        v.object({ content: v.record(v.string(), v.object({ schema: shapeSchema })) }),
      ),
    }),
    operation,
  )
  const shapes = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
  const members = shapes.flatMap(({ properties, items }) =>
    Object.keys({ ...properties, ...items?.properties }),
  )
  return [...parameters.map(({ name }) => name), ...members]
}
