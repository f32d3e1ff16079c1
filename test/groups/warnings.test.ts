import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readFoldersThere } from '../../src/capabilities/groups/folders-there.ts'
import { arrangeGroups, type GroupsSite } from './groups-site.ts'

/** Alice has the base path `/` and no permission; Erin has a base path and all permissions. */
const ALICE = 3
let erin: number
let site: GroupsSite

beforeEach(async () => {
  ;({ site } = await arrangeGroups())
  erin = await site.addUser('erin', { basePath: '/homes/erin', permission: 0xffff })
  await site.addGroup('staff', [ALICE, erin])
  site.openlist.folders.push('/nas', '/homes', '/homes/erin')
})

const warningsOf = async (path: string, whose: object, access: string) => {
  const rule = { path, ...whose, access }
  return (await site.admin('POST', 'folder_rule/create', rule)).data.warnings
}

/** The second paths of folders with rules that have none, as the page of folders shows them. */
async function pathsWithoutRules() {
  const files = site.deps.fileServer()
  if (files === undefined) throw new TypeError('no file server')
  const { data } = await site.admin('GET', 'folder_rule/list')
  const ruled = data.content.map(({ path }: { path: string }) => path)
  return (await readFoldersThere(site.deps, files, ruled, 1000))?.secondPaths
}

describe('a new rule is told to be weaker than it looks', () => {
  test('when nothing is wrong: not at all', async () => {
    expect(await warningsOf('/nas', { uid: ALICE }, 'read')).toEqual([])
    expect(await warningsOf('/homes/erin', { uid: erin }, 'write')).toEqual([])
    expect(await warningsOf('/nas', { group: 'user' }, 'write')).toEqual([])
  })

  test('when the base path hides the folder', async () => {
    expect(await warningsOf('/nas', { uid: erin }, 'read')).toEqual(['out_of_reach'])
    expect(await warningsOf('/homes', { group: 'staff' }, 'read')).toEqual(['out_of_reach'])
  })

  test('when no permission lets the user write', async () => {
    expect(await warningsOf('/nas', { uid: ALICE }, 'write')).toEqual(['no_bits'])
  })

  test('when who signs out may read it', async () => {
    expect(await warningsOf('/nas', { group: 'user' }, 'none')).toEqual([])
    const guest = { id: 2, username: 'guest', role: 1, base_path: '/', permission: 0 }
    const enabled = await site.admin('POST', 'user/update', { ...guest, disabled: false })
    expect(enabled).toMatchObject({ code: 200 })
    expect(await warningsOf('/homes', { group: 'user' }, 'none')).toEqual(['open_to_guest'])

    expect(await warningsOf('/homes', { uid: erin }, 'read')).toEqual(['out_of_reach'])
    expect(await warningsOf('/nas', { group: 'guest' }, 'none')).toEqual([])
  })

  test('when there is no such folder', async () => {
    expect(await warningsOf('/gone', { uid: ALICE }, 'none')).toEqual(['no_folder'])
  })

  test('when links have no signature', async () => {
    site.openlist.settings['sign_all'] = 'false'
    expect(await warningsOf('/nas', { uid: ALICE }, 'read')).toEqual(['unsigned_links'])
  })

  test.each(['Alias', 'Crypt', 'Strm', 'Chunk'])(
    'when a storage has a second path to it: %s',
    async (driver) => {
      site.openlist.storages['/second'] = driver
      site.openlist.storages['/nas/below'] = driver
      expect(await warningsOf('/nas', { uid: ALICE }, 'read')).toEqual(['other_path'])
    },
  )

  test.each([
    ['the folder', 'Alias', { paths: 'x\n /nas \n' }, ['other_path']],
    ['a folder in it, by a name', 'Alias', { paths: 'pictures:/nas/a' }, ['other_path']],
    ['a folder above it', 'Strm', { paths: '/other\n/' }, ['other_path']],
    ['another spelling of it', 'Alias', { paths: '/NAS' }, ['other_path']],
    ['nothing that can be read', 'Crypt', { remote_path: '' }, ['other_path']],
    ['another folder', 'Alias', { paths: 'nas:/nas2\n/other' }, []],
    ['what it decrypts', 'Crypt', { remote_path: '/nas/' }, ['other_path']],
    ['what it decrypts elsewhere', 'Crypt', { remote_path: '/vault' }, []],
    ['what it puts together elsewhere', 'Chunk', { remote_path: '/vault' }, []],
  ])('when a storage shows %s (%s)', async (_, driver, addition, warnings) => {
    site.openlist.storages = { '/': 'Local', '/second': driver }
    site.openlist.additions = { '/second': addition }
    expect(await warningsOf('/nas', { uid: ALICE }, 'read')).toEqual(warnings)
  })

  test('when it is in a storage that shows other places', async () => {
    site.openlist.folders.push('/shown/club')
    site.openlist.storages = { '/': 'Local', '/shown': 'Alias' }
    site.openlist.additions = { '/shown': { paths: '/homes' } }
    expect(await warningsOf('/shown/club', { uid: ALICE }, 'read')).toEqual(['other_path'])
    expect(await warningsOf('/nas', { uid: ALICE }, 'read')).toEqual([])
    expect(await pathsWithoutRules()).toEqual(['/homes'])
    await warningsOf('/homes', { uid: ALICE }, 'none')
    expect(await pathsWithoutRules()).toEqual([])
  })

  test('when a storage shows it through another one', async () => {
    site.openlist.folders.push('/nas/club')
    site.openlist.storages = { '/': 'Local', '/nas/second.balance1': 'Alias', '/third': 'Alias' }
    site.openlist.additions = {
      '/nas/second.balance1': { paths: '/nas' },
      '/third': { paths: '/nas/second/a' },
    }
    expect(await warningsOf('/nas/club', { uid: ALICE }, 'none')).toEqual(['other_path'])
    site.openlist.additions['/nas/second.balance1'] = { paths: '/homes' }
    expect(await warningsOf('/nas/club', { group: 'guest' }, 'none')).toEqual([])
  })

  test.each([
    ['the same folder', '/second', '/srv/media/nas/', ['other_path']],
    ['a folder in it', '/second', '/srv/media/nas/a', ['other_path']],
    ['a folder above it', '/second', '/srv/./other/../media', ['other_path']],
    ['the whole disk', '/second', '/', ['other_path']],
    ['a folder in it, below it', '/nas/below', '/srv/media/nas/a', []],
    ['a folder whose name begins as its own', '/second', '/srv/media/nas2', []],
    ['another folder', '/second', '/srv/other', []],
  ])('when a local storage shows %s', async (_, mount, root, warnings) => {
    site.openlist.storages = { '/': 'Local', [mount]: 'Local', '/cloud': 'S3' }
    site.openlist.roots = { '/': '/srv/media', [mount]: root, '/cloud': '/srv/media/nas' }
    expect(await warningsOf('/nas', { uid: ALICE }, 'read')).toEqual(warnings)
  })

  test.each([
    ['beside the folder', '/srv/media/.trash', ['other_path']],
    ['above its storage', '/srv', []],
    ['in the folder itself', '/srv/media/nas/.trash', []],
    ['in another storage', '/srv/other/bin', ['other_path']],
    ['where nothing shows it', '/var/trash', []],
    ['nowhere', '', []],
  ])('when what is deleted in it is kept %s', async (_, bin, warnings) => {
    site.openlist.storages = { '/': 'Local', '/second': 'Local' }
    site.openlist.roots = { '/': '/srv/media', '/second': '/srv/other' }
    site.openlist.bins = { '/': bin }
    expect(await warningsOf('/nas', { uid: ALICE }, 'read')).toEqual(warnings)
  })

  test('when it is one of several storages at one path', async () => {
    site.openlist.storages = { '/nas.balance': 'S3', '/nas.balance1': 'Local', '/second': 'Local' }
    site.openlist.roots = { '/nas.balance1': '/srv/nas', '/second': '/srv' }
    site.openlist.folders.push('/nas/club')
    expect(await warningsOf('/nas/club', { uid: ALICE }, 'read')).toEqual(['other_path'])
    site.openlist.roots['/second'] = '/srv/other'
    expect(await warningsOf('/nas', { uid: ALICE }, 'read')).toEqual([])
  })

  test('when a local storage in it is shown elsewhere, as long as no rule is there', async () => {
    site.openlist.storages = { '/nas/disk': 'Local', '/all': 'Local' }
    site.openlist.roots = { '/nas/disk': '/srv/disk', '/all': '/srv' }
    site.openlist.folders.push('/all', '/all/disk', '/nas/disk')
    expect(await warningsOf('/nas', { uid: ALICE }, 'read')).toEqual(['other_path'])
    expect(await pathsWithoutRules()).toEqual(['/all/disk'])
    await warningsOf('/all/disk', { uid: ALICE }, 'read')
    expect(await pathsWithoutRules()).toEqual([])
  })
})

