import { env } from 'cloudflare:workers'
import { eq, getTableColumns, getTableName, is, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Hono } from 'hono'
import type { App } from '../../src/web/http/context.ts'
import { describe, expect, test } from 'vitest'
import * as tables from '../../schema/tables.ts'
import { createWholeApp } from '../../src/app/app.ts'
import { actorOf, admin } from '../../src/web/http/guard.ts'
import { readAccountAs } from '../../src/core/access/read-account.ts'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import { THE_SERVICE, writing } from '../../src/core/database/statements.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { makeAppPassword } from '../../src/core/access/app-password.ts'
import type { AppPasswordScope } from '../../src/core/access/scopes.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { MailSite } from '../support/mail-site.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'

/** Of every user, so that one form serves them all. */
const PASSWORD = ADMIN_PASSWORD

/** Who asks, in this order. */
const CALLERS = [
  'nobody while the guest is enabled',
  'nobody while the guest is disabled',
  'a dead token',
  'a disabled user',
  'an ended session',
  'a server',
  'a wrong app password',
  'an app password for files',
  'an app password that reads the account',
  'an app password that writes the account',
  'an app password of an admin',
  'a user without the demanded factor',
  'an admin without the demanded factor',
  'a user',
  'an admin',
] as const
type Caller = (typeof CALLERS)[number]
const LACKING = [
  'a user without the demanded factor',
  'an admin without the demanded factor',
] as const
/** The callers that the table has a column for. The others follow from `FACTORLESS`. */
type Listed = Exclude<Caller, (typeof LACKING)[number]>

const { settings, users } = tables
const DEMAND = 'require_second_factor'

const SERVED = 'served'
/** What a page does with whom it does not know. */
const SENT = 'sent to sign in'
/** What a page does with whom it knows by a password alone, when the site demands more. */
const SENT_TO_SECURITY = 'sent to the page Security'
type Answer = typeof SERVED | typeof SENT | typeof SENT_TO_SECURITY | 401 | 403

const noToken = {
  'a dead token': 401,
  'a disabled user': 401,
  'an ended session': 401,
  'a server': 401,
  'a wrong app password': 401,
  'an app password for files': 403,
  'an app password that reads the account': 403,
  'an app password that writes the account': 403,
  'an app password of an admin': 403,
} as const

const noCookie = {
  'nobody while the guest is disabled': SENT,
  'nobody while the guest is enabled': SENT,
  'a dead token': SENT,
  'a disabled user': SENT,
  'an ended session': SENT,
  'a server': SENT,
  'a wrong app password': SENT,
  'an app password for files': SENT,
  'an app password that reads the account': SENT,
  'an app password that writes the account': SENT,
  'an app password of an admin': SENT,
} as const

/** Whoever asks gets this answer. */
function mapAll(answer: Answer): Record<Listed, Answer> {
  const everybody: Partial<Record<Caller, Answer>> = {}
  for (const caller of CALLERS) everybody[caller] = answer
  return { ...noCookie, ...everybody, 'a user': answer, 'an admin': answer }
}

