import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { folderRules, folderState, groupMembers, groups, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'

const PASSWORD = 'alice-Passw0rd'
const RULES = 300
const DENIED = { code: 403, message: 'permission denied', data: null }
const PASSED = { code: 200 }

let openlist: OpenListStandIn
let site: CheapSite
let userId: number
let token: string
/** Happens once D1 has answered, before its answer arrives. */
let answered: (() => Promise<unknown>) | undefined

beforeEach(async () => {
  answered = undefined
  openlist = new OpenListStandIn()
  site = new CheapSite(openlist.deps, { ...FILES_BINDINGS, DB: HELD_D1 })
  await site.addFirstUsers()
  userId = await site.addUser('alice', { password: PASSWORD, permission: 0xffff })
  token = await site.token('alice', PASSWORD)
  for (const path of ['/nas/a', '/nas/b']) openlist.files[path] = 'x'
  // It is known there.
  await post('fs/list', { path: '/' })
})

/** A session whose answers `answered` holds back. */
function heldSession(): D1DatabaseSession {
  const real = env.DB.withSession('first-primary')
  return {
    prepare: (query) => real.prepare(query),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      const results = await real.batch<Row>(statements)
      const held = answered
      answered = undefined
      await held?.()
      return results
    },
    getBookmark: () => real.getBookmark(),
  }
}

const HELD_D1 = new Proxy(env.DB, {
  get: (_, name) => (name === 'withSession' ? heldSession : undefined),
})

function post(name: string, body: object) {
  const headers = { 'Content-Length': String(JSON.stringify(body).length) }
  return site.post(`/api/${name}`, body, { token, headers })
}

const copy = (name: string) =>
  post('fs/copy', { src_dir: '/nas', dst_dir: '/target', names: [name] })

/** The metas are another matter: here, the gateway alone decides. */
async function asWritten(): Promise<void> {
  await site.db.update(folderState).set({ written: folderState.version })
}

async function rule(path: string, access: string, whose: object = { userId }): Promise<void> {
  await site.db.insert(folderRules).values({ path, access, createdAt: site.now, ...whose })
  await asWritten()
}

async function listCost(path: string): Promise<{ roundTrips: number; rowsRead: number }> {
  expect(await post('fs/list', { path })).toMatchObject(PASSED)
  return site.meter
}

describe('the rules that an isolate has read', () => {
  test('are not read again, whichever folder is listed', async () => {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${RULES})
       insert into folder_rules (path, user_id, access, created_at)
       select '/nas/' || i, ${userId}, 'read', 0 from n`,
    ).run()
    await asWritten()
    expect((await listCost('/')).rowsRead).toBeGreaterThan(RULES)
    for (const path of ['/', '/nas', '/nas/7']) {
      const { roundTrips, rowsRead } = await listCost(path)
      expect(roundTrips).toBe(1)
      expect(rowsRead).toBeLessThan(20)
    }
    site.deps.isolateMemory = {}
    expect((await listCost('/nas')).rowsRead).toBeGreaterThan(RULES)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['a new rule', () => rule('/nas/a', 'none')],
    ['another access', () => site.db.update(folderRules).set({ access: 'none' })],
    [
      'another folder',
      () =>
        site.db.update(folderRules).set({ path: '/nas/b' }).where(eq(folderRules.access, 'read')),
    ],
    [
      'a rule that is gone',
      () => site.db.delete(folderRules).where(eq(folderRules.access, 'read')),
    ],
    [
      'a replaced rule',
      () =>
        env.DB.prepare(
          `replace into folder_rules (id, path, user_id, access, created_at)
         select id, path, user_id, 'none', 0 from folder_rules where access = 'read'`,
        ).run(),
    ],
  ])('are read anew after a change in the database itself: %s', async (_, change) => {
    await rule('/nas', 'none', { builtIn: 'user' })
    await rule('/nas', 'read')
    await rule('/target', 'write')
    expect(await copy('a')).toMatchObject(PASSED)
    await change()
    await asWritten()
    expect(await copy('a')).toEqual(DENIED)
  })

  test('say nothing of who is in a group, nor of a role', async () => {
    const group = { name: 'staff', nameKey: 'staff', createdAt: site.now }
    const made = await site.db.insert(groups).values(group).returning({ id: groups.id })
    const groupId = made[0]?.id ?? 0
    const member = { groupId, userId, addedAt: site.now, source: 'admin' }
    await site.db.insert(groupMembers).values(member)
    await rule('/nas', 'none', { builtIn: 'user' })
    await rule('/nas', 'read', { groupId })
    expect(await copy('a')).toMatchObject(PASSED)
    await site.db.delete(groupMembers)
    await asWritten()
    expect(await copy('a')).toEqual(DENIED)
    await site.db.insert(groupMembers).values(member)
    await asWritten()
    expect(await copy('a')).toMatchObject(PASSED)
    const bob = await site.addUser('bob', { password: PASSWORD })
    // No trigger sees this.
    await site.db.update(groupMembers).set({ userId: bob })
    await asWritten()
    expect(await copy('a')).toEqual(DENIED)
    await site.db.update(users).set({ role: 2 }).where(eq(users.id, userId))
    expect(await copy('a')).toMatchObject(PASSED)
  })

  test('are those of each isolate, when two take turns', async () => {
    await rule('/nas/a', 'none')
    const isolates = [{}, {}]
    for (const isolate of isolates) {
      site.deps.isolateMemory = isolate
      expect(await copy('a')).toEqual(DENIED)
      expect(await copy('b')).toMatchObject(PASSED)
    }
    await site.db.update(folderRules).set({ path: '/nas/b' })
    await asWritten()
    for (const isolate of isolates) {
      site.deps.isolateMemory = isolate
      expect(await copy('b')).toEqual(DENIED)
      expect(await copy('a')).toMatchObject(PASSED)
    }
  })

  test('are those of its own moment for a request that another one overtakes', async () => {
    await rule('/nas/a', 'none')
    expect(await copy('a')).toEqual(DENIED)
    answered = async () => {
      await site.db.update(folderRules).set({ path: '/nas/b' })
      await asWritten()
      expect(await copy('b')).toEqual(DENIED)
      expect(await copy('a')).toMatchObject(PASSED)
    }
    expect(await copy('a')).toEqual(DENIED)
    // What it has read is older than what the isolate knows.
    expect(await copy('b')).toEqual(DENIED)
  })

  test('are not taken for those of a database that has lost its version', async () => {
    expect(await copy('a')).toMatchObject(PASSED)
    await rule('/nas/a', 'none')
    await site.db.delete(folderState)
    expect(await copy('a')).toEqual(DENIED)
    await site.db.update(folderRules).set({ path: '/nas/b' })
    await site.db.delete(folderState)
    expect(await copy('b')).toEqual(DENIED)
  })
})
