import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import type { EventKind } from '../../src/core/audit/kinds.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const ALICE = 3
const OPERATORS = 'https://hooks.example.org/operators'

/** What the stand-in got, in turn. */
let got: { url: string; id: string; more: number; title: string }[]
/** Receivers that answer 500. */
let dead: (url: string) => boolean
let site: CheapSite
let admin: string

const arrange = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD })
  const token = await arranged.token('admin', ADMIN_PASSWORD)
  const topics = ['credential_added', 'password', 'new_admin', 'new_network']
  const channel = { kind: 'webhook', name: 'hook', address: OPERATORS, topics }
  await arranged.post('/api/admin/notice/create', channel, { token })
  await arranged.settle()
  return token
})

beforeEach(async () => {
  got = []
  dead = () => false
  site = new CheapSite({
    sendOut: async (url, { headers, body }) => {
      const { data } = JSON.parse(typeof body === 'string' ? body : '')
      const id = new Headers(headers).get('webhook-id') ?? ''
      got.push({ url, id, more: data.more, title: data.title })
      return new Response('', { status: dead(url) ? 500 : 200 })
    },
  })
  admin = await arrange(site)
})

const run = () => runFrequently(site.deps)

/** Writes events, as requests between two runs do. */
async function writeEvents(count: number, event: { kind?: EventKind; users?: number } = {}) {
  const { kind = 'key_added', users = 1 } = event
  await env.DB.prepare(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})
     insert into audit_events (at, kind, user_id, detail, network, user_agent)
     select ${site.now}, '${kind}', ${ALICE} + i % ${users}, 'k' || i, '203.0.113.9', '' from n`,
  ).run()
}

const rows = async () => (await env.DB.prepare('select * from notices').all()).results

describe('events of one user and kind', () => {
  test('are one notice, however many come at once', async () => {
    await writeEvents(60)
    await run()
    const title = 'alice has a new SSH key: “k59”, and 59 more'
    expect(got).toMatchObject([{ title, more: 59 }])
    site.now += 2 * HOUR
    await run()
    expect(got).toHaveLength(1)
    expect(await rows()).toEqual([])
  })

  test('that follow in the same hour are told at its end, with another id', async () => {
    for (let i = 0; i < 5; i++) {
      await writeEvents(1)
      await run()
      site.now += MINUTE
    }
    expect(got.map(({ more }) => more)).toEqual([0])
    site.now += HOUR
    await run()
    expect(got.map(({ more }) => more)).toEqual([0, 3])
    expect(new Set(got.map(({ id }) => id)).size).toBe(2)
    await writeEvents(1)
    await run()
    expect(got.map(({ more }) => more)).toEqual([0, 3, 0])
  })

  test('are told apart from those of another kind or user', async () => {
    await writeEvents(2, { users: 2 })
    await writeEvents(1, { kind: 'passkey_added' })
    await run()
    expect(got.map(({ more }) => more)).toEqual([0, 0, 0])
  })

  test('that come while their notice is sent are told as well', async () => {
    let isFirst = true
    const slow = new CheapSite({
      sendOut: async () => {
        if (isFirst) {
          isFirst = false
          await writeEvents(2)
          await run()
        }
        return new Response('')
      },
    })
    slow.now = site.now
    await writeEvents(1)
    await runFrequently(slow.deps)
    site.now += HOUR
    await run()
    expect(got.map(({ more }) => more)).toEqual([1])
  })

  test('are counted when they are given up', async () => {
    dead = () => true
    await writeEvents(60)
    for (let hour = 0; hour < 25; hour++) {
      await run()
      site.now += HOUR
    }
    await run()
    const { data } = await site.get('/api/admin/notice/list', { token: admin })
    expect(data.content[0]).toMatchObject({ waiting: 0, lost: 60 })
  })
})

describe('the outbox', () => {
  test('is bounded for a channel, and what is over is told together', async () => {
    dead = () => true
    for (let i = 0; i < 5; i++) {
      await writeEvents(500, { users: 500 })
      await writeEvents(500, { users: 500, kind: 'password_changed' })
      await run()
    }
    const waiting = await rows()
    expect(waiting.length).toBeLessThanOrEqual(102)
    const events = waiting.reduce((sum, { events: own }) => sum + Number(own), 0)
    expect(events).toBe(5000)
  })

  test('sends those of operators before those of users whose receivers are dead', async () => {
    dead = (url) => url !== OPERATORS
    for (let i = 0; i < 7; i++) {
      await site.addUser(`user${i}`, { password: PASSWORD })
      const token = await site.token(`user${i}`, PASSWORD)
      const address = `https://dead${i}.example.org/`
      const wish = { kind: 'webhook', address, topics: ['credential_added'] }
      await site.post('/api/me/notices/save', wish, { token })
    }
    await site.settle()
    await writeEvents(8, { users: 8 })
    await run()
    site.now += 5 * MINUTE
    await writeEvents(1, { kind: 'password_changed' })
    got = []
    await run()
    expect(got[0]?.url).toBe(OPERATORS)
  })

  test('costs a run no more when thousands wait than when hundreds do', async () => {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
       insert into notice_channels (id, user_id, kind, name, target, config, topics, language, origin, since_event_id, created_at)
       select 1000 + i, null, 'webhook', '', '', '', 'password', 'en', '', 1000000, 1 from n`,
    ).run()
    let cost = Infinity
    for (const waiting of [300, 5000]) {
      await env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${waiting})
         insert into notices (channel_id, about, id, event_id, events, topic, queue, attempts, next_at, expires_at)
         select 1001 + i % 200, ${waiting} || '/' || i, i, 1, 1, 'password', 1, 0, ${site.now}, ${site.now + HOUR} from n`,
      ).run()
      const meter = createMeter()
      await runFrequently({ ...site.deps, db: openDatabase(env.DB, meter) })
      expect(meter.rowsRead).toBeLessThan(cost * 1.1)
      cost = meter.rowsRead
    }
  })

  test('costs few rows a notice, with its hour', async () => {
    await run()
    await writeEvents(1)
    const meter = createMeter()
    const deps = { ...site.deps, db: openDatabase(env.DB, meter) }
    await runFrequently(deps)
    site.now += HOUR
    await runFrequently(deps)
    expect(got).toHaveLength(1)
    expect(meter.rowsWritten).toBeLessThanOrEqual(9)
  })

  test('is not opened by the refused requests of strangers', async () => {
    const wrong = { username: 'alice', password: 'wrong' }
    await writeEvents(1)
    await site.post('/api/auth/login', wrong)
    await site.settle()
    const form = new URLSearchParams(wrong)
    const page = await site.fetch('POST', '/account/sign-in', {
      body: form.toString(),
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Sec-Fetch-Site': 'same-origin',
        Origin: 'http://localhost',
      },
    })
    await site.settle()
    expect(page.status).toBeGreaterThanOrEqual(400)
    expect([await rows(), got]).toEqual([[], []])
    await site.post('/api/auth/login', { ...wrong, password: PASSWORD })
    await site.settle()
    expect(got.map(({ title }) => title)).toContain('alice has a new SSH key: “k0”')
  })
})
