import { desc, eq, getTableName, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { beforeEach, describe, expect, test } from 'vitest'
import * as tables from '../../schema/tables.ts'
import {
  auditEvents,
  deletedItems,
  groups,
  links,
  openidClients,
  openidConsents,
  sshKeys,
  users,
} from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { insertNotices } from '../../src/capabilities/notices/make-notices.ts'
import { KEPT_WITH_USER } from '../../src/capabilities/users/store.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { expectEscaped, MARKUP } from '../support/markup.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'
import { problemAt, type Seen, textOf, undoIn, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD'
const OTHER_KEY =
  'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg='
const BACK = '/account/undo/bring-back'
const GONE = 'This can no longer be undone.'

let site: CheapSite
let alice: Visitor

const signIn = preparedVisit(async (arranged, browser) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD, permission: 1 << 10 })
  await arranged.addUser('bob', { password: PASSWORD })
  await browser.signIn('alice', PASSWORD)
})

beforeEach(async () => {
  site = new CheapSite()
  alice = await signIn(site)
})

async function another(name: string, password = PASSWORD): Promise<Visitor> {
  const visitor = new Visitor(site)
  await visitor.signIn(name, password)
  return visitor
}

const bringBack = (id: string, visitor = alice, more = {}) => visitor.post(BACK, { id, ...more })

async function addKey(title = 'laptop', key = KEY) {
  await alice.post('/account/keys/add', { title, key })
  const [row] = await site.db.select().from(sshKeys).where(eq(sshKeys.title, title))
  if (row === undefined) throw new Error('the key was refused')
  return row
}

async function deleteKey({ id }: { id: number }): Promise<string> {
  return undoIn(await alice.post('/account/keys/delete', { id: String(id) }))
}

/** @returns The page after the deletion of a new key, whose form named it so. */
const noticeAfter = async (title: string, name: string) => {
  const { id } = await addKey(title)
  const fields = { id: String(id), named: name }
  const { location } = await alice.post('/account/keys/delete', fields)
  return (await alice.get(location ?? '')).html
}

const keysThere = () => site.db.select().from(sshKeys)
const keptThere = () => site.db.select({ name: deletedItems.name }).from(deletedItems)

const named = (username: string) => site.db.select().from(users).where(eq(users.username, username))

const identityOf = (userId: number) => ({
  issuer: 'https://idp.example.org',
  subject: '4711',
  userId,
  platform: 'OIDC',
  name: 'Alice',
  linkedAt: 1,
  linkedBy: 'user',
})

/** Everything that comes back with alice, at least a row of each table. */
async function rowsOfAlice() {
  const rows: Record<string, unknown[]> = { users: await named('alice') }
  for (const table of KEPT_WITH_USER)
    rows[getTableName(table)] = await site.db.select().from(table).where(eq(table.userId, 3))
  return rows
}

/** @returns What opens the account: a token, the seed of the second factor, an app password. */
async function fillAlice() {
  await addKey()
  const token = await site.token('alice', PASSWORD)
  const seed = await site.enrol(token)
  const { token: appPassword } = await addAppPassword(site, 3, ['account:read'])
  const profile = { basePath: '/homes/alice', email: 'a@example.org', endsAt: site.now + HOUR }
  await site.db.update(users).set(profile).where(eq(users.id, 3))
  const key = { publicKey: 'AA', algorithm: -7, signCount: 0, backedUp: false, transports: '' }
  const names = { credentialId: 'AAAA', aaguid: '', rpId: 'localhost', name: 'phone' }
  await site.db.insert(tables.passkeys).values({ ...key, ...names, userId: 3, createdAt: 1 })
  await site.db.insert(tables.identities).values(identityOf(3))
  await site.db.insert(tables.recoveryCodes).values({ userId: 3, codeHash: 'x' })
  await site.db.insert(groups).values({ name: 'family', nameKey: 'family', createdAt: 1 })
  const member = { groupId: 1, userId: 3, addedAt: 1, source: 'admin' }
  await site.db.insert(tables.groupMembers).values(member)
  await site.db.insert(tables.noticeChannels).values({
    userId: 3,
    kind: 'ntfy',
    name: 'phone',
    target: 'ntfy.example.org',
    config: 'sealed',
    topics: '',
    language: 'en',
    origin: '',
    sinceEventId: 0,
    createdAt: 1,
  })
  return { token, seed, appPassword }
}

/** An object with other values. */
const mapped = <Value>(of: object, value: () => Value): Record<string, Value> =>
  Object.fromEntries(Object.keys(of).map((name) => [name, value()]))

