import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { fileLeases, fileRequests, fileUsers, folderRules, users } from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { ADMIN, GENERAL, MAX_PERMISSION } from '../../src/core/accounts/roles.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CANCELED, PENDING } from '../support/openlist-tasks.ts'
import { arrangeGroups, type GroupsSite, isSettled } from './groups-site.ts'

const ALICE = 3
const BOB = 4

let site: GroupsSite
let bob: string
/** Basic, of an app password of Bob. */
let basic: string
let staff: number
let ruleId: number

beforeEach(async () => {
  const arranged = await arrangeGroups()
  site = arranged.site
  bob = arranged.bob
  await site.db.update(users).set({ permission: MAX_PERMISSION }).where(eq(users.role, GENERAL))
  // What is unpacked may be anywhere in the storage.
  site.openlist.storages['/free'] = 'Local'
  site.openlist.files['/a/c'] = 'c'
  // They are known there.
  for (const token of [arranged.alice, bob])
    await site.post('/api/fs/list', { path: '/' }, { token })
  basic = `Basic ${btoa(`bob:${(await addAppPassword(site, BOB, ['files:write'])).token}`)}`
  staff = await site.addGroup('staff', [ALICE, BOB])
  await site.addRule('/of-staff', { group: 'staff' }, 'read')
  ruleId = (await site.addRule('/ruled', { uid: BOB }, 'write')).data.id
})

type Request = readonly [method: string, path: string, sent: object]

const COPY: Request = ['POST', '/api/fs/copy', { src_dir: '/a', dst_dir: '/b', names: ['c'] }]
const MOVE: Request = ['POST', '/api/fs/move', { src_dir: '/a', dst_dir: '/b', names: ['c'] }]
const RENAME: Request = ['POST', '/api/fs/rename', { path: '/a', name: 'b' }]
const REQUESTS: readonly Request[] = [
  COPY,
  MOVE,
  RENAME,
  ['POST', '/api/fs/batch_rename', { src_dir: '/a', rename_objects: [] }],
  ['POST', '/api/fs/regex_rename', { src_dir: '/a', src_name_regex: 'a' }],
  ['POST', '/api/fs/remove', { dir: '/a', names: ['c'] }],
  ['POST', '/api/fs/remove_empty_directory', { src_dir: '/a' }],
  ['POST', '/api/fs/archive/decompress', { src_dir: '/a', dst_dir: '/free', name: ['c'] }],
  ['POST', '/api/share/create', { files: ['/a'] }],
  ['COPY', '/dav/a', { Destination: '/dav/b' }],
  ['MOVE', '/dav/a', { Destination: '/dav/b' }],
  ['DELETE', '/dav/a', {}],
  ['POST', '/api/fs/mkdir', { path: '/x' }],
  ['MKCOL', '/dav/x', {}],
]

/** Where there are rules, it is for those who may write everything. */
const MOVE_OF_ALL: Request = ['POST', '/api/fs/recursive_move', { src_dir: '/a', dst_dir: '/b' }]

const CHANGES: Readonly<Record<string, () => Promise<{ code: number; data?: unknown }>>> = {
  'rule made': () => site.addRule('/nas/closed', { uid: BOB }, 'none'),
  'rule changed': () => site.admin('POST', 'folder_rule/update', { id: ruleId, access: 'none' }),
  'rule deleted': () => site.admin('POST', `folder_rule/delete?id=${ruleId}`),
  'member removed': () => site.admin('POST', 'group/member/remove', { id: staff, users: [BOB] }),
  'account disabled': () => changeBob({ disabled: true }),
  'other permission': () => changeBob({ permission: 0 }),
  'other base path': () => changeBob({ base_path: '/b' }),
  'account deleted': () => site.admin('POST', `user/delete?id=${BOB}`),
}

function changeBob(change: object) {
  return site.admin('POST', 'user/update', { id: BOB, username: 'bob', ...change })
}

function send([method, path, sent]: Request, signal?: AbortSignal): Promise<Response> {
  if (path.startsWith('/dav'))
    return site.request(path, { method, headers: { Authorization: basic, ...sent } })
  const body = JSON.stringify(sent)
  const headers = { Authorization: bob, 'Content-Length': String(body.length) }
  return site.request(path, { method, headers, body, ...(signal && { signal }) })
}

