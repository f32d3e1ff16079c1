import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { folderRules, users } from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { GENERAL, MAX_PERMISSION, PERMISSION } from '../../src/core/accounts/roles.ts'
import { needsOfTask } from '../../src/capabilities/groups/task-needs.ts'
import {
  CANCELED,
  CANCELING,
  FAILED,
  PENDING,
  RUNNING,
  type StandInTask,
  SUCCEEDED,
} from '../support/openlist-tasks.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { arrangeGroups, type GroupsSite, isSettled } from './groups-site.ts'

const ALICE = 3
const BOB = 4

let site: GroupsSite
let bob: string
let staff: number
let ruleId: number

beforeEach(async () => {
  const arranged = await arrangeGroups()
  site = arranged.site
  bob = arranged.bob
  await site.db.update(users).set({ permission: MAX_PERMISSION }).where(eq(users.role, GENERAL))
  // They are known there.
  for (const token of [arranged.alice, bob])
    await site.post('/api/fs/list', { path: '/' }, { token })
  for (const path of ['/a', '/nas/a', '/nas/open/a', '/nas/closed/a', '/nas/closed-too/a'])
    site.openlist.files[path] = ''
  // With the first rule of a site, all tasks end.
  await site.addRule('/ruled', { uid: ALICE }, 'read')
})

const COPY = 'copy [/](/nas/closed/a) to [/](/mine)'
const ELSEWHERE = 'copy [/](/a) to [/](/nas/b)'
const NAMES: Readonly<Record<string, string>> = {
  copy: ELSEWHERE,
  move: 'move [/](/nas/a) to [/](/nas/b)',
  upload: 'upload a.txt to [/](/nas/b)',
  decompress: 'decompress [/](/nas/a.zip)[/] to [/nas](/b) with password <>',
  decompress_upload: 'upload a.txt to [/nas](/b)',
  offline_download: 'download https://files.example.org/a to (/nas/b)',
  offline_download_transfer: 'transfer [/](/tmp/a) to [/](/nas/b)',
}

function queue(id: string, task: Partial<StandInTask> = {}): void {
  const copy = { kind: 'copy', name: COPY, creator: 'bob', creator_role: 0, state: PENDING }
  site.openlist.tasks.rows.push({ id, ...copy, ...task })
}

function changeBob(change: object) {
  return site.admin('POST', 'user/update', { id: BOB, username: 'bob', ...change })
}

function ended(): string[] {
  const { rows } = site.openlist.tasks
  return rows.filter(({ state }) => state === CANCELED).map(({ id }) => id)
}

/** The ids of the tasks that were cancelled. */
function cancelled(): string[] {
  return [...site.openlist.tasks.cancelled]
}

describe('with the first rule of a site', () => {
  beforeEach(async () => {
    const { data } = await site.admin('GET', 'folder_rule/list')
    for (const { id } of data.content) await site.admin('POST', `folder_rule/delete?id=${id}`)
  })

  test.each(Object.entries(NAMES))('tasks of users end: %s', async (kind, name) => {
    queue('waits', { kind, name })
    queue('runs', { kind, name, state: RUNNING })
    queue('has failed', { kind, name, state: FAILED })
    queue('is done', { kind, name, state: SUCCEEDED })
    queue('of an admin', { kind, name, creator: 'admin', creator_role: 2 })
    expect(await site.addRule('/far', { uid: ALICE }, 'read')).toMatchObject({ code: 200 })
    expect(cancelled()).toEqual(['waits', 'runs'])
  })

  test('it waits for what runs to end', async () => {
    queue('runs', { state: RUNNING })
    let waits = 0
    const { wait } = site.deps
    site.deps.wait = async (milliseconds) => {
      if (++waits === 3) site.openlist.tasks.rows.length = 0
      return wait(milliseconds)
    }
    const { code, data } = await site.addRule('/far', { uid: ALICE }, 'read')
    expect([code, waits]).toEqual([200, 3])
    expect(data.warnings).not.toContain('tasks_under_way')
  })

  test.each(Object.entries(NAMES))(
    'it warns of what is left, of an administrator too: %s',
    async (kind, name) => {
      const admins = { creator: 'admin', creator_role: 2 }
      queue('of an admin', { kind, name, ...admins, state: RUNNING })
      queue('is done', { kind, name, ...admins, state: SUCCEEDED })
      const { data } = await site.addRule('/far', { uid: ALICE }, 'read')
      expect(data).toMatchObject({ waiting: 0, warnings: ['tasks_under_way'] })
      // What was begun since then was begun under rules.
      const second = await site.addRule('/nas', { uid: ALICE }, 'read')
      expect(second.data.warnings).toEqual([])
    },
  )

  test('it warns of what does not end in time, and of what is not listed', async () => {
    queue('hangs', { state: RUNNING })
    const first = await site.addRule('/far', { uid: ALICE }, 'read')
    expect(first.data.warnings).toContain('tasks_under_way')
    await site.admin('POST', `folder_rule/delete?id=${first.data.id}`)
    site.openlist.tasks.rows.length = 0
    site.openlist.answer = ({ path }) =>
      path === '/api/task/move/undone' ? new Response('', { status: 500 }) : undefined
    const { data } = await site.addRule('/far', { uid: ALICE }, 'read')
    expect(data).toMatchObject({ waiting: 1 })
    expect(data.warnings).toContain('tasks_under_way')
  })

  test('the second ends only what it forbids', async () => {
    await site.addRule('/far', { uid: ALICE }, 'read')
    queue('elsewhere', { name: ELSEWHERE })
    queue('runs elsewhere', { name: ELSEWHERE, state: RUNNING })
    await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(cancelled()).toEqual([])
  })
})