/** Whom an endpoint is for, and what it answers to whom. */
const ANSWERS = {
  everybody: {
    'nobody while the guest is disabled': SERVED,
    'nobody while the guest is enabled': SERVED,
    'a dead token': SERVED,
    'a disabled user': SERVED,
    'an ended session': SERVED,
    'a server': SERVED,
    'a wrong app password': SERVED,
    'an app password for files': SERVED,
    'an app password that reads the account': SERVED,
    'an app password that writes the account': SERVED,
    'an app password of an admin': SERVED,
    'a user': SERVED,
    'an admin': SERVED,
  },
  'users and the guest': {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': SERVED,
    'an app password that reads the account': SERVED,
    'a user': SERVED,
    'an admin': SERVED,
  },
  users: {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': 403,
    'a user': SERVED,
    'an admin': SERVED,
  },
  'users who read': {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': 403,
    'an app password that reads the account': SERVED,
    'a user': SERVED,
    'an admin': SERVED,
  },
  'users who change keys and sessions': {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': 403,
    'an app password that writes the account': SERVED,
    'a user': SERVED,
    'an admin': SERVED,
  },
  'users with files': {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': 401,
    'an app password for files': SERVED,
    'a user': SERVED,
    'an admin': SERVED,
  },
  admins: {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': 403,
    'an app password of an admin': SERVED,
    'a user': 403,
    'an admin': SERVED,
  },
  // This site has none: test/groups/folder-rules.test.ts.
  'admins of a site with a file server': {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': 403,
    'an app password of an admin': 403,
    'a user': 403,
    'an admin': 403,
  },
  servers: {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': 401,
    'a server': SERVED,
    'an app password for files': 401,
    'an app password that reads the account': 401,
    'an app password that writes the account': 401,
    'an app password of an admin': 401,
    'a user': 401,
    'an admin': 401,
  },
  // None of these callers has an access token of a program.
  programs: {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': 401,
    'an app password for files': 401,
    'an app password that reads the account': 401,
    'an app password that writes the account': 401,
    'an app password of an admin': 401,
    'a user': 401,
    'an admin': 401,
  },
  'a genuine cookie': {
    ...noCookie,
    'a disabled user': SERVED,
    'an ended session': SERVED,
    'a user': SERVED,
    'an admin': SERVED,
  },
  'who has just shown a password': { ...noCookie, 'a user': SENT, 'an admin': SENT },
  'nobody while single sign-on is off': {
    ...mapAll(403),
  },
  'nobody while it is off': { ...mapAll(403) },
  // Whoever has a cookie is led on by the sign-in page.
  'nobody with a cookie, while single sign-on is off': {
    ...mapAll(SENT),
    'nobody while the guest is disabled': 403,
    'nobody while the guest is enabled': 403,
  },
  'users, by cookie, while single sign-on is on': { ...noCookie, 'a user': 403, 'an admin': 403 },
  'users, by cookie': { ...noCookie, 'a user': SERVED, 'an admin': SERVED },
  'admins of a site with a file server, by cookie': {
    ...noCookie,
    'a user': 403,
    'an admin': 403,
  },
  // Those of the table have shown none.
  'users who have shown a second factor': {
    ...noToken,
    'nobody while the guest is disabled': 401,
    'nobody while the guest is enabled': 403,
    'a user': 403,
    'an admin': 403,
  },
  'users who have shown a second factor, by cookie': {
    ...noCookie,
    'a user': 403,
    'an admin': 403,
  },
  'admins, by cookie': { ...noCookie, 'a user': 403, 'an admin': SERVED },
} as const satisfies Record<string, Record<Listed, Answer>>
type Audience = keyof typeof ANSWERS

