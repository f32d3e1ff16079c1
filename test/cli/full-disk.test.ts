import { spawnSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { Client } from '../support/client.ts'
import { freePort } from '../support/free-port.ts'

const FULL = 'The disk is full: make room, then run this again. What was saved is safe.\n'
const READ_ONLY =
  /^The data of this site can't be written, because its disk or folder is read-only: .*\n$/m

/** A site on a small disk of its own. @returns `undefined` where none can be mounted. */
function siteOnSmallDisk() {
  const disk = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  const mount = (...args: string[]) => spawnSync('mount', [...args, disk])
  const { status } = mount('-t', 'tmpfs', '-o', 'size=8m', 'tmpfs')
  if (status !== 0) return undefined
  const from = inject('startedSite')
  onTestFinished(() => {
    spawnSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true })
  })
  for (const name of ['.build', 'src', 'schema', 'package.json', 'tsconfig.json', 'node_modules'])
    symlinkSync(join(from, name), join(disk, name))
  for (const name of ['wrangler.toml', '.dev.vars', '.wrangler'])
    cpSync(join(from, name), join(disk, name), { recursive: true })
  return {
    disk,
    fill() {
      const file = openSync(join(disk, 'filling'), 'w')
      try {
        for (;;) writeFileSync(file, Buffer.alloc(1024))
      } catch {
        closeSync(file)
      }
    },
    makeReadOnly: () => mount('-o', 'remount,ro'),
    run: (...args: string[]) =>
      spawnSync(process.execPath, ['src/programs/launch.cjs', ...args], {
        cwd: disk,
        encoding: 'utf8',
      }),
  }
}

test('commands say that the disk is full, or read-only', ({ skip }) => {
  const site = siteOnSmallDisk()
  skip(site === undefined, 'no disk can be mounted here')
  if (site === undefined) return
  const backup = join(site.disk, 'backup.sqlite')
  site.fill()
  for (const command of [['backup', backup], ['user', 'add', 'bob', '--generate'], ['doctor']])
    expect(site.run('main', ...command)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(FULL),
    })
  rmSync(join(site.disk, 'filling'))
  expect(site.makeReadOnly().status).toBe(0)
  for (const command of [['doctor'], ['user', 'list']])
    expect(site.run('main', ...command)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(READ_ONLY),
    })
})

test.runIf(process.platform === 'linux')('a log on a full disk ends no site', async () => {
  const clone = new Clone(inject('startedSite'))
  onTestFinished(() => clone.remove())
  const port = await freePort()
  const service = clone.shell('exec node src/programs/launch.cjs start > /dev/full', { PORT: port })
  await service.until("The log can't be written (ENOSPC): the site goes on without it.\n")
  const client = new Client(`http://127.0.0.1:${port}`)
  await expect
    .poll(() => client.signIn('admin', ADMIN_PASSWORD).catch(() => undefined), { timeout: 60_000 })
    .toMatchObject({ code: 200 })
  expect(await service.stop()).toMatchObject({ code: 0 })
})
