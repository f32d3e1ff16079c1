import { env } from 'cloudflare:workers'
import { eq, inArray } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, sessions, users } from '../../schema/tables.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { MailSite } from '../support/mail-site.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'
import { textOf, Visitor } from '../support/visitor.ts'

const USERS = '/account/admin/users'
const SELECTED = `${USERS}/selected`
const WAITING_LIST = `?${String(new URLSearchParams({ list: 'group=waiting' }))}`
const [ADMIN, GUEST, ALICE, BOB, CAROL] = [1, 2, 3, 4, 5]

let site: MailSite
let admin: Visitor

const signIn = preparedVisit(async (arranged, browser) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: 'alice-Passw0rd' })
  await arranged.addUser('bob', { waiting: true, disabled: true })
  await arranged.addUser('carol', { waiting: true, disabled: true })
  await browser.signIn('admin', ADMIN_PASSWORD)
})

beforeEach(async () => {
  site = new MailSite()
  admin = await signIn(site)
})

function send(action: string, ids: number[], more: Record<string, string> = {}, list = '') {
  const chosen = Object.fromEntries(ids.map((id) => [`user-${id}`, 'on']))
  return admin.post(`${SELECTED}${list}`, { do: action, ...chosen, ...more })
}

async function rowsOf(...ids: number[]) {
  return site.db
    .select({ id: users.id, disabled: users.disabled, waiting: users.waiting })
    .from(users)
    .where(inArray(users.id, ids))
}

function reminders() {
  return site.db.select().from(auditEvents).where(eq(auditEvents.kind, 'factor_reminded'))
}

describe('the boxes of the list of users', () => {
  test('are there for everybody but the guest and oneself, with what fits a user of the list', async () => {
    const { html } = await admin.get(USERS)
    const boxes = Array.from(html.matchAll(/form="selected" name="user-(\d+)"/g), ([, id]) => id)
    expect(boxes.map(Number)).toEqual([ALICE, BOB, CAROL])
    expect(html).toContain('aria-label="Select alice"')
    for (const name of ['approve', 'remind', 'disable'])
      expect(html).toContain(`<button name="do" value="${name}"`)
    const waiting = await admin.get(`${USERS}?group=waiting`)
    expect(waiting.html).toContain('value="approve"')
    expect(waiting.html).not.toContain('value="disable"')
  })
})

describe('selected users', () => {
  test('are approved at once, and the list is shown again', async () => {
    const { location } = await send('approve', [BOB, CAROL], {}, WAITING_LIST)
    expect(location).toBe(`${USERS}?group=waiting&done=users-changed`)
    const ready = { disabled: false, waiting: false }
    expect(await rowsOf(BOB, CAROL)).toEqual([
      { id: BOB, ...ready },
      { id: CAROL, ...ready },
    ])
  })

  test('are disabled after a question that names them', async () => {
    await site.token('alice', 'alice-Passw0rd')
    const { status, html } = await send('disable', [ALICE])
    expect(status).toBe(200)
    expect(textOf(html)).toContain('They are signed out at once')
    expect(html).toContain(`alice<input type="hidden" name="user-${ALICE}" value="on"/>`)
    expect(await rowsOf(ALICE)).toMatchObject([{ disabled: false }])
    const { location } = await send('disable', [ALICE], { sure: 'true' })
    expect(location).toBe(`${USERS}?done=users-changed`)
    expect(await rowsOf(ALICE)).toMatchObject([{ disabled: true }])
    expect(await site.db.select().from(sessions).where(eq(sessions.userId, ALICE))).toEqual([])
  })

  test('are counted in the question, without those whom it does not fit', async () => {
    const text = textOf((await send('disable', [ALICE, BOB])).html)
    expect(text).toContain('Disable: 1 user')
    expect(text).toContain('Left out, because it does not apply to them: bob.')
    expect(textOf((await send('disable', [BOB, CAROL])).html)).toContain('Disable: 2 users')
  })

  test('are each changed alone: oneself, the last admin and who is gone are named', async () => {
    const { status, html } = await send('disable', [ADMIN, ALICE, 99], { sure: 'true' })
    expect(status).toBe(200)
    const text = textOf(html)
    expect(text).toContain('Done for 1 of 3. Not for these: admin This is your own account.')
    expect(text).toContain('#99 There is no such user.')
    expect(await rowsOf(ADMIN, ALICE)).toMatchObject([{ disabled: false }, { disabled: true }])
    // Nobody else waits for an approval.
    expect(textOf((await send('approve', [ALICE, BOB])).html)).toContain('Done for 1 of 2.')
    expect(await rowsOf(ALICE)).toMatchObject([{ disabled: true }])
  })

  test.each(['approve', 'disable', 'remind'])(
    'are left alone by %s while the session is not fresh, until it is confirmed',
    async (action) => {
      site.now += 15 * MINUTE
      const { status, html } = await send(action, [BOB], { sure: 'true' })
      expect([status, await reminders()]).toEqual([403, []])
      expect(html).toContain('name="confirm_password"')
      expect(html).toContain(`name="user-${BOB}" value="on"`)
      expect(await rowsOf(BOB)).toEqual([{ id: BOB, disabled: true, waiting: true }])
      const confirmed = { sure: 'true', confirm_password: ADMIN_PASSWORD }
      expect((await send(action, [BOB], confirmed)).status).not.toBe(403)
      expect((await rowsOf(BOB))[0]?.waiting).toBe(action !== 'approve')
    },
  )

  test.each([
    ['nobody', 'disable', []],
    ['more than 25', 'disable', Array.from({ length: 26 }, (_, id) => id + 1)],
    ['an unknown action', 'delete', [ALICE]],
    ['a name of every object', 'constructor', [ALICE]],
  ])('are not %s', async (_, action, ids) => {
    const { location } = await send(action, ids, { sure: 'true' })
    expect(location).toBe(`${USERS}?done=nobody-selected`)
    expect(await rowsOf(ADMIN, ALICE)).toMatchObject([{ disabled: false }, { disabled: false }])
  })

  test('of somebody who is no admin are not changed', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn('alice', 'alice-Passw0rd')
    const fields = { do: 'disable', sure: 'true', [`user-${ADMIN}`]: 'on', [`user-${BOB}`]: 'on' }
    expect((await visitor.post(SELECTED, fields)).status).toBe(403)
    const approval = { do: 'approve', [`user-${BOB}`]: 'on' }
    expect((await visitor.post(SELECTED, approval)).status).toBe(403)
    expect(await rowsOf(ADMIN, BOB)).toMatchObject([{ disabled: false }, { waiting: true }])
  })
})

