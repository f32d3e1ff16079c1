import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { onCleanMachine, reasonAgainstMachine } from './clean-machine.ts'

const MINUTE = 60_000

test('the first command of the README serves a site on a machine with Node and git alone', async ({
  skip,
}) => {
  const reason = reasonAgainstMachine()
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
    const reason = reasonAgainstMachine()
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
