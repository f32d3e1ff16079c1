import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { fileLeases, folderRules, folderState, users } from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { HeldWaits } from '../support/held-waits.ts'
import { FILES_ORIGIN, type Sent } from '../support/openlist-stand-in.ts'
import { SECOND } from '../support/site.ts'
import { arrangeGroups, type GroupsSite, isSettled } from './groups-site.ts'

const ALICE = 3
const BOB = 4

let site: GroupsSite
let alice: string
let bob: string

beforeEach(async () => {
  ;({ site, alice, bob } = await arrangeGroups())
  for (const token of [alice, bob]) await list(token)
  await site.settle()
})

const list = (token: string, path = '/') => site.post('/api/fs/list', { path }, { token })
const numberOf = (call: string) =>
  site.openlist.sent.filter(({ path }) => path.startsWith(`/api/admin/meta/${call}`)).length

/** Makes rules past the interface, so that nothing is written before the next request. */
async function addRules(count: number, userId: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    path: `/many/${index}`,
    userId,
    access: 'read',
    createdAt: site.now,
  }))
  for (let begin = 0; begin < count; begin += 10)
    await site.db.insert(folderRules).values(rows.slice(begin, begin + 10))
}

/** Holds the first such call until `release`. */
function hold(path: string) {
  const held = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<Sent>()
  let isFirst = true
  site.openlist.answer = (sent) => {
    if (!sent.path.startsWith(path) || !isFirst) return undefined
    isFirst = false
    arrived.resolve(sent)
    const { method, headers, body } = sent
    return held.promise.then(() =>
      site.openlist.send(`${FILES_ORIGIN}${sent.path}`, { method, headers, body: body || null }),
    )
  }
  return { arrived: arrived.promise, release: () => held.resolve() }
}

describe('a request of a user whose folders wait', () => {
  test('writes twenty of them, and is told to come again while more wait', async () => {
    await addRules(45, ALICE)
    const waits = { code: 503, message: 'the file server does not answer, try again' }
    for (const written of [20, 40]) {
      const response = await site.fetch('POST', '/api/fs/list', { token: bob, body: { path: '/' } })
      expect(await response.json()).toMatchObject(waits)
      expect(response.headers.get('Retry-After')).toBe('1')
      expect(site.openlist.metas.rows).toHaveLength(written)
    }
    expect(await list(bob)).toMatchObject({ code: 200 })
    expect(site.openlist.metas.rows).toHaveLength(45)
    expect(await list(bob, '/many/44')).toMatchObject({ code: 403 })
    expect(await list(bob)).toMatchObject({ code: 200 })
  })

  test('leaves those of others alone, who pass', async () => {
    await site.addRule('/nas', { group: 'user' }, 'read')
    await site.addRule('/nas', { uid: ALICE }, 'write')
    const rule = { path: '/nas', userId: BOB, access: 'none', createdAt: site.now }
    await site.db.insert(folderRules).values(rule)
    const before = numberOf('update')
    expect(await list(alice)).toMatchObject({ code: 200 })
    const looked = numberOf('list')
    expect(await list(alice)).toMatchObject({ code: 200 })
    expect(numberOf('list'), 'the isolate remembers it').toBe(looked)
    expect(numberOf('update'), 'nothing of Alice has changed').toBe(before)
    expect(await list(bob, '/nas')).toMatchObject({ code: 403 })
    expect(numberOf('update')).toBeGreaterThan(before)
  })

  test('waits for nobody who is not concerned', async () => {
    await site.addRule('/nas', { uid: ALICE }, 'read')
    await site.db.update(folderState).set({ written: 'older' })
    site.openlist.sent.splice(0)
    expect(await list(bob)).toMatchObject({ code: 200 })
    expect(numberOf('update')).toBe(0)
    await runFrequently(site.deps)
    expect(await isSettled(site)).toBe(true)
  })

  test('fails while the file server takes nothing, by WebDAV too', async () => {
    const { token: secret } = await addAppPassword(site, BOB, ['files:read'])
    await addRules(1, ALICE)
    site.openlist.answer = ({ path }) =>
      path.startsWith('/api/admin/meta/create') ? new Response('', { status: 500 }) : undefined
    expect(await list(bob)).toMatchObject({ code: 503 })
    const basic = `Basic ${btoa(`bob:${secret}`)}`
    const dav = await site.fetch('PROPFIND', '/dav/', { headers: { Authorization: basic } })
    expect(dav.status).toBe(503)
    site.openlist.answer = undefined
    expect(await list(bob)).toMatchObject({ code: 200 })
  })
})

