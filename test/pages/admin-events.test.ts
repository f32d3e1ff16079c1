import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, settings } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { changeUser } from '../../src/capabilities/users/manage-users.ts'
import { unlockUser } from '../../src/capabilities/users/unlock.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD, NOW, SECOND } from '../support/site.ts'
import { problemAt, textOf, Visitor } from '../support/visitor.ts'

const EVENTS = '/account/admin/events'

let site: CheapSite
let admin: Visitor
let aliceId: number

beforeEach(async () => {
  site = new CheapSite()
  await site.addFirstUsers()
  aliceId = await site.addUser('alice', { password: 'alice-Passw0rd' })
  admin = new Visitor(site)
  await admin.signIn('admin', ADMIN_PASSWORD)
})

test('the pages of events say for how many days they are kept', async () => {
  expect(textOf((await admin.get(EVENTS)).html)).toContain('on this site, kept for 90 days.')
  await site.db.insert(settings).values({ key: 'event_retention_days', value: '365' })
  expect(textOf((await admin.get(EVENTS)).html)).toContain('on this site, kept for 365 days.')
  const { html } = await admin.get('/account/activity')
  expect(textOf(html)).toContain('to your account, kept for 365 days.')
})

/** What the page lists, in words. */
function rowsIn(html: string): string[] {
  const [, list = ''] = /<ol class="rows events"[^>]*>(.*?)<\/ol>/s.exec(html) ?? []
  return list
    .replaceAll(/<li class="day">.*?<\/li>/gs, '')
    .split('</li>')
    .map(textOf)
    .filter((row) => row !== '')
}

/** A page of the keys that alice used. */
function page(number: number): string {
  return `${EVENTS}?user=alice&kind=key_used&page=${number}`
}

/** As it stands in an attribute. */
function link(number: number): string {
  return page(number).replaceAll('&', '&amp;')
}

