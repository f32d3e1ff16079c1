import { eq } from 'drizzle-orm'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { users as accounts } from '../../schema/tables.ts'
import { rewriteCondition } from '../../src/capabilities/files/http/if-header.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { readIf } from '../support/openlist-if.ts'
import { lockInfo } from '../support/openlist-locks.ts'
import {
  FILES_BINDINGS,
  FILES_ORIGIN,
  OpenListStandIn,
  type Sent,
} from '../support/openlist-stand-in.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'

const WEBDAV = 3 << 8
const OPEN = '/dav/nas/open/a.txt'
const CLOSED = '/dav/nas/closed/plan-of-merger.docx'

let openlist: OpenListStandIn
let site: CheapSite
let users: Record<string, { name: string; password: string }>

beforeEach(async () => {
  openlist = new OpenListStandIn()
  site = new CheapSite(openlist.deps, FILES_BINDINGS)
  await site.addFirstUsers()
  users = {}
  for (const name of ['alice', 'bob']) {
    const id = await site.addUser(name, { permission: WEBDAV })
    users[name] = { name, password: (await addAppPassword(site, id, ['files:write'])).token }
  }
  const { token: password } = await addAppPassword(site, 1, ['files:write'])
  users['admin'] = { name: 'admin', password }
})

async function dav(
  as: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
) {
  const { name, password } = users[as] ?? { name: as, password: '' }
  const Authorization = `Basic ${btoa(`${name}:${password}`)}`
  const call = { headers: { Authorization, ...headers } }
  const answer = await site.fetch(method, path, body === undefined ? call : { ...call, body })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Takes a lock. @returns Its token, in brackets. */
async function lock(as: string, path: string, headers = {}): Promise<string> {
  const { status, headers: sent } = await dav(as, 'LOCK', path, headers, lockInfo(`${as} himself`))
  expect(status).toBe(200)
  return sent.get('Lock-Token') ?? ''
}

const renew = (as: string, path: string, If: string) => dav(as, 'LOCK', path, { If })
const lastSent = (): Sent | undefined => openlist.sent.at(-1)

describe('the token of a lock', () => {
  test('is no number, and the same in the header and in the text', async () => {
    const { headers, text } = await dav('alice', 'LOCK', OPEN, {}, lockInfo('alice'))
    const token = headers.get('Lock-Token') ?? ''
    expect(token).toMatch(/^<opaquelocktoken:[\w.-]{80,120}>$/)
    expect(text).toContain(`<D:locktoken><D:href>${token.slice(1, -1)}</D:href></D:locktoken>`)
    expect(text).toContain('<D:lockroot><D:href>/nas/open/a.txt</D:href></D:lockroot>')
    expect(text).not.toContain(openlist.locks.last)
  })

  test('is not what its owner says', async () => {
    const { last } = openlist.locks
    const next = String(Number(last) + 1)
    const owner = `<D:locktoken><D:href>${next}</D:href></D:locktoken>
	<D:lockroot><D:href>/x</D:href></D:lockroot>
</D:activelock></D:lockdiscovery></D:prop>`
    const { headers, text } = await dav('alice', 'LOCK', OPEN, {}, lockInfo(owner))
    const token = headers.get('Lock-Token')?.slice(1, -1)
    expect(text.replace(owner, '')).toContain(`<D:href>${token}</D:href>`)
    expect(text).toContain(owner)
  })

  test.each(['alice', 'admin'])('lets %s write, renew and unlock', async (as) => {
    const token = await lock(as, OPEN)
    expect((await dav(as, 'PUT', OPEN)).status).toBe(423)
    expect((await dav(as, 'PUT', OPEN, { If: `(${token})` })).status).toBe(207)
    expect(
      (await dav(as, 'PUT', OPEN, { If: `<http://localhost${OPEN}> (${token})` })).status,
    ).toBe(207)
    expect(
      (await dav(as, 'PUT', OPEN, { If: `(Not <DAV:no-lock>) (${token} ["x"])` })).status,
    ).toBe(207)
    const renewed = await renew(as, OPEN, `(${token})`)
    expect(renewed.status).toBe(200)
    expect(renewed.headers.get('Lock-Token')).toBe(null)
    expect(renewed.text).toContain(`<D:href>${token.slice(1, -1)}</D:href>`)
    expect((await dav(as, 'UNLOCK', OPEN, { 'Lock-Token': token })).status).toBe(204)
    expect((await renew(as, OPEN, `(${token})`)).status).toBe(412)
    expect((await dav(as, 'PUT', OPEN)).status).toBe(207)
  })

  test('costs no trip to D1', async () => {
    const token = await lock('alice', OPEN)
    await renew('alice', OPEN, `(${token})`)
    expect(site.meter.roundTrips).toBe(1)
  })

  test('of a folder is good for what is below', async () => {
    const token = await lock('alice', '/dav/nas/open/')
    const If = `(${token})`
    expect((await dav('alice', 'PUT', '/dav/nas/open/%E4%B8%AD/x', { If })).status).toBe(207)
    expect((await renew('alice', OPEN, If)).status).toBe(200)
    const to = { Destination: '/dav/nas/open/b' }
    expect((await dav('alice', 'MOVE', OPEN, { If, ...to })).status).toBe(207)
    expect((await dav('alice', 'COPY', '/dav/x', { If, ...to })).status).toBe(207)
    expect((await dav('alice', 'PUT', '/dav/nas/opener', { If })).status).toBe(412)
    expect((await dav('alice', 'UNLOCK', '/dav/nas', { 'Lock-Token': token })).status).toBe(409)
    expect((await dav('alice', 'UNLOCK', '/dav/nas/open', { 'Lock-Token': token })).status).toBe(
      204,
    )
  })

  test('is good at its destination, with its tag or without one', async () => {
    const token = await lock('alice', '/dav/a%20b')
    const to = { Destination: 'http://localhost/dav/a%20b' }
    expect((await dav('alice', 'COPY', '/dav/x', { If: `(${token})`, ...to })).status).toBe(207)
    const If = `<http://localhost/dav/a%20b> (${token})`
    expect((await dav('alice', 'MOVE', '/dav/x', { If, ...to })).status).toBe(207)
    expect(lastSent()?.headers.get('If')).toBe(
      `<${FILES_ORIGIN}/dav/a%20b> ( <${openlist.locks.last}> )`,
    )
  })

  test('is not that of another path, which OpenList would renew or unlock', async () => {
    const token = await lock('alice', CLOSED)
    expect((await renew('alice', OPEN, `(${token})`)).status).toBe(412)
    const tagged = `<http://localhost${CLOSED}> (${token})`
    expect((await dav('alice', 'LOCK', OPEN, { If: tagged })).status).toBe(412)
    const Destination = CLOSED
    expect((await dav('alice', 'LOCK', OPEN, { If: `(${token})`, Destination })).status).toBe(412)
    expect((await dav('alice', 'UNLOCK', OPEN, { 'Lock-Token': token })).status).toBe(409)
    expect(openlist.locks.roots()).toEqual(['/nas/closed/plan-of-merger.docx'])
  })

  test('ends with a change of its user’s folder', async () => {
    const token = await lock('alice', OPEN)
    const as = await site.token('admin', ADMIN_PASSWORD)
    const { content } = (await site.get('/api/admin/user/list', { token: as })).data
    const user = content.find(({ username }: { username: string }) => username === 'alice')
    const body = { ...user, password: '', base_path: '/other' }
    expect(await site.post('/api/admin/user/update', body, { token: as })).toMatchObject({
      code: 200,
    })
    await site.settle()
    expect((await renew('alice', OPEN, `(${token})`)).status).toBe(412)
    expect((await dav('alice', 'UNLOCK', OPEN, { 'Lock-Token': token })).status).toBe(409)
  })
})

describe('the lock of another', () => {
  let theirs: string
  let number: string

  beforeEach(async () => {
    theirs = await lock('bob', CLOSED)
    number = openlist.locks.last
  })

  const spellings = () => [number, theirs.slice(1, -1), `${theirs.slice(1, -1)}0`]

  test.each(['alice', 'admin'])('is shown and renewed to nobody: %s', async (as) => {
    for (const token of spellings())
      for (const If of [`(<${token}>)`, `(${token})`, `<http://localhost${CLOSED}> (<${token}>)`])
        for (const path of [OPEN, CLOSED]) {
          const { status, text } = await dav(as, 'LOCK', path, { If, Timeout: 'Second-0' })
          expect([status, text]).toEqual([412, 'Precondition Failed'])
          expect(lastSent()?.headers.get('If')).not.toContain(number)
        }
  })

  test.each(['PUT', 'DELETE', 'MKCOL', 'PROPPATCH', 'MOVE', 'COPY'])(
    'names no file to %s',
    async (method) => {
      const to = { Destination: '/dav/nas/open/b' }
      const own = await lock('alice', to.Destination)
      for (const token of spellings())
        for (const origin of ['http://localhost', 'https://localhost', FILES_ORIGIN])
          for (const tag of ['', `<${origin}${CLOSED}> `]) {
            const If = `${tag}(<${token}> ${own})`
            const first = await dav('alice', method, OPEN, { If, ...to })
            // A copy without a tag needs the lock of its destination alone.
            expect(first.status).toBe(method === 'COPY' && tag === '' ? 207 : 412)
            const { status } = await dav('alice', method, CLOSED, { If, ...to })
            expect(status).toBe(method === 'COPY' && tag === '' ? 207 : 412)
          }
    },
  )

  test.each([
    ['PUT', '/dav/nas/closed/plan-of-merger.docx', '/dav/%5Cnas/closed/plan-of-merger.docx'],
    ['DELETE', '/dav//nas/closed/plan-of-merger.docx', '/dav/%5C/nas/closed/plan-of-merger.docx'],
    [
      'MKCOL',
      '/dav/nas/%63losed/plan-of-merger.docx/',
      '/dav/%5Cnas/%63losed/plan-of-merger.docx/',
    ],
    ['PROPPATCH', '/dav/nas/closed/plan-of-merger.docx', '/dav/%5Cnas/closed/plan-of-merger.docx'],
  ])(
    'is not told to a user with a base folder, by the same path below it: %s %s',
    async (...call) => {
      const [method, path, sent] = call
      const id = await site.addUser('carol', { permission: WEBDAV, basePath: '/nas/open' })
      const { token: password } = await addAppPassword(site, id, ['files:write'])
      users['carol'] = { name: 'carol', password }
      expect((await dav('carol', method, path)).status).toBe(207)
      const steps = /(?:\.?%5C){32}/
      const first = lastSent()?.path ?? ''
      expect(first.replace(steps, '%5C')).toBe(sent)
      expect((await dav('alice', method, path)).status).toBe(423)
      await dav('carol', method, '/dav/')
      expect(lastSent()?.path).toBe('/dav/')
      // An upload holds no file below another base folder, either.
      await site.db.update(accounts).set({ basePath: '/nas/open/2' }).where(eq(accounts.id, id))
      await dav('carol', method, path)
      expect(lastSent()?.path).toMatch(steps)
      expect(lastSent()?.path).not.toBe(first)
    },
  )

  test.each(['alice', 'admin'])('is not ended by %s', async (as) => {
    for (const token of spellings())
      for (const path of [OPEN, CLOSED])
        expect((await dav(as, 'UNLOCK', path, { 'Lock-Token': `<${token}>` })).status).toBe(409)
    expect((await renew('bob', CLOSED, `(${theirs})`)).status).toBe(200)
  })

  test('has the number of one’s own after a restart of OpenList, and is not shown', async () => {
    openlist.locks.restart()
    const own = await lock('alice', OPEN)
    openlist.locks.restart()
    await lock('bob', CLOSED)
    const { status, text } = await renew('alice', OPEN, `(${own})`)
    expect([status, text]).toEqual([412, 'Precondition Failed'])
  })
})

test.each([
  ['(<x>', 400],
  ['<x', 400],
  ['x (<x>)', 400],
  ['(<x>), (<y>)', 400],
  ['(["etag"])', 400],
])('a condition that is none is refused as OpenList refuses it: %s', async (If, status) => {
  expect((await renew('alice', OPEN, If)).status).toBe(status)
})

test.each(['2', '<2', ''])('a token without brackets is refused: %s', async (token) => {
  expect((await dav('alice', 'UNLOCK', OPEN, { 'Lock-Token': token })).status).toBe(400)
})

test('a lock that OpenList shows in another form is not shown', async () => {
  openlist.answer = ({ method }) =>
    method === 'LOCK' ? new Response('<D:href>1795944801</D:href>') : undefined
  const { status, text } = await dav('alice', 'LOCK', OPEN, {}, lockInfo())
  expect([status, text]).toEqual([502, expect.not.stringContaining('1795944801')])
})

describe('a condition', () => {
  const parts = '()<>[],"a'
    .split('')
    .concat([' ', '\t', 'Not', 'NOT', '1795944801', '(<x>)', '["etag"]'])
    .concat(['<http://localhost/dav/x>', '<DAV:no-lock>', '<1795944801>'])
  const inAngles = fc.stringMatching(/^[\t -=?-~]*$/)
  const condition = fc.record({
    not: fc.constantFrom('', 'Not ', 'Not', 'not '),
    what: fc.oneof(
      inAngles.map((text) => `<${text}>`),
      fc.stringMatching(/^\[[ -\\^-~]*\]$/),
      fc.stringMatching(/^[!-'*-;=?-Z^-~]+$/),
    ),
  })
  const list = fc
    .array(condition, { minLength: 1, maxLength: 3 })
    .map((all) => `(${all.map(({ not, what }) => not + what).join(' ')})`)
  const lists = fc.array(list, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '))
  const tagged = fc
    .array(fc.tuple(inAngles, lists), { minLength: 1, maxLength: 3 })
    .map((all) => all.map(([tag, its]) => `<${tag}>${its}`).join(' '))
  const anything = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((all) => all.join(''))
  const header = fc.oneof(lists, tagged, anything).map((text) => text.trim())

  const keeps = { tag: (tag: string) => tag, token: (token: string) => Promise.resolve(token) }

  test('is written as OpenList reads it', async () => {
    let read = 0
    await fc.assert(
      fc.asyncProperty(header, async (text) => {
        const written = await rewriteCondition(text, keeps)
        const meant = readIf(text)
        read += meant === undefined ? 0 : 1
        expect(readIf(written)).toEqual(meant)
        expect(new Headers({ If: written }).get('If')).toBe(written)
      }),
      { numRuns: 2000 },
    )
    expect(read).toBeGreaterThan(500)
  })

  test('passes no token that is not written anew, and names the tag of each', async () => {
    await fc.assert(
      fc.asyncProperty(header, async (text) => {
        const tags: (string | undefined)[] = []
        const token = (_: string, tag: string | undefined) => {
          tags.push(tag)
          return Promise.resolve('new')
        }
        const written = readIf(await rewriteCondition(text, { ...keeps, token }))
        const tokens = written?.flatMap(({ tag, conditions }) =>
          conditions.filter(({ etag }) => etag === '').map((each) => ({ tag, token: each.token })),
        )
        if (tokens === undefined) return
        expect(tokens.filter((each) => each.token === 'new')).toEqual(
          tags.map((tag = '') => ({ tag, token: 'new' })),
        )
        expect(tokens.filter((each) => each.token !== 'new' && each.token !== '')).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  test('of any text is written, and one that is too long refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(readIf(await rewriteCondition(text, keeps))).toEqual(readIf(text))
      }),
    )
    expect(await rewriteCondition(`(${'<x>'.repeat(2731)})`, keeps)).toBe('(')
  })
})