/** Endpoints by name; whatever is not here must be below one of the prefixes. */
const ENDPOINTS: Record<string, Audience> = {
  'GET /robots.txt': 'everybody',
  'GET /.well-known/security.txt': 'everybody',
  'GET /.well-known/webauthn': 'everybody',
  'GET /favicon.ico': 'everybody',
  'GET /api/public/settings': 'everybody',
  'GET /api/public/archive_extensions': 'everybody',
  'POST /api/auth/login': 'everybody',
  'POST /api/auth/login/hash': 'everybody',
  'GET /api/auth/logout': 'everybody',
  'POST /api/auth/register': 'nobody while it is off',
  'POST /api/auth/forgotten': 'everybody',
  'POST /api/auth/reset': 'everybody',
  'GET /api/me/details': 'users who read',
  'GET /account/register': 'nobody while it is off',
  'POST /account/register': 'nobody while it is off',
  'GET /account/forgotten': 'everybody',
  'POST /account/forgotten': 'everybody',
  'GET /api/authn/webauthn_begin_login': 'everybody',
  'POST /api/authn/webauthn_finish_login': 'everybody',
  'GET /api/me': 'users and the guest',
  'GET /api/me/groups': 'users who read',
  'GET /api/me/sshkey/list': 'users who read',
  'GET /api/me/sessions': 'users who read',
  'GET /api/me/events': 'users who read',
  'POST /api/me/sshkey/add': 'users who change keys and sessions',
  'POST /api/me/sshkey/delete': 'users who change keys and sessions',
  'POST /api/me/sessions/delete': 'users who change keys and sessions',
  'POST /api/me/sessions/delete_others': 'users who change keys and sessions',
  'GET /api/forward_auth': 'users with files',
  'POST /oauth/introspect': 'servers',
  'POST /api/admin/folder_rule/create': 'admins of a site with a file server',
  'POST /api/admin/folder_rule/update': 'admins of a site with a file server',
  'POST /api/admin/folder_rule/delete': 'admins of a site with a file server',
  'POST /api/admin/folder_rule/adopt': 'admins of a site with a file server',
  'POST /api/admin/folder_rule/move': 'admins of a site with a file server',
  'POST /api/admin/folder_rule/sync': 'admins of a site with a file server',
  'GET /.well-known/openid-configuration': 'everybody',
  'GET /.well-known/oauth-authorization-server': 'everybody',
  'GET /oauth/jwks': 'everybody',
  // Without a form they look at nobody; test/openid has the clients.
  'POST /oauth/token': 'everybody',
  'POST /oauth/revoke': 'everybody',
  'GET /oauth/userinfo': 'programs',
  'POST /oauth/userinfo': 'programs',
  'GET /': 'everybody',
  'GET /account': 'users, by cookie',
  'POST /account/security/keep': 'users who have shown a second factor, by cookie',
  'POST /api/me/credentials/keep': 'users who have shown a second factor',
  'GET /account/': 'everybody',
  'GET /account/admin/': 'everybody',
  // The secret of a link decides, and for an address the session too: test/pages/mailed-links.test.ts.
  'GET /account/link/:secret': 'everybody',
  'POST /account/link': 'everybody',
  'GET /account/email/:form': 'a genuine cookie',
  'GET /api/auth/sso': 'nobody while single sign-on is off',
  'GET /api/auth/sso_callback': 'nobody while single sign-on is off',
  'GET /api/auth/sso_get_token': 'nobody while single sign-on is off',
  'GET /api/auth/get_sso_id': 'nobody while single sign-on is off',
  'GET /account/sign-in/sso': 'nobody with a cookie, while single sign-on is off',
  // Nobody here has just signed in to a provider.
  'GET /account/sign-in/sso/step': 'who has just shown a password',
  'POST /account/sign-in/sso/code': 'who has just shown a password',
  'POST /account/sign-in/sso/passkey': 'who has just shown a password',
  'POST /account/sign-in/sso/link': 'who has just shown a password',
  'POST /account/security/identities/link': 'users, by cookie, while single sign-on is on',
  'GET /account/security/identities/:form': 'a genuine cookie',
  'GET /account/sign-in/code': 'who has just shown a password',
  'POST /account/sign-in/code': 'who has just shown a password',
  // Leads to the sign-in page: only the form with the answer of a passkey has something to do.
  'GET /account/sign-in/passkey': 'who has just shown a password',
  // These lead on to a page that asks more closely, and signing out works for who is signed out.
  'POST /account/sign-out': 'a genuine cookie',
  'GET /account/admin/settings': 'a genuine cookie',
  'GET /account/admin/users/:id{[0-9]+}/:form': 'a genuine cookie',
  'GET /account/admin/settings/sso/check': 'a genuine cookie',
  // Without a host for the files there is nothing to hand over (test/files/hand-over.test.ts).
  'GET /account/files': 'a genuine cookie',
  'GET /account/keys/:form': 'a genuine cookie',
  'GET /account/admin/checklist/:form': 'a genuine cookie',
  'GET /account/admin/folders/:form': 'a genuine cookie',
  'POST /account/admin/folders/sync': 'admins of a site with a file server, by cookie',
  'GET /account/admin/groups/:form': 'a genuine cookie',
  'GET /account/admin/groups/:id{[0-9]+}/:form': 'a genuine cookie',
  'GET /account/admin/users/selected': 'a genuine cookie',
  'GET /account/app-passwords/:form': 'a genuine cookie',
  'GET /account/notices/:form': 'a genuine cookie',
  'GET /account/admin/notices/:form': 'a genuine cookie',
  'GET /account/security/:form': 'a genuine cookie',
  'GET /account/security/check/:form': 'a genuine cookie',
  'GET /account/security/passkeys/:form': 'a genuine cookie',
  'POST /account/security/passkeys/confirm': 'a genuine cookie',
  'POST /account/security/factor': 'a genuine cookie',
  'GET /account/sessions/:form': 'a genuine cookie',
  'GET /account/undo/:form': 'a genuine cookie',
  'GET /account/programs/:form': 'a genuine cookie',
  'GET /account/admin/programs/:form': 'a genuine cookie',
  'GET /account/admin/invitations/:form': 'a genuine cookie',
}
const PREFIXES: Record<string, Audience> = {
  '/api/me/': 'users',
  '/api/auth/2fa/': 'users',
  '/api/authn/': 'users',
  '/api/admin/': 'admins',
  '/api/sftp/': 'servers',
  '/api/ldap/': 'servers',
  // Without the request of a client, everybody gets a page that says so.
  '/oauth/authorize': 'everybody',
  '/oauth/end_session': 'everybody',
  '/account/:theme': 'everybody',
  '/account/language': 'everybody',
  '/account/announcement': 'everybody',
  // The secret in it is the credential.
  '/account/link': 'everybody',
  '/account/sign-in': 'everybody',
  '/account/admin': 'admins, by cookie',
  '/account/': 'users, by cookie',
}
/** The audiences whose endpoints let a caller in for something else than an account. */
const ACCOUNTLESS: Audience[] = [
  'everybody',
  'servers',
  'programs',
  'a genuine cookie',
  'who has just shown a password',
  'nobody while single sign-on is off',
  'nobody while it is off',
  'nobody with a cookie, while single sign-on is off',
]
/** What a session may do without the second factor that the site demands: set up one, and confirm. */
const FACTORLESS = [
  'GET /api/me',
  'POST /api/me/confirm',
  'POST /api/auth/2fa/generate',
  'POST /api/auth/2fa/verify',
  'GET /api/authn/webauthn_begin_registration',
  'POST /api/authn/webauthn_finish_registration',
  'GET /account/security',
  'GET /account/security/passkeys/add',
  'POST /account/security/passkeys/add',
  'POST /account/security/start',
  'POST /account/security/confirm',
]
/** Forms of the page to which such a session is sent: they say on that page why they refuse. */
const SECURITY_FORMS = [
  'POST /account/security/passkeys/rename',
  'POST /account/security/passkeys/delete',
  'POST /account/security/identities/link',
  'POST /account/security/identities/unlink',
  'POST /account/security/password',
  'POST /account/security/codes',
  'POST /account/security/off',
  'POST /account/security/keep',
]
/** Where the middleware of every request stands in the route table. */
const MIDDLEWARE = [
  'OPTIONS /ping',
  'ALL /ping',
  'ALL /*',
  'ALL /api/*',
  'ALL /api/auth/*',
  'ALL /api/authn/*',
  'ALL /api/me/*',
  'ALL /api/admin/*',
  'ALL /account/*',
  'ALL /account/link',
  'ALL /account/link/*',
  // The file server's, of which test/files/gateway.test.ts tells.
  'ALL /dav/*',
  'ALL /oauth/*',
  'ALL /oauth/authorize/*',
  'ALL /oauth/end_session/*',
]

