import { like } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, sshKeys, throttleCounters } from '../../schema/tables.ts'
import { MAX_CHANGES, MAX_CHANGES_OF_ONE, SURE_CHANGES } from '../../src/core/access/changes.ts'
import { verifyToken } from '../../src/core/access/token.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { newKey } from '../support/new-key.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const ALICE = 3

let site: CheapSite
let token: string

const signIn = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD })
  return arranged.token('alice', PASSWORD)
})

beforeEach(async () => {
  site = new CheapSite()
  token = await signIn(site)
})

const addKey = (by = token) =>
  site.post('/api/me/sshkey/add', { title: crypto.randomUUID(), key: newKey().line }, { token: by })

/** Makes it the last change that the session has left, and the last of its user but the sure ones. */
async function useUpAllButOne(by = token): Promise<void> {
  const { sessionId } = await verifyToken(await site.deps.keyRing(), by, site.now)
  const parts = JSON.stringify({ [`change ${sessionId}`]: MAX_CHANGES_OF_ONE - 1 })
  const row = { key: `change/${ALICE}`, failures: MAX_CHANGES - 1, parts }
  await site.db.insert(throttleCounters).values({ ...row, expiresAt: site.now + HOUR })
}

const changes = () =>
  site.db.select().from(throttleCounters).where(like(throttleCounters.key, 'change/%'))

const keyCount = async () => (await site.db.select().from(sshKeys)).length

describe('the changes of a user', () => {
  test('are limited in an hour, and a refused one changes nothing', async () => {
    await useUpAllButOne()
    expect(await addKey()).toMatchObject({ code: 200 })
    const before = await site.db.select().from(auditEvents)
    expect(await addKey()).toMatchObject({
      code: 429,
      message: 'too many changes in an hour, try again in 3600 seconds',
    })
    await addKey()
    expect(site.meter.rowsWritten).toBe(0)
    expect(await site.db.select().from(auditEvents)).toEqual(before)
    expect(await keyCount()).toBe(1)
    site.now += HOUR
    const again = await site.token('alice', PASSWORD)
    expect(await addKey(again)).toMatchObject({ code: 200 })
  })

  test('say when to try again', async () => {
    await useUpAllButOne()
    await addKey()
    const { headers } = await site.fetch('POST', '/api/me/sshkey/add', {
      token,
      body: { title: 'x', key: newKey().line },
    })
    expect(headers.get('Retry-After')).toBe('3600')
  })

  test('are no more when they come at once', async () => {
    await useUpAllButOne()
    const codes = await Promise.all(Array.from({ length: 5 }, async () => (await addKey()).code))
    expect(codes.filter((code) => code === 200)).toHaveLength(1)
    expect(await keyCount()).toBe(1)
  })

  test('count over all sessions and app passwords, but for those that a session always has', async () => {
    const { token: appPassword } = await addAppPassword(site, ALICE, ['account:write'])
    await useUpAllButOne()
    expect(await addKey()).toMatchObject({ code: 200 })
    expect(await addKey(appPassword)).toMatchObject({ code: 429 })
    const other = await site.token('alice', PASSWORD)
    for (let n = 0; n < SURE_CHANGES; n++) expect(await addKey(other)).toMatchObject({ code: 200 })
    expect(await addKey(other)).toMatchObject({ code: 429 })
    expect(await keyCount()).toBe(1 + SURE_CHANGES)
  })

  test('do not count reads, and keep nobody from reading, signing in or out', async () => {
    await useUpAllButOne()
    for (let i = 0; i < 3; i++) {
      expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
      expect(await site.get('/api/me/sessions', { token })).toMatchObject({ code: 200 })
    }
    expect(await addKey()).toMatchObject({ code: 200 })
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    expect(await site.login('alice', PASSWORD)).toMatchObject({ code: 200 })
    expect(await site.get('/api/auth/logout', { token })).toMatchObject({ code: 200 })
  })

  test('keep nobody from ending the sessions of a thief', async () => {
    const thief = await site.token('alice', PASSWORD)
    await useUpAllButOne(thief)
    await addKey(thief)
    expect(await addKey(thief)).toMatchObject({ code: 429 })
    const path = '/api/me/sessions/delete_others'
    expect(await site.post(path, undefined, { token })).toMatchObject({ code: 200 })
    expect(await site.get('/api/me', { token: thief })).toMatchObject({ code: 401 })
    await site.post(path, undefined, { token })
    expect(site.meter.rowsWritten).toBe(0)
  })

  test('of an admin are not counted', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    await addKey(admin)
    expect(await changes()).toEqual([])
  })

  test('cost one row each', async () => {
    await addKey()
    expect(site.meter.rowsWritten).toBeLessThanOrEqual(10)
    expect(await changes()).toMatchObject([{ failures: 1, expiresAt: site.now + HOUR }])
  })
})
