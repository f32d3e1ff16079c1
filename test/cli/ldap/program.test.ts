import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const FILE = '.build/latchkey-ldap.mjs'
const env = { ...process.env, LATCHKEY_SERVICE_TOKEN: 'latchkey_x' }

/** Runs the bundled door to its end. */
async function door(...args: string[]) {
  try {
    return { code: 0, ...(await run('node', [FILE, ...args], { env })) }
  } catch (error) {
    const { code, stdout, stderr } = Object.assign({ code: -1, stdout: '', stderr: '' }, error)
    return { code, stdout, stderr }
  }
}

describe('the door in one file', () => {
  beforeAll(async () => {
    await run('node', ['scripts/build-ldap.ts'])
  })

  test('shows what programs need, without the token', async () => {
    const { stdout } = await door('--site', 'https://accounts.example.org', '--show')
    expect(stdout).toMatch(
      /^base: dc=accounts,dc=example,dc=org\nbind DN: cn=search,dc=accounts,dc=example,dc=org\nbind password: [\w-]{32}\n$/,
    )
  })

  test.each([
    [[]],
    [['--site', 'http://example.org']],
    [['--site', 'https://192.0.2.1', '--listen', 'ldap://0.0.0.0:389']],
    [['--site', 'https://192.0.2.1', '--listen', 'ldaps://0.0.0.0']],
    [['--site', 'https://192.0.2.1', '--base', 'uid=x']],
    [['--site', 'https://192.0.2.1', '--cache-seconds', '301']],
    [['--site', 'https://192.0.2.1', '--scope', 'admin']],
    [['--nonsense']],
  ])('ends with 2 for %j', async (args) => {
    const { code, stderr } = await door(...args)
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 })
  })
})
