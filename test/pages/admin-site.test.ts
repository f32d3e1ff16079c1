import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, noticeChannels } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import {
  FILES_BINDINGS,
  FILES_ORIGIN,
  FILES_TOKEN,
  OpenListStandIn,
} from '../support/openlist-stand-in.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'
import { textOf, Visitor } from '../support/visitor.ts'

const SITE = '/account/admin'
const aliceId = 3

let site: CheapSite
let admin: Visitor

const signIn = preparedVisit(async (arranged, browser) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: 'alice-Passw0rd' })
  await browser.signIn('admin', ADMIN_PASSWORD)
})

beforeEach(async () => {
  site = new CheapSite()
  admin = await signIn(site)
})

async function textAt(path = SITE): Promise<string> {
  return textOf((await admin.get(path)).html)
}

async function textWith(openlist: OpenListStandIn, bindings = {}): Promise<string> {
  const behind = new CheapSite(openlist.deps, { ...FILES_BINDINGS, ...bindings })
  const visitor = new Visitor(behind)
  for (const [name, value] of admin.cookies) visitor.cookies.set(name, value)
  return textOf((await visitor.get(SITE)).html)
}

async function addEvent(kind: string, at: number, event: object = {}): Promise<void> {
  const row = { kind, at, userId: aliceId, network: '192.0.2.9', userAgent: '', ...event }
  await site.db.insert(auditEvents).values(row)
}