/** What an endpoint answers to every caller. */
function answersOf(endpoint: string): Record<Caller, Answer> {
  const audience = audienceOf(endpoint)
  const listed = ANSWERS[audience]
  const lacking = (answer: Answer): Answer => {
    if (ACCOUNTLESS.includes(audience) || FACTORLESS.includes(endpoint)) return answer
    if (SECURITY_FORMS.includes(endpoint)) return 403
    return isPage(endpoint) ? SENT_TO_SECURITY : 403
  }
  return {
    ...listed,
    'a user without the demanded factor': lacking(listed['a user']),
    'an admin without the demanded factor': lacking(listed['an admin']),
  }
}

const SPARE_USER = 6
/** Bits 8 and 9. */
const WEBDAV = 3 << 8
const CREDENTIALS = { username: 'alice', password: PASSWORD }
/** An answer of a passkey that nobody has. */
const PASSKEY = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: '', authenticatorData: '', signature: '', attestationObject: '' },
}
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHzsLvYmY1gdR2JQw3br6B9smKmS5wMpB7GZYkGLZYQe'

/** What an endpoint must be sent to be past its input check, which looks at no session. */
const INPUTS: Record<
  string,
  { query?: string; body?: unknown; form?: Record<string, string>; code?: number }
> = {
  'POST /api/auth/login': { body: CREDENTIALS },
  'POST /api/auth/login/hash': {
    body: { ...CREDENTIALS, password: await staticDigest(CREDENTIALS.password) },
  },
  'POST /api/auth/forgotten': { body: { name: 'alice' } },
  'POST /api/auth/reset': { body: { link: 'x'.repeat(43), password: 'a-new-Passw0rd' } },
  'POST /api/me/email': { body: { email: 'alice@example.org' } },
  'POST /api/me/email/send': { code: 400 },
  'POST /api/me/email/confirm': { body: { link: 'x'.repeat(43) } },
  'POST /api/auth/2fa/verify': { body: { code: '000000', secret: 'AAAA' }, code: 400 },
  'POST /api/auth/2fa/recovery_codes': { body: { otp_code: '000000' }, code: 400 },
  'POST /api/auth/2fa/disable': { body: { otp_code: '000000' }, code: 400 },
  'POST /api/authn/webauthn_finish_login': { body: PASSKEY, code: 400 },
  'POST /api/authn/webauthn_finish_registration': { body: PASSKEY, code: 400 },
  'POST /api/authn/delete_authn': { body: { id: 'AAAA' }, code: 400 },
  'POST /api/authn/rename_authn': { body: { id: 'AAAA', name: 'phone' }, code: 400 },
  'GET /api/admin/user/passkey/list': { query: 'uid=1' },
  'POST /api/admin/user/passkey/delete': { query: 'uid=1', body: { id: 'AAAA' }, code: 400 },
  'GET /api/admin/user/identity/list': { query: 'uid=1' },
  'POST /api/admin/user/identity/delete': {
    query: 'uid=1',
    body: { issuer: 'https://idp.example.org', subject: '4711' },
    code: 404,
  },
  'POST /api/admin/user/reset_link': { body: { id: SPARE_USER } },
  'GET /api/admin/user/details': { query: `id=${SPARE_USER}` },
  'POST /api/admin/user/details': { body: { id: SPARE_USER, ends_at: null } },
  'POST /api/admin/user/approve': { query: `id=${SPARE_USER}`, code: 404 },
  'POST /api/admin/user/reject': { query: `id=${SPARE_USER}`, code: 404 },
  'POST /api/admin/link/delete': { query: 'id=99', code: 404 },
  'POST /api/admin/invitation/create': { body: {} },
  'POST /api/me/update': { body: { username: 'alice' } },
  'GET /api/auth/sso': { query: 'method=sso_get_token' },
  'GET /api/auth/sso_callback': { query: 'method=sso_get_token' },
  'POST /api/me/confirm': { body: { otp_code: '000000' }, code: 400 },
  'POST /api/me/sshkey/add': { body: { title: 'laptop', key: KEY } },
  'POST /api/me/sshkey/delete': { query: 'id=99' },
  'POST /api/me/sessions/delete': { query: 'id=x' },
  'POST /api/me/tokens/create': { body: { name: 'rclone', scopes: ['files:read'] } },
  'POST /api/me/tokens/delete': { query: 'id=99' },
  'GET /api/admin/user/token/list': { query: 'uid=1' },
  'POST /api/admin/user/token/delete': { query: 'uid=1&id=99' },
  'POST /api/me/notices/save': {
    body: { kind: 'ntfy', address: 'https://ntfy.sh/topic', topics: ['password'] },
  },
  'GET /api/admin/group/get': { query: 'id=99' },
  'POST /api/admin/group/create': { body: { name: 'editors' } },
  'POST /api/admin/group/update': { body: { id: 99 } },
  'POST /api/admin/group/delete': { query: 'id=99' },
  'GET /api/admin/group/member/list': { query: 'id=99' },
  'POST /api/admin/group/member/add': { body: { id: 99, users: [1] } },
  'POST /api/admin/group/member/remove': { body: { id: 99, users: [1] } },
  'POST /api/admin/folder_rule/create': {
    body: { path: '/a', group: 'user', access: 'read' },
  },
  'POST /api/admin/folder_rule/update': { body: { id: 99, access: 'read' } },
  'POST /api/admin/folder_rule/delete': { query: 'id=99' },
  'POST /api/admin/folder_rule/adopt': { body: { path: '/a' } },
  'POST /api/admin/folder_rule/move': { body: { path: '/a', to: '/b' } },
  'GET /api/admin/folder_rule/check': { query: 'uid=1&path=/a' },
  'POST /api/admin/notice/create': {
    body: {
      kind: 'slack',
      name: 'ops',
      address: 'https://hooks.slack.com/x',
      topics: ['password'],
    },
  },
  'POST /api/admin/notice/topics': { body: { id: 99, topics: ['password'] } },
  'POST /api/admin/notice/delete': { query: 'id=99' },
  'POST /api/admin/notice/test': { query: 'id=99' },
  'POST /oauth/introspect': { form: { token: 'x' } },
  'POST /oauth/token': { code: 400 },
  'POST /oauth/revoke': { code: 400 },
  'GET /api/admin/user/get': { query: `id=${SPARE_USER}` },
  'POST /api/admin/user/create': { body: { username: 'mallory' } },
  'POST /api/admin/user/update': { body: { id: SPARE_USER, username: 'mallory' } },
  'POST /api/admin/user/delete': { query: `id=${SPARE_USER}` },
  'POST /api/admin/user/cancel_2fa': { query: `id=${SPARE_USER}` },
  'POST /api/admin/user/del_cache': { query: 'username=alice' },
  'GET /api/admin/user/sshkey/list': { query: 'uid=1' },
  'POST /api/admin/user/sshkey/delete': { query: 'id=99' },
  'GET /api/admin/setting/get': { query: 'key=logo' },
  'POST /api/admin/setting/save': { body: [{ key: 'logo', value: '/mallory.svg' }] },
  'GET /api/sftp/authorized_keys': { query: 'username=alice' },
  'POST /api/sftp/used': { body: { username: 'alice', fingerprint: 'SHA256:x' } },
  'POST /api/sftp/post_login': {
    query: 'login_method=publickey&status=1',
    body: { username: 'alice', public_keys: ['x'] },
  },
  'POST /api/ldap/bind': { body: { username: 'alice', password: 'x', scope: 'files:read' } },
  'POST /api/sftp/external_auth': { body: { username: 'alice', password: 'x' } },
}

