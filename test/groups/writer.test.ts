import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, folderMetas, folderRules, groupMembers, groups } from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { loggedLines } from '../support/log.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { isSettled } from './groups-site.ts'

const PASSWORD = 'alice-Passw0rd'

let openlist: OpenListStandIn
let site: CheapSite
let alice: number
let bob: number

beforeEach(async () => {
  openlist = new OpenListStandIn()
  site = new CheapSite(openlist.deps, FILES_BINDINGS)
  await site.addFirstUsers()
  alice = await site.addUser('alice', { password: PASSWORD })
  bob = await site.addUser('bob', { password: PASSWORD })
  for (const name of ['alice', 'bob'])
    await site.post('/api/fs/list', { path: '/' }, { token: await site.token(name, PASSWORD) })
})

type Rule = { [who in 'builtIn' | 'groupId' | 'userId']?: (typeof folderRules.$inferInsert)[who] }

async function addRule(path: string, who: Rule, access: 'none' | 'read' | 'write'): Promise<void> {
  await site.db.insert(folderRules).values({ path, ...who, access, createdAt: site.now })
}

async function removeRules(): Promise<void> {
  await site.db.delete(folderRules)
}

const run = () => runFrequently(site.deps)

/** The events of folders that are not there, or are back. */
async function recorded(): Promise<string[]> {
  const events = await site.db.select().from(auditEvents)
  return events
    .filter(({ kind }) => /^folder_(?:missing|found)$/.test(kind))
    .map(({ kind, detail }) => `${kind} ${detail}`)
}