describe('a task at the file server', () => {
  test('is cancelled before the answer to the rule that takes its folder', async () => {
    queue('own')
    queue('of alice', { creator: 'alice' })
    queue('elsewhere', { name: 'copy [/](/nas/open/a) to [/](/mine)' })
    queue('runs', { state: RUNNING })
    queue('waits for a retry', { state: 8 })
    queue('has failed', { state: FAILED })
    queue('of an admin', { creator: 'admin', creator_role: 2 })
    expect(await site.addRule('/nas/closed', { uid: BOB }, 'none')).toMatchObject({ code: 200 })
    expect(cancelled()).toEqual(['own', 'runs', 'waits for a retry'])
  })

  test('is told of when it runs on after that', async () => {
    queue('runs', { state: RUNNING })
    const { data } = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(data).toMatchObject({ waiting: 1, warnings: ['tasks_under_way'] })
    const second = await site.addRule('/nas/closed', { uid: ALICE }, 'read')
    expect(second.data).toMatchObject({ waiting: 1, warnings: ['tasks_under_way'] })
    site.openlist.tasks.rows.length = 0
    queue('ends', { state: RUNNING })
    site.openlist.tasks.endsCancelled = true
    const third = await site.addRule('/nas/closed', { group: 'guest' }, 'none')
    expect(third.data.waiting).toBe(0)
    expect(third.data.warnings).not.toContain('tasks_under_way')
  })

  test.each<[name: string, change: () => Promise<{ code: number; data: unknown }>, data: unknown]>([
    [
      'a rule that is changed',
      () => site.admin('POST', 'folder_rule/update', { id: ruleId, access: 'none' }),
      { waiting: 1 },
    ],
    [
      'a rule that is deleted',
      () => site.admin('POST', `folder_rule/delete?id=${ruleId}`),
      { waiting: 1 },
    ],
    [
      'a member who is removed',
      () => site.admin('POST', 'group/member/remove', { id: staff, users: [BOB] }),
      null,
    ],
    ['a user who is disabled', () => changeBob({ disabled: true }), null],
    ['a user of another base folder', () => changeBob({ base_path: '/mine' }), null],
    ['a user with fewer permissions', () => changeBob({ permission: 0 }), null],
    ['a user who is deleted', () => site.admin('POST', `user/delete?id=${BOB}`), null],
  ])('keeps a change unfinished while it runs on: %s', async (_, change, data) => {
    await site.addRule('/nas/closed', { uid: ALICE }, 'read')
    staff = await site.addGroup('staff', [BOB])
    ruleId = (await site.addRule('/nas/closed', { group: 'staff' }, 'read')).data.id
    queue('runs', { state: RUNNING })
    expect(await change()).toMatchObject({ code: 200, data })
    expect(cancelled()).toEqual(['runs'])
    await site.settle()
    expect(await isSettled(site)).toBe(false)
    expect(await site.post('/api/fs/list', { path: '/' }, { token: bob })).toMatchObject({
      code: expect.toSatisfy((code) => code !== 503),
    })
    site.openlist.tasks.rows.length = 0
    await runFrequently(site.deps)
    expect(await isSettled(site)).toBe(true)
  })

  test('finishes a change when it was cancelled before it began', async () => {
    queue('waits for a worker', { state: CANCELING, start_time: null })
    const { data } = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(data.waiting).toBe(0)
    expect(data.warnings).not.toContain('tasks_under_way')
  })

  test.each([
    ['before the answer', 2, 0],
    ['after it', 20, 1],
  ])('that runs on ends, and what it has queued is cancelled: %s', async (_, end, waiting) => {
    queue('unpacks', { kind: 'decompress', name: NAMES['decompress'] ?? '', state: RUNNING })
    let waits = 0
    const { wait } = site.deps
    site.deps.wait = (milliseconds) => {
      if (++waits === end) {
        site.openlist.tasks.rows.length = 0
        queue('fills', { kind: 'decompress_upload', name: 'upload a to [/nas](/b)' })
      }
      return wait(milliseconds)
    }
    expect(await site.addRule('/nas/closed', { uid: BOB }, 'none')).toMatchObject({
      data: { waiting },
    })
    await site.settle()
    expect(cancelled()).toEqual(['unpacks', 'fills'])
    expect(await isSettled(site)).toBe(true)
  })

  test.each<[kind: string, name: string]>([
    ['copy', 'copy [/](/) to [/other](/)'],
    ['copy', 'copy [/](/x) to [/nas](/closed)'],
    ['copy', 'merge [/](/nas) to [/other](/)'],
    ['move', 'move [/](/nas) to [/other](/)'],
    ['move', 'move [/nas](/closed/a) to [/](/mine)'],
    ['upload', 'upload a.txt to [/](/nas/closed)'],
    ['upload', 'upload closed to [/nas](/)'],
    ['decompress', 'decompress [/](/nas/closed/a.zip)[/] to [/](/mine) with password <>'],
    ['decompress', 'decompress [/](/a.zip)[/in] to [/](/nas) with password <x>'],
    ['decompress_upload', 'upload a.txt to [/](/nas/closed/deep)'],
    ['offline_download', 'download https://files.example.org/a to (/nas/closed)'],
    ['offline_download_transfer', 'transfer [/](/tmp/a) to [/](/nas/closed)'],
    ['offline_download_transfer', 'upload [a](https://files.example.org/a) to [/](/nas/closed)'],
    // Names that lead out of their folder.
    ['copy', 'copy [/](/nas/open/..\\closed) to [/](/mine)'],
    ['decompress', 'decompress [/](/a.zip)[/] to [/](/mine) with password <>'],
    ['decompress_upload', 'upload a to [/nas](/open)'],
    ['offline_download_transfer', 'transfer [](/tmp/a) to [/nas](/open/..\\closed)'],
    // Names that can be read in two ways.
    ['copy', 'copy [/](/x) to [/a](/b) to [/](/mine)'],
    ['upload', 'upload a to [/](/x) to [/](/mine)'],
    ['copy', 'copy [/nas.balance](/x) to [/](/mine)'],
    ['copy', 'something else'],
  ])('is cancelled when it needs what is taken: %s, %s', async (kind, name) => {
    queue('own', { kind, name })
    await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(cancelled()).toEqual(['own'])
  })

  test.each<[kind: string, name: string]>([
    ['copy', 'copy [/](/nas/open) to [/](/mine)'],
    ['move', 'move [/](/nas/closed-too) to [/](/mine)'],
    ['upload', 'upload closed to [/](/mine)'],
    ['decompress', 'decompress [/](/a.zip)[/nas/closed] to [/mine](/) with password <x>'],
    ['decompress_upload', 'upload nas to [/mine](/)'],
    ['offline_download', 'download https://files.example.org/nas/closed to (/mine)'],
    ['offline_download_transfer', 'transfer [/](/nas/closed) to [/](/mine)'],
  ])('stays when it needs something else: %s, %s', async (kind, name) => {
    site.openlist.storages['/mine'] = 'Local'
    queue('own', { kind, name })
    expect(await site.addRule('/nas/closed', { uid: BOB }, 'none')).toMatchObject({
      data: { waiting: 0 },
    })
    expect(cancelled()).toEqual([])
  })

  test('is cancelled when a member leaves a group, and when a user is deleted', async () => {
    const id = await site.addGroup('staff', [ALICE, BOB])
    await site.addRule('/nas/closed', { group: 'staff' }, 'read')
    queue('own')
    queue('of alice', { creator: 'alice' })
    await site.addRule('/mine', { group: 'staff' }, 'write')
    expect(cancelled()).toEqual([])
    await site.admin('POST', 'group/member/remove', { id, users: [BOB] })
    expect(cancelled()).toEqual(['own'])
    queue('elsewhere', { creator: 'alice', name: ELSEWHERE })
    await site.admin('POST', `user/delete?id=${ALICE}`)
    expect(cancelled()).toEqual(['own', 'of alice', 'elsewhere'])
  })

  test.each([
    ['disabled', { disabled: true }],
    ['of another base path', { base_path: '/nas' }],
    ['of another permission', { permission: MAX_PERMISSION & ~PERMISSION.copy }],
  ])('is cancelled before the answer that makes its user %s', async (_, change) => {
    await site.addRule('/x', { uid: ALICE }, 'none')
    queue('own', { name: ELSEWHERE })
    queue('of alice', { creator: 'alice', name: ELSEWHERE })
    queue('moves', { kind: 'move', name: 'move [/](/nas/a) to [/](/nas/b)' })
    expect(await changeBob(change)).toMatchObject({ code: 200 })
    expect(cancelled()).toContain('own')
    expect(cancelled()).not.toContain('of alice')
    expect(cancelled().includes('moves')).toBe('disabled' in change)
  })

  test('is cancelled before its user gives the name away', async () => {
    await site.addRule('/x', { uid: ALICE }, 'none')
    queue('own', { name: ELSEWHERE })
    queue('of alice', { creator: 'alice', name: ELSEWHERE })
    expect(await changeBob({ username: 'robert' })).toMatchObject({ code: 200 })
    expect(cancelled()).toEqual(['own'])
  })

  test.each([
    ['copy', PERMISSION.copy],
    ['move', PERMISSION.move],
    ['upload', PERMISSION.make],
    ['decompress', PERMISSION.decompress],
    ['decompress_upload', PERMISSION.decompress],
    ['offline_download', PERMISSION.offlineDownload],
    ['offline_download_transfer', PERMISSION.offlineDownload],
  ])('is cancelled when its user may not do it any more: %s', async (kind, bit) => {
    site.openlist.storages['/nas'] = 'Local'
    await site.addRule('/x', { uid: ALICE }, 'none')
    queue('own', { kind, name: NAMES[kind] ?? '' })
    await changeBob({ permission: MAX_PERMISSION & ~PERMISSION.seeHidden })
    expect(cancelled()).toEqual([])
    await changeBob({ permission: MAX_PERMISSION & ~bit })
    expect(cancelled()).toEqual(['own'])
  })

  test.each([
    [{ path: '/nas', write: true, w_sub: true }, []],
    [{ path: '/nas/open', write: true }, []],
    [{ path: '/nas', write: true }, ['own']],
    [{ path: '/nas/open', write: false, w_sub: true }, ['own']],
  ])('stays when a meta of OpenList lets everybody upload: %j, %j', async (meta, over) => {
    site.openlist.metas.put(meta)
    await site.addRule('/x', { uid: ALICE }, 'none')
    queue('own', { kind: 'upload', name: 'upload a.txt to [/](/nas/open)' })
    await changeBob({ permission: 0 })
    expect(cancelled()).toEqual(over)
  })

  test('waits no longer for the change than for a file server that hangs, and is cancelled later', async () => {
    await site.addRule('/x', { uid: ALICE }, 'none')
    queue('own')
    site.openlist.answer = ({ path }) =>
      path === '/api/task/copy/undone' ? new Response('', { status: 500 }) : undefined
    expect(await changeBob({ disabled: true })).toMatchObject({ code: 200 })
    expect(cancelled()).toEqual([])
    site.openlist.answer = undefined
    await runFrequently(site.deps)
    expect(cancelled()).toEqual(['own'])
  })

  test('of an unknown user is cancelled where any rule is, and stays elsewhere', async () => {
    queue('there', { creator: 'robert' })
    queue('elsewhere', { creator: 'robert', name: 'copy [/](/a) to [/](/mine)' })
    await site.addRule('/nas/closed', { uid: ALICE }, 'none')
    expect(cancelled()).toEqual(['there'])
  })

  test('that the file server does not list is cancelled later, and something waits meanwhile', async () => {
    queue('own')
    site.openlist.answer = ({ path }) =>
      path === '/api/task/move/undone' ? new Response('', { status: 500 }) : undefined
    expect(await site.addRule('/nas/closed', { uid: BOB }, 'none')).toMatchObject({
      code: 200,
      data: { waiting: 1 },
    })
    expect(await isSettled(site)).toBe(false)
    queue('moved', { kind: 'move', name: 'move [/](/nas) to [/other](/)' })
    site.openlist.answer = undefined
    await runFrequently(site.deps)
    expect(cancelled()).toEqual(['own', 'moved'])
    expect(await isSettled(site)).toBe(true)
  })

  test('is cancelled among very many of others', async () => {
    const name = `copy [/](/${'x'.repeat(1500)}) to [/](/mine)`
    for (let i = 0; i < 6000; i++) queue(`of alice ${i}`, { creator: 'alice', name })
    queue('own')
    expect(await site.addRule('/nas/closed', { uid: BOB }, 'none')).toMatchObject({
      data: { waiting: 0 },
    })
    expect(cancelled()).toEqual(['own'])
  })

  test('is cancelled with the run every five minutes, however its right was taken', async () => {
    await site.addRule('/nas/closed', { uid: BOB }, 'read')
    queue('own', { name: 'copy [/](/nas/closed/a) to [/](/other)' })
    await site.db.update(folderRules).set({ access: 'none' }).where(eq(folderRules.userId, BOB))
    await runFrequently(site.deps)
    expect(cancelled()).toEqual(['own'])
  })

  test.each([
    ['fs/copy', { src_dir: '/nas', dst_dir: '/mine', names: ['closed'] }, 'tasks'],
    ['fs/archive/decompress', { src_dir: '/nas', dst_dir: '/mine', name: ['closed/a'] }, 'task'],
    [
      'fs/add_offline_download',
      { path: '/nas/closed', urls: ['https://files.example.org/a'], tool: 'SimpleHttp' },
      'tasks',
    ],
  ])(
    'is cancelled when it was begun before the change and queued after it: %s',
    async (name, body, member) => {
      await site.addRule('/x', { uid: ALICE }, 'none')
      site.openlist.storages['/mine'] = 'Local'
      site.openlist.files['/nas/closed/a'] = 'a'
      site.openlist.answer = async ({ path }) => {
        if (path !== `/api/${name}`) return undefined
        expect(await site.addRule('/nas/closed', { uid: BOB }, 'none')).toMatchObject({ code: 200 })
        queue('late')
        return Response.json({ code: 200, message: '', data: { [member]: [{ id: 'late' }] } })
      }
      const headers = { 'Content-Length': String(JSON.stringify(body).length) }
      const answer = await site.post(`/api/${name}`, body, { token: bob, headers })
      expect(answer).toMatchObject({ code: 200, data: { [member]: [{ id: 'late' }] } })
      expect(cancelled()).toEqual(['late'])
    },
  )

  test('is cancelled when it is an upload that was begun before the change', async () => {
    await site.addRule('/x', { uid: ALICE }, 'none')
    const task = { id: 'late', name: 'upload a to [/](/nas/closed)' }
    site.openlist.answer = async ({ path }) => {
      if (path !== '/api/fs/put') return undefined
      await site.addRule('/nas/closed', { uid: BOB }, 'none')
      queue('late', { kind: 'upload', ...task })
      return Response.json({ code: 200, message: '', data: { task } })
    }
    const headers = { 'File-Path': '/nas/closed/a', 'As-Task': 'true', 'Content-Length': '1' }
    const answer = await site.fetch('PUT', '/api/fs/put', { token: bob, headers, body: 'a' })
    expect(await answer.json()).toMatchObject({ code: 200, data: { task } })
    expect(cancelled()).toEqual(['late'])
  })

  test.each([
    { disabled: true },
    { permission: MAX_PERMISSION & ~PERMISSION.copy },
    { base_path: '/mine' },
  ])('is cancelled when its user is changed before it is queued: %j', async (change) => {
    await site.addRule('/x', { uid: ALICE }, 'none')
    const body = { src_dir: '/nas', dst_dir: '/mine', names: ['a'] }
    site.openlist.files['/nas/a'] = 'a'
    site.openlist.answer = async ({ path }) => {
      if (path !== '/api/fs/copy') return undefined
      expect(await changeBob(change)).toMatchObject({ code: 200 })
      queue('late', { name: 'copy [/](/nas/a) to [/](/mine)' })
      return Response.json({ code: 200, message: '', data: { tasks: [{ id: 'late' }] } })
    }
    const headers = { 'Content-Length': String(JSON.stringify(body).length) }
    await site.post('/api/fs/copy', body, { token: bob, headers })
    expect(cancelled()).toEqual(['late'])
  })

  test('is cancelled when a name in its folder leads out of it, once it could', async () => {
    const { files } = site.openlist
    files['/nas/bad/d/..\\..\\closed'] = ''
    files['/nas/open/d/b'] = ''
    for (const folder of ['bad', 'bad/d', 'gone', 'open'])
      queue(folder, { name: `copy [/nas](/${folder}) to [/](/mine)` })
    queue('moved', { kind: 'move', name: 'move [/nas](/bad) to [/nas](/b)', state: RUNNING })
    site.openlist.storages = { '/': 'Local', '/nas': 'Local' }
    await site.addRule('/far/closed', { uid: BOB }, 'none')
    expect(cancelled()).toEqual([])
    await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(cancelled()).toEqual(['bad', 'bad/d', 'gone', 'moved'])
  })

  test('is cancelled when a user may make such a name behind its storage', async () => {
    const { openlist } = site
    openlist.storages = { '/': 'Local', '/vault': 'Crypt' }
    openlist.additions = { '/vault': { remote_path: '/raw' } }
    openlist.files['/vault/open/a'] = ''
    queue('a', { name: 'copy [/vault](/open/a) to [/](/mine)' })
    await site.addRule('/raw', { group: 'user' }, 'none')
    await site.addRule('/vault/closed', { uid: BOB }, 'none')
    expect(cancelled()).toEqual([])
    await site.addRule('/raw/deep', { uid: ALICE }, 'write')
    await site.addRule('/x', { uid: BOB }, 'none')
    expect(cancelled()).toEqual(['a'])
  })

  test.each([
    ['decompress', 'decompress [/mine](/a.zip)[/] to [/shown](/b) with password <>'],
    ['decompress_upload', 'upload a.txt to [/shown](/b)'],
  ])('is cancelled when it unpacks into a storage that leads out: %s', async (kind, name) => {
    queue(kind, { kind, name })
    const { openlist } = site
    for (const [driver, shown] of [
      ['S3', ''],
      ['Local', '/elsewhere'],
      ['Local', '/d/nas/open'],
    ] as const) {
      openlist.storages = { '/nas': 'Local', '/shown': driver, '/mine': 'Local' }
      openlist.roots = { '/nas': '/d/nas', '/shown': shown }
      await site.addRule(`/nas/closed-${driver}${shown.length}`, { uid: BOB }, 'none')
      expect(cancelled()).toEqual(shown.startsWith('/d') ? [kind] : [])
    }
    queue('alias', { kind, name })
    openlist.storages['/shown'] = 'Alias'
    await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(cancelled()).toEqual([kind, 'alias'])
  })

  test('costs no trip to D1', async () => {
    await site.addRule('/x', { uid: BOB }, 'none')
    const before = site.meter.roundTrips
    queue('own')
    await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(cancelled()).toEqual(['own'])
    expect(site.meter.roundTrips).toBe(before)
  })
})