const asAdmin = async () => ({ token: await site.token('admin', ADMIN_PASSWORD) })

async function expectGone(seen: Seen) {
  expect([seen.status, textOf(seen.html).includes(GONE)]).toEqual([404, true])
  expect(await keysThere()).toEqual([])
}

describe('a deleted SSH key', () => {
  test('opens nothing, and is as it was when it is brought back', async () => {
    const key = await addKey()
    await site.db
      .update(sshKeys)
      .set({ lastUsedAt: 1, lastUsedNetwork: '192.0.2.1', amr: 'pwd otp' })
    const [before] = await keysThere()
    const token = (await addServiceToken(site.deps, 'files', 'sftp')) ?? ''
    const offered = async () => {
      const at = '/api/sftp/authorized_keys?username=alice'
      return (await site.fetch('GET', at, { token: `Bearer ${token}` })).text()
    }
    expect(await offered()).toContain(KEY)
    const deletion = await alice.post('/account/keys/delete', { id: String(key.id) })
    expect(await offered()).toBe('')
    const { html } = await alice.get(deletion.location ?? '')
    expect(html).toMatch(/<span role="status">The key was deleted\.<\/span><form method="post"/)
    expect(textOf(html)).toContain('The key was deleted. Undo')
    const id = undoIn(deletion)
    expect(html).toContain(`name="id" value="${id}"`)
    expect(await offered()).toBe('')
    expect(await bringBack(id)).toMatchObject({
      status: 303,
      location: '/account/keys?done=keys-restored',
    })
    expect(await keysThere()).toEqual([before])
    expect(await offered()).toContain(KEY)
    expect(await keptThere()).toEqual([])
    const [event] = await site.db.select().from(auditEvents).orderBy(desc(auditEvents.id)).limit(1)
    expect(event).toMatchObject({
      kind: 'key_restored',
      userId: 3,
      detail: 'laptop',
      actorId: null,
    })
    const again = await bringBack(id)
    expect([again.status, textOf(again.html).includes(GONE)]).toEqual([404, true])
    expect(await keysThere()).toHaveLength(1)
  })

  test('comes back with all that were deleted at once', async () => {
    await addKey()
    await addKey('phone', OTHER_KEY)
    const before = await keysThere()
    const id = undoIn(await alice.post('/account/keys/delete-all'))
    expect(await keysThere()).toEqual([])
    expect(await keptThere()).toEqual([{ name: 'laptop, phone' }])
    await bringBack(id)
    expect(await keysThere()).toEqual(before)
    const events = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'key_restored'))
    expect(events.map(({ detail }) => detail).toSorted()).toEqual(['laptop', 'phone'])
  })

  test('is gone after ten minutes, although no run has deleted it yet', async () => {
    const id = await deleteKey(await addKey())
    site.now += 10 * MINUTE
    await expectGone(await alice.get(`/account/undo?id=${id}`))
    await expectGone(await bringBack(id, alice, { confirm_password: PASSWORD }))
    expect(await keptThere()).toHaveLength(1)
    await runFrequently(site.deps)
    expect(await keptThere()).toEqual([])
  })

  test('is brought back by the session that deleted it, and by no other one', async () => {
    const id = await deleteKey(await addKey())
    await expectGone(await bringBack(id, await another('bob')))
    await expectGone(await bringBack(id, await another('alice')))
    await expectGone(await bringBack(id, await another('admin', ADMIN_PASSWORD)))
    await alice.post('/account/sign-out')
    await alice.signIn('alice', PASSWORD)
    await expectGone(await bringBack(id))
    await expectGone(await bringBack('0'.repeat(32)))
    await expectGone(await bringBack(`${id}' or 1=1`))
    expect(await keptThere()).toHaveLength(1)
  })

  test('is gone with another password, and with the account', async () => {
    const id = await deleteKey(await addKey())
    site.now += MINUTE
    await site.db.update(users).set({ passwordChangedAt: site.now }).where(eq(users.id, 3))
    await expectGone(await bringBack(id))
    const other = await another('alice')
    const added = await other.post('/account/keys/add', { title: 'laptop', key: KEY })
    expect(added.location).toContain('key-added')
    await site.db.delete(users).where(eq(users.id, 3))
    expect(await keptThere()).toEqual([])
  })

  test('takes a fresh session, as adding it does', async () => {
    const key = await addKey()
    site.now += HOUR
    const deletion = await alice.post('/account/keys/delete', { id: String(key.id) })
    const id = undoIn(deletion)
    const { html } = await alice.get(deletion.location ?? '')
    expect(html).toContain(`href="/account/undo?id=${id}"`)
    expect(html).not.toContain(BACK)
    const page = await alice.get(`/account/undo?id=${id}`)
    expect(textOf(page.html)).toContain('This brings back “laptop”, as it was.')
    for (const [more, refused] of [
      [{}, 'Confirm your identity to continue.'],
      [{ confirm_password: 'wrong-Passw0rd' }, 'This is not your password.'],
    ] as const) {
      const seen = await bringBack(id, alice, more)
      expect([seen.status, problemAt(seen.html, 'undo-confirm_password')]).toEqual([403, refused])
    }
    expect(await keysThere()).toEqual([])
    const right = await bringBack(id, alice, { confirm_password: PASSWORD })
    expect(right.location).toBe('/account/keys?done=keys-restored')
    expect(await keysThere()).toHaveLength(1)
  })

  test('does not come back beside one with its title or its key, nor above the limit', async () => {
    const key = await addKey()
    const refused = async (id: string) => {
      const seen = await bringBack(id)
      expect([seen.status, textOf(seen.html).includes('This can’t be undone')]).toEqual([409, true])
      expect((await keysThere()).map(({ id: keyId }) => keyId)).not.toContain(key.id)
      await site.db.delete(sshKeys)
    }
    const id = await deleteKey(key)
    await addKey('laptop', OTHER_KEY)
    await refused(id)
    await addKey('the same', KEY)
    await refused(id)
    const many = Array.from({ length: 100 }, (_, place) => ({
      ...key,
      id: 1000 + place,
      title: `k${place}`,
      fingerprint: `f${place}`,
    }))
    for (const row of many) await site.db.insert(sshKeys).values(row)
    await refused(id)
    expect((await bringBack(id)).status).toBe(303)
  })

  test('is one of the ten that are kept of a user', async () => {
    const first = await deleteKey(await addKey())
    for (let more = 0; more < 10; more++) {
      site.now += 1000
      await deleteKey(await addKey())
    }
    expect(await keptThere()).toHaveLength(10)
    await expectGone(await bringBack(first))
  })

  test('is not kept when a program or an operator deletes it, nor by a refused request', async () => {
    const key = await addKey()
    expect((await alice.post('/account/keys/delete', { id: '99' })).status).toBe(404)
    const bob = await another('bob')
    expect((await bob.post('/account/keys/delete', { id: String(key.id) })).status).toBe(404)
    const admin = await another('admin', ADMIN_PASSWORD)
    const deletion = await admin.post('/account/admin/users/3/delete-key', { id: String(key.id) })
    expect(deletion.location).toBe('/account/admin/users/3?done=key-deleted')
    const again = await addKey()
    const token = await site.token('alice', PASSWORD)
    await site.post(`/api/me/sshkey/delete?id=${again.id}`, undefined, { token })
    expect(await keysThere()).toEqual([])
    expect(await keptThere()).toEqual([])
  })

  test('is named by its notice, only beside its own way back', async () => {
    const { id } = await addKey()
    const listed = await alice.get('/account/keys')
    expect(listed.html).toContain('<input type="hidden" name="named" value="laptop"')
    const fields = { id: String(id), named: 'laptop' }
    const { location } = await alice.post('/account/keys/delete', fields)
    expect(location).not.toContain('laptop')
    const said = async (path: string, visitor = alice) =>
      textOf(/role="status">([^<]*)</.exec((await visitor.get(path)).html)?.[1] ?? '')
    expect(await said(location ?? '')).toBe('The key “laptop” was deleted.')
    expect(await said(`/account/keys?done=key-deleted&undo=${'0'.repeat(32)}`)).toBe(
      'The key was deleted.',
    )
    expect(await said('/account/keys?done=key-added')).toBe('The key was added.')
    expect(await said(location ?? '', await another('alice'))).toBe('The key was deleted.')
  })

  test('is named as text, and not with a private key that was in the form', async () => {
    expectEscaped(await noticeAfter('laptop', MARKUP))
    expect(await noticeAfter('desktop', '-----BEGIN OPENSSH PRIVATE KEY-----')).toContain(
      'The key was deleted.',
    )
  })

  test('has a name that is shown as text', async () => {
    const id = await deleteKey(await addKey(MARKUP))
    const { status, html } = await alice.get(`/account/undo?id=${id}`)
    expect(status).toBe(200)
    expectEscaped(html)
  })
})

