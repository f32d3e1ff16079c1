import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { Client } from 'ldapts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { element, integer } from '../../../src/programs/ldap-door/ber.ts'
import { freePort } from '../../support/free-port.ts'
import { type Door, openDoor } from '../../../src/programs/ldap-door/door.ts'
import {
  OptionError,
  readOptions,
  searchPasswordOf,
  type WrittenOptions,
} from '../../../src/programs/ldap-door/options.ts'

const run = promisify(execFile)
const TOKEN = 'latchkey_x'
const BASE = 'dc=accounts,dc=example,dc=org'
const SEARCH = `cn=search,${BASE}`
const PEOPLE = `ou=people,${BASE}`
const SECRET = searchPasswordOf(TOKEN)
const ALICE = `uid=alice,${PEOPLE}`

const LIST = {
  groups: ['users', 'admins', 'webdav-read'],
  accounts: [
    { id: 1, username: 'admin', groups: ['users', 'admins'] },
    { id: 7, username: 'alice', groups: ['users', 'webdav-read'] },
    { id: 8, username: 'Alice, B', groups: ['users'] },
  ],
}

/** Stands for the site; `answers` decides what it says. */
let answers: { status: number; list: typeof LIST; passwords: Record<string, string> }
let asked: string[]
let log: string[]
let server: Server
let door: Door
let clients: Client[]

