import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BerReader, element, TAG } from '../../../src/programs/ldap-door/ber.ts'
import {
  and,
  BASE,
  bindRequest,
  DoorWithSite,
  equal,
  GROUPS,
  or,
  paging,
  PEOPLE,
  PRESENT,
  RawClient,
  SEARCH,
  searchRequest,
  SECRET,
} from './stand-in.ts'

let site: DoorWithSite
let clients: RawClient[]

beforeEach(async () => {
  site = await DoorWithSite.start()
  clients = []
})
afterEach(async () => {
  for (const client of clients) client.close()
  await site.stop()
})

function connect(): RawClient {
  const client = new RawClient(site.port)
  clients.push(client)
  return client
}

/** A refusal that the program shows as a wrong name or password. */
class Refused extends Error {}

async function bind(client: RawClient, dn: string, password: string): Promise<void> {
  const code = await client.code(bindRequest(dn, password))
  if (code !== 0) throw new Refused(`bind ${code}`)
}

interface Found {
  dn: string
  attributes: Record<string, string[]>
}

/** Runs a search, which must succeed. */
async function find(
  client: RawClient,
  fields: Parameters<typeof searchRequest>[0],
  controls?: Buffer,
): Promise<Found[]> {
  client.send(searchRequest(fields), controls)
  const found: Found[] = []
  for (;;) {
    const { code, bytes } = await client.answer()
    if (code > 0) throw new Error(`search ${code}`)
    if (code === 0) return found
    found.push(entryIn(bytes))
  }
}

function entryIn(bytes: Buffer): Found {
  const reader = new BerReader(bytes)
  reader.readInteger()
  const entry = reader.nested(0x64)
  const dn = entry.read(TAG.octets).toString()
  const attributes: Record<string, string[]> = {}
  const list = entry.nested(TAG.sequence)
  while (!list.isAtEnd) {
    const pair = list.nested(TAG.sequence)
    const name = pair.read(TAG.octets).toString()
    const values = pair.nested(TAG.set)
    const own: string[] = []
    while (!values.isAtEnd) own.push(values.read(TAG.octets).toString())
    attributes[name] = own
  }
  return { dn, attributes }
}

function only(found: Found[]): Found {
  const [first, ...more] = found
  if (first === undefined || more.length > 0) throw new Refused(`${found.length} users`)
  return first
}

/** Whom a program has signed in. */
interface SignedIn {
  name: string | undefined
  groups?: string[]
  isAdmin?: boolean
}

const isPerson = equal('objectClass', 'person')

/**
 * The plugin LDAP-Auth: it looks through all users itself, and binds on a second connection.
 * Novell's client asks for at most 1,000 entries.
 */
async function jellyfin(username: string, password: string): Promise<SignedIn> {
  const attributes = ['uid', 'cn', 'mail', 'displayName']
  const searcher = connect()
  await bind(searcher, SEARCH, SECRET)
  const filter = equal('memberOf', `CN=webdav-read,OU=groups,${BASE}`)
  const fields = { base: PEOPLE, scope: 2, sizeLimit: 1000, filter, attributes }
  const user = (await find(searcher, fields)).find((entry) =>
    attributes.some((name) => entry.attributes[name]?.includes(username)),
  )
  if (user === undefined) throw new Refused('no user')
  const own = connect()
  await bind(own, user.dn, password)
  const admin = equal('enabledService', 'JellyfinAdministrator')
  const found = await find(own, { ...fields, base: user.dn, scope: 0, filter: admin })
  return { name: user.attributes['uid']?.[0], isAdmin: found.length > 0 }
}

/** LDAP (via BindDN): it reads the attributes, the admin and the groups as the user. */
async function gitea(username: string, password: string): Promise<SignedIn> {
  const client = connect()
  await bind(client, SEARCH, SECRET)
  const filter = and(isPerson, equal('uid', username))
  const { dn } = only(await find(client, { base: PEOPLE, filter }))
  await bind(client, dn, password)
  const attributes = ['uid', 'displayName', 'sn', 'mail', 'dn']
  const user = only(await find(client, { base: dn, filter, attributes }))
  const admin = equal('memberOf', `cn=admins,${GROUPS}`)
  const admins = await find(client, { base: dn, filter: admin, attributes: ['displayName'] })
  const member = and(equal('objectClass', 'groupOfNames'), equal('member', dn))
  const groups = await find(client, { base: GROUPS, filter: member })
  return {
    name: user.attributes['uid']?.[0],
    groups: groups.map((group) => group.dn),
    isAdmin: admins.length > 0,
  }
}