describe('a withdrawn invitation', () => {
  const INVITATIONS = '/account/admin/invitations'
  let admin: Visitor

  async function invite() {
    const { html } = await admin.post(`${INVITATIONS}/add`, { who: 'family', uses: '3' })
    const [row] = await site.db.select().from(links)
    if (row === undefined) throw new Error('no invitation')
    const [, secret = ''] = /\/account\/join\/([\w-]+)/.exec(html) ?? []
    return { row, secret }
  }

  beforeEach(async () => {
    admin = await another('admin', ADMIN_PASSWORD)
  })

  test('admits nobody, and is as it was when it is brought back', async () => {
    const { row } = await invite()
    const deletion = await admin.post(`${INVITATIONS}/withdraw`, { id: String(row.id) })
    expect(await site.db.select().from(links)).toEqual([])
    const back = await bringBack(undoIn(deletion), admin)
    expect(back.location).toBe(`${INVITATIONS}?done=invitation-restored`)
    expect(await site.db.select().from(links)).toEqual([row])
    const [event] = await site.db.select().from(auditEvents).orderBy(desc(auditEvents.id)).limit(1)
    expect(event).toMatchObject({ kind: 'link_restored', detail: 'family', actorId: 1 })
  })

  test('rests on who brings it back, who must still be an admin', async () => {
    const { row } = await invite()
    await site.db.update(users).set({ role: 2 }).where(eq(users.username, 'alice'))
    const id = undoIn(await alice.post(`${INVITATIONS}/withdraw`, { id: String(row.id) }))
    await site.db.update(users).set({ role: 0 }).where(eq(users.username, 'alice'))
    expect((await bringBack(id)).status).toBe(403)
    expect(await site.db.select().from(links)).toEqual([])
    await site.db.update(users).set({ role: 2 }).where(eq(users.username, 'alice'))
    expect((await bringBack(id)).status).toBe(303)
    expect(await site.db.select().from(links)).toEqual([{ ...row, createdBy: 3 }])
  })

  test('is the only kind of link that is kept', async () => {
    const login = await site.login('admin', ADMIN_PASSWORD)
    expect(login.code).toBe(200)
    await site.db.insert(links).values({
      kind: 'reset',
      tokenHash: 'x',
      userId: 3,
      createdAt: site.now,
      endsAt: site.now + HOUR,
    })
    await admin.post(`${INVITATIONS}/withdraw`, { id: '1' })
    expect(await site.db.select().from(links)).toEqual([])
    expect(await keptThere()).toEqual([])
  })
})