function post(name: string, body: unknown, token = bob) {
  const headers = { 'Content-Length': String(JSON.stringify(body).length) }
  return site.post(`/api/task/${name}`, body, { token, headers })
}

/** The tasks that wait and are on no list. */
function unlisted() {
  return site.openlist.tasks.unlisted.map(({ id, state }) => [id, state])
}

describe('a move whose source OpenList deletes when all is done that goes into its folder', () => {
  const MOVE = 'move [/nas](/closed/plan) to [/nas](/inbox)'
  const COPIES = 'copy [/slow](/a) to [/nas](/inbox)'

  beforeEach(() => {
    queue('moved', { kind: 'move', name: MOVE, state: SUCCEEDED })
    queue('moved elsewhere', { kind: 'move', name: ELSEWHERE, state: SUCCEEDED })
    queue('beside', { creator: 'alice', name: 'copy [/slow](/a) to [/nas](/other)' })
  })

  test.each([
    ['copy', COPIES],
    ['copy', 'copy [/slow](/a/b) to [/nas](/inbox/a)'],
    ['upload', 'upload a to [/nas](/inbox)'],
    ['decompress_upload', 'upload a to [/nas](/inbox)'],
    ['copy', 'something else'],
  ])('ends with the rule that closes its source: %s, %s', async (kind, name) => {
    queue('holds it', { kind, name, creator: 'alice' })
    site.openlist.tasks.endsCancelled = true
    const { data } = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(data).toMatchObject({ waiting: 0, warnings: [] })
    const { rows } = site.openlist.tasks
    expect(rows.map(({ id }) => id)).toEqual(['moved elsewhere', 'beside', 'holds it'])
    expect(rows.map(({ state }) => state)).toEqual([SUCCEEDED, PENDING, CANCELED])
  })

  test.each([
    ['of an admin', { creator: 'admin', creator_role: 2 }],
    ['that hangs', { creator: 'alice', state: RUNNING }],
  ])('stays listed while a task is under way there %s', async (_, task) => {
    queue('holds it', { name: COPIES, ...task })
    const { data } = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(data.warnings).toEqual(['tasks_under_way'])
    expect(site.openlist.tasks.rows[0]?.id).toBe('moved')
  })

  /** What users, and an admin, have under way into the folder. */
  function queueIntoInbox(): void {
    queue('holds it', { name: COPIES, creator: 'alice' })
    queue('of an admin', { name: COPIES, creator: 'admin', creator_role: 2 })
    site.openlist.tasks.endsCancelled = true
    site.openlist.files['/nas/closed/plan'] = 'x'
  }

  test('that became a task ends what users have under way there, and is refused', async () => {
    queueIntoInbox()
    let tasks = [{ id: 'late' }]
    const moved = () => ({ code: 200, message: '', data: { tasks } })
    site.openlist.answer = ({ path }) =>
      path === '/api/fs/move' ? Response.json(moved()) : undefined
    const body = { src_dir: '/nas/closed', dst_dir: '/nas/inbox', names: ['plan'] }
    const headers = { 'Content-Length': String(JSON.stringify(body).length) }
    expect(await site.post('/api/fs/move', body, { token: bob, headers })).toMatchObject({
      code: 403,
      message: 'the target is in another storage, copy the files there and delete them here',
    })
    expect(ended()).toEqual(['holds it'])
    tasks = []
    expect(await site.post('/api/fs/move', body, { token: bob, headers })).toEqual(moved())
  })

  test.each<[string, number, string[]]>([
    ['that is made', 201, ['holds it']],
    ['whose file gets no new name', 500, ['holds it']],
    ['that is refused', 403, []],
    ['that may still be made', 504, []],
  ])(
    'by WebDAV ends what users have under way when its source is left: one %s',
    async (...given) => {
      const [, status, ends] = given
      queueIntoInbox()
      const { files } = site.openlist
      let isLeft = false
      site.openlist.answer = ({ path }) => {
        if (path !== '/dav/nas/closed/plan') return undefined
        if (!isLeft) delete files['/nas/closed/plan']
        return new Response('', { status })
      }
      const { token } = await addAppPassword(site, BOB, ['files:write'])
      const headers = {
        Authorization: `Basic ${btoa(`bob:${token}`)}`,
        Destination: '/dav/nas/inbox/plan',
      }
      const move = () => site.fetch('MOVE', '/dav/nas/closed/plan', { headers })
      site.openlist.folders.push('/nas')
      files['/nas/closed/plan'] = 'x'
      expect((await move()).status).toBe(status)
      expect(ended()).toEqual([])
      isLeft = true
      files['/nas/closed/plan'] = 'x'
      expect((await move()).status).toBe(status)
      expect(ended()).toEqual(ends)
    },
  )

  test('is not taken from the list by its user', async () => {
    for (const call of ['delete?tid=moved', 'clear_done', 'clear_succeeded'])
      expect(await post(`move/${call}`, {})).toMatchObject({ code: 403 })
    expect(await post('move/delete_some', ['moved'])).toMatchObject({ code: 403 })
    expect(await post('copy/clear_done', {})).toMatchObject({ code: 200 })
    expect(await post('move/clear_done', {}, site.adminToken)).toMatchObject({ code: 200 })
    const { data } = await site.admin('GET', 'folder_rule/list')
    for (const { id } of data.content) await site.admin('POST', `folder_rule/delete?id=${id}`)
    expect(await post('move/clear_done', {})).toMatchObject({ code: 200 })
  })
})

