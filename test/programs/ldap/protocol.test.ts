import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { element, integer, sizeOf, TAG } from '../../../src/programs/ldap-door/ber.ts'
import {
  bindRequest,
  control,
  DoorWithSite,
  equal,
  message,
  or,
  paging,
  PEOPLE,
  PRESENT,
  RawClient,
  SEARCH,
  searchRequest,
  SECRET,
  WHO_AM_I,
} from './stand-in.ts'

const ALICE = `uid=alice,${PEOPLE}`
const MANAGE_DSA_IT = '2.16.840.1.113730.3.4.2'
const START_TLS = '1.3.6.1.4.1.1466.20037'
const MODIFY_PASSWORD = '1.3.6.1.4.1.4203.1.11.1'
const NOTICE = '1.3.6.1.4.1.1466.20036'

let site: DoorWithSite
let client: RawClient

beforeEach(async () => {
  site = await DoorWithSite.start()
  client = new RawClient(site.port)
})
afterEach(async () => {
  client.close()
  await site.stop()
})

const bindSearch = () => client.code(bindRequest(SEARCH, SECRET))
const extended = (oid: string) => element(0x77, element(0x80, oid))
const name = element(TAG.octets, ALICE)
/** An element that is well-formed, where none is expected. */
const MORE = element(TAG.octets, 'more')
const CRITICAL = Buffer.concat([element(TAG.octets, MANAGE_DSA_IT), element(TAG.octets)])
/** Adds an element behind the last one. */
const longer = (whole: Buffer) => {
  const size = sizeOf(whole, 0)
  return element(whole[0] ?? 0, whole.subarray(size?.header), MORE)
}
const greater = element(0xa5, element(TAG.octets, 'uid'), element(TAG.octets, 'a'))
const substrings = element(
  0xa4,
  element(TAG.octets, 'uid'),
  element(TAG.sequence, element(0x80, 'a')),
)
const page = element(TAG.sequence, integer(1), element(TAG.octets))
const pagingOf = (value: Buffer) => control('1.2.840.113556.1.4.319', false, value)
const many = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('a request that no program needs', () => {
  const sasl = element(0xa3, element(TAG.octets, 'PLAIN'), element(TAG.octets, 'alice'))
  test.each([
    ['SASL', 7, element(0x60, integer(3), element(TAG.octets, ''), sasl)],
    ['another kind of bind', 7, element(0x60, integer(3), name, element(0x81, 'x'))],
    ['version 2', 2, bindRequest(SEARCH, SECRET, 2)],
    ['StartTLS', 2, extended(START_TLS)],
    ['a change of a password', 2, extended(MODIFY_PASSWORD)],
    ['modify', 53, element(0x66, name, element(TAG.sequence))],
    ['add', 53, element(0x68, name, element(TAG.sequence))],
    ['delete', 53, element(0x4a, ALICE)],
    ['rename', 53, element(0x6c, name)],
    ['compare', 53, element(0x6e, name)],
  ])('is refused: %s', async (_, code, operation) => {
    expect(await client.code(operation)).toBe(code)
    expect(await client.code(WHO_AM_I)).toBe(0)
  })

  test('has no answer if it abandons another', async () => {
    client.send(element(0x50, Buffer.of(1)))
    const id = client.send(WHO_AM_I)
    expect(await client.answer()).toMatchObject({ id, tag: 0x78, code: 0 })
  })
})

describe('a control', () => {
  test.each([
    ['bind', bindRequest(SEARCH, SECRET)],
    ['search', searchRequest()],
    ['extended operation', WHO_AM_I],
  ])('is passed over at a %s, and refused when it is critical', async (_, operation) => {
    await bindSearch()
    expect(await client.code(operation, control(MANAGE_DSA_IT, false))).toBe(0)
    expect(await client.code(operation, control(MANAGE_DSA_IT, true))).toBe(12)
  })

  test('for pages gets everything and an empty cookie, critical or not', async () => {
    await bindSearch()
    const search = searchRequest({ base: PEOPLE, scope: 1, attributes: ['1.1'] })
    for (const isCritical of [false, true]) {
      client.send(search, paging(1, '', isCritical))
      const answers = [await client.answer(), await client.answer(), await client.answer()]
      expect(answers.map(({ tag }) => tag)).toEqual([0x64, 0x64, 0x65])
      const cookie = element(TAG.sequence, integer(0), element(TAG.octets))
      expect(answers[2]?.bytes.includes(cookie)).toBe(true)
    }
    expect(await client.code(search, paging(1, 'x', false))).toBe(53)
  })

  test('that is malformed ends the connection', async () => {
    client.send(searchRequest(), paging(1, '', true).subarray(0, 20))
    await client.closed
    expect(client.untaken.map(({ bytes }) => bytes.includes(NOTICE))).toEqual([true])
  })
})

