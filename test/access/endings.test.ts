import { eq, getTableColumns, getTableName, inArray, is, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { findTargetHandler } from 'hono/utils/handler'
import { beforeEach, describe, expect, test } from 'vitest'
import * as tables from '../../schema/tables.ts'
import { begunWithIdentity, begunWithPasskey } from '../../src/core/access/begun-with-names.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { createWholeApp } from '../../src/app/app.ts'
import { toBase32 } from '../../src/core/base/base32.ts'
import { sha256Hex } from '../../src/core/base/encoding.ts'
import { randomBytes } from '../../src/core/deps.ts'
import { getHasEffect } from '../../src/web/http/http-methods.ts'
import { runNightly } from '../../src/app/nightly-run.ts'
import { sendLogouts } from '../../src/capabilities/openid/back-channel.ts'
import { deleteClient, getClient } from '../../src/capabilities/openid/clients.ts'
import { endEverySession } from '../../src/capabilities/sessions/manage.ts'
import { sealSeed } from '../../src/capabilities/two-factor/sealed.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import {
  basic,
  claimsIn,
  codeFor,
  exchangeCode,
  FORM,
  PASSWORD,
  refreshWith,
  type Registered,
  register,
  signedIn,
  userInfo,
} from '../support/openid.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const { users } = tables
const ALICE = 3
/** The id of the passkey, which has the same form in lists and in the table. */
const PASSKEY = 'AAAA'
const IDENTITY = { issuer: 'https://idp.example.org', subject: 'x' }
const LOGOUT_URI = 'https://files.example.org/logout'
const HOOK = 'https://hooks.example.org/x'
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD'
/** All bits: WebDAV and SFTP are among them. */
const EVERYTHING = 0x3fff

/**
 * What hangs on an account, with the table that holds it. The present session is the one in which
 * the user acts; the other one is elsewhere; a third one has signed out and left a refresh token.
 */
const THINGS = {
  'present session': 'sessions',
  'present code': 'openid_grants',
  'present access token': 'openid_grants',
  'present refresh token': 'openid_grants',
  'other session': 'sessions',
  'other access token': 'openid_grants',
  'other refresh token': 'openid_grants',
  'left refresh token': 'openid_grants',
  consent: 'openid_consents',
  'app password': 'app_passwords',
  'app password at SFTPGo': 'app_passwords',
  'password at SFTPGo': 'users',
  'SSH key': 'ssh_keys',
  passkey: 'passkeys',
  identity: 'identities',
  'recovery code': 'recovery_codes',
  channel: 'notice_channels',
} as const
type Thing = keyof typeof THINGS

/** Tables that name a user or a session and are looked at in another way. */
const OTHER_TABLES = {
  audit_events: 'the column `events`',
  deleted_items: 'test/pages/undo.test.ts',
  file_leases: 'test/files/writes.test.ts',
  file_requests: 'test/groups/requests-under-way.test.ts',
  file_users: 'test/files/gateway.test.ts',
  folder_rules: 'test/groups/folder-rules.test.ts',
  group_members: 'test/groups/groups.test.ts',
  links: 'test/joining/forgotten.test.ts',
  mails: 'test/mail/outbox.test.ts',
  openid_logouts: 'the column `told`',
  reserved_names: 'test/openid/names.test.ts',
}

interface Outcome {
  /** What has ended; everything else goes on. */
  ended: readonly (Thing | (string & {}))[]
  /** The sessions of which the program is told. */
  told: readonly ('present' | 'other')[]
  /** The kinds of events that are written. */
  events: readonly string[]
  /** The topics of the notices that operators get. */
  notices: readonly string[]
}

const OF_PRESENT = ['present code', 'present access token'] as const
const OF_OTHER = ['other access token', 'other refresh token'] as const
const OTHERS = ['other session', ...OF_OTHER, 'left refresh token'] as const
const GRANTS = [...OF_PRESENT, 'present refresh token', ...OF_OTHER, 'left refresh token'] as const
const SESSIONS = ['present session', 'other session'] as const
const APP_PASSWORDS = ['app password', 'app password at SFTPGo'] as const
const BOTH = ['present', 'other'] as const

