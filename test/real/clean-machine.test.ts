import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../support/free-port.ts'

const MINUTE = 60_000

function missing(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can make a machine of its own'
  const tries = [
    ['dpkg-query', '--version'],
    ['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()],
  ]
  const failing = tries.find(([name = '', ...args]) => spawnSync(name, args).status !== 0)
  return failing && `${failing.join(' ')} does not work here`
}

/** Runs a command in a clone of this project on a machine that has only what the README names. */
function onCleanMachine(command: string) {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-machine-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const script = ['test/real/clean-machine.sh', root, process.cwd(), command]
  return spawnSync('unshare', ['--mount', '--pid', '--fork', 'bash', ...script], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
}

test('the first command of the README serves a site on a machine with Node and git alone', async ({
  skip,
}) => {
  const reason = missing()
  skip(reason !== undefined, reason)
  const port = await freePort()
  const asked = `fetch('http://127.0.0.1:${port}/ping').then(async (answer) => console.log(await answer.text()))`
  const { status, stdout } = onCleanMachine(
    `npm ci >/dev/null 2>&1 && (PORT=${port} npm start & pid=$!
     until node -e "${asked}" 2>/dev/null; do kill -0 $pid; sleep 1; done; kill $pid; wait)`,
  )
  expect(stdout).toContain('pong')
  expect(stdout).toMatch(/^ {2}password {2}\S{20}$/m)
  expect(status).toBe(0)
})

test(
  'npm test passes there, and says what it skips',
  ({ skip }) => {
    const reason = missing()
    skip(reason !== undefined, reason)
    const { stdout } = onCleanMachine('npm ci >/dev/null 2>&1 && npm test 2>&1')
    const lines = stripVTControlCharacters(stdout).split('\n')
    console.log(lines.filter((line) => /^ +(?:Tests|Duration) |↓|^ FAIL/.test(line)).join('\n'))
    expect(lines.filter((line) => line.startsWith(' FAIL'))).toEqual([])
    expect(stdout).toMatch(/Tests .*passed/)
  },
  // All tests of the project run in it.
  40 * MINUTE,
)