beforeEach(async () => {
  answers = { status: 200, list: LIST, passwords: { alice: 'right', 'Alice, B': 'right' } }
  asked = []
  log = []
  clients = []
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => {
      const etag = JSON.stringify(String(JSON.stringify(answers.list).length))
      const isKnown = request.headers['if-none-match'] === etag
      const isList = request.url === '/api/ldap/entries'
      response.statusCode = answers.status === 200 && isList && isKnown ? 304 : answers.status
      response.setHeader('ETag', etag)
      const { username = '', password = '' } = body === '' ? {} : JSON.parse(body)
      const isRight = answers.passwords[username] === password
      response.end(
        response.statusCode === 304 ? '' : JSON.stringify(isList ? answers.list : { ok: isRight }),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  door = await open()
})

afterEach(async () => {
  await Promise.all(clients.map((item) => item.unbind().catch(() => undefined)))
  await door.close()
  server.closeAllConnections()
  server.close()
})

async function open(options: WrittenOptions = {}): Promise<Door> {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const given = { site: `http://127.0.0.1:${port}`, base: BASE, listen: ['ldap://127.0.0.1:0'] }
  const read = readOptions({ ...given, ...options }, { LATCHKEY_SERVICE_TOKEN: TOKEN })
  return openDoor(
    read,
    (line) => log.push(line),
    () => Promise.resolve(),
  )
}

async function reopen(options: WrittenOptions): Promise<void> {
  await door.close()
  door = await open(options)
}

function client(): Client {
  const made = new Client({ url: `ldap://127.0.0.1:${door.ports[0]}`, timeout: 5000 })
  clients.push(made)
  return made
}

/** Returns the code of a bind. */
async function bind(dn: string, password: string, on = client()): Promise<number> {
  try {
    await on.bind(dn, password)
    return 0
  } catch (error) {
    return codeOf(error)
  }
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? Number(error.code) : -1

async function searcher(): Promise<Client> {
  const made = client()
  await made.bind(SEARCH, SECRET)
  return made
}

/** Returns the DNs that a filter finds for the search account. */
async function found(filter: string, base = BASE): Promise<string[]> {
  const { searchEntries } = await (await searcher()).search(base, { filter })
  return searchEntries.map(({ dn }) => dn)
}

describe('a bind', () => {
  test('takes the search account without asking the site, and people', async () => {
    asked = []
    expect(await bind(SEARCH, SECRET)).toBe(0)
    expect(asked).toEqual([])
    expect(await bind(ALICE, 'right')).toBe(0)
    expect(await bind(`UID = alice , OU=People,DC=Accounts,dc=example,dc=org`, 'right')).toBe(0)
    expect(await bind(`uid=Alice\\, B,${PEOPLE}`, 'right')).toBe(0)
  })

  test.each([
    ['a wrong password', ALICE, 'wrong', 49],
    ['the search account with a wrong password', SEARCH, 'wrong', 49],
    ['the service token itself', SEARCH, TOKEN, 49],
    ['an unknown name', `uid=nobody,${PEOPLE}`, 'right', 49],
    ['another case', `uid=ALICE,${PEOPLE}`, 'right', 49],
    ['a hidden admin', `uid=admin,${PEOPLE}`, 'right', 49],
    ['another tree', 'uid=alice,dc=example', 'right', 49],
    ['no DN', '', 'right', 49],
    ['a long password', ALICE, 'x'.repeat(1025), 49],
    ['an empty password', ALICE, '', 53],
    ['no DN at all', 'alice', 'right', 34],
    ['hexadecimal', `uid=#0405,${PEOPLE}`, 'right', 34],
  ])('refuses %s', async (_, dn, password, code) => {
    expect(await bind(dn, password)).toBe(code)
  })

  test('leaves the connection anonymous when it fails', async () => {
    const on = await searcher()
    await bind(ALICE, 'wrong', on)
    expect(await on.search(BASE).catch(codeOf)).toBe(50)
    expect(await on.exop('1.3.6.1.4.1.4203.1.11.3')).toMatchObject({ value: '' })
  })

  test('asks the site once for equal questions, and once in the time of the cache', async () => {
    asked = []
    await Promise.all([1, 2, 3, 4].map(() => bind(ALICE, 'right')))
    await bind(ALICE, 'right')
    await bind(ALICE, 'wrong')
    await bind(ALICE, 'wrong')
    expect(asked).toEqual(['/api/ldap/bind', '/api/ldap/bind'])
  })

  test('sends no password of an account with --app-passwords-only', async () => {
    await reopen({ appPasswordsOnly: true })
    asked = []
    expect(await bind(ALICE, 'right')).toBe(49)
    expect(asked).toEqual([])
  })

  test('lets admins in with --show-admins', async () => {
    await reopen({ showAdmins: true })
    answers.passwords['admin'] = 'right'
    expect(await bind(`uid=admin,${PEOPLE}`, 'right')).toBe(0)
  })
})

describe('a search', () => {
  test.each([
    ['(uid=alice)', [ALICE]],
    ['(uid=ALICE)', []],
    ['(UID=alice)', [ALICE]],
    ['(uid=ali*)', [ALICE]],
    ['(uid=*c*)', [ALICE, `uid=Alice\\, B,${PEOPLE}`]],
    [
      '(&(objectclass=PERSON)(memberOf=CN=webdav-read, OU=groups,dc=accounts,dc=example,dc=org))',
      [ALICE],
    ],
    ['(!(typo=x))', []],
    ['(&(uid=alice)(!(mail=x)))', [ALICE]],
    ['(|(typo=x)(uid=alice))', [ALICE]],
    ['(uid>=a)', []],
    ['(mail=*)', []],
    [`(member=${ALICE})`, [`cn=users,ou=groups,${BASE}`, `cn=webdav-read,ou=groups,${BASE}`]],
  ])('finds with %s', async (filter, dns) => {
    expect(await found(filter)).toEqual(dns)
  })

  test('finds a group of any name by its DN, and its members by it', async () => {
    const group = '#1 R+D <Müller & Söhne> = top'
    const alice = { id: 7, username: 'alice', groups: ['users', group] }
    answers.list = { groups: [...LIST.groups, group], accounts: [alice] }
    await reopen({})
    const dn = `cn=\\#1 R\\+D \\<Müller & Söhne\\> = top,ou=groups,${BASE}`
    const on = await searcher()
    const { searchEntries } = await on.search(dn, { scope: 'base' })
    expect(searchEntries).toMatchObject([{ dn, cn: group, member: ALICE }])
    const memberOf = dn.replaceAll('\\', '\\5c')
    expect(await found(`(memberOf=${memberOf})`)).toEqual([ALICE])
  })

  test.each([
    ['(memberOf=cn=FAMILY STRASSE,ou=groups,BASE)', [ALICE]],
    ['(memberOf=cn=family,ou=groups,BASE)', []],
    ['(&(objectClass=groupOfNames)(cn=ﬀamily straße))', []],
    ['(&(objectClass=groupOfNames)(cn=FAMILY STRASSE))', ['cn=Family Straße,ou=groups,BASE']],
    ['(cn=*MILY*STRASS*)', ['cn=Family Straße,ou=groups,BASE']],
    ['(cn=USERS)', ['cn=users,ou=groups,BASE']],
    // Programs would take it for another user.
    ['(cn=ALICE)', []],
    ['(cn=ALI*)', []],
  ])('compares names of groups without case: %s', async (filter, dns) => {
    const groups = ['users', 'Family Straße']
    answers.list = {
      groups: [...LIST.groups, 'Family Straße'],
      accounts: [{ id: 7, username: 'alice', groups }],
    }
    await reopen({})
    const inBase = (text: string) => text.replace('BASE', BASE)
    expect(await found(inBase(filter))).toEqual(dns.map(inBase))
    const on = await searcher()
    const dn = `CN=family strasse,ou=groups,${BASE}`
    expect((await on.search(dn, { scope: 'base' })).searchEntries).toHaveLength(1)
  })

  test('gives the attributes that are asked for, spelled as asked', async () => {
    const on = await searcher()
    const all = await on.search(PEOPLE, { filter: '(uid=alice)' })
    expect(all.searchEntries).toEqual([
      {
        dn: ALICE,
        objectClass: ['top', 'person', 'organizationalPerson', 'inetOrgPerson'],
        uid: 'alice',
        cn: 'alice',
        sn: 'alice',
        displayName: 'alice',
        memberOf: [`cn=users,ou=groups,${BASE}`, `cn=webdav-read,ou=groups,${BASE}`],
      },
    ])
    const some = await on.search(ALICE, {
      scope: 'base',
      attributes: ['UID', 'entryUUID'],
    })
    expect(some.searchEntries).toEqual([
      { dn: ALICE, UID: 'alice', entryUUID: expect.stringMatching(/^[\da-f-]{14}5/) },
    ])
  })

  test('shows a person their own entry and groups only', async () => {
    const on = client()
    await on.bind(ALICE, 'right')
    const { searchEntries } = await on.search(BASE, {
      filter: '(objectClass=*)',
      attributes: ['cn'],
    })
    expect(searchEntries.map(({ dn }) => dn)).toEqual([
      BASE,
      PEOPLE,
      `ou=groups,${BASE}`,
      ALICE,
      `cn=users,ou=groups,${BASE}`,
      `cn=webdav-read,ou=groups,${BASE}`,
    ])
  })

  test('refuses strangers, wrong bases and changes', async () => {
    const on = client()
    expect(await on.search(BASE).catch(codeOf)).toBe(50)
    expect((await on.search('', { scope: 'base' })).searchEntries).toMatchObject([
      { namingContexts: BASE },
    ])
    await on.bind(SEARCH, SECRET)
    expect(await on.search('nonsense').catch(codeOf)).toBe(34)
    expect(await on.search(`ou=x,${BASE}`).catch(codeOf)).toBe(32)
    expect(
      await on.search(BASE, { filter: `${'(!'.repeat(16)}(uid=x)${')'.repeat(16)}` }).catch(codeOf),
    ).toBe(11)
    expect(await on.del(ALICE).catch(codeOf)).toBe(53)
    // ldapts takes code 4 for the end of the list.
    expect((await on.search(BASE, { sizeLimit: 1 })).searchEntries).toHaveLength(1)
    const paged = await on.search(PEOPLE, { scope: 'one', paged: { pageSize: 1 } })
    expect(paged.searchEntries).toHaveLength(2)
  })
})

describe('while the site is away', () => {
  test('remembered binds and lists count, new binds are 52, and all comes back', async () => {
    await reopen({ cacheSeconds: '0' })
    const on = await searcher()
    expect(await bind(ALICE, 'right')).toBe(0)
    answers.status = 503
    expect(await bind(ALICE, 'right')).toBe(0)
    expect(await bind(ALICE, 'other')).toBe(52)
    expect((await on.search(PEOPLE, { filter: '(uid=alice)' })).searchEntries).toHaveLength(1)
    answers.status = 200
    await expect.poll(() => bind(ALICE, 'right-not'), { timeout: 5000 }).toBe(49)
    expect(log.filter((line) => line.includes('the site is'))).toHaveLength(2)
  })

  test('a door without a list answers 52, and 51 when the site has too much to do', async () => {
    await reopen({ cacheSeconds: '0', awaySeconds: '0' })
    answers.status = 429
    expect(await bind(ALICE, 'right')).toBe(51)
    answers.status = 302
    expect(await bind(ALICE, 'right')).toBe(52)
  })

  test('a token that the site refuses ends the start', async () => {
    answers.status = 401
    await expect(open()).rejects.toThrow('refuses the service token')
  })
})

function siteOf(site: string, insecure: boolean): string {
  return readOptions({ site, insecure }, { LATCHKEY_SERVICE_TOKEN: TOKEN }).site.href
}

describe('--site', () => {
  test('is https, on this machine also http, and a container only with --insecure', () => {
    for (const site of ['https://accounts.example.org/', 'http://[::1]:8787/', 'http://localhost/'])
      expect(siteOf(site, false)).toBe(site)
    expect(siteOf('http://latchkey:8787/', true)).toBe('http://latchkey:8787/')
    const refused = [
      ['http://latchkey:8787', false],
      ['http://accounts.example.org', true],
      ['http://latchkey.', true],
      ['http://192.0.2.7', true],
      ['http://3221225991', true],
      ['http://[2001:db8::1]', true],
      ['ftp://latchkey', true],
    ] as const
    for (const [site, insecure] of refused)
      expect(() => siteOf(site, insecure), site).toThrow(OptionError)
  })
})

describe('--listen', () => {
  const TWO = ['ldap://127.0.0.1:0', 'ldap://127.0.0.1:0']

  test('twice listens twice', async () => {
    await reopen({ listen: TWO })
    expect(new Set(door.ports).size).toBe(2)
    for (const port of door.ports) {
      const on = new Client({ url: `ldap://127.0.0.1:${port}`, timeout: 5000 })
      clients.push(on)
      expect(await bind(ALICE, 'right', on)).toBe(0)
    }
  })

  test('with one address twice is refused', () => {
    const listen = ['ldap://127.0.0.1:3890', 'ldap://[::1]:3890', 'ldap://127.0.0.1:3890/']
    const given = { site: 'http://127.0.0.1:1', listen }
    const read = () => readOptions(given, { LATCHKEY_SERVICE_TOKEN: TOKEN })
    expect(read).toThrow(new OptionError('--listen names 127.0.0.1 port 3890 twice.'))
  })

  test('with an address that is taken leaves none open', async () => {
    const port = door.ports[0] ?? 0
    const free = await freePort()
    const opening = open({ listen: [`ldap://127.0.0.1:${free}`, `ldap://127.0.0.1:${port}`] })
    await expect(opening).rejects.toThrow(`Can't listen on 127.0.0.1 port ${port}`)
    const socket = connect(Number(free), '127.0.0.1')
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
  })
})

test('logs no password, and no name of nobody', async () => {
  await bind(ALICE, 'right-or-not')
  await bind(`uid=my-password,${PEOPLE}`, 'x')
  const text = log.join('\n')
  expect(text).toContain(`bind 49 "${ALICE}" 127.0.0.1`)
  expect(text).toContain('bind 49 "unknown" 127.0.0.1')
  expect(text).not.toMatch(/right-or-not|my-password/)
})

/** Sends bytes and returns all that comes back until the door closes. */
async function send(bytes: Buffer): Promise<Buffer> {
  const socket = connect(door.ports[0] ?? 0, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.end(bytes)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

describe('a hostile client', () => {
  const request = element(
    0x30,
    integer(1),
    element(0x60, integer(3), element(0x04, SEARCH), element(0x80, SECRET)),
  )

  test.each([
    ['an indefinite length', Buffer.from('3080', 'hex')],
    ['a large length', Buffer.from('308400010001', 'hex')],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a message without content', Buffer.from('3000', 'hex')],
  ])('is told of the disconnection for %s', async (_, bytes) => {
    expect((await send(bytes)).toString('latin1')).toContain('1.3.6.1.4.1.1466.20036')
  })

  test('breaks nothing with 2,000 mutated messages', async () => {
    let state = 42
    const random = (below: number) => {
      state = (state * 1103515245 + 12345) % 2147483648
      return state % below
    }
    for (let round = 0; round < 40; round++) {
      const sent = Array.from({ length: 50 }, () => {
        const mutated = Buffer.from(request)
        for (let n = 0; n <= random(3); n++) mutated[random(mutated.length)] = random(256)
        return send(mutated)
      })
      await Promise.all(sent)
    }
    expect(await bind(SEARCH, SECRET)).toBe(0)
  }, 60_000)

  test('gets no place from others: of 256 connections the idlest goes', async () => {
    const bound = await searcher()
    const sockets = Array.from({ length: 260 }, () => connect(door.ports[0] ?? 0, '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => undefined)
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    expect((await bound.search(PEOPLE)).searchEntries.length).toBeGreaterThan(0)
    expect(await bind(ALICE, 'right')).toBe(0)
    for (const socket of sockets) socket.destroy()
  })
})

const hasUtils = existsSync('/usr/bin/ldapsearch') && existsSync('/usr/bin/ldapwhoami')
test.skipIf(!hasUtils)(
  'serves ldapsearch and ldapwhoami (skipped without ldap-utils)',
  async () => {
    const at = ['-x', '-H', `ldap://127.0.0.1:${door.ports[0]}`]
    const as = ['-D', SEARCH, '-w', SECRET]
    const { stdout } = await run('ldapsearch', [
      ...at,
      ...as,
      '-LLL',
      '-b',
      BASE,
      '-E',
      'pr=2/noprompt',
      '(uid=alice)',
      'cn',
    ])
    expect(stdout).toContain(`dn: ${ALICE}\ncn: alice\n`)
    expect((await run('ldapwhoami', [...at, '-D', ALICE, '-w', 'right'])).stdout).toBe(
      `dn:${ALICE}\n`,
    )
    expect(await run('ldapwhoami', [...at, '-D', ALICE, '-w', 'no']).catch(codeOf)).toBe(49)
  },
)