const OUTCOMES = {
  'a sign-out': {
    ended: ['present session', ...OF_PRESENT],
    told: ['present'],
    events: ['session_ended'],
    notices: [],
  },
  'that session': {
    ended: ['other session', ...OF_OTHER],
    told: ['other'],
    events: ['session_ended'],
    notices: [],
  },
  'the others': { ended: OTHERS, told: ['other'], events: ['session_ended'], notices: [] },
  everything: {
    ended: [...SESSIONS, ...GRANTS, ...APP_PASSWORDS],
    told: BOTH,
    events: ['session_ended', 'token_deleted'],
    notices: [],
  },
  'every session of everybody': {
    ended: [...SESSIONS, ...GRANTS],
    told: BOTH,
    events: ['session_ended'],
    notices: [],
  },
  'a new password': {
    ended: [...SESSIONS, ...GRANTS, 'password at SFTPGo'],
    told: BOTH,
    events: ['password_changed'],
    notices: ['password'],
  },
  'a password set by an operator': {
    ended: [...SESSIONS, ...GRANTS, 'password at SFTPGo'],
    told: BOTH,
    events: ['password_reset'],
    notices: ['password'],
  },
  'a password set with a link': {
    ended: [...SESSIONS, ...GRANTS, 'password at SFTPGo'],
    told: BOTH,
    events: ['password_reset_by_link'],
    notices: ['password'],
  },
  'a password set with a link that takes off two-step verification': {
    ended: [...SESSIONS, ...GRANTS, 'password at SFTPGo', 'recovery code'],
    told: BOTH,
    events: ['password_reset_by_link', 'two_factor_cancelled'],
    notices: ['password', 'second_factor_off'],
  },
  'another end of an account that had ended': {
    ended: [...SESSIONS, ...GRANTS, ...APP_PASSWORDS],
    told: BOTH,
    events: ['end_changed', 'token_deleted'],
    notices: [],
  },
  'two-step verification on': {
    ended: [...GRANTS, 'other session', 'password at SFTPGo'],
    told: BOTH,
    events: ['two_factor_on'],
    notices: [],
  },
  'two-step verification on, with recovery codes': {
    ended: [...GRANTS, 'other session', 'password at SFTPGo'],
    told: BOTH,
    events: ['recovery_codes_made', 'two_factor_on'],
    notices: [],
  },
  'two-step verification moved to a new phone': {
    ended: [...GRANTS, 'other session', 'password at SFTPGo'],
    told: BOTH,
    events: ['recovery_codes_made', 'two_factor_moved'],
    notices: ['second_factor_off'],
  },
  'two-step verification off': {
    ended: [...GRANTS, 'other session', 'recovery code'],
    told: BOTH,
    events: ['two_factor_off'],
    notices: ['second_factor_off'],
  },
  'two-step verification cancelled': {
    ended: [...GRANTS, ...SESSIONS, 'recovery code'],
    told: BOTH,
    events: ['two_factor_cancelled'],
    notices: ['second_factor_off'],
  },
  'a deleted passkey': {
    ended: [...OTHERS, 'passkey'],
    told: ['other'],
    events: ['passkey_deleted'],
    notices: [],
  },
  'a deleted passkey and every other session': {
    ended: [...GRANTS, 'other session', 'passkey'],
    told: BOTH,
    events: ['passkey_deleted'],
    notices: [],
  },
  'an unlinked account': {
    ended: [...OTHERS, 'identity'],
    told: ['other'],
    events: ['identity_unlinked'],
    notices: [],
  },
  'an unlinked account and every other session': {
    ended: [...GRANTS, 'other session', 'identity'],
    told: BOTH,
    events: ['identity_unlinked'],
    notices: [],
  },
  'an emptied sso_id': {
    ended: [...OTHERS, 'identity'],
    told: ['other'],
    events: ['identity_unlinked', 'profile_changed'],
    notices: [],
  },
  'an sso_id emptied by an operator': {
    ended: [...OTHERS, 'identity'],
    told: ['other'],
    events: ['identity_unlinked', 'user_changed'],
    notices: [],
  },
  disabling: {
    ended: [...SESSIONS, ...GRANTS, ...APP_PASSWORDS, 'password at SFTPGo', 'SSH key'],
    told: BOTH,
    events: ['token_deleted', 'user_disabled'],
    notices: [],
  },
  deletion: {
    ended: Object.keys(THINGS),
    told: BOTH,
    events: ['user_deleted'],
    notices: [],
  },
  'access taken from a program': {
    ended: [...GRANTS, 'consent'],
    told: BOTH,
    events: ['access_removed'],
    notices: [],
  },
  'an address taken from a program': {
    ended: GRANTS,
    told: BOTH,
    events: ['client_changed'],
    notices: [],
  },
  'a deleted program': {
    ended: [...GRANTS, 'consent'],
    told: [],
    events: ['client_deleted'],
    notices: [],
  },
  'a revoked refresh token': {
    ended: ['other refresh token'],
    told: [],
    events: [],
    notices: [],
  },
  'a code used twice': {
    ended: ['other access token'],
    told: ['other'],
    events: ['access_replayed'],
    notices: ['access_replayed'],
  },
  'a refresh token used twice': {
    ended: ['other refresh token'],
    told: ['other'],
    events: ['access_replayed'],
    notices: ['access_replayed'],
  },
  'the lifetime of sessions': {
    ended: [...SESSIONS, ...OF_PRESENT, 'other access token'],
    told: BOTH,
    events: [],
    notices: [],
  },
} as const satisfies Record<string, Outcome>