describe('the overview of administrators', () => {
  test('tells that everything works, and how many users there are', async () => {
    const text = await textAt()
    expect(text).toContain('Everything works Database: ')
    expect(text).toContain('3 Users')
    expect(text).toContain('2 Without second factor')
    expect(text).toMatch(/0\.\d MiB Size of the database/)
    expect(text).not.toContain('Needs your attention')
  })

  test('tells what does not work', async () => {
    const kv = new Proxy(site.deps.kv, { get: () => () => Promise.reject(new Error('down')) })
    const visitor = new Visitor(new CheapSite({ kv }))
    for (const [name, value] of admin.cookies) visitor.cookies.set(name, value)
    const text = textOf((await visitor.get(SITE)).html)
    expect(text).toContain('Something does not work')
    expect(text).toContain('Cache of the settings: does not work')
    expect(text).toContain('Database: ')
  })

  describe('with a file server', () => {
    test('tells that it works', async () => {
      const openlist = new OpenListStandIn()
      openlist.settings['sign_all'] = 'true'
      const text = await textWith(openlist)
      expect(text).toMatch(/Everything works .*File server \(OpenList\): \d+ ms/)
      expect(text).not.toContain('Needs your attention')
    })

    test('tells what is wrong with it, and what to do', async () => {
      const openlist = new OpenListStandIn()
      openlist.answer = () => Promise.reject(new TypeError('fetch failed'))
      const text = await textWith(openlist)
      expect(text).toContain('Something does not work')
      expect(text).toContain('File server (OpenList): does not answer. Start it')
      expect(text).not.toMatch(new RegExp(`${FILES_ORIGIN}|${FILES_TOKEN}`))
    })

    test('warns while it signs no links', async () => {
      const openlist = new OpenListStandIn()
      openlist.settings['sign_all'] = 'false'
      const text = await textWith(openlist)
      expect(text).toContain('Something does not work')
      expect(text).not.toContain('The log of the service says why.')
      expect(text).toContain('Needs your attention Links to files are refused, because')
      const chosen = await textWith(openlist, { FILES_OPEN_LINKS: 'on' })
      expect(chosen).toContain('Needs your attention Files open to everybody who knows their path')
    })
  })

  test('names who is locked out, what is refused until when, and unlocks', async () => {
    for (let attempt = 0; attempt < 5; attempt++) await site.login('alice', 'wrong-Passw0rd')
    expect(await site.login('alice', 'alice-Passw0rd')).toMatchObject({ code: 429 })
    const { html } = await admin.get(SITE)
    expect(textOf(html)).toMatch(
      /Needs your attention alice Passwords from \S+ are refused, and accepted again in 5 minutes Unlock/,
    )
    expect(html).toContain(`<a href="${SITE}/users/${aliceId}">alice</a>`)
    expect(html).toContain(`action="${SITE}/users/${aliceId}/unlock"`)
    await admin.post(`${SITE}/users/${aliceId}/unlock`)
    expect(await textAt()).not.toContain('Needs your attention')
    expect(await site.login('alice', 'alice-Passw0rd')).toMatchObject({ code: 200 })
  })

  test('names nobody for four failures, a name that does not exist, or a block that has ended', async () => {
    for (let attempt = 0; attempt < 4; attempt++) await site.login('alice', 'wrong-Passw0rd')
    for (let attempt = 0; attempt < 6; attempt++) await site.login('nobody', 'wrong-Passw0rd')
    expect(await textAt()).not.toContain('Needs your attention')
    await site.login('alice', 'wrong-Passw0rd')
    expect(await textAt()).toContain('Needs your attention')
    site.now += 5 * MINUTE + 1
    expect(await textAt()).not.toContain('Needs your attention')
  })

  test('names the channels whose last notice failed', async () => {
    const channel = {
      kind: 'ntfy',
      target: 'ntfy.example.org',
      config: '',
      topics: '',
      language: 'en',
      origin: '',
      sinceEventId: 0,
      createdAt: 0,
    }
    await site.db.insert(noticeChannels).values([
      { ...channel, name: 'broken', lastSentAt: 1, lastFailedAt: site.now - 3 * HOUR },
      { ...channel, name: 'mended', lastSentAt: site.now, lastFailedAt: site.now - HOUR },
      { ...channel, name: 'new' },
    ])
    const text = await textAt()
    expect(text).toContain('broken ntfy.example.org The last notice was not delivered, 3 hours ago')
    expect(text).not.toMatch(/mended|new ntfy/)
  })

  test('shows the latest five changes of the site among many sign-ins, and reads few', async () => {
    for (let place = 0; place < 7; place++)
      await addEvent('settings_changed', site.now, {
        userId: null,
        actorId: 1,
        detail: `k${place}`,
      })
    for (let place = 0; place < 60; place++) await addEvent('sign_in', site.now)
    const { html } = await admin.get(SITE)
    expect(textOf(html).match(/admin changed the site settings: k\d/g)).toEqual(
      [6, 5, 4, 3, 2].map((place) => `admin changed the site settings: k${place}`),
    )
    const { rowsRead } = site.meter
    for (let place = 0; place < 300; place++) await addEvent('sign_in', site.now)
    await admin.get(SITE)
    expect(site.meter.rowsRead).toBeLessThan(rowsRead + 100)
  })

  test.each([
    ['invitation_made', 'made an invitation'],
    ['link_withdrawn', 'withdrew a link'],
    ['reset_link_made', 'made a link for a new password'],
    ['registration_approved', 'approved the registration'],
    ['registration_rejected', 'rejected the registration'],
    ['email_changed', 'e-mail address'],
    ['end_changed', 'changed the end'],
  ])('shows %s among the changes', async (kind, words) => {
    await addEvent(kind, site.now, { actorId: 1, detail: 'x' })
    expect(await textAt()).toContain(words)
  })

  test('shows no registration among the changes: strangers would bury the others', async () => {
    await addEvent('invitation_made', site.now, { actorId: 1 })
    for (let place = 0; place < 6; place++) await addEvent('registered', site.now)
    const text = await textAt()
    expect(text).toContain('made an invitation')
    expect(text).not.toContain('alice registered')
  })

  test('estimates the events of 30 days', async () => {
    await site.db.delete(auditEvents)
    for (let place = 0; place < 20; place++) await addEvent('sign_in', site.now - 40 * 24 * HOUR)
    for (let place = 0; place < 30; place++) await addEvent('sign_in', site.now - HOUR)
    const [, events] = /(\d+) Events in 30 days \(about\)/.exec(await textAt()) ?? []
    // The search for the place where the time begins looks at eight neighbours.
    expect(Number(events)).toBeGreaterThanOrEqual(30 - 8)
    expect(Number(events)).toBeLessThanOrEqual(30 + 8)
  })

  test('draws the events of each of 30 days, without reading each event', async () => {
    await site.db.delete(auditEvents)
    const days = [
      [40, 20],
      [9.5, 30],
      [0.1, 60],
    ] as const
    for (const [age, count] of days)
      for (let place = 0; place < count; place++)
        await addEvent('sign_in', site.now - age * 24 * HOUR)
    const { html } = await admin.get(SITE)
    const bars = Array.from(html.matchAll(/M\d+ 40v-(\d+)h8/g), ([, height]) => Number(height))
    expect(bars).toHaveLength(30)
    expect(bars[29]).toBe(40)
    expect(bars[20]).toBeGreaterThanOrEqual(14)
    expect(bars[20]).toBeLessThanOrEqual(26)
    for (const place of [0, 10, 19, 25]) expect(bars[place], String(place)).toBeLessThanOrEqual(2)
    const { rowsRead } = site.meter
    for (let place = 0; place < 300; place++) await addEvent('sign_in', site.now)
    await admin.get(SITE)
    expect(site.meter.rowsRead).toBeLessThan(rowsRead + 100)
  })

  test('is for administrators', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn('alice', 'alice-Passw0rd')
    expect((await visitor.get(SITE)).status).toBe(403)
    expect((await visitor.get('/account')).html).not.toContain('id="administration"')
    expect((await admin.get('/account')).html).toContain(
      '<p id="administration">Administration</p>',
    )
  })
})