/** The sentences of a page, without the markup of names. */
async function sentencesAt(query: Record<string, string>, language = 'en'): Promise<string[]> {
  const path = `${EVENTS}?${String(new URLSearchParams(query))}`
  const { html } = await admin.get(path, { 'Accept-Language': language })
  return Array.from(html.matchAll(/<h3>(.*?)<\/h3>/g), ([, sentence = '']) =>
    sentence
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}

/** An event of alice. */
function keyUsed(at: number, detail: string) {
  return { at, kind: 'key_used', userId: aliceId, detail, network: '192.0.2.7', userAgent: 'x' }
}

async function rowsOf(query: Record<string, string>): Promise<string[]> {
  return rowsIn((await admin.get(`${EVENTS}?${String(new URLSearchParams(query))}`)).html)
}

/** The titles of the keys whose use a filter finds. */
async function keysUsedAt(query: Record<string, string>): Promise<(string | undefined)[]> {
  const sentences = await sentencesAt({ kind: 'key_used', ...query })
  return sentences.map((text) => /“(.*)”/.exec(text)?.[1])
}

/** How many events a page shows, and whether few rows were read for it. */
async function reads(query: Record<string, string>): Promise<[events: number, few: boolean]> {
  site.meter = createMeter()
  const found = await rowsOf(query)
  return [found.length, site.meter.rowsRead < 1500]
}

function file(query: Record<string, string> = {}, visitor = admin) {
  return visitor.get(`${EVENTS}/events.csv?${String(new URLSearchParams(query))}`)
}

describe('the page of all events', () => {
  test('says what happened, to whom, and who did it', async () => {
    await site.login('alice', 'wrong-Passw0rd')
    await site.login('nobody', 'wrong-Passw0rd')
    await admin.post(`/account/admin/users/${aliceId}/disable`)
    const { html } = await admin.get(EVENTS)
    expect(rowsIn(html)).toEqual([
      'admin disabled alice ’s account 09:15 UTC 192.0.2.1',
      'A sign-in with an unknown name was refused 09:15 UTC 192.0.2.1',
      'A sign-in to alice ’s account was refused: wrong password 09:15 UTC 192.0.2.1',
      'admin signed in 09:15 UTC 192.0.2.1',
    ])
    expect(html).toContain(`<a href="/account/admin/users/${aliceId}">alice</a>’s account`)
  })

  test('says what changed, from which value to which, with roles and permissions by name', async () => {
    const path = `/account/admin/users/${aliceId}/change`
    const fields = { username: 'alicia', role: '2', base_path: '/homes', 'permission-4': 'on' }
    await admin.post(path, fields)
    await admin.post('/account/admin/settings/site', { site_title: 'Files' })
    expect((await sentencesAt({})).slice(0, 3)).toEqual([
      'admin changed the site settings: Title',
      'admin changed alicia’s account: user name alice → alicia; permissions +Rename; base folder / → /homes',
      'admin changed alicia’s role: User → Administrator',
    ])
    expect((await sentencesAt({}, 'zh')).slice(0, 3)).toEqual([
      'admin 修改站点设置：站点标题',
      'admin 修改 alicia 的账户：用户名 alice → alicia；权限 +重命名；根文件夹 / → /homes',
      'admin 修改 alicia 的角色：普通用户 → 管理员',
    ])
  })

  test('keeps the names of users who were deleted', async () => {
    await site.login('alice', 'alice-Passw0rd')
    await admin.post(`/account/admin/users/${aliceId}/delete`)
    await site.db.insert(auditEvents).values([
      { at: NOW, kind: 'user_disabled', userId: 1, actorId: aliceId, network: '', userAgent: '' },
      { at: NOW, kind: 'user_disabled', userId: 1, actorId: 99, network: '', userAgent: '' },
      { at: NOW, kind: 'key_added', userId: 98, detail: 'x', network: '', userAgent: '' },
    ])
    const { html } = await admin.get(EVENTS)
    expect(await sentencesAt({})).toEqual([
      'User 98 (deleted) added the SSH key “x”',
      'User 99 (deleted) disabled admin’s account',
      'alice (deleted) disabled admin’s account',
      'admin deleted alice’s account: role User',
      'alice (deleted) signed in',
      'admin signed in',
    ])
    expect(html).not.toContain(`/account/admin/users/${aliceId}"`)
  })

  test('names the command line, and users who act on themselves', async () => {
    await site.login('alice', 'alice-Passw0rd')
    await unlockUser(site.deps, COMMAND_LINE, aliceId)
    await changeUser(site.deps, COMMAND_LINE, aliceId, { basePath: '/x' })
    const alice = new Visitor(site)
    await alice.signIn('alice', 'alice-Passw0rd')
    await alice.post('/account/sessions/end-others')
    await alice.post('/account/sign-out')
    expect((await sentencesAt({})).slice(0, 4)).toEqual([
      'alice signed out',
      'alice signed out on all other devices',
      'alice signed in',
      'An administrator on the command line changed alice’s account: base folder / → /x',
    ])
  })

  test('says how often names were tried that no account has', async () => {
    for (const name of ['nobody', 'no one', 'nemo']) await site.login(name, 'wrong-Passw0rd')
    expect(await rowsOf({ kind: 'sign_in_refused' })).toEqual([
      expect.stringMatching(/^3 sign-ins with unknown names were refused 09:15 UTC/),
    ])
  })

  test('filters by name and kind', async () => {
    await site.login('alice', 'wrong-Passw0rd')
    await site.login('alice', 'alice-Passw0rd')
    expect(await rowsOf({ user: 'alice' })).toHaveLength(2)
    expect(await rowsOf({ user: 'alice', kind: 'sign_in' })).toEqual([
      expect.stringMatching(/^alice signed in/),
    ])
    expect(await rowsOf({ kind: 'sign_in' })).toHaveLength(2)
    expect(await rowsOf({ kind: 'key_added' })).toEqual([])
    expect((await admin.get(`${EVENTS}?kind=nope`)).status).toBe(400)
  })

  test('filters by days of the visitor’s time zone, both ends included', async () => {
    for (const at of ['09T15:59:59Z', '09T16:00:00Z', '11T15:59:59Z', '11T16:00:00Z'])
      await site.db.insert(auditEvents).values(keyUsed(Date.parse(`2026-11-${at}`), at))
    const zone = 'Asia/Shanghai'
    expect(await keysUsedAt({ from: '2026-11-10', zone })).toEqual([
      '11T16:00:00Z',
      '11T15:59:59Z',
      '09T16:00:00Z',
    ])
    expect(await keysUsedAt({ from: '2026-11-10', to: '2026-11-11', zone })).toEqual([
      '11T15:59:59Z',
      '09T16:00:00Z',
    ])
    expect(await keysUsedAt({ to: '2026-11-09' })).toEqual(['09T16:00:00Z', '09T15:59:59Z'])
    expect(await keysUsedAt({ to: '2026-11-09', zone: 'Nowhere/Else' })).toHaveLength(2)
    const { html } = await admin.get(`${EVENTS}?from=2026-02-30`)
    expect(problemAt(html, 'from')).toBe('It must be a day such as 2026-11-21.')
    expect(rowsIn(html)).toEqual([])
  })

  test('finds early events among many by their day, and rare ones by their kind, and reads few', async () => {
    const MANY = 20_000
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into audit_events (at, kind, user_id, detail, network, user_agent)
       select ? + i * 1000, iif(i = 1, 'user_unlocked', 'key_used'), 1, 'key ' || i, '', '' from n`,
    )
      .bind(MANY, NOW - MANY * SECOND)
      .run()
    expect(await reads({ to: '2026-11-21' })).toEqual([25, true])
    expect(await reads({ from: '2026-11-21', to: '2026-11-21' })).toEqual([25, true])
    expect(await reads({ kind: 'user_unlocked' })).toEqual([1, true])
    expect(await reads({ to: '2026-11-01' })).toEqual([0, true])
  })

  test('says that a name is nobody’s, and shows nothing for it', async () => {
    const { html } = await admin.get(`${EVENTS}?user=nobody`)
    expect(problemAt(html, 'user')).toBe(
      'No user has or had this name. A deleted user is also found by id: #7.',
    )
    expect(rowsIn(html)).toEqual([])
  })

  test('finds a deleted user by id, and by the last name', async () => {
    await admin.post(`/account/admin/users/${aliceId}/delete`)
    const told = await rowsOf({ user: `#${aliceId}` })
    expect(told[0]).toMatch(/^admin deleted alice ’s account: /)
    expect(await rowsOf({ user: 'alice' })).toEqual(told)
    await site.addUser('alice')
    expect(await rowsOf({ user: 'alice' })).toEqual([])
    expect(await rowsOf({ user: `#${aliceId}` })).toEqual(told)
  })

  test('leads to older ones as long as there are any, and keeps the filter', async () => {
    const event = {
      kind: 'key_used',
      userId: aliceId,
      detail: 'laptop',
      network: '',
      userAgent: '',
    }
    const many = Array.from({ length: 51 }, (_, second) => ({
      ...event,
      detail: `laptop ${second}`,
      at: NOW + second,
    }))
    for (const one of many) await site.db.insert(auditEvents).values(one)
    const first = await admin.get(page(1))
    expect(rowsIn(first.html)).toHaveLength(25)
    expect(first.html).toContain(`href="${link(2)}">Older<`)
    expect(first.html).not.toContain('Newer')
    const last = await admin.get(page(3))
    expect(rowsIn(last.html)).toHaveLength(1)
    expect(last.html).toContain(`href="${link(2)}">Newer<`)
    expect(last.html).not.toContain('Older')
  })
})

describe('equal events in a row', () => {
  test('are one row that says how many, with the first and the last time', async () => {
    const event = keyUsed(NOW, 'laptop')
    for (const minute of [0, 1, 2])
      await site.db.insert(auditEvents).values({ ...event, at: NOW + minute * 60_000 })
    await site.db.insert(auditEvents).values(keyUsed(NOW + 180_000, 'phone'))
    expect(rowsIn((await admin.get(page(1))).html)).toEqual([
      'alice used the SSH key “phone” 09:18 UTC 192.0.2.7 Unknown app',
      'alice used the SSH key “laptop” 3 times between 09:15 UTC and 09:17 UTC 192.0.2.7 Unknown app',
    ])
  })
})

describe('the file of events', () => {
  test('has the events of the filter, as CSV that a spreadsheet opens', async () => {
    await site.login('alice', 'alice-Passw0rd')
    await admin.post(`/account/admin/users/${aliceId}/disable`)
    const { status, headers, html } = await file({ user: 'alice' })
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="events-2026-11-21.csv"')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(html).toBe(
      'time,event,what,user,user_id,by,by_id,detail,network,times,user_agent\r\n' +
        '2026-11-21T09:15:06.565+00:00,user_disabled,admin disabled alice’s account,alice,3,admin,1,,192.0.2.1,1,\r\n' +
        '2026-11-21T09:15:06.565+00:00,sign_in,alice signed in,alice,3,,,pwd,192.0.2.1,1,\r\n',
    )
    expect((await admin.get(`${EVENTS}?user=alice`)).html).toContain(
      `href="${EVENTS}/events.csv?user=alice"`,
    )
  })

  test('runs no formula', async () => {
    await site.db.insert(auditEvents).values(keyUsed(NOW, '=HYPERLINK("https://evil.example")'))
    const { html } = await file({ kind: 'key_used' })
    expect(html).toContain(`,"'=HYPERLINK(""https://evil.example"")",192.0.2.7,`)
  })

  test('ends at a limit that the page tells', async () => {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
       insert into audit_events (at, kind, network, user_agent) select ? + i, 'key_used', '', '' from n`,
    )
      .bind(NOW)
      .run()
    expect((await file({ kind: 'key_used' })).html.split('\r\n')).toHaveLength(1002)
    expect(textOf((await admin.get(EVENTS)).html)).toContain('at most the latest 1000')
  })

  test('is empty for a filter that is wrong, and is no user’s but an admin’s', async () => {
    expect((await file({ user: 'nobody' })).html.split('\r\n')).toHaveLength(2)
    expect((await file({ from: 'yesterday' })).html.split('\r\n')).toHaveLength(2)
    const alice = new Visitor(site)
    await alice.signIn('alice', 'alice-Passw0rd')
    expect(await file({}, alice)).toMatchObject({ status: 403 })
    const own = await alice.get('/account/activity/events.csv')
    expect(own.html.split('\r\n').slice(1, 2)).toEqual([
      '2026-11-21T09:15:06.565+00:00,sign_in,You signed in,,3,,,pwd,192.0.2.1,1,',
    ])
  })
})