/** What the user, the thief and the program hold. */
interface Held {
  client: Registered
  present: string
  other: string
  sids: { present: string; other: string }
  code: string
  usedCode: string
  hint: string
  accessOfPresent: string
  refreshOfPresent: string
  accessOfOther: string
  refreshOfOther: string
  left: string
  appPassword: string
  service: string
  admin: string
}

const arrange = prepared(async (site: CheapSite): Promise<Held> => {
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD, permission: EVERYTHING })
  const client = await register(site, { name: 'wiki', logoutUri: LOGOUT_URI })
  const admin = await site.token('admin', ADMIN_PASSWORD)
  const topics = ['password', 'second_factor_off', 'access_replayed']
  const channel = { kind: 'webhook', name: 'hook', address: HOOK, topics }
  await site.post('/api/admin/notice/create', channel, { token: admin })
  const offline = { scope: 'openid offline_access' }
  const refreshable = async (visitor: Visitor) =>
    exchangeCode(site, client, await codeFor(visitor, client, offline))
  const gone = await signedIn(site)
  const left = await refreshable(gone)
  await gone.post('/account/sign-out')
  const present = await signedIn(site)
  const other = await signedIn(site)
  const access = await exchangeCode(site, client, await codeFor(present, client))
  const usedCode = await codeFor(other, client)
  const accessElsewhere = await exchangeCode(site, client, usedCode)
  const refreshOfOther = (await refreshable(other)).refresh_token ?? ''
  const token = present.cookies.get('session') ?? ''
  await site.post('/api/me/sshkey/add', { title: 'laptop', key: KEY }, { token })
  await insertOwned(site, client)
  return {
    client,
    present: token,
    other: other.cookies.get('session') ?? '',
    sids: { present: sid(access.id_token), other: sid(accessElsewhere.id_token) },
    usedCode,
    hint: access.id_token,
    accessOfPresent: access.access_token,
    refreshOfPresent: (await refreshable(present)).refresh_token ?? '',
    accessOfOther: accessElsewhere.access_token,
    refreshOfOther,
    left: left.refresh_token ?? '',
    appPassword: (await addAppPassword(site, ALICE, ['files:read', 'account:read'])).token,
    service: (await addServiceToken(site.deps, 'files', 'sftp')) ?? '',
    admin,
    // The last one: a code is good for a minute.
    code: await codeFor(present, client),
  }
})

const sid = (idToken: string) => String(claimsIn(idToken)['sid'])

/** Rows that nothing but the account itself ends. */
async function insertOwned(site: CheapSite, client: Registered): Promise<void> {
  const createdAt = site.now
  const { passkeys, identities, recoveryCodes, noticeChannels, openidConsents } = tables
  await site.db.insert(passkeys).values({
    credentialId: PASSKEY,
    userId: ALICE,
    publicKey: 'x',
    algorithm: -7,
    signCount: 0,
    backedUp: false,
    transports: '',
    aaguid: '',
    rpId: 'localhost',
    name: 'x',
    createdAt,
  })
  await site.db.insert(identities).values({
    ...IDENTITY,
    userId: ALICE,
    platform: 'OIDC',
    name: 'x',
    linkedAt: 0,
    linkedBy: 'user',
  })
  await site.db.insert(recoveryCodes).values({ userId: ALICE, codeHash: 'x' })
  await site.db.insert(noticeChannels).values({
    userId: ALICE,
    kind: 'webhook',
    name: 'x',
    target: 'x',
    config: 'x',
    topics: '',
    language: 'en',
    origin: '',
    sinceEventId: 0,
    createdAt,
  })
  const { clientId } = client
  await site.db
    .insert(openidConsents)
    .values({ userId: ALICE, clientId, scope: 'openid', givenAt: 0 })
}

let site: CheapSite
let held: Held
let sent: { url: string; body: BodyInit | null | undefined }[]

beforeEach(async () => {
  sent = []
  site = new CheapSite({
    sendOut: async (url, { body }) => {
      sent.push({ url, body })
      return new Response(null)
    },
  })
  held = await arrange(site)
  for (const secret of [held.code, held.usedCode, held.service, held.appPassword])
    rememberSecret(secret)
  sent = []
})

const rowsOf = async (table: string): Promise<number> => {
  const name = table === 'users' ? sql`id` : sql`user_id`
  const [row] = await site.db.all<{ total: number }>(
    sql`select count(*) as total from ${sql.identifier(table)} where ${name} = ${ALICE}`,
  )
  return row?.total ?? 0
}

const isIn = async (token: string) => (await site.get('/api/me', { token })).code === 200
const isAtSftpgo = async (password: string) => {
  const body = { username: 'alice', password, protocol: 'DAV', ip: '203.0.113.9' }
  const token = `Bearer ${held.service}`
  const response = await site.fetch('POST', '/api/sftp/external_auth', { token, body })
  const { username } = await response.json<{ username: string }>()
  return username === 'alice'
}