const list = (token: string, path = '/') => site.post('/api/fs/list', { path }, { token })

const answered = () => Response.json({ code: 200, message: 'success', data: null })

/** Sends a request of Bob, which the file server holds until `release`. */
async function holdRequest(request: Request, signal?: AbortSignal) {
  const held = Promise.withResolvers<Response>()
  const arrived = Promise.withResolvers<void>()
  const [method, path] = request
  site.openlist.answer = (sent) => {
    if (sent.method !== method || !sent.path.startsWith(path)) return undefined
    arrived.resolve()
    return held.promise
  }
  const answer = send(request, signal)
  await Promise.race([arrived.promise, answer.then(({ status }) => expect.fail(`HTTP ${status}`))])
  return { answer, release: (last = answered()) => held.resolve(last) }
}

/** Lets something happen after the looks at the rights for a move of Bob, before it is sent. */
async function moveAround(happens: () => Promise<unknown>) {
  const held = Promise.withResolvers<undefined>()
  const looked = Promise.withResolvers<void>()
  site.openlist.answer = ({ path }) => {
    if (!path.startsWith('/api/admin/storage/list')) return undefined
    looked.resolve()
    return held.promise
  }
  const answer = send(MOVE)
  await looked.promise
  site.openlist.answer = undefined
  await happens()
  held.resolve(undefined)
  const { code }: { code: number } = await (await answer).json()
  const isSent = site.openlist.paths().includes('POST /api/fs/move')
  return { code, isSent, noted: await rows() }
}

const NOT_SENT = { code: 503, isSent: false, noted: [] }

/** Happens at a wait of a change, in place of the time that it takes. */
function atWait(number: number, happens: () => void): void {
  let waits = 0
  const { wait } = site.deps
  site.deps.wait = (milliseconds) => {
    if (++waits === number) happens()
    return wait(milliseconds)
  }
}

function queue(id: string, name = 'something else'): void {
  const copy = { kind: 'copy', name, creator: 'bob', creator_role: 0 }
  site.openlist.tasks.rows.push({ id, ...copy, state: PENDING })
}

/** Holds a copy of Bob, once it has begun while the file server moves a folder. */
function holdCopyDuringMove() {
  const copy: { held?: Awaited<ReturnType<typeof holdRequest>> } = {}
  site.openlist.answer = async ({ path }) => {
    if (path === '/api/fs/move') copy.held ??= await holdRequest(COPY)
    return undefined
  }
  return copy
}

/** Moves a folder with its rules. */
const moveRuled = () => site.admin('POST', 'folder_rule/move', { path: '/ruled', to: '/a/ruled' })

const rows = () => site.db.select().from(fileRequests)

