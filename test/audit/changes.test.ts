import { asc } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, sshKeys, users } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { changeUser, createUser } from '../../src/capabilities/users/manage-users.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { loggedLines } from '../support/log.ts'
import { signInAlice } from '../support/signed-in.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { textOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const ADMIN_ID = 1
const ALICE = 3
const BY_ADMIN = { id: ADMIN_ID, username: 'admin', command_line: false }
const BY_COMMAND_LINE = { id: null, username: null, command_line: true }

let site: CheapSite
/** A network of each test's own, by which to find its lines in the log. */
let network: string
let networks = 0
let admin: string
let alice: string

beforeEach(async () => {
  network = `198.51.100.${++networks}`
  site = new CheapSite()
  alice = await signInAlice(site)
  admin = await site.token('admin', ADMIN_PASSWORD)
  await site.db.delete(auditEvents)
})

const update = (body: object) =>
  site.post('/api/admin/user/update', body, {
    token: admin,
    headers: { 'CF-Connecting-IP': network },
  })

/** What alice is shown, oldest first. */
async function shown(token = alice) {
  const { data } = await site.get('/api/me/events', { token })
  const events: Record<string, unknown>[] = data.content.toReversed()
  return events.map(({ kind, actor, changes }) => ({ kind, actor, changes }))
}

/** What everybody's list holds, oldest first. */
async function kinds(): Promise<string[]> {
  const rows = await site.db.select().from(auditEvents).orderBy(asc(auditEvents.id))
  return rows.map(({ kind }) => kind)
}

async function actors() {
  return (await shown()).map(({ actor }) => actor)
}

async function visitorOf(username: string, password: string, headers = {}): Promise<Visitor> {
  const visitor = new Visitor(site, headers)
  await visitor.signIn(username, password)
  return visitor
}

describe('an event of a change by an operator', () => {
  test('says which fields changed, from what to what, and who did it', async () => {
    await update({ id: ALICE, username: 'alicia', base_path: '/homes', permission: 9, sso_id: 'x' })
    expect(await shown()).toEqual([
      {
        kind: 'user_changed',
        actor: BY_ADMIN,
        changes: [
          { field: 'username', from: 'alice', to: 'alicia' },
          { field: 'permission', from: 0, to: 9 },
          { field: 'base_path', from: '/', to: '/homes' },
          { field: 'sso_id', from: '', to: 'x' },
        ],
      },
    ])
  })

  test('names no field that stays, though clients send all of them', async () => {
    const fields = { username: 'alice', base_path: '/', role: 0, disabled: false, sso_id: '' }
    await update({ id: ALICE, ...fields, permission: 8 })
    await update({ id: ALICE, ...fields, permission: 8 })
    expect(await shown()).toEqual([
      {
        kind: 'user_changed',
        actor: BY_ADMIN,
        changes: [{ field: 'permission', from: 0, to: 8 }],
      },
    ])
  })

  test('is one for each kind of change, all from one request', async () => {
    const change = { role: 2, disabled: true, password: 'another-Passw0rd', basePath: '/a' }
    await changeUser(site.deps, COMMAND_LINE, ALICE, change)
    const { data } = await site.get('/api/me', { token: alice })
    expect(data).toBeNull()
    await changeUser(site.deps, COMMAND_LINE, ALICE, { disabled: false })
    const by = BY_COMMAND_LINE
    const token = await site.token('alice', 'another-Passw0rd')
    expect((await shown(token)).slice(0, -1)).toEqual([
      { kind: 'role_changed', actor: by, changes: [{ field: 'role', from: 0, to: 2 }] },
      { kind: 'user_disabled', actor: by, changes: [{ field: 'disabled', from: false, to: true }] },
      { kind: 'password_reset', actor: by, changes: [] },
      { kind: 'user_changed', actor: by, changes: [{ field: 'base_path', from: '/', to: '/a' }] },
      { kind: 'user_enabled', actor: by, changes: [{ field: 'disabled', from: true, to: false }] },
    ])
  })

  test('is none for a change that is refused', async () => {
    await update({ id: ALICE, username: 'Admin', permission: 8 })
    await update({ id: ADMIN_ID, disabled: true, base_path: '/x' })
    await site.post('/api/admin/user/update', { id: ALICE, permission: 8 }, { token: alice })
    expect(await kinds()).toEqual([])
  })

  test('tells what was there when it was written, however many change it at once', async () => {
    const bits = Array.from({ length: 8 }, (_, bit) => ({ set: 1 << bit, clear: 0 }))
    await Promise.all(
      bits.map((permission) => changeUser(site.deps, COMMAND_LINE, ALICE, { permission })),
    )
    const changes = (await shown()).flatMap((event) => event.changes)
    expect(changes).toHaveLength(8)
    let before = 0
    for (const change of changes) {
      expect(change).toMatchObject({ field: 'permission', from: before })
      before = Number(Reflect.get(Object(change), 'to'))
    }
    expect(before).toBe(0xff)
  })

  test('keeps role and name of a user who is made or deleted', async () => {
    const id = await createUser(site.deps, COMMAND_LINE, { username: 'bob', role: 2 })
    await site.post(`/api/admin/user/delete?id=${id}`, undefined, { token: admin })
    const visitor = await visitorOf('admin', ADMIN_PASSWORD)
    const text = textOf((await visitor.get('/account/admin/events')).html)
    expect(text).toContain('admin deleted bob ’s account: role Administrator')
    expect(text).toContain(
      'An administrator on the command line created bob (deleted) ’s account: role Administrator; base folder /',
    )
  })

  test('says that an operator cancelled two-step verification', async () => {
    await site.enrol(alice)
    await site.db.delete(auditEvents)
    await site.post(`/api/admin/user/cancel_2fa?id=${ALICE}`, undefined, { token: admin })
    expect(await shown(await site.token('alice', PASSWORD))).toMatchObject([
      {
        kind: 'two_factor_cancelled',
        actor: BY_ADMIN,
        changes: [{ field: 'otp', from: true, to: false }],
      },
      { kind: 'sign_in', actor: null, changes: [] },
    ])
  })

  test('has a line in the log with the actor and the fields, and no value', async () => {
    await update({ id: ALICE, base_path: '/secret-folder', role: 0 })
    const lines = loggedLines(`"network":"${network}"`).map((line) => JSON.parse(line))
    expect(lines.filter(({ event }) => event === 'audit')).toEqual([
      {
        event: 'audit',
        kind: 'user_changed',
        user: ALICE,
        detail: '',
        actor: ADMIN_ID,
        changed: ['base_path'],
        network,
      },
    ])
    expect(loggedLines('secret-folder')).toEqual([])
  })
})

