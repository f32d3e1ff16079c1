import { asc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, mails, noticeChannels, users } from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { runNightly } from '../../src/app/nightly-run.ts'
import { JoiningSite, NEW_PASSWORD } from '../support/joining.ts'
import { HOUR, MINUTE } from '../support/site.ts'

const DAY = 24 * HOUR

let site: JoiningSite
let end: number

beforeEach(async () => {
  site = await new JoiningSite().begin()
  end = site.now + 10 * DAY
})

function throwing(): never {
  throw new Error('MAIL_FROM')
}

function addAlice(columns: object = {}): Promise<number> {
  return site.addUser('alice', {
    password: NEW_PASSWORD,
    email: 'alice@example.org',
    emailVerified: true,
    endsAt: end,
    ...columns,
  })
}

/** The nightly run, and the next of the runs every five minutes. */
async function night(deps = site.deps) {
  await runNightly(deps)
  site.now += 5 * MINUTE
  await runFrequently(deps)
  return site.mail()
}

async function told(): Promise<(number | null)[]> {
  const events = await site.db
    .select()
    .from(auditEvents)
    .where(eq(auditEvents.kind, 'end_near'))
    .orderBy(asc(auditEvents.id))
  return events.map(({ userId }) => userId)
}

describe('the nightly run', () => {
  test('tells the user once that an account ends, with the time', async () => {
    const id = await addAlice()
    const [mail] = await night()
    expect(mail).toMatchObject({
      to: 'alice@example.org',
      subject: 'Your account at Latchkey ends soon',
    })
    const day = new Date(end).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
    const time = new Date(end).toISOString().slice(11, 16)
    expect(mail?.text).toContain(`The account alice at Latchkey ends on ${day}, ${time} UTC.`)
    await night()
    site.now += DAY
    await night()
    expect(await told()).toEqual([id])
    expect(site.mails).toHaveLength(1)
  })

  test('tells of another end again, and of the same one not', async () => {
    const id = await addAlice()
    await night()
    await site.db
      .update(users)
      .set({ endsAt: end + DAY })
      .where(eq(users.id, id))
    await night()
    expect(await told()).toEqual([id, id])
    // No longer near, and then near again.
    await site.db
      .update(users)
      .set({ endsAt: end + 60 * DAY })
      .where(eq(users.id, id))
    await night()
    expect(await told()).toEqual([id, id])
    site.now += 60 * DAY
    await night()
    expect(await told()).toEqual([id, id, id])
  })

  test.each([
    ['has no end', { endsAt: null }],
    ['ends in 15 days', { endsAt: Date.parse('2026-11-21T09:15:06.565Z') + 15 * DAY }],
    ['has ended', { endsAt: 1 }],
    ['is disabled', { disabled: true }],
  ])('tells nobody whose account %s', async (_, columns) => {
    await addAlice(columns)
    expect(await night()).toEqual([])
    expect(await told()).toEqual([])
  })

  test('mails nothing to an address that is not verified, and writes the event', async () => {
    const id = await addAlice({ emailVerified: false })
    expect(await night()).toEqual([])
    expect(await told()).toEqual([id])
  })

  test('writes the event on a site that sends no mail, or whose sender is wrong', async () => {
    const id = await addAlice()
    await night({ ...site.deps, mailFrom: () => undefined })
    await site.db
      .update(users)
      .set({ endsAt: end + 1000 })
      .where(eq(users.id, id))
    await runNightly({ ...site.deps, mailFrom: throwing })
    expect(await told()).toEqual([id, id])
    expect(await site.db.select().from(mails)).toEqual([])
  })

  test('mails in the language of the notices that the user has chosen', async () => {
    const userId = await addAlice()
    await site.db.insert(noticeChannels).values({
      userId,
      kind: 'ntfy',
      name: 'x',
      target: 'x',
      config: 'x',
      topics: '',
      language: 'zh',
      origin: '',
      sinceEventId: 0,
      createdAt: 0,
    })
    expect(await night()).toMatchObject([{ subject: '你在 Latchkey 的账户即将到期' }])
  })
})