describe('a request that the file server works on', () => {
  test.each(REQUESTS)('is waited for by a change of rights: %s %s', async (...request) => {
    const { answer, release } = await holdRequest(request)
    const order: string[] = []
    atWait(3, () => {
      order.push('the file server is done')
      release()
    })
    const change = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    order.push('the change is answered')
    release()
    expect((await answer).status).toBe(200)
    expect(change).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(order).toEqual(['the file server is done', 'the change is answered'])
    expect(await rows()).toEqual([])
    expect(await isSettled(site)).toBe(true)
  })

  test.each(Object.keys(CHANGES))('ends before the answer, and its task too: %s', async (name) => {
    const { answer, release } = await holdRequest(COPY)
    atWait(2, () => {
      queue('late')
      release()
    })
    const change = await CHANGES[name]?.()
    const states = site.openlist.tasks.rows.map(({ state }) => state)
    release()
    await answer
    expect(change).toMatchObject({ code: 200 })
    expect(states).toEqual([CANCELED])
    expect(await rows()).toEqual([])
  })

  test.each(Object.keys(CHANGES))('is not sent when it comes after: %s', async (name) => {
    const change = async () => expect(await CHANGES[name]?.()).toMatchObject({ code: 200 })
    expect(await moveAround(change)).toEqual(NOT_SENT)
  })

  test('is looked at again also when it ends before the wait', async () => {
    const { answer, release } = await holdRequest(COPY)
    const held = site.openlist.answer
    site.openlist.answer = async (sent) => {
      if (sent.path !== '/api/admin/meta/create') return held?.(sent)
      if ((await rows()).length === 0) return undefined
      queue('late')
      release()
      await answer
      return undefined
    }
    expect(await CHANGES['rule made']?.()).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(site.openlist.tasks.rows).toMatchObject([{ state: CANCELED }])
    expect(await isSettled(site)).toBe(true)
  })

  test('holds a change for nine seconds at most, which then says so', async () => {
    const { answer, release } = await holdRequest(COPY)
    const before = site.now
    const change = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(change).toMatchObject({ code: 200, data: { waiting: 1 } })
    expect(change.data.warnings).toContain('requests_under_way')
    expect(site.now - before).toBe(9100)
    expect(await isSettled(site)).toBe(false)
    expect(await site.admin('POST', 'folder_rule/sync')).toMatchObject({ data: { waiting: 1 } })
    expect(await list(bob, '/nas/closed')).toMatchObject({ code: 403 })
    queue('late')
    release()
    expect(await (await answer).json()).toMatchObject({ code: 200 })
    expect(site.openlist.tasks.rows).toMatchObject([{ state: CANCELED }])
    await runFrequently(site.deps)
    expect(await isSettled(site)).toBe(true)
  })

  test('may take the folder elsewhere before the answer, which says so', async () => {
    site.openlist.folders.push('/nas/closed', '/nas')
    const { answer, release } = await holdRequest(MOVE)
    atWait(1, () => {
      site.openlist.folders.shift()
      release()
    })
    const change = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(change).toMatchObject({ code: 200, data: { waiting: 0, warnings: ['no_folder'] } })
    await answer
  })

  test('may end, and take the folder elsewhere, between the look at it and the rule', async () => {
    site.openlist.folders.push('/nas/closed', '/nas')
    site.openlist.answer = ({ path }) => {
      if (path.startsWith('/api/admin/meta/list') && site.openlist.folders[0] === '/nas/closed')
        site.openlist.folders.shift()
      return undefined
    }
    const change = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(change).toMatchObject({ code: 200, data: { waiting: 0, warnings: ['no_folder'] } })
  })

  test('holds no next request, neither of its user nor of another', async () => {
    const { answer, release } = await holdRequest(COPY)
    const rule = { path: '/nas/closed', access: 'none', createdAt: site.now }
    await site.db.insert(folderRules).values({ ...rule, userId: BOB })
    const before = site.now
    expect(await list(bob, '/nas/closed')).toMatchObject({ code: 403 })
    expect(await list(bob)).toMatchObject({ code: 200 })
    expect(site.now).toBe(before)
    release()
    await answer
  })

  test('comes before another base path, which would make its paths others', async () => {
    const { answer, release } = await holdRequest(COPY)
    await site.db.update(users).set({ basePath: '/b' }).where(eq(users.id, BOB))
    site.openlist.sent.splice(0)
    let order: string[] = []
    atWait(2, () => {
      order = site.openlist.paths()
      release()
    })
    expect(await list(bob)).toMatchObject({ code: 200 })
    await answer
    expect(order).not.toContain('POST /api/admin/user/update')
    expect(site.openlist.paths()).toContain('POST /api/admin/user/update')
  })

  test.each([
    [
      'while its user is written there',
      () =>
        site.db
          .insert(fileLeases)
          .values({ userId: BOB, holder: 'another', endsAt: site.now + 60_000 }),
    ],
    [
      'while its user has another base path there',
      () => site.db.update(fileUsers).set({ basePath: '/b' }).where(eq(fileUsers.userId, BOB)),
    ],
  ])(
    'is not sent %s, also when it had the right one before and has it again',
    async (_, happens) => {
      expect(await moveAround(happens)).toEqual(NOT_SENT)
    },
  )

  test('holds another base path for five seconds at most', async () => {
    const { answer, release } = await holdRequest(COPY)
    await site.db.update(users).set({ basePath: '/b' }).where(eq(users.id, BOB))
    const before = site.now
    expect(await list(bob)).toMatchObject({ code: 200 })
    expect(site.now - before).toBe(5000)
    release()
    await answer
  })

  test('goes on when its client goes away', async () => {
    const gone = new AbortController()
    const { answer, release } = await holdRequest(COPY, gone.signal)
    gone.abort()
    atWait(2, () => {
      queue('late')
      release()
    })
    expect(await CHANGES['rule made']?.()).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(site.openlist.tasks.rows).toMatchObject([{ state: CANCELED }])
    await Promise.allSettled([answer])
    expect(await rows()).toEqual([])
  })

  test.each([
    ['the time limit of this site', undefined, 503],
    ['504 of a proxy', 504, 502],
    ['524 of Cloudflare', 524, 502],
  ])('may go on for ten minutes after %s', async (_, status, code) => {
    const { fileServer } = site.deps
    site.deps.fileServer = () => {
      const files = fileServer()
      return files && { ...files, timeoutMilliseconds: 50 }
    }
    const { answer, release } = await holdRequest(COPY)
    if (status !== undefined) release(new Response('', { status }))
    expect(await (await answer).json()).toMatchObject({ code })
    site.deps.fileServer = fileServer
    expect(await rows()).toMatchObject([{ endsAt: site.now + 10 * 60_000 + 50 }])
    site.now += 50
    const before = site.now
    expect(await CHANGES['rule made']?.()).toMatchObject({ data: { waiting: 1 } })
    expect(site.now, 'nobody sees its end').toBe(before)
    site.now += 10 * 60_000
    await runFrequently(site.deps)
    expect(await isSettled(site)).toBe(true)
    site.openlist.answer = undefined
    await send(RENAME)
    expect(await rows()).toEqual([])
  })

  test.each([
    ['a file server that is down', () => Promise.reject(new Error('refused'))],
    ['a proxy that does not reach it', () => Promise.resolve(new Response('', { status: 502 }))],
    ['a refusal', () => Promise.resolve(Response.json({ code: 403, message: '', data: null }))],
  ])('has ended with %s', async (_, answer) => {
    site.openlist.answer = ({ path }) => (path === '/api/fs/copy' ? answer() : undefined)
    await send(COPY)
    expect(await rows()).toEqual([])
  })

  test('is one of twenty of a user at most', async () => {
    const request = { userId: BOB, rights: '', endsAt: site.now + 60_000 }
    const some = Array.from({ length: 19 }, (_, i) => ({ ...request, id: `${i}` }))
    await site.db.insert(fileRequests).values(some)
    await site.db.insert(fileRequests).values({ ...request, id: 'of alice', userId: ALICE })
    expect(await (await send(COPY)).json()).toMatchObject({ code: 200 })
    await site.db.insert(fileRequests).values({ ...request, id: 'one more' })
    const refused = { code: 429, message: 'too many requests, try again later' }
    expect(await (await send(COPY)).json()).toMatchObject(refused)
    expect((await send(['DELETE', '/dav/a', {}])).status).toBe(429)
    site.now += 60_000
    expect(await (await send(COPY)).json()).toMatchObject({ code: 200 })
  })

  test.each<Request>([
    ['POST', '/api/fs/list', { path: '/' }],
    ['PROPFIND', '/dav/', {}],
    ['PROPPATCH', '/dav/x', {}],
  ])('is not noted when it can take nothing: %s %s', async (...request) => {
    const { answer, release } = await holdRequest(request)
    expect(await rows()).toEqual([])
    release()
    await answer
  })

  test.each(REQUESTS)('is waited for of an admin, too: %s %s', async (...request) => {
    bob = site.adminToken
    await site.db.update(users).set({ role: ADMIN }).where(eq(users.id, BOB))
    const { answer, release } = await holdRequest(request)
    const order: string[] = []
    atWait(2, () => {
      order.push('the file server is done')
      release()
    })
    const change = await site.addRule('/nas/closed', { uid: ALICE }, 'none')
    order.push('the change is answered')
    release()
    await answer
    expect(change).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(order).toEqual(['the file server is done', 'the change is answered'])
    expect(await rows()).toEqual([])
  })

  describe('holds the move of a folder with rules', () => {
    beforeEach(() => void site.openlist.folders.push('/', '/ruled', '/a'))

    test('which could be taken along, until it has ended', async () => {
      const { answer, release } = await holdRequest(COPY)
      let wasMoved: boolean | undefined
      atWait(2, () => {
        wasMoved = site.openlist.folders.includes('/a/ruled')
        release()
      })
      expect(await moveRuled()).toMatchObject({ code: 200, data: { waiting: 0 } })
      await answer
      expect(wasMoved).toBe(false)
      expect(site.openlist.folders).toContain('/a/ruled')
    })

    test('keeps the rules of the old place until one has ended that began meanwhile', async () => {
      const copy = holdCopyDuringMove()
      let during: unknown
      atWait(2, () => {
        during = site.openlist.metas.at('/ruled')
        copy.held?.release()
      })
      expect(await moveRuled()).toMatchObject({ code: 200, data: { waiting: 0 } })
      expect(during).toMatchObject({ path: '/ruled' })
      expect(site.openlist.metas.at('/ruled')).toBeUndefined()
      await copy.held?.answer
    })

    test('leaves the rules at the old place when one that began meanwhile goes on', async () => {
      const copy = holdCopyDuringMove()
      await moveRuled()
      const { data } = await site.admin('GET', 'folder_rule/list?path=/ruled')
      expect(data.total).toBe(1)
      copy.held?.release()
      await copy.held?.answer
    })

    test('for nine seconds at most, and then refuses it', async () => {
      const { answer, release } = await holdRequest(COPY)
      const before = await site.admin('GET', 'folder_rule/list')
      expect(await moveRuled()).toEqual({
        code: 409,
        message: 'copies or moves are under way, try again when they have ended',
        data: null,
      })
      release()
      await answer
      expect(site.openlist.folders).toContain('/ruled')
      expect(await site.admin('GET', 'folder_rule/list')).toEqual(before)
    })
  })
})