/** Tells whether something is still good, as its server or the program finds it. */
const IS_GOOD: Record<Thing, () => Promise<boolean>> = {
  'present session': () => isIn(held.present),
  'other session': () => isIn(held.other),
  'present access token': async () => (await userInfo(site, held.accessOfPresent)).status === 200,
  'other access token': async () => (await userInfo(site, held.accessOfOther)).status === 200,
  'present refresh token': () => refreshes(held.refreshOfPresent),
  'other refresh token': () => refreshes(held.refreshOfOther),
  'left refresh token': () => refreshes(held.left),
  'present code': async () => (await exchangeCode(site, held.client, held.code)).status === 200,
  'app password': () => isIn(held.appPassword),
  'app password at SFTPGo': () => isAtSftpgo(held.appPassword),
  'password at SFTPGo': () => isAtSftpgo(PASSWORD),
  'SSH key': async () => {
    const token = `Bearer ${held.service}`
    const path = '/api/sftp/authorized_keys?username=alice'
    return (await (await site.fetch('GET', path, { token })).text()).includes(KEY)
  },
  consent: async () => (await rowsOf('openid_consents')) > 0,
  passkey: async () => (await rowsOf('passkeys')) > 0,
  identity: async () => (await rowsOf('identities')) > 0,
  'recovery code': async () => (await rowsOf('recovery_codes')) > 0,
  channel: async () => (await rowsOf('notice_channels')) > 0,
}

const refreshes = async (token: string) =>
  (await refreshWith(site, held.client, token)).status === 200

/** Turns two-step verification on behind the scenes; every session stays. @returns The seed. */
async function giveSeed(): Promise<string> {
  const seed = randomBytes(20)
  const totpSeed = await sealSeed(site.deps, await site.deps.keyRing(), seed, ALICE)
  await site.db.update(users).set({ totpSeed }).where(eq(users.id, ALICE))
  return toBase32(seed)
}

const me = () => ({ token: held.present })
const admin = () => ({ token: held.admin })

function at(token: string): Visitor {
  const visitor = new Visitor(site)
  visitor.cookies.set('session', token)
  return visitor
}

const onPage = (path: string, fields: Record<string, string> = {}) =>
  at(held.present).post(path, fields)
const onAdminPage = (form: string, fields: Record<string, string> = {}) =>
  at(held.admin).post(`/account/admin/users/${ALICE}/${form}`, fields)

async function update(change: object): Promise<unknown> {
  const { data } = await site.get(`/api/admin/user/get?id=${ALICE}`, admin())
  return site.post('/api/admin/user/update', { ...data, ...change }, admin())
}

/** Works as a command does, and sends what it leaves. test/cli/endings.test.ts runs real ones. */
async function byCommand(run: () => Promise<unknown>): Promise<void> {
  await run()
  if (site.deps.db.toSend.has('logouts')) await sendLogouts(site.deps)
}

const byProgram = (path: string, form: Record<string, string>) =>
  site.fetch('POST', path, {
    headers: { ...FORM, ...basic(held.client) },
    body: new URLSearchParams(form).toString(),
  })

const generated = async (): Promise<{ secret: string; code: string }> => {
  const { data } = await site.post('/api/auth/2fa/generate', undefined, me())
  return { secret: data.secret, code: site.code(data.secret) }
}

/** Has the other session, and what is left of the third one, begin with another credential. */
async function beginOtherWith(begunWith: string): Promise<void> {
  const { sessions, openidGrants } = tables
  const { other } = held.sids
  await site.db.update(sessions).set({ begunWith }).where(eq(sessions.id, other))
  const ofThem = inArray(openidGrants.sessionId, [other, ''])
  await site.db.update(openidGrants).set({ begunWith }).where(ofThem)
}

type Row = [way: string, ending: keyof typeof OUTCOMES, end: () => Promise<unknown>]

/** A form of the admins' page of a user. */
const form = (name: string) => `POST /account/admin/users/:id{[0-9]+}/${name}`
const NEW_PASSWORD = 'another-Passw0rd'

const LINK = 'x'.repeat(43)

/** Makes a link for a new password of alice. */
async function giveLink(secondFactor = false): Promise<void> {
  const [alice] = await site.db.select().from(users).where(eq(users.id, ALICE))
  await site.db.insert(tables.links).values({
    kind: 'reset',
    tokenHash: await sha256Hex(LINK),
    userId: ALICE,
    passwordChangedAt: alice?.passwordChangedAt,
    secondFactor,
    createdAt: site.now,
    endsAt: site.now + HOUR,
  })
}