describe('the five-minute run', () => {
  test('writes a folder with rules: who may, with the admin there', async () => {
    await addRule('/nas', { userId: alice }, 'read')
    expect(await isSettled(site)).toBe(false)
    await run()
    expect(openlist.metas.rows).toMatchObject([
      {
        path: '/nas',
        read_users: [1, alice],
        read_users_sub: true,
        write_users: [1],
        write_users_sub: true,
      },
    ])
    expect(await isSettled(site)).toBe(true)
  })

  test('writes the metas below a folder with rules, and keeps the rest of them', async () => {
    openlist.metas.put({ path: '/nas/sub', readme: 'read me', password: 'x' })
    openlist.metas.put({ path: '/nasty', readme: 'no' })
    await addRule('/nas', { userId: alice }, 'write')
    await run()
    expect(openlist.metas.at('/nas/sub')).toMatchObject({
      read_users: [1, alice],
      write_users: [1, alice],
      readme: 'read me',
      password: 'x',
    })
    expect(openlist.metas.at('/nasty')).toMatchObject({ read_users: null, readme: 'no' })
  })

  test('empties the lists with the last rule, and deletes the empty meta that it made', async () => {
    openlist.metas.put({ path: '/nas/sub', readme: 'read me' })
    await addRule('/nas', { userId: alice }, 'write')
    await run()
    await removeRules()
    await run()
    expect(openlist.metas.rows).toMatchObject([
      { path: '/nas/sub', read_users: [], read_users_sub: false, readme: 'read me' },
    ])
    expect(await site.db.select().from(folderMetas)).toEqual([])
    expect(await isSettled(site)).toBe(true)
  })

  const ABOVE = { password: 'pw', p_sub: true, hide: '^secret$', h_sub: true }

  test('lets a meta that it makes say what the nearest one above says of all below', async () => {
    openlist.metas.put({ path: '/', ...ABOVE, readme: 'of the top', header: 'x', header_sub: true })
    await addRule('/nas/team', { userId: alice }, 'none')
    await run()
    const saying = { ...ABOVE, header: 'x', header_sub: true, readme: '', r_sub: false }
    expect(openlist.metas.at('/nas/team')).toMatchObject(saying)
    await addRule('/nas/team/deep', { userId: alice }, 'read')
    await addRule('/nas', { userId: bob }, 'none')
    await run()
    for (const path of ['/nas', '/nas/team', '/nas/team/deep'])
      expect(openlist.metas.at(path)).toMatchObject(saying)
    await site.db.delete(folderRules)
    await run()
    expect(openlist.metas.rows).toMatchObject([{ path: '/', ...ABOVE }])
  })

  test('puts into its own metas what is said above them later, and leaves what they say', async () => {
    await addRule('/nas', { userId: alice }, 'none')
    await addRule('/nas/team', { userId: alice }, 'none')
    await run()
    openlist.metas.put({ ...openlist.metas.at('/nas/team'), path: '/nas/team', hide: 'own' })
    openlist.metas.put({ path: '/', ...ABOVE })
    await run()
    await run()
    expect(openlist.metas.at('/nas')).toMatchObject(ABOVE)
    expect(openlist.metas.at('/nas/team')).toMatchObject({ ...ABOVE, hide: 'own', h_sub: false })
  })

  test('changes nothing else in a meta of an administrator, who opens a folder with it', async () => {
    openlist.metas.put({ path: '/', ...ABOVE })
    openlist.metas.put({ path: '/nas', readme: 'open' })
    await addRule('/nas', { userId: alice }, 'none')
    await addRule('/nas/team', { userId: alice }, 'none')
    await run()
    for (const path of ['/nas', '/nas/team'])
      expect(openlist.metas.at(path)).toMatchObject({ password: '', p_sub: false, hide: '' })
  })

  test('writes no list where nobody is shut out', async () => {
    await addRule('/nas', { builtIn: 'user' }, 'read')
    await addRule('/nas', { builtIn: 'guest' }, 'read')
    await run()
    expect(openlist.metas.rows).toMatchObject([
      {
        path: '/nas',
        read_users: [],
        read_users_sub: true,
        write_users: [1],
        write_users_sub: true,
      },
    ])
  })

  test('counts the members of a group', async () => {
    const [group] = await site.db
      .insert(groups)
      .values({ name: 'staff', nameKey: 'staff', createdAt: site.now })
      .returning()
    const groupId = group?.id ?? 0
    await site.db
      .insert(groupMembers)
      .values({ groupId, userId: bob, addedAt: site.now, source: 'operator' })
    await addRule('/nas', { groupId }, 'read')
    await run()
    expect(openlist.metas.rows).toMatchObject([{ path: '/nas', read_users: [1, bob] }])
    await site.db.delete(groupMembers)
    await run()
    expect(openlist.metas.rows).toMatchObject([{ path: '/nas', read_users: [1] }])
  })

  test('puts right what somebody has changed at the file server', async () => {
    await addRule('/nas', { userId: alice }, 'read')
    await run()
    openlist.metas.put({ path: '/nas', id: openlist.metas.at('/nas')?.id ?? 0 })
    await run()
    expect(openlist.metas.at('/nas')).toMatchObject({ read_users: [1, alice] })
    const events = await site.db.select().from(auditEvents)
    expect(events.filter(({ kind }) => kind === 'folder_rights_restored')).toMatchObject([
      { detail: '/nas' },
    ])
    openlist.metas.rows.splice(0)
    await run()
    expect(openlist.metas.at('/nas')).toMatchObject({ read_users: [1, alice] })
  })

  test('records once that a folder is not there, and that it is back', async () => {
    await addRule('/nas/closed', { userId: alice }, 'read')
    await addRule('/nas/other', { userId: alice }, 'read')
    openlist.folders.push('/nas/closed', '/nas/other')
    await run()
    expect(await recorded()).toEqual([])
    openlist.folders[0] = '/nas/taken'
    for (let i = 0; i < 3; i++) await run()
    expect(await recorded()).toEqual(['folder_missing /nas/closed'])
    openlist.folders[0] = '/nas/closed'
    for (let i = 0; i < 2; i++) await run()
    expect(await recorded()).toEqual(['folder_missing /nas/closed', 'folder_found /nas/closed'])
    openlist.answer = ({ path }) =>
      path === '/api/fs/get'
        ? Response.json({
            code: 500,
            message: 'failed get storage: storage is not ready',
            data: null,
          })
        : undefined
    await run()
    openlist.answer = undefined
    openlist.folders.length = 0
    openlist.folders.push('/x')
    await run()
    expect((await recorded()).slice(2).toSorted()).toEqual([
      'folder_missing /nas/closed',
      'folder_missing /nas/other',
    ])
  })

  test('looks for twenty folders of many', async () => {
    for (let i = 0; i < 50; i++) await addRule(`/nas/${i}`, { userId: alice }, 'read')
    await run()
    openlist.paths()
    await run()
    const looked = openlist.paths().filter((path) => path === 'POST /api/fs/get')
    expect(looked).toHaveLength(20)
  })

  test('asks nothing when there is no rule', async () => {
    openlist.paths()
    await run()
    expect(openlist.paths().filter((path) => path.includes('meta'))).toEqual([])
  })
})