describe('a search', () => {
  test.each([
    ['a wrong scope', 2, { scope: 3 }],
    ['a wrong deref', 2, { deref: 4 }],
    ['101 attributes', 11, { attributes: many(101).map((n) => `a${n}`) }],
    ['129 parts', 11, { filter: or(...many(128).map(() => PRESENT)) }],
    ['a limit of one', 4, { sizeLimit: 1 }],
  ])('with %s is %i', async (_, code, fields) => {
    await bindSearch()
    expect(await client.code(searchRequest(fields))).toBe(code)
    expect(await client.code(searchRequest())).toBe(0)
  })

  test('with as many attributes and parts as allowed is answered', async () => {
    await bindSearch()
    const attributes = many(100).map((n) => `a${n}`)
    const filter = or(...many(127).map(() => PRESENT))
    expect(await client.code(searchRequest({ attributes, filter }))).toBe(0)
  })

  test('for types has no values', async () => {
    await bindSearch()
    const filter = equal('uid', 'alice')
    client.send(searchRequest({ filter, typesOnly: true, attributes: ['uid', 'dn'] }))
    const { bytes } = await client.answer()
    const typesOnly = element(TAG.sequence, element(TAG.octets, 'uid'), element(TAG.set))
    const entry = element(0x64, name, element(TAG.sequence, typesOnly))
    expect(bytes).toEqual(Buffer.concat([integer(2), entry]))
  })
})

describe('an anonymous search', () => {
  test.each([
    ['no UTF-8', { base: Buffer.of(0xff) }],
    ['no DN', { base: 'nonsense' }],
    ['a DN of nobody', { base: `uid=nobody,${PEOPLE}` }],
    ['a DN of a user', { base: ALICE }],
    ['a DN, with a wrong scope', { base: ALICE, scope: 3 }],
    ['a DN, with 101 attributes', { base: ALICE, attributes: many(101).map((n) => `a${n}`) }],
  ])('is refused for %s without asking the site', async (_, fields) => {
    const { length } = site.asked
    expect(await client.code(searchRequest(fields))).toBe(50)
    expect(await client.code(searchRequest(fields), paging(1, 'x', true))).toBe(50)
    expect(await client.code(searchRequest(fields), control(MANAGE_DSA_IT, true))).toBe(50)
    expect(site.asked).toHaveLength(length)
  })
})

