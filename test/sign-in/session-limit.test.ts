import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { auditEvents, sessions, settings } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD, SECOND } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'

async function limited(values: Record<string, string>) {
  const site = new CheapSite()
  await site.addFirstUsers()
  const alice = await site.addUser('alice', { password: PASSWORD })
  const rows = Object.entries(values).map(([key, value]) => ({ key, value }))
  await site.db.insert(settings).values(rows)
  return { site, alice }
}

async function signIns(site: CheapSite, count: number, username = 'alice', password = PASSWORD) {
  const tokens: string[] = []
  for (let i = 0; i < count; i++) {
    tokens.push(await site.token(username, password))
    site.now += SECOND
  }
  return tokens
}

async function alive(site: CheapSite, tokens: string[]) {
  const answers = await Promise.all(tokens.map((token) => site.get('/api/me', { token })))
  return answers.map(({ code }) => code === 200)
}

const count = async (site: CheapSite, userId: number) =>
  (await site.db.select().from(sessions).where(eq(sessions.userId, userId))).length

const at = (i: number) => ({ headers: { 'CF-Connecting-IP': `192.0.2.${i}` } })

describe('max_devices', () => {
  test('ends the oldest session, and writes an event', async () => {
    const { site, alice } = await limited({ max_devices: '2' })
    const tokens = await signIns(site, 3)
    expect(await alive(site, tokens)).toEqual([false, true, true])
    const events = await site.db.select().from(auditEvents).where(eq(auditEvents.userId, alice))
    expect(events.map(({ kind, detail }) => `${kind} ${detail}`)).toEqual([
      'sign_in pwd',
      'sign_in pwd',
      'sign_in pwd',
      'session_ended device limit',
    ])
  })

  test('limits nobody when it is 0', async () => {
    const { site, alice } = await limited({ max_devices: '0' })
    await signIns(site, 5)
    expect(await count(site, alice)).toBe(5)
  })

  test('refuses one sign-in more where the policy says so, and only after the password', async () => {
    const { site } = await limited({ max_devices: '1', device_evict_policy: 'deny' })
    const [token = ''] = await signIns(site, 1)
    expect(await site.login('alice', PASSWORD)).toEqual({
      code: 403,
      message: 'too many sessions, sign out on another device first',
      data: null,
    })
    expect((await site.login('alice', 'wrong-Passw0rd')).code).toBe(401)
    await site.get('/api/auth/logout', { token })
    expect((await site.login('alice', PASSWORD)).code).toBe(200)
  })

  test('never locks an admin out', async () => {
    const { site } = await limited({ max_devices: '1', device_evict_policy: 'deny' })
    const tokens = await signIns(site, 2, 'admin', ADMIN_PASSWORD)
    expect(await alive(site, tokens)).toEqual([false, true])
  })

  test('counts no session whose time is over', async () => {
    const { site } = await limited({ max_devices: '1', device_evict_policy: 'deny' })
    await signIns(site, 1)
    site.now += 49 * 60 * 60 * SECOND
    expect((await site.login('alice', PASSWORD)).code).toBe(200)
  })

  test.each(['evict_oldest', 'deny'])('holds when people sign in at once (%s)', async (policy) => {
    const { site, alice } = await limited({ max_devices: '3', device_evict_policy: policy })
    const attempt = { username: 'alice', password: PASSWORD }
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => site.post('/api/auth/login', attempt, at(i))),
    )
    expect(await count(site, alice)).toBe(3)
  })
})
