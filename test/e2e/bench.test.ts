import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { bundle, checkOut } from '../bench/bundles.ts'
import { toChart } from '../bench/chart.ts'
import { compareEndpoints, TOKEN_KEY } from '../bench/compare.ts'
import { billOf } from '../bench/cost.ts'
import { compareJourneys } from '../bench/journey.ts'
import { load } from '../bench/load.ts'
import { measureOpenid, toOpenidTable } from '../bench/openid.ts'
import { comparePasskeys } from '../bench/passkeys.ts'
import { toMarkdown } from '../bench/report.ts'
import { measureRows } from '../bench/rows.ts'
import { Sites } from '../bench/sites.ts'
import type { Weight } from '../bench/weight.ts'
import { cheapHash } from '../support/cheap-hash.ts'
import { Clone } from '../support/clone.ts'

/** Figures take time where others compute as well. */
const TIMEOUT_MILLISECONDS = 300_000

const NO_FIGURE = { median: 0, least: 0, most: 0 }
const NO_WEIGHT: Weight = {
  bundleBytes: 0,
  gzipBytes: 0,
  startMilliseconds: undefined,
  firstAnswerMilliseconds: undefined,
  idleHeapMebibytes: 0,
  loadedHeapMebibytes: 0,
  limitHeapMebibytes: 0,
}

vi.setConfig({ testTimeout: TIMEOUT_MILLISECONDS, hookTimeout: TIMEOUT_MILLISECONDS })

let clone: Clone
let sites: Sites
let meteredSites: Sites

/** As `npm run bench` does it, but briefly; what comes out says nothing about speed. */
beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  cpSync('test/bench', clone.path('test/bench'), { recursive: true })
  const source = clone.folder
  const [limit, metered] = await Promise.all([
    bundle('test/bench/limit.ts', { source }),
    bundle('test/bench/metered.ts', { source }),
  ])
  const script = join(inject('workerFolder'), 'worker.js')
  sites = await Sites.start(
    [
      { name: 'now', script },
      // Passkeys are switched on in the database, which a Worker that has settings in memory won't see.
      { name: 'passkeys', script },
      { name: 'openid', script },
      { name: 'openid metered', script: metered },
      { name: 'limit', script: limit, bindings: { TOKEN_KEY } },
    ],
    { derive: cheapHash },
  )
  meteredSites = await Sites.start([{ name: 'now', script: metered }], { derive: cheapHash })
  await (await sites.settings('limit')).put('settings', '{"code":200,"data":{}}')
})
afterAll(async () => {
  await sites.stop()
  await meteredSites.stop()
  await clone.remove()
})

describe('the benchmark', () => {
  test('compares every endpoint with its limit, and draws it', async () => {
    const endpoints = await compareEndpoints(sites, ['limit', 'now'], { rounds: 1, seconds: 0.1 })
    expect(endpoints.map(({ name }) => name)).toEqual([
      'ping',
      'settings',
      'me',
      'key list',
      'sign-in',
    ])
    for (const { ratios } of endpoints) expect(ratios['limit']?.median).toBeGreaterThan(0)
    expect(toChart(endpoints)).toMatch(/^<svg .*>[^]*<\/svg>\n$/)
  })

  test('counts what each step of a visit asks of the platform', async () => {
    const steps = await compareJourneys(meteredSites, ['now'], 1)
    const costs = Array.from(steps, ([name, by]) => [name, by.get('now')?.d1Trips])
    expect(costs).toContainEqual(['ping', 0])
    expect(costs).toContainEqual(['me', 1])
    expect(costs).toContainEqual(['sign-in', 2])
    expect(steps.get('sign-in')?.get('now')?.objectCalls).toBe(1)
    expect(steps.get('key add')?.get('now')?.rowsWritten).toBeGreaterThan(0)
    const report = toMarkdown({
      setting: { commit: 'abc', before: null, machine: 'any', rounds: 1, date: '2026-11-21' },
      endpoints: [],
      far: steps,
      growth: steps,
      bill: billOf([], steps),
      weight: NO_WEIGHT,
      rows: [{ request: 'POST /api/auth/login, accepted', code: 200, rows: 8 }],
      passkeys: { passkey: NO_FIGURE, password: NO_FIGURE, ratio: NO_FIGURE, cpuMicroseconds: 0 },
    })
    expect(report).toContain('| POST /api/auth/login, accepted | 200 | 8 |')
    expect(report).toMatch(/^\| sign-in \| [\d.,]+ \| 2 \|/m)
    expect(report).not.toMatch(/NaN|undefined|Infinity/)
  })

  test('compares sign-ins with a passkey and with a password', async () => {
    const { passkey, password, ratio } = await comparePasskeys(sites, 'passkeys', {
      rounds: 1,
      seconds: 0.05,
    })
    for (const { median } of [passkey, password, ratio]) expect(median).toBeGreaterThan(0)
  })

  test('measures a sign-in to a program, and counts its trips to D1', async () => {
    const effort = { rounds: 1, seconds: 0.05 }
    const figures = await measureOpenid(sites, 'openid', 'openid metered', effort)
    expect(figures.map(({ name, d1Trips }) => [name, d1Trips])).toEqual([
      ['settings', 0],
      ['discovery', 0],
      ['jwks', 0],
      ['userinfo', 1],
      ['authorize', 1],
      ['token', 1],
    ])
    expect(toOpenidTable(figures)).not.toMatch(/NaN|undefined|Infinity/)
  })

  test('counts the rows that every sign-in writes, accepted and refused', async () => {
    const figures = await measureRows(meteredSites, 'now')
    const rows = figures.map(
      ({ request, code, rows: written }) => [request, code, written] as const,
    )
    const refused = rows.filter(([request]) => request.includes('login, refused'))
    expect(refused).toHaveLength(36)
    for (const [request, code, written] of refused) {
      expect(code, request).toBe(request.includes('blocked') ? 429 : 401)
      // The failure that begins a block is noted for operators: a row and an index.
      const most = request.includes('at the limit') ? 6 : 4
      expect(written, request).toBeLessThanOrEqual(code === 429 ? 0 : most)
    }
    const accepted = rows.filter(([request, code]) => request.includes('login') && code === 200)
    expect(accepted).toHaveLength(4)
    for (const [request, , written] of accepted) {
      // A used recovery code is an event of its own, in the index of rare events too.
      expect(written, request).toBeLessThanOrEqual(request.includes('recovery') ? 12 : 10)
    }
    expect(rows.filter(([, , written]) => Number.isNaN(written))).toEqual([])
  })

  test('says why a commit cannot be compared', () => {
    expect(() => checkOut('no-such-commit')).toThrow('There is no commit no-such-commit here.')
  })

  test('takes no answer for a good one that is not', async () => {
    const request = { method: 'GET', path: '/api/me', token: 'dead' } as const
    const pressure = { seconds: 0.2, connections: 1, pid: undefined }
    await expect(load(sites.url('now'), request, pressure)).rejects.toThrow('answers are wrong')
  })
})
