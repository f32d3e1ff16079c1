import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createApp } from '../../src/app/app.ts'
import { CAPABILITIES } from '../../src/capabilities.ts'
import { createDeps } from '../../src/core/deps.ts'
import { entriesOf, entryFinder, loadEntries } from '../../src/app/mounts.ts'
import type { App } from '../../src/web/http/context.ts'
import type { Capability } from '../../src/web/kit/capability.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** A site with one more capability, whose routes can't be loaded at first. */
function siteWithFaults(kind: 'api' | 'publicPages', path: string, faults: number) {
  const loads = { tried: 0 }
  const capability: Capability = {
    [kind]: [
      [
        path,
        async () => {
          loads.tried += 1
          if (loads.tried <= faults) throw new Error('no such module')
          return new Hono<App>().get('/here', (c) => c.text('here'))
        },
      ],
    ],
  }
  const app = createApp(createDeps, [...CAPABILITIES, capability])
  const ask = async (asked: string, method = 'GET') =>
    app.fetch(new Request(`https://example.com${asked}`, { method }), env, createExecutionContext())
  return { ask, loads }
}

describe('a part of the Worker', () => {
  test('is loaded for every route that it has', async () => {
    for (const entry of entriesOf()) {
      const [{ routes, path } = { routes: new Hono<App>(), path: '' }] = await loadEntries([entry])
      const base = { api: '', outerPages: '', operatorPages: '/account/admin' } as const
      const start = entry.kind in base ? Reflect.get(base, entry.kind) : '/account'
      const whole = new Hono<App>().route(path === '/' ? start || '/' : start + path, routes)
      const find = entryFinder([entry])
      const missed = whole.routes.filter((route) => find(route.path).length === 0)
      expect(missed.filter(({ path: one }) => !one.endsWith('*'))).toEqual([])
    }
  })

  test.each([
    ['/api/me', 1],
    ['/api/me/sshkey/list', 1],
    ['/api/auth/login', 1],
    ['/api/auth/logout', 2],
    ['/account/sign-in', 1],
    ['/account', 1],
    ['/account/admin', 1],
    ['/robots.txt', 1],
    ['/account/security/passkeys/add', 2],
    ['/account/security/passkeys/add/x/y/z', 2],
    ['/accounts', 0],
    ['//api/me', 0],
    ['/api/nothing', 0],
    ['/', 0],
  ])('%s needs as few as there are', (path, count) => {
    expect(entryFinder(entriesOf())(path)).toHaveLength(count)
  })

  test('that can’t be loaded is an answer and a line in the log, and is tried again', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { ask, loads } = siteWithFaults('api', '/api/late', 1)
    const failed = await ask('/api/late/here')
    expect(await failed.json()).toEqual({
      code: 503,
      message: 'service unavailable, try again',
      data: null,
    })
    expect(failed.headers.get('Retry-After')).toBe('1')
    expect(failed.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(logged.mock.calls.flat().join()).toContain('no such module')
    expect(await (await ask('/api/late/here')).text()).toBe('here')
    expect(await (await ask('/api/late/here')).text()).toBe('here')
    expect(loads.tried).toBe(2)
  })

  test('that can’t be loaded for a page keeps no other page from its visitors', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { ask } = siteWithFaults('publicPages', '/late', Infinity)
    expect((await ask('/account/late/here')).status).toBe(503)
    expect((await ask('/account/sign-in')).status).toBe(200)
  })

  test('answers what it does not have as before it was loaded', async () => {
    const { ask } = siteWithFaults('api', '/api/late', 0)
    for (const path of ['/api/late/nothing', '/api/latest'])
      expect(await (await ask(path)).json()).toMatchObject({ code: 404 })
    const refused = await ask('/api/late/here', 'POST')
    expect(await refused.json()).toMatchObject({ code: 405 })
    expect(refused.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
  })
})
