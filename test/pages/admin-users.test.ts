import { eq } from 'drizzle-orm'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, sessions, sshKeys, users } from '../../schema/tables.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { PERMISSION } from '../../src/core/accounts/roles.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { alertIn, problemAt, textOf, undoIn, valueOf, Visitor } from '../support/visitor.ts'

const USERS = '/account/admin/users'
const SIGN_IN = '/account/sign-in'
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD alice@laptop'
const alice = { username: 'alice', password: 'alice-Passw0rd' }
const bob = { username: 'bob', role: '0', base_path: '/homes/bob', password: 'bobs-Passw0rd' }

let site: CheapSite
let admin: Visitor
const aliceId = 3

const signIn = preparedVisit(async (arranged, browser) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: alice.password, basePath: '/homes/alice' })
  await browser.signIn('admin', ADMIN_PASSWORD)
})

beforeEach(async () => {
  site = new CheapSite()
  admin = await signIn(site)
})

async function aliceRow() {
  const [row] = await site.db.select().from(users).where(eq(users.id, aliceId))
  return row
}

/** Posts a form of the page of alice. */
function post(form: string, fields: Record<string, string> = {}) {
  return admin.post(`${USERS}/${aliceId}/${form}`, fields)
}

/** What the table says of each user, in words. */
function rowsIn(html: string): string[] {
  return Array.from(html.matchAll(/<tr role="row"><th role="rowheader".*?<\/tr>/gs), ([row]) =>
    textOf(row.replaceAll(/<span class="avatar.*?<\/span>/gs, '')),
  )
}

/** The users of a list. */
function namesIn(html: string): string[] {
  const links = html.matchAll(/<a href="\/account\/admin\/users\/\d+(?:\?list=[^"]*)?">([^<]*)</g)
  return Array.from(links, ([, name]) => String(name))
}

const FORMS = [
  'new',
  '3/change',
  '3/password',
  '3/unlock',
  '3/cancel-two-factor',
  '3/end-sessions',
  '3/end-session',
  '3/delete-key',
  '3/disable',
  '3/enable',
  '3/delete',
]

describe('whoever is no admin', () => {
  test('is refused every page, and has no way to them', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn(alice.username, alice.password)
    for (const path of ['users', 'users/new', 'users/1', 'settings/site', 'events']) {
      const { status, html } = await visitor.get(`/account/admin/${path}`)
      expect(status, path).toBe(403)
      expect(textOf(html)).toContain('Only administrators can do this.')
      expect(html).not.toContain('href="/account/admin')
    }
    expect((await visitor.get('/account')).html).not.toContain('/account/admin')
    expect((await admin.get('/account')).html).toContain('href="/account/admin/users"')
  })

  test('changes nothing with any form', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn(alice.username, alice.password)
    const before = await site.db.select().from(users)
    for (const form of FORMS) {
      const fields = { ...bob, id: '1' }
      expect((await visitor.post(`${USERS}/${form}`, fields)).status, form).toBe(403)
    }
    const values = { site_title: 'Mine', reset: 'site_title' }
    const { status } = await visitor.post('/account/admin/settings/site', values)
    expect(status).toBe(403)
    expect(await site.db.select().from(users)).toEqual(before)
    expect(await site.db.select().from(sessions)).toHaveLength(2)
  })

  test('is asked to sign in first', async () => {
    const visitor = new Visitor(site)
    for (const path of ['users', 'users/1', 'settings/site', 'events']) {
      const location = `${SIGN_IN}?next=/account/admin/${path}`
      expect(await visitor.get(`/account/admin/${path}`)).toMatchObject({ location })
    }
    for (const form of FORMS) {
      const seen = await visitor.post(`${USERS}/${form}`, bob)
      const location = `${SIGN_IN}?next=${USERS}/${form}`
      expect(seen, form).toMatchObject({ status: 303, location })
    }
    expect(await site.db.select().from(users)).toHaveLength(3)
  })
})

test('a form of another site does nothing, though an admin sends it', async () => {
  for (const form of FORMS) {
    const elsewhere = { Origin: 'https://elsewhere.example' }
    const { status, html } = await admin.post(`${USERS}/${form}`, bob, elsewhere)
    expect(status, form).toBe(403)
    expect(textOf(html)).toContain('This form was sent from another site')
  }
  expect(await site.db.select().from(users)).toHaveLength(3)
})

/** The users whom a search finds. */
async function found(search: string): Promise<string[]> {
  const query = String(new URLSearchParams({ search }))
  return namesIn((await admin.get(`${USERS}?${query}`)).html)
}