describe('a task that is deleted from its list', () => {
  const KINDS = [
    'copy',
    'upload',
    'decompress',
    'decompress_upload',
    'offline_download',
    'offline_download_transfer',
  ]

  test.each(KINDS)('is cancelled first: %s', async (kind) => {
    queue('own', { kind })
    queue('another', { kind })
    queue('of alice', { kind, creator: 'alice' })
    queue('has failed', { kind, state: FAILED })
    expect(await post(`${kind}/delete?tid=own&tid=another`, {})).toMatchObject({ code: 200 })
    const some = ['another', 'of alice', 'has failed']
    expect(await post(`${kind}/delete_some`, some)).toMatchObject({
      code: 200,
      data: { 'of alice': 'task not found' },
    })
    expect(unlisted()).toEqual([])
    expect(site.openlist.tasks.rows).toMatchObject([{ id: 'of alice', state: PENDING }])
  })

  test('is cancelled first for an admin, too', async () => {
    queue('own')
    const deleted = await post('copy/delete_some', ['own'], site.adminToken)
    expect(deleted).toMatchObject({ code: 200 })
    expect(unlisted()).toEqual([])
  })

  test.each([
    ['delete?tid=own', {}],
    ['delete_some', ['own']],
  ])('stays in it while it runs: %s', async (call, body) => {
    queue('own', { state: RUNNING })
    const refused = {
      code: 409,
      message: 'this task has not ended yet, try again when it is canceled',
    }
    for (const token of [bob, site.adminToken])
      expect(await post(`copy/${call}`, body, token)).toMatchObject(refused)
    expect(unlisted()).toEqual([])
    const added = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(added.data).toMatchObject({ waiting: 1 })
    const [task] = site.openlist.tasks.rows
    if (task !== undefined) task.state = CANCELED
    expect(await post(`copy/${call}`, body)).toMatchObject({ code: 200 })
  })

  test('stays where it can not be cancelled', async () => {
    queue('own')
    site.openlist.answer = ({ path }) =>
      path === '/api/task/copy/cancel_some' ? new Response('', { status: 500 }) : undefined
    for (const [name, body] of [
      ['copy/delete?tid=own', {}],
      ['copy/delete_some', ['own']],
    ] as const)
      expect(await post(name, body)).toMatchObject({ code: 502 })
    expect(await post('copy/delete_some', { own: 1 })).toMatchObject({ code: 400 })
    expect([site.openlist.tasks.rows.length, unlisted()]).toEqual([1, []])
  })
})

test('a name of a task is read in one way only, and quickly', () => {
  const many = `copy [/](/${'](/) to ['.repeat(20_000)}) to [/](/mine)`
  expect(needsOfTask('copy', many)).toBeUndefined()
  expect(needsOfTask('upload', 'copy [/](/a) to [/](/b)')).toBeUndefined()
  expect(needsOfTask('upload', 'upload [a](b) to [/n](/s)')).toMatchObject([
    { path: '/n/s/[a](b)' },
  ])
})