/** Every way in which something ends. A route may have several rows. */
const ENDINGS: Row[] = [
  ['GET /api/auth/logout', 'a sign-out', () => site.get('/api/auth/logout', me())],
  ['POST /account/sign-out', 'a sign-out', () => onPage('/account/sign-out')],
  [
    'GET /oauth/end_session',
    'a sign-out',
    () => at(held.present).get(`/oauth/end_session?id_token_hint=${held.hint}`),
  ],
  [
    'POST /oauth/end_session',
    'a sign-out',
    () => onPage('/oauth/end_session', { id_token_hint: held.hint }),
  ],
  [
    'POST /oauth/end_session/confirm',
    'a sign-out',
    () => onPage('/oauth/end_session/confirm', { client_id: held.client.clientId }),
  ],
  [
    'POST /oauth/authorize/switch',
    'a sign-out',
    () => onPage('/oauth/authorize/switch', { request: requestOf(held.client) }),
  ],
  [
    'POST /api/auth/reset',
    'a password set with a link',
    async () => {
      await giveLink()
      await site.post('/api/auth/reset', { link: LINK, password: NEW_PASSWORD })
    },
  ],
  [
    'POST /api/auth/reset',
    'a password set with a link that takes off two-step verification',
    async () => {
      await giveLink(true)
      await site.post('/api/auth/reset', { link: LINK, password: NEW_PASSWORD })
    },
  ],
  [
    'POST /account/link',
    'a password set with a link',
    async () => {
      await giveLink()
      const fields = { link: LINK, password: NEW_PASSWORD, repeat: NEW_PASSWORD }
      await new Visitor(site).post('/account/link', fields)
    },
  ],
  [
    'POST /api/admin/user/details',
    'another end of an account that had ended',
    async () => {
      const hasEnded = { endsAt: site.now - 1 }
      await site.db.update(tables.users).set(hasEnded).where(eq(tables.users.id, ALICE))
      return site.post('/api/admin/user/details', { id: ALICE, ends_at: null }, admin())
    },
  ],
  [
    form('details'),
    'another end of an account that had ended',
    async () => {
      const hasEnded = { endsAt: site.now - 1 }
      await site.db.update(tables.users).set(hasEnded).where(eq(tables.users.id, ALICE))
      await onAdminPage('details', { ends_at: '', shown_end: '2026-01-01' })
    },
  ],
  [
    'POST /api/me/sessions/delete',
    'that session',
    () => site.post(`/api/me/sessions/delete?id=${held.sids.other}`, undefined, me()),
  ],
  [
    'POST /account/sessions/end',
    'that session',
    () => onPage('/account/sessions/end', { id: held.sids.other }),
  ],
  [form('end-session'), 'that session', () => onAdminPage('end-session', { id: held.sids.other })],
  [
    'POST /api/me/sessions/delete_others',
    'the others',
    () => site.post('/api/me/sessions/delete_others', undefined, me()),
  ],
  ['POST /account/sessions/end-others', 'the others', () => onPage('/account/sessions/end-others')],
  [
    'POST /api/me/sessions/delete_all',
    'everything',
    () => site.post('/api/me/sessions/delete_all', undefined, me()),
  ],
  [
    'POST /account/sessions/end-everything',
    'everything',
    () => onPage('/account/sessions/end-everything'),
  ],
  [form('end-sessions'), 'everything', () => onAdminPage('end-sessions')],
  [
    'command: session end --everyone',
    'every session of everybody',
    () => byCommand(() => endEverySession(site.deps, COMMAND_LINE)),
  ],
  [
    'POST /api/me/update',
    'a new password',
    () =>
      site.post(
        '/api/me/update',
        { username: 'alice', password: NEW_PASSWORD, old_password: PASSWORD },
        me(),
      ),
  ],
  [
    'POST /account/security/password',
    'a new password',
    () =>
      onPage('/account/security/password', {
        password: NEW_PASSWORD,
        repeat: NEW_PASSWORD,
        old_password: PASSWORD,
      }),
  ],
  [
    'POST /account/security/check/password',
    'a new password',
    () =>
      onPage('/account/security/check/password', {
        password: NEW_PASSWORD,
        repeat: NEW_PASSWORD,
        old_password: PASSWORD,
      }),
  ],
  [
    'POST /api/admin/user/update',
    'a password set by an operator',
    () => update({ password: NEW_PASSWORD }),
  ],
  [
    'POST /account/admin/users/:id{[0-9]+}/password',
    'a password set by an operator',
    () => onAdminPage('password', { password: NEW_PASSWORD }),
  ],
  [
    'POST /api/auth/2fa/verify',
    'two-step verification on',
    async () => site.post('/api/auth/2fa/verify', await generated(), me()),
  ],
  [
    'POST /account/security/confirm',
    'two-step verification on, with recovery codes',
    async () => onPage('/account/security/confirm', await generated()),
  ],
  [
    'POST /api/auth/2fa/disable',
    'two-step verification off',
    async () => site.post('/api/auth/2fa/disable', { otp_code: site.code(await giveSeed()) }, me()),
  ],
  [
    'POST /account/security/off',
    'two-step verification off',
    async () => onPage('/account/security/off', { code: site.code(await giveSeed()) }),
  ],
  [
    'POST /account/security/confirm',
    'two-step verification moved to a new phone',
    async () => {
      const code = site.code(await giveSeed())
      const { html } = await onPage('/account/security/phone', { code })
      const [, secret = ''] = /name="secret" value="([A-Z2-7]{32})"/.exec(html) ?? []
      await onPage('/account/security/confirm', { secret, code: site.code(secret) })
    },
  ],
  [
    'POST /api/admin/user/cancel_2fa',
    'two-step verification cancelled',
    async () => {
      await giveSeed()
      await site.post(`/api/admin/user/cancel_2fa?id=${ALICE}`, undefined, admin())
    },
  ],
  [
    form('cancel-two-factor'),
    'two-step verification cancelled',
    async () => {
      await giveSeed()
      await onAdminPage('cancel-two-factor')
    },
  ],
  [
    'POST /api/authn/delete_authn',
    'a deleted passkey',
    async () => {
      await beginOtherWith(begunWithPasskey(PASSKEY))
      const on = { key: 'webauthn_login_enabled', value: 'true' }
      await site.db.insert(tables.settings).values(on)
      await site.post('/api/authn/delete_authn', { id: PASSKEY }, me())
    },
  ],
  [
    'POST /account/security/passkeys/delete',
    'a deleted passkey',
    async () => {
      await beginOtherWith(begunWithPasskey(PASSKEY))
      await onPage('/account/security/passkeys/delete', { id: PASSKEY })
    },
  ],
  [
    'POST /account/security/passkeys/delete',
    'a deleted passkey and every other session',
    () => onPage('/account/security/passkeys/delete', { id: PASSKEY, others: 'on' }),
  ],
  [
    'POST /api/admin/user/passkey/delete',
    'a deleted passkey',
    async () => {
      await beginOtherWith(begunWithPasskey(PASSKEY))
      await site.post(`/api/admin/user/passkey/delete?uid=${ALICE}`, { id: PASSKEY }, admin())
    },
  ],
  [
    form('delete-passkey'),
    'a deleted passkey',
    async () => {
      await beginOtherWith(begunWithPasskey(PASSKEY))
      await onAdminPage('delete-passkey', { id: PASSKEY })
    },
  ],
  [
    'POST /account/security/identities/unlink',
    'an unlinked account',
    async () => {
      await beginOtherWith(begunWithIdentity(IDENTITY))
      await onPage('/account/security/identities/unlink', IDENTITY)
    },
  ],
  [
    'POST /account/security/identities/unlink',
    'an unlinked account and every other session',
    () => onPage('/account/security/identities/unlink', { ...IDENTITY, others: 'on' }),
  ],
  [
    'POST /api/admin/user/identity/delete',
    'an unlinked account',
    async () => {
      await beginOtherWith(begunWithIdentity(IDENTITY))
      await site.post(`/api/admin/user/identity/delete?uid=${ALICE}`, IDENTITY, admin())
    },
  ],
  [
    form('unlink-identity'),
    'an unlinked account',
    async () => {
      await beginOtherWith(begunWithIdentity(IDENTITY))
      await onAdminPage('unlink-identity', IDENTITY)
    },
  ],
  [
    'POST /api/me/update',
    'an emptied sso_id',
    async () => {
      await beginOtherWith(begunWithIdentity(IDENTITY))
      await site.db.update(users).set({ ssoId: 'x' }).where(eq(users.id, ALICE))
      await site.post('/api/me/update', { username: 'alice', sso_id: '' }, me())
    },
  ],
  [
    'POST /api/admin/user/update',
    'an sso_id emptied by an operator',
    async () => {
      await beginOtherWith(begunWithIdentity(IDENTITY))
      await site.db.update(users).set({ ssoId: 'x' }).where(eq(users.id, ALICE))
      await update({ sso_id: '' })
    },
  ],
  ['POST /api/admin/user/update', 'disabling', () => update({ disabled: true })],
  [form('disable'), 'disabling', () => onAdminPage('disable')],
  [
    'POST /account/admin/users/selected',
    'disabling',
    () =>
      at(held.admin).post('/account/admin/users/selected', {
        do: 'disable',
        sure: 'true',
        [`user-${ALICE}`]: 'on',
      }),
  ],
  [
    'POST /api/admin/user/delete',
    'deletion',
    () => site.post(`/api/admin/user/delete?id=${ALICE}`, undefined, admin()),
  ],
  [form('delete'), 'deletion', () => onAdminPage('delete')],
  [
    'POST /account/programs/remove',
    'access taken from a program',
    () => onPage('/account/programs/remove', { id: held.client.clientId }),
  ],
  [
    'POST /account/admin/programs/edit',
    'an address taken from a program',
    () =>
      at(held.admin).post('/account/admin/programs/edit', {
        id: held.client.clientId,
        name: 'wiki',
        redirect_uris: 'https://new.example.org/callback',
        logout_uri: LOGOUT_URI,
        first_party: 'on',
      }),
  ],
  [
    'POST /account/admin/programs/delete',
    'a deleted program',
    () => at(held.admin).post('/account/admin/programs/delete', { id: held.client.clientId }),
  ],
  [
    'command: client delete',
    'a deleted program',
    () =>
      byCommand(async () => {
        const client = await getClient(site.deps, COMMAND_LINE, 'wiki')
        await deleteClient(site.deps, COMMAND_LINE, client)
      }),
  ],
  [
    'POST /oauth/revoke',
    'a revoked refresh token',
    () => byProgram('/oauth/revoke', { token: held.refreshOfOther }),
  ],
  ['POST /oauth/token', 'a code used twice', () => exchangeCode(site, held.client, held.usedCode)],
  [
    'POST /oauth/token',
    'a refresh token used twice',
    async () => {
      await refreshWith(site, held.client, held.refreshOfOther)
      await refreshWith(site, held.client, held.refreshOfOther)
    },
  ],
  [
    'nightly run',
    'the lifetime of sessions',
    async () => {
      site.now += 49 * HOUR
      await runNightly(site.deps)
    },
  ],
]