describe('a reminder of the second factor', () => {
  const MAIL = 'Protect your account at Latchkey with a second factor'

  test('is an event, and a mail to a confirmed address, once in seven days', async () => {
    await site.db
      .update(users)
      .set({ email: 'alice@example.org', emailVerified: true })
      .where(eq(users.id, ALICE))
    await send('remind', [ALICE], { sure: 'true' })
    expect(await reminders()).toMatchObject([{ userId: ALICE, actorId: ADMIN }])
    expect(await site.subjectsTo('alice@example.org')).toEqual([MAIL])
    const again = await send('remind', [ALICE], { sure: 'true' })
    expect(textOf(again.html)).toContain('alice This user was reminded less than 7 days ago.')
    expect(await site.subjectsTo('alice@example.org')).toEqual([MAIL])
    const visitor = new Visitor(site)
    await visitor.signIn('alice', 'alice-Passw0rd')
    expect(textOf((await visitor.get('/account')).html)).toContain(
      'admin asked you to set up a second factor',
    )
    site.now += 7 * 24 * HOUR + 11 * MINUTE
    admin = new Visitor(site)
    await admin.signIn('admin', ADMIN_PASSWORD)
    await send('remind', [ALICE], { sure: 'true' })
    expect(await reminders()).toHaveLength(2)
  })

  test('reads few rows of a user with many events', async () => {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
       insert into audit_events (at, kind, user_id, network, user_agent) select ?, 'sign_in', ?, '', '' from n`,
    )
      .bind(site.now, ALICE)
      .run()
    site.meter = createMeter()
    await send('remind', [ALICE], { sure: 'true' })
    expect(await reminders()).toHaveLength(1)
    expect(site.meter.rowsRead).toBeLessThan(1500)
  })

  test('goes to no address that is not confirmed', async () => {
    await site.db.update(users).set({ email: 'alice@example.org' }).where(eq(users.id, ALICE))
    await send('remind', [ALICE], { sure: 'true' })
    expect(await reminders()).toHaveLength(1)
    expect(await site.subjectsTo('alice@example.org')).toEqual([])
  })

  test('is refused for the guest, who is disabled, and who has a second factor', async () => {
    await site.enrol(await site.token('alice', 'alice-Passw0rd'))
    const { html } = await send('remind', [GUEST, ALICE, BOB], { sure: 'true' })
    const text = textOf(html)
    expect(text).toContain('Done for 0 of 3.')
    expect(text).toContain('alice Two-step verification is already on.')
    expect(text).toContain('bob The account is disabled or has ended.')
    expect(await reminders()).toEqual([])
  })
})