describe('the list of users', () => {
  test('shows role, second factor, last sign-in and keys of everybody', async () => {
    await site.enrol(await site.token(alice.username, alice.password))
    await site.post(
      '/api/me/sshkey/add',
      { title: 'laptop', key: KEY },
      { token: await site.token('admin', ADMIN_PASSWORD) },
    )
    site.now += 48 * HOUR
    admin = new Visitor(site)
    await admin.signIn('admin', ADMIN_PASSWORD)
    const { html } = await admin.get(USERS)
    expect(namesIn(html)).toEqual(['admin', 'guest', 'alice'])
    expect(rowsIn(html)).toEqual([
      'admin Administrator None just now 2 days ago 1',
      'guest Disabled Guest',
      'alice User Code 2 days ago 2 days ago 0',
    ])
    await site.db.delete(auditEvents)
    await site.db.delete(sessions).where(eq(sessions.userId, aliceId))
    expect(rowsIn((await admin.get(USERS)).html)[2]).toBe(
      'alice User Code Not recorded 2 days ago 0',
    )
  })

  test('finds the last sign-in by a few rows, however often and from wherever it was', async () => {
    const at = site.now - HOUR
    for (const [network, kind] of [
      ['a', 'sign_in'],
      ['b', 'service_sign_in'],
    ])
      await env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
         insert into audit_events (at, kind, user_id, network, user_agent) select ? - i, ?, ?, ?, '' from n`,
      )
        .bind(network === 'a' ? at : at - HOUR, kind, aliceId, network)
        .run()
    await site.login('alice', 'wrong-Passw0rd')
    site.meter = createMeter()
    expect(rowsIn((await admin.get(USERS)).html)[2]).toBe('alice User None 1 hour ago just now 0')
    expect(site.meter.rowsRead).toBeLessThan(70)
  })

  test('shows admins, the disabled, or those without two-step verification', async () => {
    await site.addUser('bob', { disabled: true })
    await site.addUser('bo', { role: 2 })
    await site.enrol(await site.token(alice.username, alice.password))
    const listed = async (query: string) => namesIn((await admin.get(`${USERS}?${query}`)).html)
    expect(await listed('group=admins')).toEqual(['admin', 'bo'])
    expect(await listed('group=disabled')).toEqual(['guest', 'bob'])
    expect(await listed('group=without-two-factor')).toEqual(['admin', 'bob', 'bo'])
    expect(await listed('group=without-two-factor&search=BO')).toEqual(['bob', 'bo'])
    const { html } = await admin.get(`${USERS}?group=admins&search=bo`)
    expect(html).toContain('<input type="hidden" name="group" value="admins"/>')
    expect(html).toContain(`href="${USERS}?search=bo&amp;group=disabled"`)
    expect((await admin.get(`${USERS}?group=nope`)).status).toBe(400)
  })

  test('finds a part of a name, in any case, and takes no sign for a pattern', async () => {
    for (const username of ['Élise', '100%', 'a_b', 'aXb']) await site.addUser(username)
    expect(await found('LI')).toEqual(['alice', 'Élise'])
    expect(await found('éli')).toEqual(['Élise'])
    expect(await found('%')).toEqual(['100%'])
    expect(await found('a_b')).toEqual(['a_b'])
    expect(await found(' alice ')).toEqual(['alice'])
    expect(await found("' or 1=1 --")).toEqual([])
    expect(await found('x'.repeat(255))).toEqual([])
    expect((await admin.get(`${USERS}?search=${'x'.repeat(256)}`)).status).toBe(400)
  })

  test('finds an e-mail address, and a network by its address or its beginning', async () => {
    await site.addUser('bob', { email: 'Robert@Example.org', registeredNetwork: '203.0.113.9' })
    await site.db.insert(auditEvents).values(
      [
        ['sign_in', '198.51.100.7'],
        ['service_sign_in', '2001:db8:0:5::/64'],
        ['sign_in_refused', '203.0.113.9'],
      ].map(([kind = '', network = '']) => ({
        kind,
        network,
        at: 0,
        userId: aliceId,
        userAgent: '',
      })),
    )
    expect(await found('robert@')).toEqual(['bob'])
    expect(await found('198.51.100.7')).toEqual(['alice'])
    expect(await found('198.51.')).toEqual(['alice'])
    expect(await found('198.51.100.70')).toEqual([])
    expect(await found('2001:DB8:0:5:1:2:3:4')).toEqual(['alice'])
    expect(await found('2001:db8:')).toEqual(['alice'])
    expect(await found('203.0.113.9')).toEqual(['bob'])
  })

  test('is sorted by name, by when users were made, and by when they were last seen', async () => {
    await site.addUser('bob')
    await site.addUser('Aaron')
    const seen = { kind: 'sign_in', network: 'a', userAgent: '' }
    await site.db.insert(auditEvents).values([
      { ...seen, userId: aliceId, at: site.now - 9 * HOUR },
      { ...seen, userId: aliceId + 1, at: site.now - 2 * HOUR },
    ])
    const sorted = async (sort: string, more = '') =>
      namesIn((await admin.get(`${USERS}?sort=${sort}${more}`)).html)
    expect(await sorted('name')).toEqual(['Aaron', 'admin', 'alice', 'bob', 'guest'])
    expect(await sorted('-name')).toEqual(['guest', 'bob', 'alice', 'admin', 'Aaron'])
    expect(await sorted('-made')).toEqual(['Aaron', 'bob', 'alice', 'guest', 'admin'])
    expect(await sorted('-seen')).toEqual(['admin', 'bob', 'alice', 'guest', 'Aaron'])
    expect(await sorted('seen', '&search=a')).toEqual(['Aaron', 'alice', 'admin'])
    const { html } = await admin.get(`${USERS}?group=disabled&sort=-seen&search=e`)
    expect(html).toContain('aria-sort="descending"')
    expect(html).toContain(`href="${USERS}?search=e&amp;group=disabled&amp;sort=seen"`)
    expect(html).toContain('<input type="hidden" name="sort" value="-seen"/>')
    expect((await admin.get(`${USERS}?sort=password_hash`)).status).toBe(400)
  })

  test('counts who waits, is locked, has no second factor or ends, and says so in the navigation', async () => {
    const tabs = async () => {
      const { html } = await admin.get(USERS)
      return textOf(/<div class="tabs".*?<\/div>/s.exec(html)?.[0] ?? '')
    }
    expect(await tabs()).toBe(
      'All Waiting Locked No second factor 2 Ending Administrators Disabled',
    )
    await site.addUser('bob', { waiting: true, disabled: true })
    await site.addUser('carol', { endsAt: site.now + HOUR })
    for (let attempt = 0; attempt < 5; attempt++) await site.login('alice', 'wrong-Passw0rd')
    expect(await tabs()).toBe(
      'All Waiting 1 Locked 1 No second factor 4 Ending 1 Administrators Disabled',
    )
    expect(namesIn((await admin.get(`${USERS}?group=ending`)).html)).toEqual(['carol'])
    for (const path of ['users', 'events', 'settings/site'])
      expect((await admin.get(`/account/admin/${path}`)).html).toContain(
        'Users<b class="count">2</b>',
      )
  })

  test('reads no more for its counts and orders than their limits', async () => {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)
       insert into users (username, username_key, created_at) select 'user-' || i, 'user-' || i, 0 from n`,
    ).run()
    const rowsOf = async (query: string) => {
      site.meter = createMeter()
      expect((await admin.get(`${USERS}?${query}`)).status).toBe(200)
      return site.meter.rowsRead
    }
    for (const sort of ['made', '-made', 'name', '-name'])
      expect(await rowsOf(`sort=${sort}`), sort).toBeLessThan(11_000)
    expect(await rowsOf('sort=seen')).toBeLessThan(60_000)
    const { html } = await admin.get(`${USERS}?sort=-seen`)
    expect(textOf(html)).toContain('Only the first 5,000 users are sorted by this.')
    expect(html).toContain(`aria-label="Page 200"`)
    expect(textOf(html)).toContain('No second factor 99+')
  })

  test('says so when nobody is found, and shows the way back', async () => {
    const { html } = await admin.get(`${USERS}?search=nobody`)
    expect(textOf(html)).toContain(
      'No name or e-mail address contains “nobody”, and no network is “nobody”.',
    )
    expect(html).toContain(`<a role="button" class="secondary" href="${USERS}">`)
    expect(html).toContain('value="nobody"')
  })

  test('comes in pages of 25, which keep the search', async () => {
    for (let i = 0; i < 27; i++) await site.addUser(`user ${i}`)
    const first = await admin.get(`${USERS}?search=user`)
    expect(namesIn(first.html)).toHaveLength(25)
    expect(textOf(first.html)).toContain('27 users')
    expect(first.html).toContain(`href="${USERS}?search=user&amp;page=2" aria-label="Next page"`)
    const second = await admin.get(`${USERS}?search=user&page=2`)
    expect(namesIn(second.html)).toEqual(['user 25', 'user 26'])
    expect(second.html).toContain(`href="${USERS}?search=user" aria-label="Previous page"`)
    expect(await admin.get(`${USERS}?search=user&page=3`)).toMatchObject({
      location: `${USERS}?search=user&page=2`,
    })
  })

  test('has numbers of pages, and reads a bounded number of rows of very many users', async () => {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)
       insert into users (username, username_key, created_at) select 'user-' || i, 'user-' || i, 0 from n`,
    ).run()
    site.meter = createMeter()
    const { html } = await admin.get(`${USERS}?page=7`)
    expect(textOf(html)).toContain('More than 10,000 users')
    expect(textOf(html)).toMatch(/‹ 1 … 6 7 8 … 400 ›/)
    expect(html).toContain(`<a href="${USERS}?page=7" aria-label="Page 7" aria-current="page">`)
    expect(site.meter.rowsRead).toBeLessThan(11_000)
    expect((await admin.get(`${USERS}?page=1000000`)).location).toBe(`${USERS}?page=400`)
    site.meter = createMeter()
    expect((await admin.get(`${USERS}?group=disabled`)).status).toBe(200)
    // A hundred of them for the count of those without a second factor.
    expect(site.meter.rowsRead).toBeLessThan(160)
  })
})

describe('making a user', () => {
  test('takes name, role, base folder, permissions and password', async () => {
    const boxes = { 'permission-4': 'on', 'permission-10': 'on' }
    const { status, location } = await admin.post(`${USERS}/new`, { ...bob, role: '2', ...boxes })
    expect([status, location]).toEqual([303, `${USERS}/${aliceId + 1}?done=user-made`])
    const [row] = await site.db.select().from(users).where(eq(users.username, 'bob'))
    expect(row).toMatchObject({
      role: 2,
      basePath: '/homes/bob',
      permission: PERMISSION.rename | PERMISSION.sftpRead,
    })
    await new Visitor(site).signIn('bob', bob.password)
  })

  test('takes an address, which is not confirmed, and refuses a wrong one at its field', async () => {
    const wrong = await admin.post(`${USERS}/new`, { ...bob, email: 'bob@' })
    expect([wrong.status, valueOf(wrong.html, 'email')]).toEqual([400, 'bob@'])
    expect(problemAt(wrong.html, 'email')).not.toBe('')
    expect(await site.db.select().from(users).where(eq(users.username, 'bob'))).toEqual([])
    await admin.post(`${USERS}/new`, { ...bob, email: 'bob@example.org' })
    const [row] = await site.db.select().from(users).where(eq(users.username, 'bob'))
    expect(row).toMatchObject({ email: 'bob@example.org', emailVerified: false })
    const [event] = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.userId, aliceId + 1))
    expect(JSON.stringify(event?.changes)).toContain('bob@example.org')
  })

  test.each([
    ['look', 0],
    ['read', 0x1500],
    ['write', 0x3ff8],
    ['everything', 0xffff],
    ['custom', PERMISSION.rename],
    ['constructor', PERMISSION.rename],
  ])('gives the permissions of the level %s, and shows the level', async (level, permission) => {
    const chosen = { 'permission-level': level, 'permission-4': 'on' }
    const made = await admin.post(`${USERS}/new`, { ...bob, ...chosen })
    expect(made.status).toBe(303)
    const [row] = await site.db.select().from(users).where(eq(users.username, 'bob'))
    expect(row?.permission).toBe(permission)
    const { html } = await admin.get(`${USERS}/${aliceId + 1}`)
    const shown = level === 'constructor' ? 'custom' : level
    const levels = /<select id="permission-level".*?<\/select>/s.exec(html)?.[0] ?? ''
    expect(levels).toContain(`<option value="${shown}" selected="">`)
    expect(levels.match(/selected=""/g)).toHaveLength(1)
  })

  test('generates a password where none is given, and shows it once', async () => {
    const { status, html, headers } = await admin.post(`${USERS}/new`, { ...bob, password: '' })
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store'])
    const password = valueOf(html, 'password').trim()
    expect(password).toMatch(/^[\w-]{20}$/)
    await new Visitor(site).signIn('bob', password)
    expect((await admin.get(`${USERS}/${aliceId + 1}`)).html).not.toContain(password)
    const again = await admin.post(`${USERS}/new`, { ...bob, password: '' })
    expect(again.status).toBe(409)
    expect(again.html).not.toContain(password)
  })

  test('knows two roles, and says so of any other', async () => {
    const seen = await admin.post(`${USERS}/new`, { ...bob, role: 'abc' })
    expect(seen.status).toBe(400)
    expect(problemAt(seen.html, 'role')).toBe('It must be a user or an administrator.')
  })

  test.each([
    ['username', { username: 'ALICE' }, 409, 'This user name is already taken.'],
    ['username', { username: '' }, 400, 'This is required.'],
    ['username', { username: ' bob' }, 400, 'It must not begin or end with a space.'],
    [
      'username',
      { username: '#7' },
      400,
      'It must not be “#” followed by digits, which means a user id.',
    ],
    ['username', { username: 'a/b' }, 400, 'It must not be “.” or “..”, nor contain “/” or “\\”.'],
    ['username', { username: 'a\u2028b' }, 400, 'It must be a single line.'],
    ['base_path', { base_path: '/a/../b' }, 400, /^It must be an absolute path/],
    ['password', { password: 'short' }, 400, 'It must have 8 to 1024 characters.'],
    ['password', { password: 'iloveyou' }, 400, /^This is one of the most common passwords/],
  ])('shows beside %s why %o is refused, and loses nothing', async (field, wrong, status, text) => {
    const fields = { ...bob, role: '2', 'permission-4': 'on', ...wrong }
    const seen = await admin.post(`${USERS}/new`, fields)
    expect(seen.status).toBe(status)
    expect(problemAt(seen.html, field)).toMatch(text)
    expect(valueOf(seen.html, 'username')).toBe(fields.username)
    expect(valueOf(seen.html, 'base_path')).toBe(fields.base_path)
    expect(seen.html).toMatch(/<option value="2" selected=""/)
    expect(seen.html).toMatch(/name="permission-4" checked=""/)
    expect(seen.html).not.toMatch(/name="permission-5" checked=""/)
    expect(valueOf(seen.html, 'password')).toBe('')
    expect(seen.html).not.toContain(`value="${fields.password}"`)
    expect(await site.db.select().from(users)).toHaveLength(3)
  })

  test('makes no guest', async () => {
    const { status } = await admin.post(`${USERS}/new`, { ...bob, role: '1' })
    expect(status).toBe(400)
    expect(await site.db.select().from(users)).toHaveLength(3)
  })
})

describe('the page of a user', () => {
  test('begins with when the user was made and seen, the address and the sign-ins of a week', async () => {
    const facts = async () => {
      const { html } = await admin.get(`${USERS}/${aliceId}`)
      return textOf(/<p class="facts">.*?<\/p>/s.exec(html)?.[0] ?? '')
    }
    expect(await facts()).toBe('Created just now Never seen No e-mail address 0 sign-ins in 7 days')
    const seen = { kind: 'sign_in', userAgent: '', userId: aliceId }
    await site.db.insert(auditEvents).values([
      { ...seen, network: 'a', at: site.now - 8 * 24 * HOUR },
      { ...seen, network: 'a', at: site.now - 3 * HOUR },
      { ...seen, network: 'b', at: site.now - 2 * HOUR },
    ])
    await site.db.update(users).set({ email: 'a@example.org' }).where(eq(users.id, aliceId))
    expect(await facts()).toBe(
      'Created just now Last seen 2 hours ago a@example.org (not confirmed) 2 sign-ins in 7 days',
    )
  })

  test('changes name, role, base folder and permissions, and shows what is now', async () => {
    const seen = await post('change', {
      username: 'alice b',
      role: '2',
      base_path: '/b',
      'permission-0': 'on',
    })
    expect(seen).toMatchObject({
      status: 303,
      location: `${USERS}/${aliceId}?done=user-changed`,
    })
    expect(await aliceRow()).toMatchObject({
      username: 'alice b',
      role: 2,
      basePath: '/b',
      permission: 1,
      disabled: false,
    })
    const { html } = await admin.get(`${USERS}/${aliceId}?done=user-changed`)
    expect(textOf(html)).toContain('The changes were saved.')
    expect(valueOf(html, 'username')).toBe('alice b')
    expect(html).toMatch(/name="permission-0" checked=""/)
  })

  test('shows beside the field why a change is refused, and loses nothing', async () => {
    const taken = await post('change', { username: 'admin', role: '0', base_path: '/b' })
    expect(taken.status).toBe(409)
    expect(problemAt(taken.html, 'username')).toBe('This user name is already taken.')
    expect(valueOf(taken.html, 'base_path')).toBe('/b')
    expect(await aliceRow()).toMatchObject({ username: 'alice', basePath: '/homes/alice' })
  })

  test('leaves the last admin one, enabled and there, and says why', async () => {
    const change = { username: 'admin', role: '0', base_path: '/' }
    const demoted = await admin.post(`${USERS}/1/change`, change)
    expect(demoted.status).toBe(400)
    expect(problemAt(demoted.html, 'role')).toBe(
      'The role of the last administrator cannot be changed.',
    )
    const disabled = await admin.post(`${USERS}/1/disable`)
    expect(disabled.status).toBe(400)
    expect(alertIn(disabled.html)).toBe('The last administrator cannot be disabled.')
    const deleted = await admin.post(`${USERS}/1/delete`)
    expect(deleted.status).toBe(400)
    expect(alertIn(deleted.html)).toMatch(/the last administrator cannot be deleted/)
    // What is refused anyway is not offered.
    const { html } = await admin.get(`${USERS}/1`)
    expect(html).not.toMatch(/action="[^"]*\/1\/(?:disable|delete)"/)
    expect(textOf(html)).toContain('This is the last administrator')
    const [row] = await site.db.select().from(users).where(eq(users.id, 1))
    expect(row).toMatchObject({ role: 2, disabled: false })
  })

  test('disables and enables', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn(alice.username, alice.password)
    expect(await post('disable')).toMatchObject({ status: 303 })
    expect((await visitor.get('/account')).location).toMatch(SIGN_IN)
    expect(textOf((await admin.get(`${USERS}/${aliceId}`)).html)).toContain('alice Disabled')
    expect(await post('enable')).toMatchObject({ status: 303 })
    await visitor.signIn(alice.username, alice.password)
  })

  test('asks one thing about a user who waits, or is disabled', async () => {
    const text = async () => textOf((await admin.get(`${USERS}/${aliceId}`)).html)
    expect(await text()).toContain('None: Passkeys, SSH keys, App passwords, Sessions.')
    await site.db.update(users).set({ disabled: true }).where(eq(users.id, aliceId))
    expect(await text()).toMatch(/alice is disabled .*Enable account/)
    expect(await text()).not.toMatch(/End all sessions|Disable account/)
    await site.db.update(users).set({ waiting: true }).where(eq(users.id, aliceId))
    expect(await text()).toMatch(/alice waits for your approval .*Approve .*Reject/)
    expect(await text()).not.toMatch(
      /Enable account|Delete user|Link for a new password|alice is disabled/,
    )
  })

  test.each([
    ['locked', 'Nobody is locked'],
    ['waiting', 'Nobody waits for your approval'],
    ['without-two-factor', 'Users 2 users'],
  ])('says what the list %s means', async (group, text) => {
    expect(textOf((await admin.get(`${USERS}?group=${group}`)).html)).toContain(text)
  })

  test('sets a password, typed or generated, which ends the sessions', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn(alice.username, alice.password)
    const typed = await post('password', { password: 'another-Passw0rd' })
    expect(typed.location).toBe(`${USERS}/${aliceId}?done=user-password-set`)
    expect((await visitor.get('/account')).location).toMatch(SIGN_IN)
    await visitor.signIn('alice', 'another-Passw0rd')

    const { status, location, html } = await post('password', { password: '' })
    expect([status, location]).toEqual([200, null])
    await visitor.signIn('alice', valueOf(html, 'password').trim())
  })

  test('shows the generated password of who asked for it, and whose session ends', async () => {
    const { status, html } = await admin.post(`${USERS}/1/password`, { password: '' })
    expect(status).toBe(200)
    const password = valueOf(html, 'password').trim()
    expect((await admin.get(USERS)).location).toMatch(SIGN_IN)
    await new Visitor(site).signIn('admin', password)
  })

  test('refuses a poor password beside its field, in the open form', async () => {
    const { status, html } = await post('password', { password: 'short' })
    expect(status).toBe(400)
    expect(problemAt(html, 'password')).toBe('It must have 8 to 1024 characters.')
    expect(html).toMatch(/<details class="confirm" open="">(?:(?!<\/details>).)*password-problem/s)
    await new Visitor(site).signIn(alice.username, alice.password)
  })

  test('cancels two-step verification', async () => {
    const page = `${USERS}/${aliceId}`
    expect((await admin.get(page)).html).not.toContain('cancel-two-factor')
    await site.enrol(await site.token(alice.username, alice.password))
    expect((await admin.get(page)).html).toContain('cancel-two-factor')
    expect(await post('cancel-two-factor')).toMatchObject({ status: 303 })
    await new Visitor(site).signIn(alice.username, alice.password)
  })

  test('unlocks who failed too often', async () => {
    for (let failures = 0; failures < 5; failures++) await site.login('alice', 'wrong-Passw0rd')
    expect(await site.login('alice', alice.password)).toMatchObject({ code: 429 })
    expect(await post('unlock')).toMatchObject({ status: 303 })
    expect(await site.login('alice', alice.password)).toMatchObject({ code: 200 })
  })

  test('ends one session, and all', async () => {
    for (let i = 0; i < 3; i++) await site.token(alice.username, alice.password)
    const ofAlice = () => site.db.select().from(sessions).where(eq(sessions.userId, aliceId))
    const [first] = await ofAlice()
    expect(await post('end-session', { id: first?.id ?? '' })).toMatchObject({ status: 303 })
    expect(await ofAlice()).toHaveLength(2)
    const gone = await post('end-session', { id: first?.id ?? '' })
    expect([gone.status, alertIn(gone.html)]).toEqual([404, 'This session has already ended.'])
    expect(await post('end-sessions')).toMatchObject({ status: 303 })
    expect(await ofAlice()).toEqual([])
    expect(textOf((await admin.get(`${USERS}/${aliceId}`)).html)).toContain(
      'App passwords, Sessions.',
    )
  })

  test('shows keys and deletes one, of this user only', async () => {
    const token = await site.token(alice.username, alice.password)
    await site.post('/api/me/sshkey/add', { title: 'laptop', key: KEY }, { token })
    const { html } = await admin.get(`${USERS}/${aliceId}`)
    expect(textOf(html)).toContain('SHA256:z+RHhrSI14ihEPmFEDKqy+NObbJgE4Bk/ZmoTt0aMPA')
    const [key] = await site.db.select().from(sshKeys)
    const other = await admin.post(`${USERS}/1/delete-key`, { id: String(key?.id) })
    expect([other.status, alertIn(other.html)]).toEqual([404, 'This key was already deleted.'])
    expect(await post('delete-key', { id: String(key?.id) })).toMatchObject({ status: 303 })
    expect(await site.db.select().from(sshKeys)).toEqual([])
  })

  test('deletes', async () => {
    const seen = await post('delete')
    const list = '/account/admin/users?done=user-deleted'
    expect([seen.status, seen.location]).toEqual([303, `${list}&undo=${undoIn(seen)}`])
    expect(await aliceRow()).toBeUndefined()
    const events = await site.db.select().from(auditEvents)
    expect(events.at(-1)).toMatchObject({ kind: 'user_deleted', actorId: 1, userId: aliceId })
  })

  test('offers the guest what a guest has', async () => {
    const { html } = await admin.get(`${USERS}/2`)
    for (const form of ['password', 'unlock', 'end-sessions', 'delete']) {
      expect(html, form).not.toContain(`${USERS}/2/${form}"`)
    }
    expect(html).not.toContain('name="role"')
    const change = { username: 'guest', base_path: '/public', 'permission-8': 'on' }
    expect(await admin.post(`${USERS}/2/change`, change)).toMatchObject({ status: 303 })
    const [row] = await site.db.select().from(users).where(eq(users.id, 2))
    expect(row).toMatchObject({ role: 1, basePath: '/public', permission: PERMISSION.webdavRead })
    expect(await admin.post(`${USERS}/2/enable`)).toMatchObject({ status: 303 })
    expect((await admin.get(`${USERS}/2`)).html).toContain(`${USERS}/2/disable"`)
    const deleted = await admin.post(`${USERS}/2/delete`)
    expect(deleted.status).toBe(400)
    expect(await site.db.select().from(users)).toHaveLength(3)
  })

  test('names its user in the notice of what was done', async () => {
    const { html } = await admin.get(`${USERS}/${aliceId}`)
    expect(html).toContain('<input type="hidden" name="named" value="alice"')
    const { location } = await admin.post(`${USERS}/${aliceId}/disable`, { named: 'alice' })
    expect(textOf((await admin.get(location ?? '')).html)).toContain('“alice” was disabled.')
  })

  test('is none for an unknown user or form', async () => {
    for (const path of ['999', '99999999999999999999', 'alice', '3/nope/nope']) {
      expect((await admin.get(`${USERS}/${path}`)).status, path).toBe(404)
    }
    const { html } = await admin.get(`${USERS}/999`)
    expect(html).toContain(`<a role="button" href="${USERS}">Users</a>`)
    expect(html).toContain('<h1>There is no such user</h1>')
    expect(html).toContain('aria-label="Account"')
    for (const path of ['999/disable', '3/constructor', '3/nope', '999/password']) {
      expect((await admin.post(`${USERS}/${path}`, { password: '' })).status, path).toBe(404)
    }
    expect((await admin.get(`${USERS}/3/delete`)).location).toBe(`${USERS}/3`)
  })
})