describe('a message', () => {
  test.each([
    ['id 0', message(0, WHO_AM_I)],
    ['a negative id', element(TAG.sequence, element(TAG.integer, Buffer.of(0xff)), WHO_AM_I)],
    ['an unknown operation', message(1, element(0x7e))],
    ['a negative limit', message(1, searchRequest({ filter: element(0x99) }))],
    ['more than 64 KiB', Buffer.from('3083010001020101', 'hex')],
    ['an unbind that has content', message(1, element(0x42, MORE))],
    ['an abandon of nothing', message(1, element(0x50))],
  ])('with %s ends the connection with a notice', async (_, bytes) => {
    client.socket.write(bytes)
    await client.closed
    expect(client.untaken).toMatchObject([{ id: 0, tag: 0x78, code: 2 }])
    expect(client.untaken[0]?.bytes.includes(NOTICE)).toBe(true)
  })

  test.each([
    ['its operation', message(1, WHO_AM_I, MORE)],
    ['its controls', message(1, WHO_AM_I, Buffer.concat([control(MANAGE_DSA_IT, false), MORE]))],
    ['a control', message(1, WHO_AM_I, element(0xa0, element(TAG.sequence, CRITICAL, MORE)))],
    ['a bind', message(1, longer(bindRequest(SEARCH, SECRET)))],
    ['a bind of no version', message(1, longer(bindRequest(SEARCH, SECRET, 2)))],
    ['an anonymous bind', message(1, longer(bindRequest('', '')))],
    ['a search', message(1, longer(searchRequest()))],
    ['an extended request', message(1, longer(WHO_AM_I))],
    ['an assertion', message(1, searchRequest({ filter: longer(equal('uid', 'alice')) }))],
    ['an undefined assertion', message(1, searchRequest({ filter: longer(greater) }))],
    ['an extensible match', message(1, searchRequest({ filter: element(0xa9, Buffer.of(0x80)) }))],
    ['substrings', message(1, searchRequest({ filter: longer(substrings) }))],
    ['a cookie', message(1, searchRequest(), pagingOf(longer(page)))],
    ['pages', message(1, searchRequest(), pagingOf(Buffer.concat([page, MORE])))],
  ])('with bytes behind the last element of %s ends the connection', async (_, bytes) => {
    client.socket.write(bytes)
    await client.closed
    expect(client.untaken).toMatchObject([{ id: 0, tag: 0x78, code: 2 }])
  })

  test('is read from pieces, and answered in its turn', async () => {
    const all = Buffer.concat([
      message(1, bindRequest(ALICE, 'right')),
      message(2, WHO_AM_I),
      message(3, searchRequest({ base: ALICE, scope: 0 })),
      message(4, bindRequest(ALICE, 'wrong')),
      message(5, WHO_AM_I),
    ])
    for (const byte of all) client.socket.write(Buffer.of(byte))
    const answers = []
    while (answers.length < 6) answers.push(await client.answer())
    expect(answers.map(({ id, code }) => [id, code])).toEqual([
      [1, 0],
      [2, 0],
      [3, -1],
      [3, 0],
      [4, 49],
      [5, 0],
    ])
    expect(answers[1]?.bytes.includes(`dn:${ALICE}`)).toBe(true)
    expect(answers[5]?.bytes.includes('dn:')).toBe(false)
  })

  // A DN once took time that grew with the square of its length.
  test('with a long DN holds nobody up, before a bind too', async () => {
    const dn = `uid=${'a'.repeat(60_000)}`
    const start = process.cpuUsage()
    const filter = equal('memberOf', dn)
    expect(await client.code(searchRequest({ base: '', scope: 0, filter }))).toBe(0)
    await bindSearch()
    expect(await client.code(searchRequest({ base: dn }))).toBe(32)
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000)
  })

  test('after an unbind is not read', async () => {
    client.socket.write(Buffer.concat([message(1, element(0x42)), message(2, WHO_AM_I)]))
    await client.closed
    expect(client.untaken).toEqual([])
  })
})

describe('a refusal', () => {
  test.each([
    ['a user', 'alice', 1],
    ['nobody', 'nobody', 0],
    ['an admin who is hidden here', 'admin', 0],
  ])('waits for its time, the first of %s and the next one', async (_, username, asked) => {
    const dn = `uid=${username},${PEOPLE}`
    for (const password of ['wrong', 'lk_wrong', 'another']) {
      const { length } = site.asked
      expect(await client.code(bindRequest(dn, password))).toBe(49)
      expect(site.pauses).toEqual([expect.toSatisfy((pause) => pause > 0 && pause <= 1000)])
      expect(site.asked.slice(length)).toEqual(asked === 0 ? [] : ['/api/ldap/bind'])
      site.pauses.length = 0
      // A remembered one waits for no name.
      expect(await client.code(bindRequest(dn, password))).toBe(49)
      expect(site.pauses).toEqual([])
    }
  })

  test('is none for a name of nobody either while the site is away', async () => {
    site.status = 503
    expect(await client.code(bindRequest(ALICE, 'wrong'))).toBe(52)
    expect(await client.code(bindRequest(`uid=nobody,${PEOPLE}`, 'wrong'))).toBe(52)
  })

  test('is what waits: a right password does not', async () => {
    expect(await client.code(bindRequest(ALICE, 'right'))).toBe(0)
    expect(site.pauses).toEqual([])
  })

  test('of thousands makes the door forget no right password', async () => {
    client.close()
    await site.stop()
    site = await DoorWithSite.start({ cacheSeconds: '300' })
    client = new RawClient(site.port)
    expect(await client.code(bindRequest(ALICE, 'right'))).toBe(0)
    for (const n of many(2100)) await client.code(bindRequest(`uid=nobody,${PEOPLE}`, `wrong ${n}`))
    const { length } = site.asked
    expect(await client.code(bindRequest(ALICE, 'right'))).toBe(0)
    expect(site.asked).toHaveLength(length)
  })
})
