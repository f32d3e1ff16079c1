import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Program } from '../support/program.ts'

const ENTRY = ['src/programs/launch.cjs', 'container/main']

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-entry-'))
  chmodSync(folder, 0o755)
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the entry says what is wrong in one line, and exits with 1', () => {
  const data = join(folder, 'data')
  mkdirSync(data)
  const secret = join(folder, 'empty')
  writeFileSync(secret, '\n')
  const given: [env: Record<string, string>, message: RegExp][] = [
    [
      { FILES_TOKEN: 'a', FILES_TOKEN_FILE: secret },
      /^FILES_TOKEN and FILES_TOKEN_FILE are both set: keep one of them\.\n$/,
    ],
    [{ SMTP_URL_FILE: secret }, /^SMTP_URL_FILE names an empty file: \S+\.\n$/],
    [{ SMTP_URL_FILE: folder }, /^Can't read \S+ \(SMTP_URL_FILE\) as the user \d+: E\w+\.\n$/],
    [{ LOG: 'loud' }, /^LOG must be text, json or errors\.\n$/],
    [
      { LATCHKEY_DATA: join(folder, 'none') },
      /^Can't use \S+ \(ENOENT\): mount a folder there\.\n$/,
    ],
  ]
  for (const [env, message] of given) {
    const ended = spawnSync(process.execPath, ENTRY, {
      env: { ...process.env, LATCHKEY_DATA: data, ...env },
      encoding: 'utf8',
    })
    expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(message) })
  }
  expect(readdirSync(data)).toEqual(['backups'])
})

const IN_NAMESPACE = ['--pid', '--fork', '--kill-child']

/** Returns why this machine can't give a program the process id 1; `undefined` when it can. */
function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can make process 1'
  const { status } = spawnSync('unshare', [...IN_NAMESPACE, 'true'])
  return status === 0 ? undefined : 'unshare makes no namespace of processes here'
}

test('SIGTERM ends process 1 before the site has begun to start', async ({ skip }) => {
  const reason = whyNot()
  skip(reason !== undefined, reason)
  const data = join(folder, 'data')
  mkdirSync(data)
  const openList = join(folder, 'openlist')
  mkdirSync(openList)
  // The entry makes `backups`, then waits for the token of an OpenList that has not started.
  const begun = new Promise((resolve) => {
    const watcher = watch(data, () => {
      watcher.close()
      resolve(undefined)
    })
  })
  const entry = new Program('unshare', [...IN_NAMESPACE, process.execPath, ...ENTRY], {
    env: { ...process.env, LATCHKEY_DATA: data, OPENLIST_DATA: openList },
  })
  try {
    await begun
    const [first] = readFileSync(`/proc/${entry.pid}/task/${entry.pid}/children`, 'utf8').split(' ')
    process.kill(Number(first), 'SIGTERM')
    expect(await entry.ended).toEqual({ code: 0, stdout: '', stderr: '' })
  } finally {
    await entry.kill()
  }
})
