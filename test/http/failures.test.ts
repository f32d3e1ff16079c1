import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sessions } from '../../schema/tables.ts'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import { createKeyRing } from '../../src/core/crypto/key-ring.ts'
import { CheapSite } from '../support/cheap-site.ts'
import type { Envelope } from '../support/envelope.ts'
import { ADMIN_PASSWORD, type Site } from '../support/site.ts'

const internalError = { code: 500, message: 'internal error', data: null }
const unavailable = { code: 503, message: 'service unavailable, try again', data: null }

const GOOD_SECRET = 'A'.repeat(43)

let log: ReturnType<typeof spyOnLog>

function spyOnLog() {
  return vi.spyOn(console, 'error').mockReturnValue()
}

function logged(): string {
  return JSON.stringify(log.mock.calls)
}

beforeEach(() => {
  log = spyOnLog()
})
afterEach(() => log.mockRestore())

/** Every call that touches the database, by a user who is signed in. */
async function callAll(site: Site, token: string): Promise<[call: string, Envelope][]> {
  const signedIn = { token }
  const code = { code: '123456', secret: 'A'.repeat(32) }
  return [
    ['login', await site.login('alice', 'alice-Passw0rd')],
    ['me', await site.get('/api/me', signedIn)],
    ['guest', await site.get('/api/me')],
    ['logout', await site.get('/api/auth/logout', signedIn)],
    ['rename', await site.post('/api/me/update', { username: 'bob' }, signedIn)],
    [
      'password',
      await site.post('/api/me/update', { username: 'bob', password: 'new-Passw0rd' }, signedIn),
    ],
    ['generate', await site.post('/api/auth/2fa/generate', undefined, signedIn)],
    ['verify', await site.post('/api/auth/2fa/verify', code, signedIn)],
    ['list', await site.get('/api/me/sshkey/list', signedIn)],
    [
      'add',
      await site.post(
        '/api/me/sshkey/add',
        {
          title: 'x',
          key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIINf1QkT3udeh3bK3QT8eL4IL33C/HpQ1WaWYscX1oJz',
        },
        signedIn,
      ),
    ],
    ['delete', await site.post('/api/me/sshkey/delete?id=1', undefined, signedIn)],
  ]
}

/** What nobody may read in the log. */
async function secretsOf(token: string): Promise<string[]> {
  const digests = [await staticDigest('alice-Passw0rd'), await staticDigest('new-Passw0rd')]
  return ['alice-Passw0rd', 'new-Passw0rd', ...digests, token, '$scrypt$']
}

const outOfMemory = () => Promise.reject(new Error('out of memory'))

describe('while SECRET_KEYS is unusable', () => {
  const unusable: [name: string, secrets: string | undefined, remedy: RegExp][] = [
    ['missing', undefined, /SECRET_KEYS is missing: run `npm run secrets`/],
    ['empty', '', /SECRET_KEYS is missing: run `npm run secrets`/],
    ['blank', ' \n', /SECRET_KEYS is missing: run `npm run secrets`/],
    ['a word', 'hunter2', /entry 1, is not base64url of at least 32 bytes.*`npm run secrets`/],
    ['31 bytes', 'A'.repeat(42), /entry 1, .*`npm run secrets`/],
    ['padded', `${GOOD_SECRET}=`, /entry 1, .*`npm run secrets`/],
    ['base64', `${'A'.repeat(42)}+/`, /entry 1, .*`npm run secrets`/],
    ['no base64url', `${'A'.repeat(60)}!`, /entry 1, .*`npm run secrets`/],
    ['an impossible length', 'A'.repeat(45), /entry 1, .*`npm run secrets`/],
    ['short after a good one', `${GOOD_SECRET},AAAA`, /entry 2, .*`npm run secrets`/],
    ['ending in a comma', `${GOOD_SECRET},`, /entry 2, .*`npm run secrets`/],
  ]

  test.each(unusable)(
    '(%s) nobody signs in, and the log says what to do',
    async (_, secrets, remedy) => {
      const site = new CheapSite({ keyRing: () => createKeyRing(secrets) })
      await site.addFirstUsers()
      expect(await site.login('admin', ADMIN_PASSWORD)).toEqual(internalError)
      expect(await site.db.select().from(sessions)).toEqual([])
      expect(logged()).toMatch(remedy)
    },
  )

  test('the log never shows a secret', async () => {
    for (const secrets of ['hunter2', 'A'.repeat(42), `${GOOD_SECRET},${'B'.repeat(20)}`]) {
      const site = new CheapSite({ keyRing: () => createKeyRing(secrets) })
      expect(await site.login('admin', ADMIN_PASSWORD)).toEqual(internalError)
      for (const secret of secrets.split(',')) expect(logged()).not.toContain(secret)
    }
  })

  test('the secret that counts is the one in the environment', async () => {
    const site = new CheapSite({}, { SECRET_KEYS: 'short' })
    await site.addFirstUsers()
    expect(await site.login('admin', ADMIN_PASSWORD)).toEqual(internalError)
  })

  test('no password is hashed', async () => {
    const hashPassword = vi.fn<() => Promise<Uint8Array>>()
    const site = new CheapSite({ keyRing: () => createKeyRing(''), hashPassword })
    await site.addFirstUsers()
    await site.login('admin', ADMIN_PASSWORD)
    expect(hashPassword).not.toHaveBeenCalled()
  })

  test('no token is believed', async () => {
    const token = await new CheapSite().addSignedInUser()
    const site = new CheapSite({ keyRing: () => createKeyRing('') })
    expect(await site.get('/api/me', { token })).toEqual(internalError)
    expect(await site.get('/api/auth/logout', { token })).toEqual(internalError)
    expect(await site.post('/api/auth/2fa/generate', undefined, { token })).toEqual(internalError)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
  })

  test('what needs no secret still works', async () => {
    const site = new CheapSite({ keyRing: () => createKeyRing('') })
    await site.addFirstUsers({ guestDisabled: false })
    expect(await site.get('/api/me')).toMatchObject({ code: 200, data: { username: 'guest' } })
    expect(await site.get('/api/public/settings')).toMatchObject({ code: 200 })
    expect(await site.get('/api/auth/logout')).toMatchObject({ code: 200 })
    expect(log).not.toHaveBeenCalled()
  })
})

