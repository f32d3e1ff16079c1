import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { CheapSite } from '../support/cheap-site.ts'
import { loggedLines } from '../support/log.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'

const PATH = '/api/admin/health'
const well = { ok: true, milliseconds: expect.any(Number) }
const ill = { ok: false, milliseconds: expect.any(Number) }
const healthy = { d1: well, kv: well, hasher: well, migrations: well }

let token: string

beforeEach(async () => {
  const site = new CheapSite()
  await site.addFirstUsers()
  token = await site.token('admin', ADMIN_PASSWORD)
})

/** A KV that does as it is told. */
const kvThat = (answer: () => Promise<null>) => new Proxy(env.SETTINGS, { get: () => answer })

describe('GET /api/admin/health', () => {
  test('tells of each part whether it works and how long it took', async () => {
    const answer = await new CheapSite().get(PATH, { token })
    expect(answer).toEqual({ code: 200, message: 'success', data: healthy })
    expect(Object.keys(answer.data)).toEqual(['d1', 'kv', 'hasher', 'migrations'])
  })

  test('is for admins only', async () => {
    const site = new CheapSite()
    await site.addUser('alice', { password: 'alice-Passw0rd' })
    const general = await site.token('alice', 'alice-Passw0rd')
    const refused = { code: 403, message: 'You are not an admin', data: null }
    expect(await site.get(PATH, { token: general })).toEqual(refused)
    expect(await site.get(PATH, { token: 'x.y.z' })).toMatchObject({ code: 401 })
    expect(await site.get(PATH)).toMatchObject({ code: 401 })
  })

  test('tells that KV is down and not why', async () => {
    const kv = kvThat(() => Promise.reject(new Error('KV of account 4711 is down')))
    const answer = await new CheapSite({ kv }).get(PATH, { token })
    expect(answer).toEqual({ code: 200, message: 'success', data: { ...healthy, kv: ill } })
  })

  test('waits two seconds for a part and no longer', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const site = new CheapSite({
      hashPassword() {
        resolve()
        return new Promise<never>(() => undefined)
      },
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = site.get(PATH, { token })
    await asked
    await vi.advanceTimersByTimeAsync(2000)
    vi.useRealTimers()
    expect((await answer).data).toEqual({ ...healthy, hasher: ill })
  })

  test('tells that a migration is missing', async () => {
    const last = await env.DB.prepare(
      'select * from d1_migrations order by id desc limit 1',
    ).first()
    await env.DB.exec('delete from d1_migrations where id = (select max(id) from d1_migrations)')
    const answer = await new CheapSite().get(PATH, { token })
    await env.DB.prepare('insert into d1_migrations (id, name, applied_at) values (?, ?, ?)')
      .bind(last?.['id'], last?.['name'], last?.['applied_at'])
      .run()
    expect(answer.data).toEqual({ ...healthy, migrations: ill })
  })
})

describe('an answer', () => {
  test('tells what took how long', async () => {
    const answer = await new CheapSite().fetch('GET', '/api/me', { token })
    expect(answer.headers.get('Server-Timing')).toMatch(/^db;dur=\d+, hash;dur=0, total;dur=\d+$/)
    const ping = await new CheapSite().fetch('GET', '/ping')
    expect(ping.headers.has('Server-Timing')).toBe(false)
  })

  test('is counted by route and code, where Analytics Engine is bound', async () => {
    const points: AnalyticsEngineDataPoint[] = []
    const writeDataPoint = (point?: AnalyticsEngineDataPoint) => void points.push(point ?? {})
    const site = new CheapSite({}, { ANALYTICS: { writeDataPoint } })
    await site.get('/api/me', { token })
    await site.get('/api/me/nothing-of-alice', { token })
    await site.fetch('GET', '/nothing-of-alice')
    expect(points).toEqual([
      { indexes: ['/api/me'], blobs: ['GET', '/api/me', '200'], doubles: [0, 1, 2, 0] },
      {
        indexes: ['/api/me/*'],
        blobs: ['GET', '/api/me/*', '404'],
        doubles: [0, 0, 0, 0],
      },
      { indexes: ['/*'], blobs: ['GET', '/*', '404'], doubles: [0, 0, 0, 0] },
    ])
    expect(loggedLines('"rows":2')).not.toEqual([])
  })
})
