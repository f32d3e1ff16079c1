import { beforeEach, describe, expect, test } from 'vitest'
import { arrangeGroups, type GroupsSite } from './groups-site.ts'

const ALICE = 3
const REFUSED = {
  code: 403,
  message: 'the users of this folder come from its rules',
  data: null,
}

let site: GroupsSite

/** Alice may read `/nas`, and nobody else. */
beforeEach(async () => {
  let alice: string
  ;({ site, alice } = await arrangeGroups())
  await site.post('/api/fs/list', { path: '/' }, { token: alice })
  const rule = { path: '/nas', uid: ALICE, access: 'read' }
  await site.admin('POST', 'folder_rule/create', rule)
})

const there = (path: string) => site.openlist.metas.at(path)
const idOf = (path: string) => there(path)?.id ?? 0
const LISTS = {
  read_users: [1, ALICE],
  read_users_sub: true,
  write_users: [1],
  write_users_sub: true,
}

describe('a meta that an admin writes through the gateway', () => {
  test.each([
    ['empty lists', {}],
    ['null', { read_users: null, write_users: null }],
    ['the lists of the rules', LISTS],
    ['these without the admin there', { read_users: [ALICE], write_users: [] }],
    ['names in other cases', { Read_Users: [4], READ_USERS_SUB: false }],
  ])('gets the users of the rules below a folder: %s', async (_, lists) => {
    const body = { path: '/nas/sub/', readme: 'read me', ...lists }
    expect(await site.admin('POST', 'meta/create', body)).toMatchObject({ code: 200 })
    expect(there('/nas/sub')).toMatchObject({ readme: 'read me', ...LISTS })
    const update = { ...body, id: idOf('/nas/sub'), readme: 'again' }
    expect(await site.admin('POST', 'meta/update', update)).toMatchObject({ code: 200 })
    expect(there('/nas/sub')).toMatchObject({ readme: 'again', ...LISTS })
  })

  test.each([
    ['others', { read_users: [1, 4] }],
    ['the index alone', { read_users: [1], write_users: [1, ALICE] }],
  ])('is refused with lists of its own there: %s', async (_, lists) => {
    for (const body of [
      { path: '/nas/sub', ...lists },
      { path: '/nas\\.\\sub', ...lists },
    ])
      expect(await site.admin('POST', 'meta/create', body)).toEqual(REFUSED)
    const update = { id: idOf('/nas'), path: '/nas', ...lists }
    expect(await site.admin('POST', 'meta/update', update)).toEqual(REFUSED)
    expect(site.openlist.metas.rows).toMatchObject([{ path: '/nas', ...LISTS }])
  })

  test('keeps what else it says: the page sends the record as it came', async () => {
    const { data } = await site.admin('GET', 'meta/list')
    const [meta] = data.content
    const update = { ...meta, readme: 'read me', password: 'x' }
    expect(await site.admin('POST', 'meta/update', update)).toMatchObject({ code: 200 })
    expect(there('/nas')).toMatchObject({ ...LISTS, readme: 'read me', password: 'x' })
  })

  test('says the same in the metas of rules below, with the answer', async () => {
    const above = { path: '/', password: 'pw', p_sub: true, hide: '^secret$', h_sub: true }
    expect(await site.admin('POST', 'meta/create', above)).toMatchObject({ code: 200 })
    expect(there('/nas')).toMatchObject({ ...LISTS, ...above, path: '/nas' })
    const other = {
      id: idOf('/'),
      path: '/',
      password: 'new',
      p_sub: true,
      write: true,
      w_sub: true,
    }
    expect(await site.admin('POST', 'meta/update', other)).toMatchObject({ code: 200 })
    const follows = {
      password: 'new',
      p_sub: true,
      hide: '',
      h_sub: false,
      write: true,
      w_sub: true,
    }
    expect(there('/nas')).toMatchObject({ ...LISTS, ...follows })
    const own = { ...there('/nas'), password: 'of nas' }
    expect(await site.admin('POST', 'meta/update', own)).toMatchObject({ code: 200 })
    expect(await site.admin('POST', 'meta/update', { id: idOf('/'), path: '/' })).toMatchObject({
      code: 200,
    })
    expect(there('/nas')).toMatchObject({
      ...LISTS,
      password: 'of nas',
      write: false,
      w_sub: false,
    })
  })

  test('stays at its path when the folder has rules, and is not deleted', async () => {
    const update = { id: idOf('/nas'), path: '/elsewhere', ...LISTS }
    expect(await site.admin('POST', 'meta/update', update)).toEqual(REFUSED)
    expect(await site.admin('POST', `meta/delete?id=${idOf('/nas')}`)).toEqual(REFUSED)
    expect(await site.admin('POST', `meta/delete?id=%2B${idOf('/nas')}`)).toEqual(REFUSED)
    expect(there('/nas')).toMatchObject(LISTS)
  })

  test('leaves the users of the rules behind when it leaves the folder', async () => {
    await site.admin('POST', 'meta/create', { path: '/nas/sub', readme: 'read me' })
    const update = { id: idOf('/nas/sub'), path: '/elsewhere', readme: 'read me', ...LISTS }
    expect(await site.admin('POST', 'meta/update', update)).toMatchObject({ code: 200 })
    expect(there('/elsewhere')).toMatchObject({ read_users: [], write_users: [] })
  })

  test('below the folder may go, and nothing of it stays in memory there', async () => {
    const { openlist } = site
    await site.admin('POST', 'meta/create', { path: '/nas/sub', readme: 'read me' })
    let times = 0
    openlist.metas.between = async (path) => {
      if (path === '/nas/sub' && times++ === 0) openlist.metas.admits(ALICE, path, 'read')
    }
    const deleted = await site.admin('POST', `meta/delete?id=${idOf('/nas/sub')}`)
    expect(deleted).toMatchObject({ code: 200 })
    expect(there('/nas/sub')).toBeUndefined()
    await site.admin('POST', 'folder_rule/create', { path: '/nas', group: 'user', access: 'none' })
    const { data } = await site.admin('GET', `folder_rule/list?uid=${ALICE}`)
    await site.admin('POST', `folder_rule/delete?id=${data.content[0].id}`)
    expect(openlist.metas.admits(ALICE, '/nas/sub', 'read')).toBe(false)
  })

  test('of another folder is what the admin says', async () => {
    const body = { path: '/other', read_users: [1, 4], readme: 'read me' }
    expect(await site.admin('POST', 'meta/create', body)).toMatchObject({ code: 200 })
    expect(there('/other')).toMatchObject({ read_users: [1, 4], read_users_sub: false })
  })

  test('is read as JSON, and not from the query', async () => {
    const { openlist } = site
    openlist.sent.splice(0)
    await site.admin('POST', 'meta/create?path=/nas/sub&read_users=4', { path: '/nas/sub' })
    const sent = openlist.sent.find(({ path }) => path.startsWith('/api/admin/meta/create'))
    expect(sent?.path).toBe('/api/admin/meta/create')
    expect(sent?.headers.get('Content-Type')).toBe('application/json')
  })
})
