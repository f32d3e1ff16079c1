import { beforeEach, describe, expect, test } from 'vitest'
import { notices } from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { hurryTimeouts } from '../support/hurried-timeouts.ts'
import { HOUR, MINUTE } from '../support/site.ts'
import {
  addChannel,
  ALICE,
  answers,
  arrange,
  channels,
  got,
  HOOK,
  run,
  signIn,
  site,
  titles,
} from './receiver.ts'

beforeEach(arrange)

describe('a receiver that fails', () => {
  test('gets the same notice again, with the same id and a new signature', async () => {
    const { secret } = await addChannel()
    answers.push(
      new Response('', { status: 500 }),
      new Error('refused'),
      new Response('', { status: 302 }),
    )
    await signIn()
    const before = await channels()
    expect(before[0]).toMatchObject({ failure: 'status 500', waiting: 1, last_sent_at: null })
    for (let i = 0; i < 3; i++) {
      site.now += 10 * MINUTE
      await run()
    }
    expect(got).toHaveLength(4)
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(got.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4)
    for (const { headers, body } of got)
      expect(await isSigned(secret, headers, JSON.stringify(body))).toBe(true)
    expect((await channels())[0]).toMatchObject({ failure: '', waiting: 0, lost: 0 })
  })

  test.each([
    [429, '900', 15],
    [503, 'Sat, 21 Nov 2026 09:30:06 GMT', 15],
    // Longer than it would be kept.
    [429, '9999999', 24 * 60],
    [429, 'soon', 5],
    // Says nothing of the next attempt.
    [500, '900', 5],
  ])(
    'that answers %s with Retry-After: %s is asked again in %s minutes',
    async (status, after, minutes) => {
      await addChannel()
      answers.push(new Response('', { status, headers: { 'Retry-After': after } }))
      await signIn('198.51.100.7')
      const started = site.now
      const step = minutes > 60 ? HOUR : 5 * MINUTE
      while (got.length < 2 && site.now - started < 25 * HOUR) {
        site.now += step
        await run()
      }
      const waited = got.length < 2 ? 24 * 60 : (site.now - started) / MINUTE
      expect(waited).toBe(minutes)
    },
  )

  test('is asked less and less often, and given up after a day', async () => {
    await addChannel()
    answers.push(...Array.from({ length: 300 }, () => new Response('', { status: 503 })))
    await signIn()
    const times = [site.now]
    for (let i = 0; i < 25 * 12; i++) {
      site.now += 5 * MINUTE
      const count = got.length
      await run()
      if (got.length > count) times.push(site.now)
    }
    const gaps = times.slice(1).map((time, i) => (time - (times[i] ?? 0)) / MINUTE)
    expect(gaps).toEqual([5, 5, 5, 10, 20, 35, 65, 130, 260, 260, 260, 260])
    expect((await channels())[0]).toMatchObject({ failure: 'status 503', waiting: 0, lost: 1 })
  })

  test('keeps no other channel waiting', async () => {
    await addChannel({ name: 'dead', address: 'https://dead.example.org/' })
    await addChannel({ name: 'live' })
    for (let i = 0; i < 12; i++) {
      answers.length = 0
      site.now += HOUR
      await signIn(`198.51.100.${i}`)
    }
    expect(got.filter(({ url }) => url === HOOK)).toHaveLength(12)
  })

  test('that hangs is left after a few seconds', async () => {
    await addChannel()
    const asked = hurryTimeouts()
    answers.push('hang')
    await signIn()
    expect(asked).toEqual([8000])
    expect((await channels())[0]).toMatchObject({ failure: 'no answer in time', waiting: 1 })
  })

  test('a notice that was being sent when the isolate ended is sent later', async () => {
    await addChannel()
    const ending = new CheapSite({
      sendOut: async () => Promise.reject(new Error('never')),
      keyRing: () => {
        throw new Error('the isolate ended')
      },
    })
    ending.now = site.now
    await site.db.run(
      `insert into audit_events (at, kind, user_id, network, user_agent) values (1, 'sign_in', ${ALICE}, '203.0.113.9', '')`,
    )
    await runFrequently(ending.deps).catch(() => undefined)
    expect(await site.db.select().from(notices)).toHaveLength(1)
    site.now += 5 * MINUTE
    await run()
    expect(titles()).toEqual(['alice signed in from a new network'])
  })

  test('two runs at once send each notice once', async () => {
    await addChannel()
    await site.db.run(
      `insert into audit_events (at, kind, user_id, network, user_agent) values (1, 'sign_in', ${ALICE}, '203.0.113.9', '')`,
    )
    await Promise.all([run(), run(), run()])
    expect(got).toHaveLength(1)
  })
})

async function isSigned(secret: string, headers: Record<string, string>, body: string) {
  const bytes = Uint8Array.from(atob(secret.slice('whsec_'.length)), (c) => c.charCodeAt(0))
  const key = await crypto.subtle.importKey(
    'raw',
    bytes,
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const signature = Uint8Array.from(atob((headers['webhook-signature'] ?? '').slice(3)), (c) =>
    c.charCodeAt(0),
  )
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return crypto.subtle.verify('HMAC', key, signature, new TextEncoder().encode(text))
}