/** What stands for the parameters of a page's path. */
const PARAMETERS: [RegExp, string][] = [
  [/:theme\{.*\}/, 'theme-0123456789.css'],
  [/:id\{.*?\}/, String(SPARE_USER)],
  [/:page/, 'site'],
  [/:secret/, 'A'.repeat(43)],
  [/:form/, 'delete'],
]

/** What a form must be sent to be past its input check. */
const FORMS: Record<string, Record<string, string>> = {
  // What there is not: a refusal that changes nothing.
  'POST /account/keys/delete': { id: '99' },
  'POST /account/sessions/end': { id: 'x' },
  'POST /account/app-passwords/delete': { id: '99' },
  'POST /account/programs/remove': { id: 'x' },
  'POST /account/sessions/known': { network: 'x' },
  'POST /account/admin/users/selected': { do: 'remind', 'user-999999': 'on', sure: 'true' },
  'POST /account/security/check/password': {
    old_password: PASSWORD,
    password: 'Next-Passw0rd',
    repeat: 'Next-Passw0rd',
  },
  'POST /account/security/password': {
    old_password: PASSWORD,
    password: 'Next-Passw0rd',
    repeat: 'Next-Passw0rd',
  },
  'POST /account/security/codes': { code: '000000' },
  'POST /account/security/off': { code: '000000' },
  'POST /account/security/passkeys/rename': { id: 'AAAA', name: 'phone' },
  'POST /account/security/passkeys/delete': { id: 'AAAA' },
  'POST /account/security/identities/unlink': {
    issuer: 'https://idp.example.org',
    subject: '4711',
  },
  'POST /account/admin/programs/edit': {
    id: 'x',
    name: 'x',
    redirect_uris: 'https://x.example/cb',
  },
  'POST /account/admin/programs/secret': { id: 'x' },
  'POST /account/admin/programs/delete': { id: 'x' },
  'POST /account/admin/programs/release': { username: 'x' },
  'POST /account/admin/notices/delete': { id: '99' },
  'POST /account/admin/notices/test': { id: '99' },
  'POST /account/forgotten': { name: 'alice' },
  'POST /account/language': { language: 'zh', path: '/account' },
  'POST /account/admin/users/new': { username: 'mallory', role: '0', base_path: '/' },
}