function requestOf({ clientId }: Registered): string {
  const redirect = 'https://files.example.org/api/auth/sso_callback?method=sso_get_token'
  const request = { response_type: 'code', client_id: clientId, redirect_uri: redirect }
  return new URLSearchParams({ ...request, scope: 'openid' }).toString()
}

describe.each(ENDINGS)('%s: %s', (_, ending, end) => {
  test('ends what hangs on it, and nothing else', async () => {
    const [latest] = await site.db.all<{ id: number }>(
      sql`select coalesce(max(id), 0) as id from audit_events`,
    )
    await end()
    await site.settle()
    const events = await site.db.all<{ kind: string }>(
      sql`select kind from audit_events where id > ${latest?.id} order by kind`,
    )
    const outcome: Outcome = {
      ended: [],
      told: sent.filter(({ url }) => url === LOGOUT_URI).map(({ body }) => sessionOf(body)),
      events: events.map(({ kind }) => kind),
      notices: sent
        .filter(({ url }) => url === HOOK)
        .map(({ body }) => JSON.parse(typeof body === 'string' ? body : '').type),
    }
    const ended: string[] = []
    for (const [name, isGood] of Object.entries(IS_GOOD)) if (!(await isGood())) ended.push(name)
    const expected = OUTCOMES[ending]
    expect({ ...outcome, ended: ended.toSorted(), told: outcome.told.toSorted() }).toEqual({
      ...expected,
      ended: [...expected.ended].toSorted(),
      told: [...expected.told].toSorted(),
    })
  })
})