describe('shares', () => {
  const share = { id: 's', files: ['/nas'], disabled: false, creator: 'bob', creator_role: 0 }

  test('of a user are over before the next request, however a right was taken', async () => {
    await site.addRule('/nas', { uid: BOB }, 'read')
    site.openlist.shares.rows.push({ ...share })
    await site.db.update(folderRules).set({ access: 'none' })
    expect(await list(bob)).toMatchObject({ code: 200 })
    expect(site.openlist.shares.rows).toMatchObject([{ disabled: true }])
  })

  test('that the file server does not list keep no folder from being written', async () => {
    site.openlist.answer = ({ path }) =>
      path.startsWith('/api/share/list') ? new Response('', { status: 500 }) : undefined
    const made = await site.addRule('/nas', { uid: ALICE }, 'read')
    expect(made).toMatchObject({ code: 200, data: { waiting: 1 } })
    expect(await list(bob, '/nas')).toMatchObject({ code: 403 })
    expect(await isSettled(site)).toBe(false)
    site.openlist.answer = undefined
    site.openlist.shares.rows.push({ ...share })
    await runFrequently(site.deps)
    expect(site.openlist.shares.rows).toMatchObject([{ disabled: true }])
    expect(await isSettled(site)).toBe(true)
  })
})

test('a right that a request takes without an operator of rules is taken after its answer', async () => {
  const id = await site.addGroup('staff', [ALICE, BOB])
  await site.addRule('/nas', { group: 'staff' }, 'read')
  expect(site.openlist.metas.at('/nas')).toMatchObject({ read_users: [1, ALICE, BOB] })
  expect(await site.admin('POST', `user/delete?id=${ALICE}`)).toMatchObject({ code: 200 })
  await site.settle()
  expect(site.openlist.metas.at('/nas'), `group ${id}`).toMatchObject({ read_users: [1, BOB] })
  expect(await isSettled(site)).toBe(true)
})

test('members of a group are written once before the answer, also while that fails', async () => {
  const id = await site.addGroup('staff', [ALICE, BOB])
  await site.addRule('/nas', { group: 'staff' }, 'read')
  site.openlist.answer = ({ path }) =>
    path === '/api/admin/meta/update' ? new Response('', { status: 500 }) : undefined
  await site.admin('POST', 'group/member/remove', { id, users: [BOB] })
  const { roundTrips } = site.meter
  site.openlist.answer = undefined
  await site.settle()
  await runFrequently(site.deps)
  site.openlist.answer = ({ path }) =>
    path === '/api/admin/meta/update' ? new Response('', { status: 500 }) : undefined
  await site.addRule('/nas', { uid: BOB }, 'read')
  expect(roundTrips).toBeLessThanOrEqual(site.meter.roundTrips)
})