/** Every endpoint of an app, as method and path. */
function endpointsOf(app: Hono<App>): string[] {
  const names = app.routes.map(({ method, path }) => `${method} ${path}`)
  return Array.from(new Set(names)).filter((name) => !MIDDLEWARE.includes(name))
}

/** @throws When nobody has said whom an endpoint is for. */
function audienceOf(endpoint: string): Audience {
  const path = endpoint.slice(endpoint.indexOf(' ') + 1)
  const prefix = Object.keys(PREFIXES).find((start) => path.startsWith(start)) ?? ''
  const audience = ENDPOINTS[endpoint] ?? PREFIXES[prefix]
  if (audience === undefined) throw new Error(`say in this file whom ${endpoint} is for`)
  return audience
}

/** A site with a caller of every kind, and how each of them signs in. */
const arrange = prepared(async (site) => {
  await site.addFirstUsers({ guestDisabled: false })
  await site.db.insert(settings).values({ key: 'webauthn_login_enabled', value: 'true' })
  const alice = await site.addUser('alice', { password: PASSWORD, permission: WEBDAV })
  for (const name of ['disabled', 'ended']) {
    await site.addUser(name, { password: PASSWORD })
  }
  await site.db.update(users).set({ permission: WEBDAV }).where(eq(users.username, 'admin'))
  // Nobody has confirmed these, so there is no identity.
  await site.db.update(users).set({ ssoId: sql`'claim of ' || ${users.username}` })
  const appPassword = async (userId: number, ...scopes: AppPasswordScope[]) =>
    (await addAppPassword(site, userId, scopes)).token
  await site.addUser('spare')
  // Not alice, whose session it may end.
  const writer = await site.addUser('writer')
  const token = (name: string) => site.token(name, PASSWORD)
  const tokens: Record<Caller, string> = {
    'nobody while the guest is disabled': '',
    'nobody while the guest is enabled': '',
    'a dead token': 'dead',
    'a disabled user': await token('disabled'),
    'an ended session': await token('ended'),
    'a server': (await addServiceToken(site.deps, 'files', 'sftp', 'introspect', 'ldap')) ?? '',
    'a wrong app password': makeAppPassword(site.deps),
    'an app password for files': await appPassword(alice, 'files:write'),
    'an app password that reads the account': await appPassword(alice, 'account:read'),
    'an app password that writes the account': await appPassword(writer, 'account:write'),
    'an app password of an admin': await appPassword(1, 'admin'),
    'a user without the demanded factor': await token('alice'),
    'an admin without the demanded factor': await token('admin'),
    'a user': await token('alice'),
    'an admin': await token('admin'),
  }
  rememberSecret(tokens['a server'])
  await site.db.update(users).set({ disabled: true }).where(eq(users.username, 'disabled'))
  await site.get('/api/auth/logout', { token: tokens['an ended session'] })
  return tokens
})

