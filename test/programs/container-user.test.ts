import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let folder: string
let data: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-user-'))
  chmodSync(folder, 0o755)
  data = join(folder, 'data')
  mkdirSync(data)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Loads everything before it changes its user, who may not be able to read the checkout. */
const CHILD = `
  const { becomeOwner } = await import('./src/programs/container/user.ts')
  const { folder, env, isStart, as } = JSON.parse(process.argv[1])
  if (as !== undefined) {
    process.setgroups([])
    process.setgid(as)
    process.setuid(as)
  }
  try {
    becomeOwner(folder, env, isStart)
    console.log(JSON.stringify({ user: [process.getuid(), process.getgid(), process.getgroups()] }))
  } catch (error) {
    console.log(JSON.stringify({ [error.name]: error.message }))
  }`

interface Options {
  env?: Record<string, string>
  isStart?: boolean
  as?: number
}

/** Becomes the owner of the data in another process. @returns Its user then, or the refusal. */
function become(options: Options = {}): unknown {
  const given = JSON.stringify({ folder: data, env: {}, isStart: true, ...options })
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', CHILD, given], {
    encoding: 'utf8',
  })
  return JSON.parse(child.stdout)
}

function ownerOf(...path: string[]): number[] {
  const { uid, gid } = lstatSync(join(data, ...path))
  return [uid, gid]
}

/** What a site keeps there, and a link of it to a file outside. */
function writeOwn(): void {
  mkdirSync(join(data, '.wrangler/state'), { recursive: true })
  writeFileSync(join(data, '.dev.vars'), '')
  writeFileSync(join(folder, 'outside'), '')
  symlinkSync(join(folder, 'outside'), join(data, '.wrangler/link'))
}

/** Only root can give files away, so these promises are checked where the tests run as root. */
describe.runIf(process.getuid?.() === 0)('started as root (these tests need root)', () => {
  test('an empty folder becomes that of PUID and PGID, and so does the process, without groups', () => {
    expect(become({ env: { PUID: '99', PGID: '100' } })).toEqual({ user: [99, 100, [100]] })
    expect(ownerOf()).toEqual([99, 100])
    expect(ownerOf('backups')).toEqual([99, 100])
    expect(statSync(join(data, 'backups')).mode & 0o777).toBe(0o700)
  })

  test('a folder with the data of a site alone is given away whole, and no link is followed', () => {
    writeOwn()
    expect(become()).toEqual({ user: [1000, 1000, [1000]] })
    for (const path of ['.', '.wrangler', '.wrangler/state', '.wrangler/link', '.dev.vars'])
      expect(ownerOf(path), path).toEqual([1000, 1000])
    expect(ownerOf('../outside')).toEqual([0, 0])
  })

  test('a folder with files of others is refused, and nothing is given away', () => {
    writeOwn()
    writeFileSync(join(data, 'movie.mkv'), '')
    expect(become()).toEqual({
      CommandError: `${data} holds files that are not Latchkey's (movie.mkv): mount an empty folder there, or one with the data of a site alone. Nothing was changed.`,
    })
    for (const path of ['.', '.dev.vars', 'movie.mkv']) expect(ownerOf(path)).toEqual([0, 0])
  })

  test('a command becomes the owner that the data have, and gives nothing away', () => {
    become({ env: { PUID: '99', PGID: '100' } })
    expect(become({ isStart: false })).toEqual({ user: [99, 100, [100]] })
    expect(ownerOf()).toEqual([99, 100])
  })

  test.for(['0', '1e3', '2147483648'])('PUID %s is refused', (id) => {
    expect(become({ env: { PUID: id } })).toEqual({
      CommandError: `PUID must be a number from 1, not "${id}".`,
    })
    expect(ownerOf()).toEqual([0, 0])
  })

  test('another user changes no owner, and is told whose the folder is', () => {
    expect(become({ as: 4321 })).toEqual({
      CommandError: `${data} belongs to 0:0, and Latchkey runs as 4321:4321: on the host, run chown -R 4321:4321 on the folder that is mounted there, or set PUID and PGID to its owner. A folder of NFS, SMB or exFAT can't be used.`,
    })
    expect(ownerOf()).toEqual([0, 0])
  })
})

test('a folder that is not there is refused', () => {
  rmSync(data, { recursive: true })
  expect(become()).toEqual({
    CommandError: `Can't use ${data} (ENOENT): mount a folder there.`,
  })
})