describe('a deleted app', () => {
  const APPS = '/account/admin/programs'
  let admin: Visitor

  beforeEach(async () => {
    admin = await another('admin', ADMIN_PASSWORD)
  })

  async function addApp(name = 'files') {
    await admin.post(`${APPS}/add`, {
      name,
      redirect_uris: 'https://files.example.org/a https://files.example.org/b',
      post_logout_uris: 'https://files.example.org/',
      admins_only: 'on',
    })
    const [app] = await site.db.select().from(openidClients).where(eq(openidClients.name, name))
    if (app === undefined) throw new Error('the app was refused')
    return app
  }

  test('comes back with its id and its secret, and without what it had of users', async () => {
    const app = await addApp()
    const of = { userId: 3, clientId: app.id }
    await site.db.insert(openidConsents).values({ ...of, scope: 'openid', givenAt: site.now })
    const deletion = await admin.post(`${APPS}/delete`, { id: app.id })
    expect(await site.db.select().from(openidClients)).toEqual([])
    expect((await alice.post(BACK, { id: undoIn(deletion) })).status).toBe(404)
    const back = await bringBack(undoIn(deletion), admin)
    expect(back.location).toBe(`${APPS}?done=program-restored`)
    expect(await site.db.select().from(openidClients)).toEqual([app])
    expect(await site.db.select().from(openidConsents)).toEqual([])
    const [event] = await site.db.select().from(auditEvents).orderBy(desc(auditEvents.id)).limit(1)
    expect(event).toMatchObject({ kind: 'client_restored', detail: 'files', actorId: 1 })
  })

  test('does not come back beside one with its name', async () => {
    const app = await addApp()
    const id = undoIn(await admin.post(`${APPS}/delete`, { id: app.id }))
    const other = await addApp()
    expect((await bringBack(id, admin)).status).toBe(409)
    expect(await site.db.select().from(openidClients)).toEqual([other])
  })
})