type Asked = number | typeof SENT | typeof SENT_TO_SECURITY
type Send = (path: string, init: RequestInit) => Response | Promise<Response>

/** What an endpoint answers to who shows this token. */
async function ask(send: Send, endpoint: string, token: string): Promise<Asked> {
  const response = await send(...requestOf(endpoint, token))
  const isSent = /^\/account\/sign-in(\?(next=[\w/%-]+)?(&?done=session-over)?)?$/.test(
    response.headers.get('Location') ?? '',
  )
  if (response.status === 303 && isSent) return SENT
  if (response.headers.get('Location') === '/account/security') return SENT_TO_SECURITY
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
  if (response.status !== 200 || !isJson) return response.status
  const answer: { code?: number; data?: { token?: string } } = await response.json()
  rememberSecret(answer.data?.token)
  return answer.code ?? response.status
}

function requestOf(endpoint: string, token: string): [string, RequestInit] {
  const [name = '', pattern = ''] = endpoint.split(' ')
  const method = name === 'ALL' ? 'POST' : name
  const headers = { 'CF-Connecting-IP': '192.0.2.1' }
  if (isPage(pattern)) {
    const path = PARAMETERS.reduce(
      (text, [parameter, value]) => text.replace(parameter, value),
      pattern,
    )
    const origin = { Origin: 'http://localhost', Cookie: `session=${token}` }
    const body = method === 'POST' ? { body: new URLSearchParams(FORMS[endpoint]) } : {}
    return [path, { method, headers: { ...headers, ...origin }, ...body }]
  }
  const { query, body, form } = INPUTS[endpoint] ?? {}
  const path = query === undefined ? pattern : `${pattern}?${query}`
  const json = body !== undefined && { body: JSON.stringify(body) }
  return [
    path,
    {
      method,
      headers: { ...headers, Authorization: token },
      ...json,
      ...(form && { body: new URLSearchParams(form) }),
    },
  ]
}

function isPage(path: string): boolean {
  return /^(?:\w+ )?\/(?:account|oauth\/(?:authorize|end_session))/.test(path)
}

/** What a refusal may write: failures are counted, and told to the user. */
const COUNTED = ['throttle_counters', 'used_challenges']
const isCounted = "kind in ('sign_in_refused', 'proof_refused', 'token_used_elsewhere')"
/** Nobody changes it, and it is long. */
const FIXED = 'common_passwords'

/** All that a caller could have changed, each table as one text: D1 takes long over many rows. */
const EVERYTHING = `select ${Object.values(tables)
  .filter((table) => is(table, SQLiteTable))
  .filter((table) => ![...COUNTED, FIXED].includes(getTableName(table)))
  .map((table) => rowsOf(table, table === tables.auditEvents ? `where not ${isCounted}` : ''))
  .join()}`

function rowsOf(table: SQLiteTable, where: string): string {
  // The columns `last_…` say when an app password or a key was used, also for a refused request.
  const names = Object.values(getTableColumns(table)).map(({ name }) => name)
  const columns = names.filter((name) => !name.startsWith('last_')).map((name) => `"${name}"`)
  return `(select json_group_array(json_array(${columns.join()})) from ${getTableName(table)} ${where})`
}

async function readEverything(): Promise<string> {
  const [texts] = await env.DB.prepare(EVERYTHING).raw()
  return JSON.stringify(texts)
}