describe('the actor of an event', () => {
  test('is named as now, and as last known once deleted', async () => {
    const rootId = await site.addUser('root', { password: ADMIN_PASSWORD, role: 2 })
    const root = await site.token('root', ADMIN_PASSWORD)
    await site.post('/api/admin/user/update', { id: ALICE, permission: 8 }, { token: root })
    expect(await actors()).toEqual([{ id: rootId, username: 'root', command_line: false }])
    await update({ id: rootId, username: 'toor' })
    expect(await actors()).toEqual([{ id: rootId, username: 'toor', command_line: false }])
    await site.post(`/api/admin/user/delete?id=${rootId}`, undefined, { token: admin })
    expect(await actors()).toEqual([{ id: rootId, username: null, command_line: false }])
    const visitor = await visitorOf('alice', PASSWORD)
    expect(textOf((await visitor.get('/account/activity')).html)).toContain(
      'toor (deleted) changed your account: permissions +Create folders and upload',
    )
  })

  test('is not read from a detail, which a user may have written', async () => {
    const row = { at: site.now, userId: ALICE, network: '', userAgent: '' }
    await site.db.insert(auditEvents).values([
      { ...row, kind: 'key_added', detail: 'laptop, by 1' },
      { ...row, kind: 'user_unlocked', detail: 'by command line', network: 'command line' },
    ])
    expect((await shown()).map(({ actor }) => actor)).toEqual([null, BY_COMMAND_LINE])
    const visitor = await visitorOf('admin', ADMIN_PASSWORD)
    const { html } = await visitor.get('/account/admin/events')
    expect(textOf(html)).toMatch(/alice added the SSH key “laptop, by 1” \d\d:\d\d UTC/)
    expect(textOf(html)).toContain('An administrator on the command line unlocked alice ’s account')
  })

  test('is nobody else for what operators do to themselves, and to the whole site nobody', async () => {
    await update({ id: ADMIN_ID, base_path: '/admin' })
    const [event] = (await site.get('/api/me/events', { token: admin })).data.content
    expect(event).toMatchObject({ kind: 'user_changed', actor: null })
    await site.db.insert(auditEvents).values({
      at: site.now,
      kind: 'settings_changed',
      detail: 'logo',
      network: 'command line',
      userAgent: '',
    })
    const visitor = await visitorOf('admin', ADMIN_PASSWORD)
    const text = textOf((await visitor.get('/account/admin/events')).html)
    expect(text).toMatch(
      /An administrator on the command line changed the site settings: Logo \d\d:/,
    )
    expect(text).not.toContain('Unknown name')
  })

  test('stands with a key that an operator deleted', async () => {
    const row = { title: 'laptop', fingerprint: 'x', type: 'x', bits: 1, line: 'x' }
    await site.db.insert(sshKeys).values({ ...row, userId: ALICE, addedAt: 0, lastUsedAt: 0 })
    await site.post('/api/admin/user/sshkey/delete?id=1', undefined, { token: admin })
    expect(await shown()).toEqual([{ kind: 'key_deleted', actor: BY_ADMIN, changes: [] }])
  })
})

describe('the pages', () => {
  test('tell a new role as a sentence in both languages', async () => {
    const visitor = await visitorOf('admin', ADMIN_PASSWORD)
    await visitor.post(`/account/admin/users/${ALICE}/change`, {
      username: 'alice',
      role: '2',
      base_path: '/',
    })
    const events = '/account/admin/events?kind=role_changed'
    expect(textOf((await visitor.get(events)).html)).toContain(
      'admin changed alice ’s role: User → Administrator ',
    )
    const chinese = await visitor.get(events, { 'Accept-Language': 'zh' })
    expect(textOf(chinese.html)).toContain('admin 修改 alice 的角色：普通用户 → 管理员')
  })

  test('show markup and control characters of names and paths as text', async () => {
    await update({ id: ALICE, username: '<b>x', base_path: '/<script>\u202E' })
    await site.db.update(users).set({ basePath: '/a\u0007\n' })
    await update({ id: ALICE, base_path: '/' })
    await site.db.update(users).set({ username: '<i>root</i>' })
    const visitor = new Visitor(site)
    visitor.cookies.set('session', admin)
    const { html } = await visitor.get('/account/admin/events')
    expect(html).toContain('user name alice → &lt;b&gt;x;')
    expect(html).toContain('base folder / → /&lt;script&gt;�')
    expect(html).toContain('base folder /a�↵ → /')
    expect(html).toContain('&lt;i&gt;root&lt;/i&gt;</a> changed')
    for (const raw of ['<b>x', '<i>root', '\u202E', '\u0007']) expect(html).not.toContain(raw)
  })
})