describe('when something breaks', () => {
  test('a database that throws is an envelope that tells nothing of it', async () => {
    const token = await new CheapSite().addSignedInUser()
    const broken = new Proxy(env.DB, {
      get() {
        throw new Error('D1_ERROR: Network connection lost.')
      },
    })
    const site = new CheapSite({}, { DB: broken })
    for (const [call, answer] of await callAll(site, token)) {
      expect([internalError, unavailable], call).toContainEqual(answer)
    }
    expect(logged()).toContain('Network connection lost')
    for (const secret of await secretsOf(token)) expect(logged()).not.toContain(secret)
  })

  test('a table that is gone is an envelope without a word of SQL', async () => {
    const site = new CheapSite()
    const token = await site.addSignedInUser()
    await env.DB.exec('drop table ssh_keys')
    await env.DB.exec('drop table sessions')
    for (const [call, answer] of await callAll(site, token)) {
      if (call === 'guest') continue
      expect([internalError, unavailable], call).toContainEqual(answer)
    }
    expect(logged()).toContain('no such table')
    for (const secret of await secretsOf(token)) expect(logged()).not.toContain(secret)
  })

  test('a session that can not be written is no token', async () => {
    const site = new CheapSite()
    await site.addFirstUsers()
    await env.DB.exec(
      "create trigger full before insert on sessions begin select raise(abort, 'disk full'); end",
    )
    expect([internalError, unavailable]).toContainEqual(await site.login('admin', ADMIN_PASSWORD))
    expect(logged()).not.toContain(await staticDigest(ADMIN_PASSWORD))
  })

  test('a hasher that throws is an envelope, whatever the error', async () => {
    const errors = [new Error('out of memory'), new RangeError(), new DOMException('lost')]
    for (const [index, error] of errors.entries()) {
      const site = new CheapSite({ hashPassword: () => Promise.reject(error) })
      await site.addUser(`user ${index}`, { password: 'alice-Passw0rd' })
      const answer = await site.login(`user ${index}`, 'alice-Passw0rd')
      expect([internalError, unavailable]).toContainEqual(answer)
    }
    expect(log).toHaveBeenCalledTimes(errors.length)
    for (const secret of await secretsOf('no token')) expect(logged()).not.toContain(secret)
  })

  test('the log names the path and the fault in one line of JSON', async () => {
    const site = new CheapSite({ hashPassword: outOfMemory })
    await site.addFirstUsers()
    await site.post('/api/auth/login?password=in-the-query', {
      username: 'admin',
      password: ADMIN_PASSWORD,
    })
    const [line] = log.mock.calls[0] ?? []
    expect(JSON.parse(String(line))).toMatchObject({
      event: 'error',
      path: '/api/auth/login',
      message: 'out of memory',
    })
    expect(line).not.toMatch(/in-the-query|\n/)
  })
})

test('a thrown text is an internal error like any other', async () => {
  const site = new CheapSite({ hashPassword: () => Promise.reject('no error') })
  expect(await site.login('alice', 'alice-Passw0rd')).toEqual({
    code: 500,
    message: 'internal error',
    data: null,
  })
})
