import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { stop } from './programs.ts'

/** A server of files without passwords, and a proxy that asks the service about each request. */
export class ProxiedFiles {
  readonly url: string
  readonly folder: string
  readonly #programs: ChildProcess[]

  private constructor(url: string, folder: string, programs: ChildProcess[]) {
    this.url = url
    this.folder = folder
    this.#programs = programs
  }

  /**
   * @param proxy Its configuration is the one of docs/self-hosting.md.
   * @param origin Where the service answers.
   */
  static async start(
    proxy: { name: 'nginx' | 'caddy'; program: string },
    rclone: string,
    origin: string,
  ): Promise<ProxiedFiles> {
    const folder = mkdtempSync(join(tmpdir(), `latchkey-${proxy.name}-`))
    mkdirSync(join(folder, 'files'))
    writeFileSync(join(folder, 'files', 'read.txt'), 'from rclone\n')
    const [filesPort, proxyPort] = [await freePort(), await freePort()]
    const files = spawn(
      rclone,
      ['serve', 'webdav', join(folder, 'files'), '--addr', `127.0.0.1:${filesPort}`],
      { stdio: 'ignore' },
    )
    const config = documented(proxy.name)
      .replaceAll('https://accounts.example.org', origin)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${filesPort}`)
    const child =
      proxy.name === 'nginx'
        ? startNginx(proxy.program, folder, config, proxyPort)
        : startCaddy(proxy.program, folder, config, proxyPort)
    const started = new ProxiedFiles(`http://127.0.0.1:${proxyPort}`, folder, [files, child])
    for (const port of [filesPort, proxyPort]) await answers(Number(port))
    return started
  }

  request(method: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(new URL(path, this.url), {
      method,
      headers: { Depth: '0', ...headers },
      ...(method === 'PUT' && { body: 'written\n' }),
    })
  }

  async stop(): Promise<void> {
    for (const program of this.#programs) await stop(program)
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The lines for one proxy of docs/self-hosting.md, in the section about other servers. */
function documented(language: string): string {
  const page = readFileSync('docs/self-hosting.md', 'utf8')
  const section = page.slice(page.indexOf('## In front of other servers'))
  const fence = language === 'caddy' ? 'caddyfile' : language
  const [, lines] = new RegExp(`\`\`\`${fence}\n([^\`]*)\`\`\``).exec(section) ?? []
  if (lines === undefined) throw new Error(`docs/self-hosting.md has no lines for ${language}`)
  return lines
}

function startNginx(program: string, folder: string, config: string, port: string): ChildProcess {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const server = config.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; events {}
http { access_log off; ${paths.join(' ')}\n${withoutCertificates(server)}\n}`,
  )
  const args = ['-c', file, '-e', join(folder, 'errors'), '-p', folder]
  return spawn(program, args, { stdio: 'ignore' })
}

function withoutCertificates(config: string): string {
  return config.replaceAll(/^\s*(?:ssl_|server_name ).*\n/gm, '')
}

function startCaddy(program: string, folder: string, config: string, port: string): ChildProcess {
  const file = join(folder, 'Caddyfile')
  const site = config.replace('files.example.org', `http://127.0.0.1:${port}`)
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  return spawn(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
    stdio: 'ignore',
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
}

/** Resolves once something listens on a port. */
async function answers(port: number): Promise<void> {
  await vi.waitFor(() => connect(port), { timeout: 10_000, interval: 50 })
}

function connect(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}
