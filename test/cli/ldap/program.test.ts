import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasOpenssl, makeCertificate } from '../../support/certificate.ts'
import { freePort } from '../../support/free-port.ts'
import { Program } from '../../support/program.ts'
import { bindRequest, RawClient, searchRequest, WHO_AM_I } from '../../programs/ldap/stand-in.ts'

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

const BASE = 'dc=latchkey'
/** What a warm door may grow by, of what the machine counts as its memory. */
const GROWTH_MEBIBYTES = 48
const MESSAGES = 8000
const CONNECTIONS = 4

describe('the running door', () => {
  let site: Server
  let status: number
  let started: Program | undefined

  beforeEach(async () => {
    status = 200
    const accounts = [{ id: 7, username: 'alice', groups: ['users'] }]
    site = createServer((request, response) => {
      response.statusCode = status
      request.resume().on('end', () => {
        response.end(JSON.stringify({ groups: ['users'], accounts, ok: true }))
      })
    }).listen(0, '127.0.0.1')
    await once(site, 'listening')
  })
  afterEach(async () => {
    await started?.kill()
    site.closeAllConnections()
    site.close()
  })

  function start(...args: string[]): Program {
    const address = site.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const options = ['--site', `http://127.0.0.1:${port}`, '--base', BASE]
    started = new Program(process.execPath, [FILE, ...options, ...args], { env })
    return started
  }

  test('listens while the site is away, and ends with 0 for SIGTERM within 5 s', async () => {
    status = 503
    const port = await freePort()
    const program = start('--listen', `ldap://127.0.0.1:${port}`)
    await program.until(' start ldap://')
    const client = new RawClient(Number(port))
    expect(await client.code(bindRequest(`uid=alice,ou=people,${BASE}`, 'x'))).toBe(52)
    const begun = performance.now()
    expect(await program.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    expect(performance.now() - begun).toBeLessThan(5000)
    await client.closed
  })

  test('ends with 1 when the site refuses its token', async () => {
    status = 401
    const { code, stderr } = await start('--listen', 'ldap://127.0.0.1:0').ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'The site refuses the service token: make one with the scope ldap.\n',
    })
  })

  test.skipIf(!hasOpenssl)(
    'reads its certificate again at SIGHUP (skipped without openssl)',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'latchkey-ldap-'))
      const file = (name: string) => join(folder, name)
      for (const name of ['one', 'two']) makeCertificate(folder, name)
      const use = (name: string) => {
        for (const kind of ['crt', 'key'])
          copyFileSync(file(`${name}.${kind}`), file(`used.${kind}`))
      }
      use('one')
      const port = Number(await freePort())
      const listen = ['--listen', `ldaps://127.0.0.1:${port}`]
      const program = start(...listen, '--cert', file('used.crt'), '--key', file('used.key'))
      await program.until(' start ldaps://')
      const shownName = async () => {
        const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
        await once(socket, 'secureConnect')
        const { subject } = socket.getPeerCertificate()
        socket.destroy()
        return subject.CN
      }
      expect(await shownName()).toBe('one')
      use('two')
      process.kill(program.pid, 'SIGHUP')
      await expect.poll(shownName, { timeout: 60_000 }).toBe('two')
      rmSync(folder, { recursive: true })
    },
  )

  test(`needs no more memory after ${MESSAGES} messages`, async () => {
    const port = await freePort()
    const program = start('--listen', `ldap://127.0.0.1:${port}`)
    await program.until(' start ldap://')
    const dn = `uid=alice,ou=people,${BASE}`
    const talk = async (messages: number) => {
      const client = new RawClient(Number(port))
      for (let n = 0; n < messages; n += 4) {
        await client.code(bindRequest(dn, `password ${n % 100}`))
        await client.code(searchRequest({ base: dn }))
        await client.code(WHO_AM_I)
        await client.code(searchRequest({ base: `ou=${n},${BASE}` }))
      }
      client.close()
    }
    const talkAll = (messages: number) =>
      Promise.all(Array.from({ length: CONNECTIONS }, () => talk(messages / CONNECTIONS)))
    await talkAll(MESSAGES / 4)
    const before = memoryOf(program.pid)
    await talkAll(MESSAGES)
    const after = memoryOf(program.pid)
    console.log(`The door's memory: ${before} MiB, after ${MESSAGES} messages ${after} MiB.`)
    expect(after - before).toBeLessThan(GROWTH_MEBIBYTES)
  })
})

/** What a process has in memory, in mebibytes. */
function memoryOf(pid: number): number {
  const [, kibibytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kibibytes) / 1024)
}