describe('the way back from the page of a user', () => {
  test('is the list that the operator came from, after a form too', async () => {
    const list = await admin.get(`${USERS}?search=ali&group=without-two-factor`)
    const [, address = ''] = /href="([^"]*\/users\/3\?list=[^"]*)"/.exec(list.html) ?? []
    const { html } = await admin.get(address)
    const back = `href="${USERS}?search=ali&amp;group=without-two-factor"`
    expect(html).toContain(back)
    const [, form = ''] = /action="([^"]*\/3\/disable[^"]*)"/.exec(html) ?? []
    const done = await admin.post(form)
    expect(done.location).toMatch(/\/users\/3\?list=.*&done=user-disabled$/)
    expect((await admin.get(done.location ?? '')).html).toContain(back)
  })

  test.each(['//evil.example', 'search=a&page=x', 'group=nope', 'javascript:alert(1)'])(
    'leads nowhere else: %j',
    async (list) => {
      const query = String(new URLSearchParams({ list }))
      const { html } = await admin.get(`${USERS}/${aliceId}?${query}`)
      expect(html).toContain(`<a href="${USERS}">`)
    },
  )
})

function logIn(username: string, password: string, network: string) {
  const headers = { 'CF-Connecting-IP': network }
  return site.post('/api/auth/login', { username, password }, { headers })
}

