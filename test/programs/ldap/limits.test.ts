import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { hasOpenssl, makeCertificate } from '../../support/certificate.ts'
import {
  bindRequest,
  DoorWithSite,
  message,
  PEOPLE,
  RawClient,
  SEARCH,
  searchRequest,
  SECRET,
  WHO_AM_I,
} from './stand-in.ts'

const SECOND = 1000
/** For a busy machine. */
const PATIENT = { timeout: 60_000 }
/** More than what the sockets of a client take. */
const SEARCHES = 30
const ALICE = `uid=alice,${PEOPLE}`

let site: DoorWithSite
let clients: RawClient[]

beforeEach(() => {
  clients = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(async () => {
  for (const client of clients) client.close()
  vi.useRealTimers()
  await site.stop()
})

function connect(port = site.port): RawClient {
  const client = new RawClient(port)
  clients.push(client)
  return client
}

/** Returns a socket once its handshake is over. */
async function secure(options: object = {}): Promise<TLSSocket> {
  const port = site.ports[0]
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

/** Returns the name in the certificate that a new client is shown. */
async function shownName(): Promise<unknown> {
  const socket = await secure()
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return subject.CN
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

describe('a client is sent away', () => {
  beforeEach(async () => {
    site = await DoorWithSite.start()
  })

  test('30 s after its last message before a bind', async () => {
    const client = connect()
    await client.code(WHO_AM_I)
    await pass(29 * SECOND)
    expect(await client.code(WHO_AM_I)).toBe(0)
    await pass(29 * SECOND)
    expect(client.isClosed).toBe(false)
    await pass(SECOND)
    await client.closed
  })

  test('10 minutes after its last message when it is bound', async () => {
    const client = connect()
    await client.code(bindRequest(SEARCH, SECRET))
    await pass(599 * SECOND)
    expect(await client.code(WHO_AM_I)).toBe(0)
    await pass(600 * SECOND)
    await client.closed
  })

  test('10 s after the first byte of a message, however many follow', async () => {
    const client = connect()
    await client.code(bindRequest(SEARCH, SECRET))
    const [first, ...rest] = message(3, WHO_AM_I)
    client.socket.write(Buffer.concat([message(2, WHO_AM_I), Buffer.of(first ?? 0)]))
    await client.answer()
    for (const byte of rest.slice(0, 9)) {
      await pass(SECOND)
      client.socket.write(Buffer.of(byte))
    }
    await pass(SECOND)
    await client.closed
    expect(client.untaken).toEqual([])
  })

  test('30 s after it has stopped to read, and its answers wait nowhere', async () => {
    await site.stop()
    const names = Array.from({ length: 2000 }, (_, n) => `user-${n}`)
    site = await DoorWithSite.start({}, names)
    const client = connect()
    await client.code(bindRequest(SEARCH, SECRET))
    client.socket.pause()
    for (let n = 0; n < SEARCHES; n++) client.send(searchRequest())
    let [lines, quietRounds] = [0, 0]
    const passAndLook = async () => {
      await pass(30 * SECOND)
      quietRounds = site.log.length === lines ? quietRounds + 1 : 0
      lines = site.log.length
      return quietRounds
    }
    await expect.poll(passAndLook, PATIENT).toBeGreaterThan(10)
    client.socket.resume()
    await client.closed
    expect(client.untaken.filter(({ tag }) => tag === 0x65).length).toBeLessThan(SEARCHES)
  })
})

describe('the site is not waited for', () => {
  test('more than 5 s for a place among 16 checks, nor 10 s for a check', async () => {
    site = await DoorWithSite.start()
    site.hanging = ['/api/ldap/bind']
    const checks = Array.from({ length: 16 }, (_, n) =>
      connect().code(bindRequest(ALICE, `password ${n}`)),
    )
    await expect.poll(() => site.asked.length, PATIENT).toBe(17)
    const last = connect()
    last.socket.write(
      Buffer.concat([message(1, WHO_AM_I), message(2, bindRequest(ALICE, 'password 16'))]),
    )
    // The second message waits for its turn when the first is answered.
    await last.answer()
    await pass(5 * SECOND)
    expect(await last.answer()).toMatchObject({ id: 2, code: 51 })
    expect(site.asked).toHaveLength(17)
    await pass(5 * SECOND)
    expect(new Set(await Promise.all(checks))).toEqual(new Set([52]))
  })

  test('more than 5 s for the list', async () => {
    site = await DoorWithSite.start({ cacheSeconds: '0', awaySeconds: '0' })
    site.hanging = ['/api/ldap/entries']
    const code = connect().code(bindRequest(ALICE, 'right'))
    await expect.poll(() => site.asked.length, PATIENT).toBe(2)
    await pass(5 * SECOND)
    expect(await code).toBe(52)
  })
})

/** Two binds with one password, which changes between them while the site is slow. */
async function bindTwice(cacheSeconds: string, late: number, awaySeconds = '0') {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  site = await DoorWithSite.start({ cacheSeconds, awaySeconds })
  site.hanging = ['/api/ldap/bind']
  const before = connect().code(bindRequest(ALICE, 'old'))
  await expect.poll(() => site.asked.includes('/api/ldap/bind'), PATIENT).toBe(true)
  await pass(late)
  site.hanging = []
  return { before, after: connect().code(bindRequest(ALICE, 'old')) }
}

describe('what is remembered', () => {
  test.each([
    ['0', 0],
    ['1', 2 * SECOND],
  ])('for %s s is no answer to a question that was asked %i ms ago', async (cacheSeconds, late) => {
    const { before, after } = await bindTwice(cacheSeconds, late)
    expect(await after).toBe(49)
    site.answerHanging()
    expect(await before).toBe(0)
  })

  test('is the answer to the last question, also while the site is away', async () => {
    const { before, after } = await bindTwice('1', 2 * SECOND, '300')
    expect(await after).toBe(49)
    site.answerHanging()
    expect(await before).toBe(0)
    await pass(2 * SECOND)
    site.status = 503
    expect(await connect().code(bindRequest(ALICE, 'old'))).toBe(52)
  })

  test('counts from the question, whose answer others wait for too', async () => {
    const { before, after } = await bindTwice('30', 2 * SECOND)
    site.answerHanging()
    expect([await before, await after]).toEqual([0, 0])
    await pass(28 * SECOND)
    expect(await connect().code(bindRequest(ALICE, 'old'))).toBe(49)
  })

  test('is over after 30 s, for a user who was nobody too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    site = await DoorWithSite.start()
    const client = connect()
    const bind = (name: string) => client.code(bindRequest(`uid=${name},${PEOPLE}`, 'right'))
    expect([await bind('alice'), await bind('carol')]).toEqual([0, 49])
    site.accounts.splice(1, 1, { id: 9, username: 'carol', groups: ['users'] })
    await pass(29 * SECOND)
    expect([await bind('alice'), await bind('carol')]).toEqual([0, 49])
    await pass(SECOND)
    expect([await bind('alice'), await bind('carol')]).toEqual([49, 0])
  })
})

describe.skipIf(!hasOpenssl)('over TLS (skipped without openssl)', () => {
  let folder: string
  const file = (name: string) => join(folder, name)

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-ldap-'))
    for (const name of ['one', 'two']) makeCertificate(folder, name)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  beforeEach(async () => {
    use('one')
    site = await DoorWithSite.start({
      listen: ['ldaps://127.0.0.1:0', 'ldap://127.0.0.1:0'],
      cert: file('used.crt'),
      key: file('used.key'),
    })
  })

  function use(name: string): void {
    copyFileSync(file(`${name}.crt`), file('used.crt'))
    copyFileSync(file(`${name}.key`), file('used.key'))
  }

  test('it answers, from TLS 1.2 on', async () => {
    const socket = await secure()
    socket.write(message(1, bindRequest(ALICE, 'right')))
    expect(await once(socket, 'data')).toHaveLength(1)
    expect(site.log.at(-1)).toContain(`bind 0 "${ALICE}"`)
    socket.destroy()
    await secure({ maxVersion: 'TLSv1.2' }).then((older) => older.destroy())
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    await expect(secure(old)).rejects.toThrow(/protocol version|alert/)
  })

  test('a handshake has 10 s', async () => {
    const client = connect()
    // Sockets are taken in their order.
    const other = await secure()
    await pass(9 * SECOND)
    expect(client.isClosed).toBe(false)
    await pass(SECOND)
    await client.closed
    other.destroy()
  })

  test('it takes a new certificate when told, and keeps the old one for a broken one', async () => {
    expect(await shownName()).toBe('one')
    const socket = await secure()
    use('two')
    expect(await shownName()).toBe('one')
    site.reload()
    expect(await shownName()).toBe('two')
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    writeFileSync(file('used.crt'), 'nonsense')
    site.reload()
    expect(told).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('the old one stays'))
    told.mockRestore()
    expect(await shownName()).toBe('two')
    // A connection that is open stays so.
    socket.write(message(1, WHO_AM_I))
    expect(await once(socket, 'data')).toHaveLength(1)
    socket.destroy()
  })
})
