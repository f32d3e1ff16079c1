import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, noticeChannels, users } from '../../schema/tables.ts'
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

/** The class of the checklist's last step. */
async function lookOfBackup(): Promise<string | undefined> {
  const { html } = await admin.get(SITE)
  return /<li class="(\w+)">(?:(?!<li).)*Make a backup/s.exec(html)?.[1]
}

async function textAt(path = SITE): Promise<string> {
  return textOf((await admin.get(path)).html)
}

async function textWith(openlist: OpenListStandIn, bindings = {}): Promise<string> {
  const behind = new CheapSite(openlist.deps, { ...FILES_BINDINGS, ...bindings })
  const visitor = new Visitor(behind)
  for (const [name, value] of admin.cookies) visitor.cookies.set(name, value)
  return textOf((await visitor.get(SITE)).html)
}

async function addEvents(count: number, at: number, kind = 'sign_in'): Promise<void> {
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into audit_events (at, kind, user_id, network, user_agent) select ?, ?, ?, '', '' from n`,
  )
    .bind(count, at, kind, aliceId)
    .run()
}

async function addEvent(kind: string, at: number, event: object = {}): Promise<void> {
  const row = { kind, at, userId: aliceId, network: '192.0.2.9', userAgent: '', ...event }
  await site.db.insert(auditEvents).values(row)
}

describe('the overview of administrators', () => {
  test('tells that everything works, and how many users there are', async () => {
    const text = await textAt()
    expect(text).toContain('Nothing to do Everything works.')
    expect(text).toContain('3 Users')
    expect(text).toContain('2 No second factor')
    expect(text).not.toMatch(/Needs your attention|\d ms|MiB|Cache/)
  })

  test('tells what does not work', async () => {
    const kv = new Proxy(site.deps.kv, { get: () => () => Promise.reject(new Error('down')) })
    const visitor = new Visitor(new CheapSite({ kv }))
    for (const [name, value] of admin.cookies) visitor.cookies.set(name, value)
    const text = textOf((await visitor.get(SITE)).html)
    expect(text).toContain(
      'Needs your attention Cache of the settings: does not work The log of the service says why. Something does not work.',
    )
    expect(text).toContain('Working: Database, ')
  })

  describe('with a file server', () => {
    test('tells that it works', async () => {
      const openlist = new OpenListStandIn()
      openlist.settings['sign_all'] = 'true'
      const text = await textWith(openlist)
      expect(text).toContain('Everything works.')
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
    expect(text).toContain(
      'broken ntfy.example.org The last notification was not delivered, 3 hours ago',
    )
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
    // The chart reads up to a thousand events.
    await addEvents(1000, site.now)
    await admin.get(SITE)
    const { rowsRead } = site.meter
    await addEvents(3000, site.now)
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

  test('draws the sign-ins and the refused ones of each day, with the way to its events', async () => {
    await site.db.delete(auditEvents)
    const yesterday = site.now - 24 * HOUR
    for (let place = 0; place < 8; place++) await addEvent('sign_in', site.now)
    await addEvent('service_sign_in', site.now)
    await addEvent('sign_in_refused', site.now, { times: 9 })
    await addEvent('settings_changed', site.now)
    await addEvent('sign_in', yesterday)
    await addEvent('sign_in', yesterday - 40 * 24 * HOUR)
    const { html } = await admin.get(SITE)
    const days = Array.from(html.matchAll(/from=(.{10})&amp;to=(.{10})" title="([^"]*)"/g))
    expect(days).toHaveLength(30)
    expect(days.at(-1)?.slice(1)).toEqual([
      '2026-11-21',
      '2026-11-21',
      'Sat, Nov 21: 9 sign-ins, 9 refused',
    ])
    expect(days.at(-2)?.[3]).toBe('Fri, Nov 20: 1 sign-in, 0 refused')
    for (const [, , , title] of days.slice(0, -2)) expect(title).toMatch(/: 0 sign-ins, 0 refused$/)
    expect(html).toContain(
      '<path d="M0 40v-20h1v20z"></path><path class="refused" d="M0 20v-20h1v20z">',
    )
    expect(
      textOf((await admin.get(`${SITE}/events?from=2026-11-20&to=2026-11-20`)).html),
    ).toContain('alice signed in')
  })

  test('estimates the days of a busy site', async () => {
    await site.db.delete(auditEvents)
    await addEvents(4000, site.now - 48 * HOUR)
    await addEvents(1000, site.now, 'sign_in_refused')
    await addEvents(1000, site.now)
    const { html } = await admin.get(SITE)
    const counts = /Nov 19: (\d+) sign-ins.*Nov 21: (\d+) sign-ins, (\d+) refused/s.exec(html) ?? []
    for (const [place, events] of [4000, 1000, 1000].entries()) {
      expect(Number(counts[place + 1])).toBeGreaterThan(events - 50)
      expect(Number(counts[place + 1])).toBeLessThan(events + 50)
    }
  })

  describe('has a checklist for a new site', () => {
    const HEADING = 'Set up this site'

    test('that names what is missing, with the way to it, until all is done', async () => {
      const { html } = await admin.get(SITE)
      expect(textOf(html)).toContain(HEADING)
      expect(html).toContain('<a href="/account/security">Protect your account')
      expect(html).toContain('<a href="/account/admin/settings">Name the site')
      expect(html).toContain('<b>Invite people, or move in</b>')
      await admin.post(`${SITE}/settings/site`, { site_title: 'Family files' })
      await site.db.update(users).set({ totpSeed: 'sealed' }).where(eq(users.id, 1))
      const mails = {
        sendEmail: () => Promise.resolve(),
        mailFrom: () => 'accounts@example.org',
        siteAddress: () => 'https://example.org',
      }
      const done = new CheapSite({ ...new OpenListStandIn().deps, ...mails }, FILES_BINDINGS)
      const visitor = new Visitor(done)
      for (const [name, value] of admin.cookies) visitor.cookies.set(name, value)
      expect(textOf((await visitor.get(SITE)).html)).not.toContain(HEADING)
      await site.db.delete(users).where(eq(users.id, aliceId))
      const text = textOf((await visitor.get(SITE)).html)
      expect(text).toContain(HEADING)
      expect(text).toContain('Make a backup')
    })

    test('that knows of a backup by its event', async () => {
      expect(await lookOfBackup()).toBeUndefined()
      await addEvent('backup_made', site.now, { userId: null, network: 'command line' })
      expect(await lookOfBackup()).toBe('good')
    })

    test('that an administrator hides, and the settings show again', async () => {
      const { location } = await admin.post(`${SITE}/checklist/hide`)
      expect(location).toBe(`${SITE}?done=checklist-hidden`)
      expect(await textAt()).not.toContain(HEADING)
      expect(await textAt()).toContain('admin changed the site settings: Checklist for a new site')
      await admin.post(`${SITE}/settings/site`, { setup_checklist: 'true' })
      expect(await textAt()).toContain(HEADING)
    })
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
