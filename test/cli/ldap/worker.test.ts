import { Client as LdapClient } from 'ldapts'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { addServiceToken } from '../../../src/core/access/service-tokens.ts'
import { type Door, openDoor } from '../../../src/programs/ldap-door/door.ts'
import { readOptions, searchPasswordOf } from '../../../src/programs/ldap-door/options.ts'
import { createMeter } from '../../../src/core/database/database.ts'
import { openDatabase } from '../../../src/core/database/open-database.ts'
import { randomBytes } from '../../../src/core/deps.ts'
import { phoneCode } from '../../support/authenticator.ts'
import { ADMIN_PASSWORD } from '../../support/clone.ts'
import { ServedWorker } from '../../support/served-worker.ts'

const BASE = 'dc=latchkey'
const PASSWORD = 'alice-Passw0rd'
const CACHE_SECONDS = 1

let worker: ServedWorker
let token: string
let door: Door
let admin: string
const log: string[] = []

beforeAll(async () => {
  worker = await ServedWorker.start(inject('workerFolder'))
  await worker.setUp(ADMIN_PASSWORD)
  admin = await session('admin', ADMIN_PASSWORD)
  const db = openDatabase(await worker.database(), createMeter())
  token = (await addServiceToken({ db, now: Date.now, randomBytes }, 'nas', 'ldap')) ?? ''
  const given = {
    site: worker.url.origin,
    base: BASE,
    listen: ['ldap://127.0.0.1:0'],
    cacheSeconds: String(CACHE_SECONDS),
  }
  const options = readOptions(given, { LATCHKEY_SERVICE_TOKEN: token })
  door = await openDoor(
    options,
    (line) => log.push(line),
    () => Promise.resolve(),
  )
})
afterAll(async () => {
  await door.close()
  await worker.stop()
})

async function session(username: string, password: string): Promise<string> {
  const body = { username, password }
  return (await worker.call('POST', '/api/auth/login', { body })).data.token
}

/** Makes a user with the rights of WebDAV. @returns A session. */
async function addUser(username: string): Promise<string> {
  const body = { username, password: PASSWORD, base_path: '/', permission: 0x300 }
  await worker.call('POST', '/api/admin/user/create', { token: admin, body })
  return session(username, PASSWORD)
}

async function appPassword(user: string, ...scopes: string[]): Promise<string> {
  const body = { name: scopes.join(), scopes }
  return (await worker.call('POST', '/api/me/tokens/create', { token: user, body })).data.token
}

async function bind(username: string, password: string): Promise<number> {
  const client = new LdapClient({ url: `ldap://127.0.0.1:${door.ports[0]}` })
  try {
    await client.bind(`uid=${username},ou=people,${BASE}`, password)
    return 0
  } catch (error) {
    return error instanceof Error && 'code' in error ? Number(error.code) : -1
  } finally {
    await client.unbind()
  }
}

/** Waits until the door has heard of a user. */
async function heardOf(username: string, password: string): Promise<void> {
  await expect.poll(() => bind(username, password), { timeout: 20_000 }).toBe(0)
}

async function names(): Promise<unknown[]> {
  const client = new LdapClient({ url: `ldap://127.0.0.1:${door.ports[0]}` })
  await client.bind(`cn=search,${BASE}`, searchPasswordOf(token))
  const { searchEntries } = await client.search(`ou=people,${BASE}`, { scope: 'one' })
  await client.unbind()
  return searchEntries.map(({ uid }) => uid)
}

describe('a door before the Worker', () => {
  test('takes an app password of its scope, and the password of the account', async () => {
    const alice = await addUser('alice')
    await heardOf('alice', await appPassword(alice, 'files:write'))
    expect(await bind('alice', PASSWORD)).toBe(0)
    expect(await bind('alice', await appPassword(alice, 'files:read'))).toBe(49)
    expect(await bind('alice', 'wrong-Passw0rd')).toBe(49)
    expect(await bind('admin', ADMIN_PASSWORD)).toBe(49)
    expect(await names()).toEqual(['alice'])
  })

  test('takes no password of an account with two-step verification', async () => {
    const carol = await addUser('carol')
    const { data } = await worker.call('POST', '/api/auth/2fa/generate', { token: carol })
    const body = { code: phoneCode(data.secret, Date.now()), secret: data.secret }
    await worker.call('POST', '/api/auth/2fa/verify', { token: carol, body })
    await heardOf('carol', await appPassword(carol, 'files:write'))
    expect(await bind('carol', PASSWORD)).toBe(49)
    expect(worker.log.join('\n')).toContain('two-factor, make an app password')
  })

  test('locks a guesser out of a password at the door, and its user out of nothing', async () => {
    const dave = await addUser('dave')
    const own = await appPassword(dave, 'files:write')
    await heardOf('dave', own)
    for (let n = 0; n < 6; n++) expect(await bind('dave', `wrong-Passw0rd ${n}`)).toBe(49)
    expect(await bind('dave', PASSWORD)).toBe(49)
    expect(await bind('dave', own)).toBe(0)
    expect(await bind('alice', PASSWORD)).toBe(0)
    expect(await session('dave', PASSWORD)).not.toBe('')
  })

  test('lets a disabled user in no more when its list is old', async () => {
    const erin = await addUser('erin')
    const own = await appPassword(erin, 'files:write')
    await heardOf('erin', own)
    const { data } = await worker.call('GET', '/api/admin/user/list', { token: admin })
    const user = data.content.find((item: { username: string }) => item.username === 'erin')
    const body = { ...user, password: '', disabled: true }
    await worker.call('POST', '/api/admin/user/update', { token: admin, body })
    const start = performance.now()
    await expect.poll(() => bind('erin', own), { timeout: 20_000 }).toBe(49)
    expect(performance.now() - start).toBeLessThan(CACHE_SECONDS * 1000 + 10_000)
    expect(await names()).not.toContain('erin')
  })

  test('asks for a list that has not changed in one trip and without an answer', async () => {
    await names()
    const before = worker.log.length
    await expect
      .poll(
        async () => {
          await names()
          return worker.log
            .slice(before)
            .filter((line) => line.includes('"/api/ldap/entries"'))
            .map((line): { code: number; trips: number } => JSON.parse(line))
            .map(({ code, trips }) => ({ code, trips }))
        },
        { timeout: 20_000 },
      )
      .toContainEqual({ code: 304, trips: 1 })
  })

  test('says nothing of passwords and tokens, here or there', async () => {
    const text = [...log, ...worker.log].join('\n')
    expect(text).toContain('bind 49')
    expect(text).not.toMatch(/Passw0rd|lk_\w{20}|latchkey_\w{20}/)
    expect(text).not.toContain(searchPasswordOf(token))
  })
})
