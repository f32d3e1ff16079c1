import { beforeEach, describe, expect, test } from 'vitest'
import { fileLeases } from '../../schema/tables.ts'
import { runFrequently } from '../../src/frequent-run.ts'
import { runNightly } from '../../src/nightly-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { FILES_BINDINGS, OpenListStandIn, type Sent } from '../support/openlist-stand-in.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const SHARE = 1 << 14

let openlist: OpenListStandIn
let site: CheapSite
let userId: number
let token: string
let admin: string
/** Resolves when a write waits for another one. */
let waiting: PromiseWithResolvers<void>

beforeEach(async () => {
  openlist = new OpenListStandIn()
  const wait = async () => {
    waiting.resolve()
    await scheduler.wait(1)
  }
  waiting = Promise.withResolvers()
  site = new CheapSite({ ...openlist.deps, wait }, FILES_BINDINGS)
  await site.addFirstUsers()
  userId = await site.addUser('alice', { password: PASSWORD, permission: SHARE })
  token = await site.token('alice', PASSWORD)
  admin = await site.token('admin', ADMIN_PASSWORD)
})

const list = () => site.post('/api/fs/list', { path: '/' }, { token })

/** Changes alice. The write to the file server follows the answer, and is not awaited. */
async function change(fields: object): Promise<void> {
  const { data } = await site.get(`/api/admin/user/get?id=${userId}`, { token: admin })
  const body = { ...data, password: '', ...fields }
  expect(await site.post('/api/admin/user/update', body, { token: admin })).toMatchObject({
    code: 200,
  })
}

/**
 * Holds the first such call before the file server works on it, until `release`; `overtaken`
 * resolves when another one was answered.
 */
function hold(path: string) {
  const held = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<Sent>()
  const overtaken = Promise.withResolvers<void>()
  let isFirst = true
  openlist.answer = (sent) => {
    if (sent.path !== path) return undefined
    if (!isFirst) {
      setTimeout(overtaken.resolve)
      return undefined
    }
    isFirst = false
    arrived.resolve(sent)
    return held.promise.then(() =>
      openlist.send(`http://files.example.org:5244${path}`, again(sent)),
    )
  }
  return {
    arrived: arrived.promise,
    overtaken: overtaken.promise,
    release: () => held.resolve(),
  }
}

function again({ method, headers, body }: Sent): RequestInit {
  return { method, headers, body }
}

describe('two writes of one user', () => {
  test.each([
    ['an earlier change does not end after being disabled', { permission: 1 }, { disabled: true }],
    ['an earlier change does not end after a later one', { permission: 65_533 }, { permission: 0 }],
  ])('%s', async (_, first, last) => {
    await list()
    const { arrived, overtaken, release } = hold('/api/admin/user/update')
    await change(first)
    await arrived
    await change(last)
    const asked = list()
    await Promise.race([waiting.promise, overtaken])
    release()
    await Promise.all([asked, site.settle()])
    await runFrequently(site.deps)
    expect(openlist.user('alice')).toMatchObject(last)
  })

  test('that rename the user make no second one', async () => {
    await list()
    const { arrived, release } = hold('/api/admin/user/update')
    await change({ username: 'xa' })
    await arrived
    await change({ username: 'xb' })
    const asked = list()
    await Promise.race([waiting.promise, asked])
    release()
    await Promise.all([asked, site.settle()])
    await change({ permission: 1 })
    await site.settle()
    const general = openlist.users.filter(({ role }) => role === 0)
    expect(general).toMatchObject([{ id: userId, username: 'xb' }])
  })

  test('of which one ends without an answer: the other goes on when the lease has ended', async () => {
    const ended = { userId, holder: 'gone', endsAt: site.now }
    await site.db.insert(fileLeases).values(ended)
    expect(await list()).toMatchObject({ code: 200 })
    expect(await site.db.select().from(fileLeases)).toEqual([])
    await site.db.insert(fileLeases).values(ended)
    await runNightly(site.deps)
    expect(await site.db.select().from(fileLeases)).toEqual([])
  })

  test('of which one goes on for too long: the other says so', async () => {
    await site.db.insert(fileLeases).values({ userId, holder: 'other', endsAt: site.now + 60_000 })
    expect(await list()).toMatchObject({ code: 503 })
    expect(openlist.users).toHaveLength(2)
  })
})

test('a user who is deleted while being made there is deleted there', async () => {
  const { arrived, release } = hold('/api/admin/user/create')
  const asked = list()
  await arrived
  await site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: admin })
  release()
  expect(await asked).toMatchObject({ code: 401 })
  await site.settle()
  expect(openlist.users.filter(({ role }) => role === 0)).toEqual([])
})

test('an id that was given there once is no other user’s', async () => {
  const theirs = { password: 'theirs', base_path: '/', role: 0, permission: 0, disabled: false }
  openlist.users.push({ ...theirs, id: userId, username: 'somebody' })
  await list()
  const far = openlist.user('alice')?.id ?? 0
  expect(far).toBe(1_000_000_000 + userId)
  await site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: admin })
  await site.settle()
  expect(openlist.user('alice')).toBeUndefined()
  const bob = await site.addUser('bob', { password: PASSWORD })
  token = await site.token('bob', PASSWORD)
  await list()
  expect(openlist.user('bob')).toMatchObject({ id: bob })
})