async function fail(username: string, times: number, network = '192.0.2.9'): Promise<void> {
  for (let attempt = 0; attempt < times; attempt++) await logIn(username, 'wrong-Passw0rd', network)
}

/** The name at the top of a user's page, with its badges. */
function headingIn(html: string): string {
  return textOf(/<h1>.*?<\/h1>/s.exec(html)?.[0] ?? '')
}

describe('a user whose sign-ins are refused', () => {
  const page = `${USERS}/${aliceId}`
  const LIST = `${USERS}?group=locked`

  test('is said to be locked, where and until when, and can be unlocked, only then', async () => {
    expect((await admin.get(page)).html).not.toContain('/unlock')
    expect(textOf((await admin.get(LIST)).html)).not.toContain('alice')
    await fail('alice', 5)
    const { html } = await admin.get(page)
    expect(textOf(html)).toContain(
      'Locked after too many wrong attempts Passwords from 192.0.2.9 are refused, and accepted again in 5 minutes',
    )
    expect(html).toContain(`action="${page}/unlock"`)
    expect(headingIn(html)).toBe('alice Locked No second factor')
    expect(textOf((await admin.get(USERS)).html)).toContain('alice Locked')
    const list = await admin.get(LIST)
    expect(textOf(list.html)).toContain('alice Passwords from 192.0.2.9 are refused')
    const [, form = ''] = /action="([^"]*\/unlock[^"]*)"/.exec(list.html) ?? []
    expect((await admin.post(form)).location).toContain('group=locked')
    expect(headingIn((await admin.get(page)).html)).toBe('alice No second factor')
    expect((await admin.get(page)).html).not.toContain('/unlock')
    expect(textOf((await admin.get(USERS)).html)).not.toContain('alice Locked')
  })

  test('is named with each network, and the network that is blocked for all accounts', async () => {
    await fail('alice', 5, '192.0.2.1')
    await fail('alice', 5, '2001:db8:1:2::3')
    for (const name of ['a', 'b', 'c', 'd', 'e']) await fail(name, 5, '192.0.2.1')
    const text = textOf((await admin.get(page)).html)
    for (const network of ['192.0.2.1', '2001:db8:1:2::/64'])
      expect(text).toContain(`Passwords from ${network} are refused`)
    expect(text).toContain('Passwords of every account from 192.0.2.1 are refused')
    await admin.post(`${page}/unlock`)
    expect(await logIn('alice', alice.password, '192.0.2.1')).toMatchObject({ code: 200 })
    expect((await admin.get(page)).html).not.toContain('/unlock')
  })
})