/** What an endpoint answers to every caller, and whom it refused although something has changed. */
async function tryEveryCaller(
  endpoint: string,
  sendTo = async (site: CheapSite): Promise<Send> => site.request,
) {
  const site = new MailSite()
  const tokens = await arrange(site)
  const send = await sendTo(site)
  const answers = new Map<Caller, typeof SERVED | Asked>()
  const trespassers: string[] = []
  let before: string | undefined
  for (const caller of CALLERS) {
    if (caller === 'a user without the demanded factor') {
      await site.db.insert(settings).values({ key: DEMAND, value: 'everybody' })
      before = undefined
    }
    if (caller === 'a user') {
      await site.db.delete(settings).where(eq(settings.key, DEMAND))
      before = undefined
    }
    if (caller === 'nobody while the guest is disabled') {
      await site.db.update(users).set({ disabled: true }).where(eq(users.role, 1))
      before = undefined
    }
    before ??= await readEverything()
    const asked = await ask(send, endpoint, tokens[caller])
    // The forms of that page lead the others there too.
    const isFactorless = caller.endsWith('the demanded factor')
    const isLed = !isFactorless || ACCOUNTLESS.includes(audienceOf(endpoint))
    const code = asked === SENT_TO_SECURITY && isLed ? 303 : asked
    await site.settle()
    answers.set(caller, isServed(code, endpoint) ? SERVED : code)
    // Most callers write nothing, as D1 says, and to read every table takes long.
    if (site.meter.rowsWritten === 0) continue
    const after = isRefused(code) ? await readEverything() : undefined
    if (after !== undefined && after !== before) trespassers.push(`${caller}: ${code}`)
    before = after
  }
  return { answers: Object.fromEntries(answers), trespassers }
}

/** Whatever the reason: a request that was not done has changed nothing. */
function isRefused(code: Asked): boolean {
  return ![200, 302, 303].includes(Number(code))
}

/** 404 and 409 are about what was asked for, not about who asks. */
function isServed(code: Asked, endpoint: string): boolean {
  if (code === SENT || code === SENT_TO_SECURITY) return false
  // A page shows its form again, with what was wrong.
  if (isPage(endpoint) && (code === 303 || code === 400)) return true
  return [200, 302, 404, 409, INPUTS[endpoint]?.code].includes(code)
}

const endpoints = endpointsOf(await createWholeApp(() => new CheapSite().deps))

describe('every endpoint of the route table', () => {
  test.each(endpoints)('%s serves those it is for, and nobody else', async (endpoint) => {
    expect(await tryEveryCaller(endpoint)).toEqual({
      answers: answersOf(endpoint),
      trespassers: [],
    })
  })

  test('is one that there is', () => {
    expect(endpoints.length).toBeGreaterThan(30)
    const named = [...Object.keys(ENDPOINTS), ...Object.keys(INPUTS)]
    expect(named.filter((endpoint) => !endpoints.includes(endpoint))).toEqual([])
  })
})

describe('a new endpoint', () => {
  test.each([
    [
      'without a guard',
      (app: Hono<App>) => app.get('/api/admin/new', (c) => c.json({ code: 200 })),
    ],
    [
      'whose decision asks for no admin',
      (app: Hono<App>) =>
        app.get('/api/admin/new', admin(), async (c) => {
          await readAccountAs(c.get('deps'), actorOf(c))
          return c.json({ code: 200 })
        }),
    ],
  ])('%s is found out', async (_, extend) => {
    const { answers } = await tryEveryCaller('GET /api/admin/new', async (site) => {
      const app = await createWholeApp(() => site.deps)
      extend(app)
      return (path, init) => app.request(path, init, env)
    })
    expect(answers).not.toEqual(answersOf('GET /api/admin/new'))
    expect(answers['a user']).toBe(SERVED)
  })

  test('whose decision does not ask D1 is not answered', async () => {
    const { answers } = await tryEveryCaller('GET /api/admin/new', async (site) => {
      const app = await createWholeApp(() => site.deps)
      app.get('/api/admin/new', admin(), (c) => c.json({ code: 200 }))
      return (path, init) => app.request(path, init, env)
    })
    expect(answers['an ended session']).toBe(500)
    expect(Object.values(answers)).not.toContain(SERVED)
  })

  test('that changes something before it refuses is found out', async () => {
    const { trespassers } = await tryEveryCaller('GET /api/admin/new', async (site) => {
      const app = await createWholeApp(() => site.deps)
      site.meter = site.deps.meter
      app.get('/api/admin/new', async (c) => {
        site.now += 1
        const { db } = c.get('deps')
        await writing(db, THE_SERVICE).update(
          users,
          { createdAt: site.now },
          eq(users.id, SPARE_USER),
        )
        return c.json({ code: 403 })
      })
      return (path, init) => app.request(path, init, env)
    })
    expect(trespassers).toEqual(CALLERS.map((caller) => `${caller}: 403`))
  })

  test('that nobody has declared is found out', async () => {
    const app = await createWholeApp(() => new CheapSite().deps)
    app.get('/api/new', (c) => c.json({ code: 200 }))
    expect(() => endpointsOf(app).map(audienceOf)).toThrow('whom GET /api/new is for')
  })
})