describe('an account that is new', () => {
  test('is on the lists, or not, before its first request is passed on', async () => {
    await site.addRule('/nas', { group: 'user' }, 'read')
    await site.addRule('/closed', { uid: ALICE }, 'read')
    expect(site.openlist.metas.at('/nas')).toMatchObject({ read_users: [1, ALICE, BOB] })
    await site.addUser('dave', { password: 'dave-Passw0rd' })
    const dave = await site.token('dave', 'dave-Passw0rd')
    expect(await list(dave, '/closed')).toMatchObject({ code: 403 })
    expect(await list(dave, '/nas')).toMatchObject({ code: 200 })
  })

  test('leaves no change of rights unfinished, and neither does its first visit', async () => {
    await site.addGroup('team')
    await site.addRule('/nas', { group: 'team' }, 'read')
    const { data } = await site.admin('POST', 'invitation/create', { groups: ['team'] })
    const invitation = data.link.split('/').at(-1)
    const account = { username: 'dave', password: 'dave-Passw0rd', invitation }
    expect(await site.post('/api/auth/register', account)).toMatchObject({ code: 200 })
    await site.settle()
    expect(await isSettled(site)).toBe(true)
    const made = { username: 'erin', password: 'erin-Passw0rd', permission: 0, role: 0 }
    expect(await site.admin('POST', 'user/create', made)).toMatchObject({ code: 200 })
    await site.settle()
    expect(await isSettled(site)).toBe(true)
    expect(await list(await site.token('erin', 'erin-Passw0rd'))).toMatchObject({ code: 200 })
    await site.settle()
    expect(await isSettled(site)).toBe(true)
  })

  test('that everybody was on the lists for is shut out at once', async () => {
    for (const uid of [ALICE, BOB, 5]) await site.addRule('/nas', { uid }, 'read')
    await site.addUser('dave', { password: 'dave-Passw0rd' })
    const dave = await site.token('dave', 'dave-Passw0rd')
    expect(await list(dave, '/nas')).toMatchObject({ code: 403 })
  })

  test.each([
    ['the guest, who is switched on and off', 2, { group: 'guest' }, { disabled: false }],
    ['a user who is enabled again', BOB, { uid: BOB }, { disabled: true }],
    ['a user who is an admin for a while', BOB, { uid: BOB }, { role: 2 }],
  ])('shuts out as before: %s', async (_, id, whose, change) => {
    await site.addRule('/nas', whose, 'none')
    const [before] = await site.db.select().from(users).where(eq(users.id, id))
    for (const fields of [change, { disabled: before?.disabled, role: before?.role }, change]) {
      await site.db.update(users).set(fields).where(eq(users.id, id))
      await runFrequently(site.deps)
      const readers = id === BOB ? [1, ALICE] : [1, ALICE, BOB]
      expect(site.openlist.metas.at('/nas')).toMatchObject({ read_users: readers })
    }
  })

  test('is the guest, when it is switched on', async () => {
    await site.addRule('/nas', { group: 'user' }, 'read')
    const { data } = await site.admin('GET', 'user/get?id=2')
    await site.admin('POST', 'user/update', { ...data, disabled: false })
    expect(await site.post('/api/fs/list', { path: '/nas' })).toMatchObject({ code: 403 })
    expect(await site.post('/api/fs/list', { path: '/' })).toMatchObject({ code: 200 })
  })

  test('is an admin who is none any more', async () => {
    await site.addRule('/nas', { uid: BOB }, 'read')
    const { data } = await site.admin('GET', `user/get?id=${BOB}`)
    await site.admin('POST', 'user/update', { ...data, role: 2, password: '' })
    await site.addRule('/other', { uid: ALICE }, 'read')
    await site.admin('POST', 'user/update', { ...data, role: 0, password: '' })
    await site.settle()
    expect(await list(bob, '/other')).toMatchObject({ code: 403 })
  })
})

describe('two changes at once', () => {
  test('are written by one after the other, and the later one holds', async () => {
    const { arrived, release } = hold('/api/admin/meta/create')
    const first = site.addRule('/nas', { uid: ALICE }, 'read')
    await arrived
    const second = site.addRule('/nas', { uid: BOB }, 'read')
    const ended = Promise.withResolvers<void>()
    site.deps.wait = async () => {
      ended.resolve()
      await scheduler.wait(1)
    }
    release()
    for (const made of await Promise.all([first, second])) expect(made).toMatchObject({ code: 200 })
    await site.settle()
    await runFrequently(site.deps)
    expect(site.openlist.metas.rows).toMatchObject([{ path: '/nas', read_users: [1, ALICE, BOB] }])
    expect(await isSettled(site)).toBe(true)
  })

  test('requests that wait for one another go on together once it is written', async () => {
    await addRules(1, ALICE)
    const others = 9
    const waits = new HeldWaits(others)
    const { arrived, release } = hold('/api/admin/meta/create')
    site.deps.wait = waits.wait
    const asked = Array.from({ length: others + 1 }, () => list(bob))
    await Promise.all([arrived, waits.all])
    release()
    await Promise.race(asked)
    waits.release()
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ code: 200 })
    expect(waits.count).toBe(others)
  })

  test('a request that finds others writing is told to come again in a second', async () => {
    await site.addRule('/nas', { group: 'user' }, 'read')
    const { arrived, release } = hold('/api/share/list')
    const change = site.addRule('/nas', { uid: BOB }, 'none')
    await arrived
    const response = await site.fetch('POST', '/api/fs/list', { token: bob, body: { path: '/' } })
    expect(await response.json()).toMatchObject({ code: 503 })
    expect(response.headers.get('Retry-After')).toBe('1')
    release()
    expect(await change).toMatchObject({ code: 200 })
  })

  test('of which one is killed in the middle: the next request finishes it five seconds later', async () => {
    await site.addRule('/nas', { group: 'user' }, 'read')
    const { arrived, release } = hold('/api/admin/meta/update')
    const killed = site.addRule('/nas', { uid: BOB }, 'none')
    await arrived
    site.deps.wait = () => Promise.resolve()
    site.now += 4 * SECOND
    expect(await list(bob)).toMatchObject({ code: 503 })
    site.now += 1 * SECOND
    expect(await list(bob, '/nas')).toMatchObject({ code: 403 })
    expect(await isSettled(site)).toBe(true)
    release()
    expect(await killed).toMatchObject({ code: 200 })
  })

  test('of which one takes its time keeps the other one out', async () => {
    const beats: (() => void)[] = []
    const spy = vi.spyOn(globalThis, 'setInterval')
    spy.mockImplementation((beat) => {
      beats.push(beat)
      return setTimeout(() => undefined)
    })
    onTestFinished(() => spy.mockRestore())
    await site.addRule('/nas', { group: 'user' }, 'read')
    const { arrived, release } = hold('/api/admin/meta/update')
    const slow = site.addRule('/nas', { uid: BOB }, 'none')
    await arrived
    site.deps.wait = () => Promise.resolve()
    for (let seconds = 0; seconds < 12; seconds += 2) {
      site.now += 2 * SECOND
      for (const beat of beats) beat()
      expect(await list(bob)).toMatchObject({ code: 503 })
    }
    release()
    expect(await slow).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(await list(bob, '/nas')).toMatchObject({ code: 403 })
  })

  test('a request between a change and its write does not get through', async () => {
    await site.addRule('/nas', { group: 'user' }, 'read')
    const { arrived, release } = hold('/api/share/list')
    const change = site.addRule('/nas', { uid: BOB }, 'none')
    await arrived
    // The rule is stored, and nothing is written yet.
    const asked = list(bob, '/nas')
    release()
    expect(await asked).toMatchObject({ code: expect.toSatisfy((code) => code !== 200) })
    expect(await change).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(await list(bob, '/nas')).toMatchObject({ code: 403 })
  })
})

