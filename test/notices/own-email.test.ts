import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, noticeChannels, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { MailSite } from '../support/mail-site.ts'
import { MINUTE } from '../support/site.ts'
import { textOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const ALICE = 'alice@example.org'
const TOPICS = ['new_network', 'password', 'account_end']
const PAGE = '/account/notices'

let site: MailSite
let aliceId: number
let token: string

beforeEach(async () => {
  site = new MailSite()
  aliceId = await site.addUser('alice', { password: PASSWORD })
  await give(ALICE)
  token = await signIn('198.51.100.1')
})

async function signIn(from: string, where: CheapSite = site): Promise<string> {
  const headers = { 'CF-Connecting-IP': from }
  const body = { username: 'alice', password: PASSWORD }
  const { data } = await where.post('/api/auth/login', body, { headers })
  await where.settle()
  return data.token
}

/** Gives alice an address. */
async function give(email: string, emailVerified = true): Promise<void> {
  await site.db.update(users).set({ email, emailVerified }).where(eq(users.id, aliceId))
}

const save = (fields: object = {}, where: CheapSite = site, by = token) =>
  where.post('/api/me/notices/save', { kind: 'email', topics: TOPICS, ...fields }, { token: by })
const channel = async () => (await site.get('/api/me/notices', { token })).data
const sendTest = async () => (await site.post('/api/me/notices/test', undefined, { token })).data

async function visit(): Promise<Visitor> {
  const visitor = new Visitor(site)
  await visitor.signIn('alice', PASSWORD)
  return visitor
}

describe('notices by e-mail', () => {
  test('go from the site to the confirmed address, which the channel shows', async () => {
    expect(await save()).toMatchObject({ code: 200, data: { secret: '' } })
    expect(await channel()).toMatchObject({ kind: 'email', target: ALICE, topics: TOPICS })
    await signIn('198.51.100.77')
    expect(site.sent).toHaveLength(1)
    expect(site.sent[0]).toMatchObject({
      to: ALICE,
      from: 'accounts@example.org',
      subject: 'alice signed in from a new network',
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    expect(await channel()).toMatchObject({ failure: '', waiting: 0 })
  })

  test('never go to an address that is not confirmed, or is no longer the one of the account', async () => {
    await save()
    await give('thief@example.org', false)
    expect(await sendTest()).toEqual({ delivered: false, failure: 'no address' })
    expect(await channel()).toMatchObject({ target: '', failure: 'no address' })
    expect(site.sent).toEqual([])
    await give('new@example.org')
    site.now += MINUTE
    expect(await sendTest()).toEqual({ delivered: true, failure: '' })
    expect(site.sent.map(({ to }) => to)).toEqual(['new@example.org'])
  })

  test('need a confirmed address, and take no other', async () => {
    expect(await save({ address: 'thief@example.org' })).toMatchObject({
      code: 400,
      message: 'address must be empty, notices go to the confirmed address of the account',
    })
    await give(ALICE, false)
    const refused = { code: 400, message: 'there is no confirmed address', data: null }
    expect(await save()).toEqual(refused)
    await give('', false)
    expect(await save()).toEqual(refused)
    expect(await site.db.select().from(noticeChannels)).toEqual([])
    const events = await site.db.select({ kind: auditEvents.kind }).from(auditEvents)
    expect(events).not.toContainEqual({ kind: 'notices_changed' })
  })

  test('leave the channel of before when they are refused', async () => {
    await save({ kind: 'ntfy', address: 'https://ntfy.example.org/topic' })
    await give(ALICE, false)
    await save()
    expect(await channel()).toMatchObject({ kind: 'ntfy', target: 'ntfy.example.org' })
  })

  test('need a site that sends mail, and a fresh session first', async () => {
    const silent = new CheapSite({ now: () => site.now })
    expect(await save({}, silent)).toMatchObject({
      code: 403,
      message: 'this site sends no mail, ask an administrator',
    })
    site.now += 11 * MINUTE
    const stale = { code: 403, message: 'Sign in again or confirm to do this' }
    expect(await save({}, silent)).toMatchObject(stale)
    expect(await save()).toMatchObject(stale)
  })
})

describe('the page of notices', () => {
  test('turns e-mail on with one press, and has the rest behind another way', async () => {
    const visitor = await visit()
    const { html } = await visitor.get(PAGE)
    expect(textOf(html)).toContain(`To ${ALICE}, the address that you have confirmed.`)
    const [before = '', behind = ''] = html.split('<summary>Another way</summary>')
    expect(before).not.toContain('kind=ntfy')
    expect(behind).toContain('kind=ntfy')
    const boxes = html.matchAll(/name="(topic-\w+)" checked=""/g)
    const ticked = Object.fromEntries(Array.from(boxes, ([, name = '']) => [name, 'on']))
    const { location } = await visitor.post(`${PAGE}/save`, { kind: 'email', ...ticked })
    expect(location).toBe(`${PAGE}?done=notices-on`)
    const { html: on } = await visitor.get(PAGE)
    expect(textOf(on)).toContain(`E-mail ${ALICE}`)
    expect(on).not.toContain(`${PAGE}?kind=email`)
  })

  test('leads a user without a confirmed address to the page of the address', async () => {
    await give(ALICE, false)
    const visitor = await visit()
    const { html } = await visitor.get(PAGE)
    expect(html).toContain('href="/account/email"')
    expect(html).not.toContain('value="email"')
    expect((await visitor.get(`${PAGE}?kind=email`)).html).not.toContain('value="email"')
    const { status, html: refused } = await visitor.post(`${PAGE}/save`, {
      kind: 'email',
      'topic-password': 'on',
    })
    expect([status, textOf(refused).includes('Confirm your e-mail address first.')]).toEqual([
      400,
      true,
    ])
  })

  test('offers the phone first where the site sends no mail', async () => {
    const visitor = new Visitor(new CheapSite({ now: () => site.now }))
    await visitor.signIn('alice', PASSWORD)
    const [before = ''] = (await visitor.get(PAGE)).html.split('<summary>Another way</summary>')
    expect(before).toContain('kind=ntfy')
    expect(before).not.toContain('/account/email')
  })
})