describe('a write of a meta', () => {
  test.each([
    ['a new meta', async () => undefined],
    ['a changed one', async () => addRule('/nas', { userId: bob }, 'read')],
  ])('is in force although a request came in between: %s', async (_, before) => {
    await before()
    await run()
    const stale = () => {
      openlist.metas.admits(bob, '/nas/x', 'read')
    }
    let times = 0
    openlist.metas.between = async (path) => {
      if (path === '/nas' && times++ === 0) stale()
    }
    await removeRules()
    await addRule('/nas', { userId: alice }, 'read')
    await run()
    expect(times).toBeGreaterThan(1)
    expect(openlist.metas.admits(bob, '/nas/x', 'read')).toBe(false)
    expect(openlist.metas.admits(alice, '/nas/x', 'read')).toBe(true)
  })

  test.each([
    ['the last meta', false],
    ['one of several', true],
  ])('that ends it is in force although a request came in between: %s', async (_, hasOthers) => {
    if (hasOthers) openlist.metas.put({ path: '/other', readme: 'x' })
    await addRule('/nas', { userId: alice }, 'read')
    await run()
    let times = 0
    openlist.metas.between = async (path) => {
      if (path === '/nas' && times++ === 0) openlist.metas.admits(bob, '/nas/x', 'read')
    }
    await removeRules()
    await run()
    expect(openlist.metas.admits(bob, '/nas/x', 'read')).toBe(true)
    expect(openlist.metas.rows.map(({ path }) => path)).toEqual(hasOthers ? ['/other'] : [])
  })
})

describe('shares', () => {
  test('of who may no longer read all of it are disabled', async () => {
    const share = { disabled: false, creator_role: 0 }
    openlist.shares.rows.push(
      { ...share, id: 'a', files: ['/nas'], creator: 'alice' },
      { ...share, id: 'b', files: ['/nas'], creator: 'bob' },
      { ...share, id: 'c', files: ['/'], creator: 'bob' },
      { ...share, id: 'd', files: ['/pub'], creator: 'bob' },
      { ...share, id: 'e', files: ['/nas'], creator: 'stranger' },
      { ...share, id: 'f', files: ['/nas'], creator: 'admin', creator_role: 2 },
    )
    await addRule('/nas', { userId: alice }, 'read')
    await run()
    expect(openlist.shares.rows.filter(({ disabled }) => disabled).map(({ id }) => id)).toEqual([
      'b',
      'c',
      'e',
    ])
    const events = await site.db.select().from(auditEvents)
    expect(events.filter(({ kind }) => kind === 'share_disabled')).toMatchObject([
      { userId: bob, detail: '/nas' },
      { userId: bob, detail: '/' },
      { userId: null, detail: '/nas' },
    ])
  })

  test('are disabled though one of nobody hides the list', async () => {
    const share = { files: ['/nas'], disabled: false, creator: 'bob', creator_role: 0 }
    openlist.shares.rows.push(
      { ...share, id: 'a' },
      { ...share, id: 'b', creatorId: 99 },
      { ...share, id: 'c' },
    )
    await addRule('/nas', { userId: alice }, 'read')
    await run()
    expect(openlist.shares.rows.map(({ disabled }) => disabled)).toEqual([true, false, true])
    expect(await isSettled(site)).toBe(false)
    expect(loggedLines("1 shares can't be listed")).not.toEqual([])
  })

  test('that a visit opens again meanwhile are disabled again', async () => {
    openlist.shares.rows.push({
      id: 'b',
      files: ['/nas'],
      creator: 'bob',
      disabled: false,
      creator_role: 0,
    })
    let times = 0
    openlist.shares.disabled = (share) => {
      if (times++ === 0) share.disabled = false
    }
    await addRule('/nas', { userId: alice }, 'read')
    await run()
    expect(openlist.shares.rows).toMatchObject([{ id: 'b', disabled: true }])
  })
})
