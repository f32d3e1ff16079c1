import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD, NOW } from '../support/site.ts'
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

/** What the page lists, in words. */
function rowsIn(html: string): string[] {
  const [, list = ''] = /<ol class="rows compact">(.*?)<\/ol>/s.exec(html) ?? []
  return list
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

async function rowsOf(query: Record<string, string>): Promise<string[]> {
  return rowsIn((await admin.get(`${EVENTS}?${String(new URLSearchParams(query))}`)).html)
}

describe('the page of all events', () => {
  test('says what happened, to whom, and who did it', async () => {
    await site.login('alice', 'wrong-Passw0rd')
    await site.login('nobody', 'wrong-Passw0rd')
    await admin.post(`/account/admin/users/${aliceId}/disable`)
    const { html } = await admin.get(EVENTS)
    const rows = rowsIn(html)
    expect(rows[0]).toMatch(/^Account disabled alice by admin /)
    expect(rows[1]).toMatch(/^Sign-in refused: wrong password Unknown name 2026-11-21 09:15/)
    expect(rows[2]).toMatch(/^Sign-in refused: wrong password alice /)
    expect(rows[3]).toMatch(/^Signed in admin /)
    expect(html).toContain(`<a href="/account/admin/users/${aliceId}">alice</a>`)
    await admin.post(`/account/admin/users/${aliceId}/delete`)
    expect((await rowsOf({}))[0]).toContain(`User ${aliceId}, deleted`)
  })

  test('says how often names were tried that no account has', async () => {
    for (const name of ['nobody', 'no one', 'nemo']) await site.login(name, 'wrong-Passw0rd')
    expect(await rowsOf({ kind: 'sign_in_refused' })).toEqual([
      expect.stringMatching(/^Sign-in refused: wrong password Unknown names, 3 times 2026-11-21/),
    ])
  })

  test('filters by name and kind', async () => {
    await site.login('alice', 'wrong-Passw0rd')
    await site.login('alice', 'alice-Passw0rd')
    expect(await rowsOf({ user: 'alice' })).toHaveLength(2)
    expect(await rowsOf({ user: 'alice', kind: 'sign_in' })).toEqual([
      expect.stringMatching(/^Signed in alice/),
    ])
    expect(await rowsOf({ kind: 'sign_in' })).toHaveLength(2)
    expect(await rowsOf({ kind: 'key_added' })).toEqual([])
    expect((await admin.get(`${EVENTS}?kind=nope`)).status).toBe(400)
  })

  test('says that a name is nobody’s, and shows nothing for it', async () => {
    const { html } = await admin.get(`${EVENTS}?user=nobody`)
    expect(problemAt(html, 'user')).toBe('No user has this name.')
    expect(rowsIn(html)).toEqual([])
  })

  test('leads to older ones as long as there are any, and keeps the filter', async () => {
    const event = {
      kind: 'key_used',
      userId: aliceId,
      detail: 'laptop',
      network: '',
      userAgent: '',
    }
    const many = Array.from({ length: 51 }, (_, second) => ({ ...event, at: NOW + second }))
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