describe('a storage that does not answer', () => {
  let isHanging = false
  /** How long each look at it was to take, in milliseconds. */
  let looks: number[]

  beforeEach(() => {
    const { openlist } = site
    openlist.storages['/second'] = 'Alias'
    looks = []
    let asked = 0
    // Time passes fifty times faster.
    const wait = globalThis.setTimeout
    const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation((act, milliseconds = 0) => {
      asked = milliseconds
      return wait(act, milliseconds / 50)
    })
    onTestFinished(() => spy.mockRestore())
    const send = openlist.send.bind(openlist)
    openlist.send = (url, init) => {
      if (!isHanging || !url.endsWith('/api/fs/get')) return send(url, init)
      looks.push(asked)
      return new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
      })
    }
  })

  test.each([
    ['a rule is made in time', true],
    ['what is said of the rule is said in time', false],
  ])('is not waited for: %s', async (_, hangsBefore) => {
    isHanging = hangsBefore
    site.openlist.answer = ({ path }) => {
      // The rule is stored by then.
      if (path === '/api/share/list') isHanging = true
      return undefined
    }
    const made = await site.addRule('/gone', { uid: ALICE }, 'none')
    expect(made).toMatchObject({ code: 200, data: { waiting: 0, warnings: ['other_path'] } })
    expect(looks).toEqual([2500])
  })
})
