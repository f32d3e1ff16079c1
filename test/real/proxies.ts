import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type Server,
} from 'node:http'
import { request } from 'node:https'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { execute, stop } from './programs.ts'

/** A program whose configuration is the one of docs/self-hosting.md. */
export interface Proxy {
  name: 'nginx' | 'caddy'
  program: string
}

/** Starts a proxy that asks the service about each request to a server. */
async function startAsking(
  { name, program }: Proxy,
  folder: string,
  serverPort: string,
  origin: string,
): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort()
  const config = documented(name, BEFORE_OTHERS)
    .replaceAll('https://accounts.example.org', origin)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${serverPort}`)
  const start = name === 'nginx' ? startNginx : startCaddy
  const child = start(program, folder, config, port)
  await answers(Number(port))
  return { url: `http://127.0.0.1:${port}`, child }
}

/** A server that answers with the header lines it gets, and a proxy that asks about each request. */
export class ProxiedEcho {
  readonly #url: string
  readonly #folder: string
  readonly #server: Server
  readonly #child: ChildProcess

  private constructor(url: string, folder: string, server: Server, child: ChildProcess) {
    this.#url = url
    this.#folder = folder
    this.#server = server
    this.#child = child
  }

  /** @param origin Where the service answers. */
  static async start(proxy: Proxy, origin: string): Promise<ProxiedEcho> {
    const folder = mkdtempSync(join(tmpdir(), `latchkey-${proxy.name}-`))
    const port = await freePort()
    const server = createServer(({ rawHeaders }, response) => {
      response.end(JSON.stringify(rawHeaders))
    }).listen(Number(port), '127.0.0.1')
    await once(server, 'listening')
    const { url, child } = await startAsking(proxy, folder, port, origin)
    return new ProxiedEcho(url, folder, server, child)
  }

  /**
   * Sends a request through the proxy.
   *
   * @returns The status, and each header that the server got: its name in lower case with `-` for
   *   `_`, as CGI and WSGI read names, then its value.
   */
  async send(headers: Record<string, string | string[]>) {
    const asked = httpRequest(this.#url, { headers, agent: false }).end()
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve).once('error', reject)
    })
    const body = await text(response)
    const lines: string[] = response.statusCode === 200 ? JSON.parse(body) : []
    const got = Array.from({ length: lines.length / 2 }, (_, n): [string, string] => [
      String(lines[2 * n])
        .toLowerCase()
        .replaceAll('_', '-'),
      String(lines[2 * n + 1]),
    ])
    return { status: response.statusCode, got }
  }

  async stop(): Promise<void> {
    await stop(this.#child)
    this.#server.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

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

  /** @param origin Where the service answers. */
  static async start(proxy: Proxy, rclone: string, origin: string): Promise<ProxiedFiles> {
    const folder = mkdtempSync(join(tmpdir(), `latchkey-${proxy.name}-`))
    mkdirSync(join(folder, 'files'))
    writeFileSync(join(folder, 'files', 'read.txt'), 'from rclone\n')
    const port = await freePort()
    const files = spawn(
      rclone,
      ['serve', 'webdav', join(folder, 'files'), '--addr', `127.0.0.1:${port}`],
      { stdio: 'ignore' },
    )
    await answers(Number(port))
    const { url, child } = await startAsking(proxy, folder, port, origin)
    return new ProxiedFiles(url, folder, [files, child])
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

/** The sections of docs/self-hosting.md with lines for proxies. */
const BEFORE_OTHERS = '## In front of other servers'
const BEFORE_THE_SITE = '## In front: a proxy with https'

/** The lines for one proxy of docs/self-hosting.md, in one section. */
function documented(language: string, heading: string): string {
  const page = readFileSync('docs/self-hosting.md', 'utf8')
  const section = page.slice(page.indexOf(heading))
  const fence = language === 'caddy' ? 'caddyfile' : language
  const [, lines] = new RegExp(`\`\`\`${fence}\n([^\`]*)\`\`\``).exec(section) ?? []
  if (lines === undefined) throw new Error(`docs/self-hosting.md has no lines for ${language}`)
  return lines
}

const NAME = 'accounts.example.org'

/** An answer of a site behind its proxy. */
export interface Answered {
  status: number | undefined
  headers: IncomingHttpHeaders
  text: string
}

/** A proxy with https in front of a site, and clients that know its certificate. */
export class HttpsProxy {
  /** What people type. */
  readonly url: string
  readonly #port: string
  readonly #folder: string
  readonly #program: ChildProcess

  private constructor(port: string, folder: string, program: ChildProcess) {
    this.url = `https://${NAME}:${port}`
    this.#port = port
    this.#folder = folder
    this.#program = program
  }

  /** @param site The port of the site. */
  static async start({ name, program }: Proxy, site: string): Promise<HttpsProxy> {
    const folder = mkdtempSync(join(tmpdir(), `latchkey-https-${name}-`))
    const port = await freePort()
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
    const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`]
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const made = ['req', '-x509', ...kind, ...subject, '-out', certificate, '-keyout', key]
    const { status, printed } = await execute('openssl', made)
    if (status !== 0) throw new Error(printed)
    const config = documented(name, BEFORE_THE_SITE).replace('127.0.0.1:8787', `127.0.0.1:${site}`)
    const child =
      name === 'nginx'
        ? spawnNginx(
            program,
            folder,
            config
              .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
              .replace(/(ssl_certificate +).*;/, `$1${certificate};`)
              .replace(/(ssl_certificate_key +).*;/, `$1${key};`),
          )
        : spawnCaddy(
            program,
            folder,
            config.replace(
              `${NAME} {`,
              `${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
            ),
          )
    const started = new HttpsProxy(port, folder, child)
    await answers(Number(port))
    return started
  }

  /** Sends a request as a browser that went to `url` does. */
  async request(
    method: string,
    path: string,
    {
      headers = {},
      form,
    }: { headers?: Record<string, string>; form?: Record<string, string> } = {},
  ): Promise<Answered> {
    const asked = request({
      host: '127.0.0.1',
      port: this.#port,
      servername: NAME,
      ca: readFileSync(join(this.#folder, 'certificate.pem')),
      method,
      path,
      headers: {
        Host: `${NAME}:${this.#port}`,
        ...(form !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      agent: false,
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve).once('error', reject)
    })
    asked.end(form && new URLSearchParams(form).toString())
    const response = await answered
    const { statusCode: status, headers: fields } = response
    return { status, headers: fields, text: await text(response) }
  }

  async stop(): Promise<void> {
    await stop(this.#program)
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function startNginx(program: string, folder: string, config: string, port: string): ChildProcess {
  const server = config.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
  return spawnNginx(program, folder, withoutCertificates(server))
}

function spawnNginx(program: string, folder: string, server: string): ChildProcess {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; events {}
http { access_log off; ${paths.join(' ')}\n${server}\n}`,
  )
  const args = ['-c', file, '-e', join(folder, 'errors'), '-p', folder]
  return spawn(program, args, { stdio: 'ignore' })
}

function withoutCertificates(config: string): string {
  return config.replaceAll(/^\s*(?:ssl_|server_name ).*\n/gm, '')
}

function startCaddy(program: string, folder: string, config: string, port: string): ChildProcess {
  return spawnCaddy(
    program,
    folder,
    config.replace('files.example.org', `http://127.0.0.1:${port}`),
  )
}

function spawnCaddy(program: string, folder: string, site: string): ChildProcess {
  const file = join(folder, 'Caddyfile')
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