function sessionOf(body: BodyInit | null | undefined): 'present' | 'other' {
  const token = body instanceof URLSearchParams ? (body.get('logout_token') ?? '') : ''
  const ended = sid(token)
  if (ended !== held.sids.present && ended !== held.sids.other)
    throw new Error('an unknown session')
  return ended === held.sids.present ? 'present' : 'other'
}

test('before anything ends, everything is good', async () => {
  for (const [name, isGood] of Object.entries(IS_GOOD)) expect(await isGood(), name).toBe(true)
})

/** Requests that change something, and end no more than the one thing that they name. */
const ENDS_NOTHING_ELSE = [
  'GET /account/sign-in/sso',
  'GET /api/auth/get_sso_id',
  'GET /api/auth/sso',
  'GET /api/auth/sso_callback',
  'GET /api/auth/sso_get_token',
  'GET /oauth/authorize',
  'GET /oauth/jwks',
  'POST /account/admin/checklist/hide',
  'POST /account/admin/folders/add',
  'POST /account/admin/folders/adopt',
  'POST /account/admin/folders/change',
  'POST /account/admin/folders/move',
  'POST /account/admin/folders/sync',
  'POST /account/admin/groups/:id{[0-9]+}/delete',
  'POST /account/admin/groups/:id{[0-9]+}/join',
  'POST /account/admin/groups/:id{[0-9]+}/remove',
  'POST /account/admin/groups/:id{[0-9]+}/save',
  'POST /account/admin/groups/add',
  'POST /account/admin/invitations/add',
  'POST /account/admin/invitations/again',
  'POST /account/admin/invitations/withdraw',
  'POST /account/admin/notices/add',
  'POST /account/admin/notices/delete',
  'POST /account/admin/notices/test',
  'POST /account/admin/notices/topics',
  'POST /account/admin/programs/add',
  'POST /account/admin/programs/release',
  'POST /account/admin/programs/secret',
  'POST /account/admin/settings/:page',
  'POST /account/admin/settings/sso/check',
  'POST /account/admin/users/:id{[0-9]+}/reset-link',
  'POST /account/admin/users/new',
  'POST /account/announcement',
  'POST /account/app-passwords/create',
  'POST /account/app-passwords/delete',
  'POST /account/email',
  'POST /account/email/send',
  'POST /account/forgotten',
  'POST /account/keys/add',
  'POST /account/keys/delete',
  'POST /account/keys/delete-all',
  'POST /account/language',
  'POST /account/notices/delete',
  'POST /account/notices/save',
  'POST /account/notices/test',
  'POST /account/notices/topics',
  'POST /account/register',
  'POST /account/security/check/done',
  'POST /account/security/codes',
  'POST /account/security/factor',
  'POST /account/security/identities/link',
  'POST /account/security/keep',
  'POST /account/security/passkeys/add',
  'POST /account/security/passkeys/confirm',
  'POST /account/security/passkeys/rename',
  'POST /account/security/phone',
  'POST /account/security/start',
  'POST /account/sessions/known',
  'POST /account/sign-in',
  'POST /account/sign-in/code',
  'POST /account/sign-in/passkey',
  'POST /account/sign-in/sso/code',
  'POST /account/sign-in/sso/link',
  'POST /account/sign-in/sso/passkey',
  'POST /account/undo/bring-back',
  'POST /api/admin/folder_rule/adopt',
  'POST /api/admin/folder_rule/create',
  'POST /api/admin/folder_rule/delete',
  'POST /api/admin/folder_rule/move',
  'POST /api/admin/folder_rule/sync',
  'POST /api/admin/folder_rule/update',
  'POST /api/admin/group/create',
  'POST /api/admin/group/delete',
  'POST /api/admin/group/member/add',
  'POST /api/admin/group/member/remove',
  'POST /api/admin/group/update',
  'POST /api/admin/invitation/create',
  'POST /api/admin/link/delete',
  'POST /api/admin/notice/create',
  'POST /api/admin/notice/delete',
  'POST /api/admin/notice/test',
  'POST /api/admin/notice/topics',
  'POST /api/admin/setting/default',
  'POST /api/admin/setting/save',
  'POST /api/admin/user/approve',
  'POST /api/admin/user/create',
  'POST /api/admin/user/del_cache',
  'POST /api/admin/user/reject',
  'POST /api/admin/user/reset_link',
  'POST /api/admin/user/sshkey/delete',
  'POST /api/admin/user/token/delete',
  'POST /api/auth/2fa/generate',
  'POST /api/auth/2fa/recovery_codes',
  'POST /api/auth/forgotten',
  'POST /api/auth/login',
  'POST /api/auth/login/hash',
  'POST /api/auth/register',
  'POST /api/authn/rename_authn',
  'POST /api/authn/webauthn_finish_login',
  'POST /api/authn/webauthn_finish_registration',
  'POST /api/ldap/bind',
  'POST /api/me/confirm',
  'POST /api/me/credentials/keep',
  'POST /api/me/email',
  'POST /api/me/email/confirm',
  'POST /api/me/email/send',
  'POST /api/me/notices/delete',
  'POST /api/me/notices/save',
  'POST /api/me/notices/test',
  'POST /api/me/sshkey/add',
  'POST /api/me/sshkey/delete',
  'POST /api/me/tokens/create',
  'POST /api/me/tokens/delete',
  'POST /api/sftp/external_auth',
  'POST /api/sftp/post_login',
  'POST /api/sftp/used',
  'POST /oauth/authorize',
  'POST /oauth/authorize/confirm',
  'POST /oauth/authorize/consent',
  'POST /oauth/introspect',
  'POST /oauth/userinfo',
  ...(
    [
      'change',
      'approve',
      'reject',
      'enable',
      'unlock',
      'delete-key',
      'delete-app-password',
    ] as const
  ).map(form),
]

describe('the table above has', () => {
  test('everything that belongs to a user or to a session', () => {
    const owned = Object.values(tables)
      .filter((table) => is(table, SQLiteTable))
      .filter((table) =>
        Object.values(getTableColumns(table)).some(({ name }) =>
          ['user_id', 'session_id'].includes(name),
        ),
      )
      .map(getTableName)
    const known = new Set<string>([...Object.values(THINGS), ...Object.keys(OTHER_TABLES)])
    known.delete('users')
    expect([...known].toSorted()).toEqual(owned.toSorted())
  })

  test('every request that changes something', async () => {
    const { routes } = await createWholeApp(() => site.deps)
    const changing = routes
      .filter(({ method, handler }) =>
        method === 'GET' ? findTargetHandler(handler) === getHasEffect : method !== 'ALL',
      )
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => !name.startsWith('OPTIONS '))
    const endings = new Set(ENDINGS.map(([way]) => way).filter((way) => /^[A-Z]+ \//.test(way)))
    const listed = [...endings, ...ENDS_NOTHING_ELSE]
    expect(listed.toSorted()).toEqual([...new Set(changing)].toSorted())
  })
})