function postAsBob(name: string, body: object) {
  const headers = { 'Content-Length': String(JSON.stringify(body).length) }
  return site.post(`/api/${name}`, body, { token: bob, headers })
}

/** Makes a folder bob's, past the interface: it is written with the next request. */
async function moveBob(basePath: string): Promise<void> {
  await site.db.update(users).set({ basePath }).where(eq(users.id, BOB))
}

const make = () => postAsBob('fs/mkdir', { path: '/closed/x' })
const remove = () => postAsBob('fs/remove', { dir: '/nas', names: ['team'] })

describe('a request of an account that changes meanwhile', () => {
  const NAS = '/nas'
  const changed = { code: 503, message: 'the file server does not answer, try again' }

  beforeEach(async () => {
    await site.addRule('/nas/closed', { uid: BOB }, 'none')
    await moveBob('/home')
    await list(bob)
  })

  test('is for the folder that it was looked at for: its token ended', async () => {
    let isFirst = true
    site.openlist.answer = async ({ path }) => {
      if (path !== '/api/fs/mkdir' || !isFirst) return undefined
      isFirst = false
      const fields = { id: BOB, username: 'bob', base_path: NAS }
      expect(await site.admin('POST', 'user/update', fields)).toMatchObject({ code: 200 })
      await site.settle()
      return undefined
    }
    expect(await make()).toMatchObject(changed)
    expect(site.openlist.folders).toEqual([])
    expect(await make()).toMatchObject({ code: 403 })
  })

  test('is for the folder that it was looked at for: its user was just written', async () => {
    await moveBob('/other')
    site.openlist.between = () => {
      site.openlist.between = undefined
      return moveBob(NAS)
    }
    expect(await make()).toMatchObject(changed)
    expect(site.openlist.folders).toEqual([])
    expect(await make()).toMatchObject({ code: 403 })
  })

  test.each([
    ['a rule', () => site.addRule('/nas/team', { uid: BOB }, 'none'), { code: 403 }],
    ['a folder', () => moveBob('/home'), changed],
    [
      'its end',
      () => site.db.update(users).set({ disabled: true }).where(eq(users.id, BOB)),
      changed,
    ],
  ])('is decided by what holds after it has waited: %s', async (_, change, answer) => {
    await moveBob('/')
    await list(bob)
    // Somebody else writes.
    await addRules(1, BOB)
    const lease = { userId: 0, holder: 'another', endsAt: site.now + 60 * SECOND }
    await site.db.insert(fileLeases).values(lease)
    site.deps.wait = async () => {
      site.deps.wait = async () => undefined
      await site.db.delete(fileLeases)
      await change()
    }
    expect(await remove()).toMatchObject(answer)
    expect(site.openlist.sent.filter(({ path }) => path === '/api/fs/remove')).toEqual([])
  })
})