/** The app user_ldap: it asks for pages, lowers DNs, and binds on a second connection. */
async function nextcloud(username: string, password: string): Promise<SignedIn> {
  const agent = connect()
  await bind(agent, SEARCH, SECRET)
  const filter = and(equal('objectclass', 'inetOrgPerson'), equal('uid', username))
  const attributes = ['dn', 'uid', 'entryuuid', 'displayName', 'mail', 'memberof', 'jpegphoto']
  const page = paging(500, '', false)
  const found = only(await find(agent, { base: BASE, filter, attributes }, page))
  const dn = found.dn.toLowerCase()
  for (const attribute of ['entryuuid', 'displayName']) {
    const read = { base: dn, scope: 0, filter: PRESENT, attributes: [attribute] }
    if (only(await find(agent, read, page)).attributes[attribute]?.length !== 1)
      throw new Error(`no ${attribute}`)
  }
  const exists = { base: dn, scope: 0, filter: equal('objectclass', 'inetOrgPerson') }
  only(await find(agent, { ...exists, attributes: [''] }, page))
  await bind(connect(), dn, password)
  const member = and(equal('objectclass', 'groupOfNames'), equal('member', dn))
  const ofGroups = { base: GROUPS, filter: member, attributes: ['cn', 'dn'] }
  const groups = await find(agent, ofGroups, page)
  return { name: found.attributes['uid']?.[0], groups: groups.map((group) => group.dn) }
}

const GRAFANA = { base: PEOPLE, attributes: ['uid', 'sn', 'mail', 'displayName', 'memberOf'] }

/** With a bind password. */
async function grafana(username: string, password: string): Promise<SignedIn> {
  const client = connect()
  await bind(client, SEARCH, SECRET)
  const { dn, attributes } = only(
    await find(client, { ...GRAFANA, filter: or(equal('uid', username)) }),
  )
  await bind(client, dn, password)
  return { name: attributes['uid']?.[0], groups: attributes['memberOf'] ?? [] }
}

/** With `%s` in the bind DN and no bind password: the user searches. */
async function grafanaWithoutSearchAccount(username: string, password: string): Promise<SignedIn> {
  const client = connect()
  await bind(client, `uid=${username},${PEOPLE}`, password)
  const { attributes } = only(
    await find(client, { ...GRAFANA, filter: or(equal('uid', username)) }),
  )
  return { name: attributes['uid']?.[0], groups: attributes['memberOf'] ?? [] }
}

const OF_ALICE = [`cn=users,${GROUPS}`, `cn=webdav-read,${GROUPS}`]

// What each sends is taken from its source.
describe.each([
  { program: 'Jellyfin', signIn: jellyfin, signed: { isAdmin: false } },
  { program: 'Gitea', signIn: gitea, signed: { groups: OF_ALICE, isAdmin: false } },
  { program: 'Nextcloud', signIn: nextcloud, signed: { groups: OF_ALICE } },
  { program: 'Grafana', signIn: grafana, signed: { groups: OF_ALICE } },
  {
    program: 'Grafana without the search account',
    signIn: grafanaWithoutSearchAccount,
    signed: { groups: OF_ALICE },
  },
])('$program', ({ signIn, signed }) => {
  test('signs a user in', async () => {
    expect(await signIn('alice', 'right')).toEqual({ name: 'alice', ...signed })
  })

  test.each([
    ['a wrong password', 'alice', 'wrong'],
    ['an empty password', 'alice', ''],
    ['nobody', 'nobody', 'right'],
    ['a hidden admin', 'admin', 'right'],
    ['a name in another case', 'Alice', 'right'],
    ['a name with a wildcard', 'ali*', 'right'],
  ])('refuses %s', async (_, username, password) => {
    await expect(signIn(username, password)).rejects.toThrow(Refused)
  })

  test('is told that the site is away, not that the password is wrong', async () => {
    await site.stop()
    site = await DoorWithSite.start({ cacheSeconds: '0', awaySeconds: '0' })
    site.status = 503
    await expect(signIn('alice', 'right')).rejects.toThrow(/^(?:bind|search) 52$/)
  })
})

test('Gitea lists all users in pages', async () => {
  const client = connect()
  await bind(client, SEARCH, SECRET)
  const filter = and(isPerson, element(0x87, 'uid'))
  const attributes = ['uid', 'displayName', 'sn', 'mail', '']
  const found = await find(client, { base: PEOPLE, filter, attributes }, paging(1, '', false))
  expect(found.map(({ attributes: { uid } }) => uid)).toEqual([['alice'], ['bob']])
})