describe('where there are no rules, a request that the file server works on', () => {
  beforeEach(async () => {
    await site.db.delete(folderRules)
    await site.admin('POST', 'folder_rule/sync')
  })

  const all = [...REQUESTS, MOVE_OF_ALL]
  test.each(all)('is not noted, and waited for by the first: %s %s', async (...request) => {
    const gone = new AbortController()
    const { answer, release } = await holdRequest(request, gone.signal)
    gone.abort()
    expect(await rows()).toEqual([])
    atWait(3, () => {
      queue('late', 'copy [/](/a) to [/](/b)')
      release()
    })
    const change = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(change).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(site.openlist.tasks.rows).toMatchObject([{ state: CANCELED }])
    await Promise.allSettled([answer])
  })

  test('may take the folder elsewhere before the first rule is answered, which says so', async () => {
    site.openlist.folders.push('/nas/closed', '/nas')
    const { answer, release } = await holdRequest(MOVE)
    atWait(1, () => {
      site.openlist.folders.shift()
      release()
    })
    const change = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(change).toMatchObject({ code: 200, data: { waiting: 0, warnings: ['no_folder'] } })
    await answer
  })

  test('holds the first rule for nine seconds at most, which then says so', async () => {
    const { answer, release } = await holdRequest(COPY)
    const before = site.now
    const change = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(site.now - before).toBe(9100)
    expect(change.data.waiting).toBe(1)
    expect(change.data.warnings).toContain('requests_under_way')
    release()
    await answer
    const next = await site.addRule('/nas/other', { uid: BOB }, 'none')
    expect(next).toMatchObject({ data: { waiting: 0 } })
    expect(next.data.warnings).not.toContain('requests_under_way')
  })

  test('holds a rule no longer than this site waits for its answer', async () => {
    const { answer, release } = await holdRequest(COPY)
    site.now += 60_000
    const before = site.now
    const change = await site.addRule('/nas/closed', { uid: BOB }, 'none')
    expect(change).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(site.now).toBe(before)
    release()
    await answer
  })

  test('holds no change of an account', async () => {
    const { answer, release } = await holdRequest(COPY)
    const before = site.now
    await changeBob({ permission: 0 })
    expect(site.now).toBe(before)
    release()
    await answer
  })
})
