import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { hasOpenssl, makeCertificate } from '../support/certificate.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { Client } from '../support/client.ts'
import { freePort } from '../support/free-port.ts'

/** Runs a program under a filter of system calls; it ends so where it can make none. */
const FILTER = join(process.cwd(), 'test/support/system-calls.py')
const NO_LIBSECCOMP = 75

const page = readFileSync('docs/self-hosting.md', 'utf8')

/** A block of the page, by its language. */
function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(page) ?? []
  if (text === undefined) throw new Error(`docs/self-hosting.md has no block of ${language}`)
  return text
}

const isThere = (program: string, ...args: string[]) => spawnSync(program, args).error === undefined

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-docs-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test.runIf(isThere('nginx', '-v') && hasOpenssl)(
  'nginx takes the configuration of the documents',
  () => {
    const { cert, key } = makeCertificate(folder, 'accounts.example.org')
    const server = block('nginx')
      .replace(/ssl_certificate .*;/, `ssl_certificate ${cert};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
    const config = write(
      'nginx.conf',
      `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${server} }`,
    )
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', config], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')])
  },
)

test.runIf(isThere('caddy', 'version'))('Caddy takes the configuration of the documents', () => {
  const config = write('Caddyfile', block('caddyfile'))
  const args = ['adapt', '--config', config, '--adapter', 'caddyfile']
  const { status, stdout } = spawnSync('caddy', args, { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, expect.stringContaining('127.0.0.1:8787')])
})

test.runIf(isThere('systemd-analyze', '--version'))(
  'systemd takes the unit of the documents',
  () => {
    // Its user and its folder are not on this machine.
    const unit = block('ini')
      .replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
      .replace('User=latchkey', 'User=root')
    const path = write('latchkey.service', unit)
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  },
)

/** The names in a set of system calls of systemd, and in the sets that it names. */
function systemCallsOf(set: string): string[] {
  const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', set], { encoding: 'utf8' })
  const [, ...lines] = stdout.split('\n').map((line) => line.trim())
  const names = lines.filter((line) => /^[@\w]/.test(line))
  if (names.length === 0) throw new Error(`systemd has no set ${set} of system calls`)
  return names.flatMap((name) => (name.startsWith('@') ? systemCallsOf(name) : [name]))
}

/** Returns the beginning of a command that runs under a filter of these system calls. */
function filterOf(sets: string[]): string {
  const names = [sets.flatMap(systemCallsOf), systemCallsOf('@known')]
  return `exec python3 ${FILTER} ${names.join(' ')}`
}

test("the site runs under the unit's filter of system calls, and so do commands", async ({
  skip,
}) => {
  skip(!isThere('systemd-analyze', '--version'), 'systemd-analyze is not installed')
  skip(!isThere('python3', '--version'), 'python3 is not installed')
  const [, sets = ''] = /^SystemCallFilter=(.+)$/m.exec(block('ini')) ?? []
  const filter = filterOf(sets.split(' '))
  const clone = new Clone(inject('startedSite'))
  onTestFinished(() => clone.remove())
  const { code, stderr } = await clone.shell(`${filter} true`).ended
  skip(code === NO_LIBSECCOMP, stderr)
  const port = await freePort()
  const service = clone.shell(`${filter} node src/programs/launch.cjs start`, { PORT: port })
  await service.until('serves on')
  const client = new Client(`http://127.0.0.1:${port}`)
  expect(await client.signIn('admin', ADMIN_PASSWORD)).toMatchObject({ code: 200 })
  expect(await service.stop()).toMatchObject({ code: 0 })
  const doctor = await clone.shell(`${filter} node src/programs/launch.cjs main doctor`).ended
  expect(doctor).toMatchObject({ code: 0, stderr: '' })

  const narrow = filterOf(sets.split(' ').filter((name) => name !== '@pkey'))
  for (const program of ['start', 'main doctor'])
    expect(
      await clone.shell(`${narrow} node src/programs/launch.cjs ${program}`).ended,
    ).toMatchObject({
      code: 1,
      stderr:
        "The Workers runtime (workerd) can't start on this machine: docs/troubleshooting.md lists the reasons.\n",
    })
})

test('the unit lets the site reach identity providers and receivers of notices', () => {
  expect(block('ini')).not.toMatch(/^(IPAddressDeny|PrivateNetwork|RestrictNetworkInterfaces)=/m)
})