describe('a deleted user', () => {
  const USERS = '/account/admin/users'
  let admin: Visitor

  beforeEach(async () => {
    admin = await another('admin', ADMIN_PASSWORD)
  })

  const deleteAlice = async () => undoIn(await admin.post(`${USERS}/3/delete`))

  test('is as before when it is brought back, and has to sign in again', async () => {
    const { token, seed, appPassword } = await fillAlice()
    expect((await site.get('/api/me', { token: appPassword })).code).toBe(200)
    const before = await rowsOfAlice()
    for (const [table, rows] of Object.entries(before)) expect(rows, table).not.toEqual([])
    const asks = async () => [
      (await site.get('/api/me', { token })).code,
      (await site.get('/api/me', { token: appPassword })).code,
      (await alice.get('/account')).status,
      (await site.login('alice', PASSWORD, site.code(seed, 1))).code,
    ]
    const id = await deleteAlice()
    expect(await rowsOfAlice()).toEqual(mapped(before, () => []))
    expect(await asks()).toEqual([401, 401, 303, 401])
    const back = await bringBack(id, admin)
    expect(back.location).toBe(`${USERS}?done=user-restored`)
    expect(await rowsOfAlice()).toEqual(before)
    expect(await asks()).toEqual([401, 200, 303, 200])
    const [event] = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'user_restored'))
    expect(event).toMatchObject({ userId: 3, actorId: 1 })
    expect(JSON.parse(event?.changes ?? '')).toEqual([
      { field: 'username', from: null, to: 'alice' },
      { field: 'role', from: null, to: 0 },
    ])
    expect((await bringBack(id, admin)).status).toBe(404)
  })

  test('has its name again, which nobody else could take', async () => {
    const app = { id: 'x', name: 'files', redirectUris: [], createdAt: 1 }
    await site.db.insert(openidClients).values(app)
    const id = await deleteAlice()
    expect(await site.db.select().from(tables.reservedNames)).toMatchObject([{ userId: 3 }])
    const asked = await site.post('/api/admin/user/create', { username: 'alice' }, await asAdmin())
    expect(asked.code).toBe(409)
    expect((await bringBack(id, admin)).status).toBe(303)
    expect(await site.db.select().from(tables.reservedNames)).toEqual([])
  })

  test('does not come back beside somebody with its name', async () => {
    const id = await deleteAlice()
    const other = await site.addUser('Alice')
    expect((await bringBack(id, admin)).status).toBe(409)
    expect(await named('alice')).toEqual([])
    await site.db.delete(users).where(eq(users.id, other))
    expect((await bringBack(id, admin)).status).toBe(303)
  })

  test('comes back without what somebody else has since, and what is gone', async () => {
    await fillAlice()
    const id = await deleteAlice()
    await site.db.insert(tables.identities).values(identityOf(4))
    await site.db.delete(groups)
    expect((await bringBack(id, admin)).status).toBe(303)
    const { identities, group_members: members, ssh_keys: keys } = await rowsOfAlice()
    expect([identities, members, keys?.length]).toEqual([[], [], 1])
  })

  test('is brought back by an operator alone, in a fresh session', async () => {
    const id = await deleteAlice()
    const other = await another('admin', ADMIN_PASSWORD)
    expect((await bringBack(id, other)).status).toBe(404)
    await site.db.update(users).set({ role: 2 }).where(eq(users.username, 'bob'))
    await site.db.update(users).set({ role: 0 }).where(eq(users.id, 1))
    expect((await bringBack(id, admin)).status).toBe(403)
    expect(await named('alice')).toEqual([])
  })

  test('tells operators when it is an admin', async () => {
    await site.db.update(users).set({ role: 2 }).where(eq(users.id, 3))
    await site.db.insert(tables.noticeChannels).values({
      kind: 'ntfy',
      name: 'all',
      target: 'ntfy.example.org',
      config: 'sealed',
      topics: 'new_admin',
      language: 'en',
      origin: '',
      sinceEventId: 0,
      createdAt: 1,
    })
    await bringBack(await deleteAlice(), admin)
    await insertNotices(site.deps.db, site.now)
    const notices = await site.db.select({ topic: tables.notices.topic }).from(tables.notices)
    expect(notices).toEqual([{ topic: 'new_admin' }])
  })

  test('is in nothing that is left out without a reason', () => {
    const leftOut = [
      'deleted_items',
      'links',
      'mails',
      'openid_consents',
      'openid_grants',
      'sessions',
    ]
    const owned = Object.values(tables)
      .filter((table) => is(table, SQLiteTable))
      .filter((table) =>
        getTableConfig(table).foreignKeys.some((key) => key.reference().foreignTable === users),
      )
    const listed = [...KEPT_WITH_USER.map(getTableName), ...leftOut]
    expect(owned.map(getTableName).toSorted()).toEqual(listed.toSorted())
  })
})
