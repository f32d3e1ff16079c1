import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

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

test.runIf(isThere('nginx', '-v') && isThere('openssl', 'version'))(
  'nginx takes the configuration of the documents',
  () => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const subject = ['-subj', '/CN=accounts.example.org', '-days', '1']
    const files = ['-keyout', key, '-out', certificate]
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files])
    const server = block('nginx')
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
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
