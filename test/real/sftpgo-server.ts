import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '../support/free-port.ts'
import { execute, type Outcome, stop } from './programs.ts'

const TEMPLATES = '/usr/share/sftpgo/templates'

const DEFAULT_ADMIN = {
  SFTPGO_DEFAULT_ADMIN_USERNAME: 'operator',
  SFTPGO_DEFAULT_ADMIN_PASSWORD: 'operator-Passw0rd',
}

/** How somebody signs in over SSH. */
interface Proof {
  password?: string
  method?: 'password' | 'keyboard-interactive'
  keyFile?: string
}

interface Ports {
  sftp: number
  ftp: number
  webdav: number
}

/** The web client of SFTPGo. */
export interface WebClient {
  port: number
  /** `httpd.bindings[].oidc` of its settings. */
  oidc: object
}

/** A plugin that asks somebody else for users, in place of the service. */
export interface AuthPlugin {
  program: string
  /** What it reads from its environment. */
  env: Record<string, string>
}

/** A real SFTPGo that asks the service, set up with the lines of docs/sftp.md. */
export class SftpgoServer {
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #ports: Ports
  #clients = 1
  #client = '127.0.0.1'

  private constructor(child: ChildProcess, folder: string, ports: Ports) {
    this.#child = child
    this.#folder = folder
    this.#ports = ports
  }

  /** @param origin Where the service answers. */
  static start(
    program: string,
    origin: string,
    token: string,
    web?: WebClient,
  ): Promise<SftpgoServer> {
    return SftpgoServer.#start(program, documentedSettings(origin, token), { web })
  }

  /** Starts one that asks a plugin. */
  static startWithPlugin(program: string, plugin: AuthPlugin): Promise<SftpgoServer> {
    const password = 1
    const keyboardInteractive = 4
    const plugins = [
      {
        type: 'auth',
        auth_options: { scope: password + keyboardInteractive },
        cmd: plugin.program,
        args: ['serve'],
        auto_mtls: true,
      },
    ]
    const asked = { common: {}, data_provider: {}, plugins }
    return SftpgoServer.#start(program, asked, { env: plugin.env })
  }

  static async #start(
    program: string,
    asked: { common: object; data_provider: object; plugins?: object[] },
    { web, env = {} }: { web?: WebClient | undefined; env?: Record<string, string> },
  ): Promise<SftpgoServer> {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-sftpgo-'))
    const [sftp, ftp, webdav] = [await port(), await port(), await port()]
    const { common, data_provider: provider, plugins = [] } = asked
    const settings = {
      plugins,
      common: { idle_timeout: 15, ...common },
      sftpd: {
        ...local(sftp),
        keyboard_interactive_authentication: true,
        password_authentication: true,
      },
      ftpd: local(ftp),
      webdavd: local(webdav),
      httpd: web === undefined ? { bindings: [{ port: 0 }] } : httpd(web, folder),
      telemetry: { bind_port: 0 },
      smtp: { templates_path: templatesFolder() },
      data_provider: {
        // SFTPGo hashes every password that it asks about, which takes most of the time.
        password_hashing: { bcrypt_options: { cost: 4 } },
        driver: 'sqlite',
        // Without an admin, the web client shows a form that makes one.
        create_default_admin: true,
        name: 'sftpgo.db',
        ...provider,
        users_base_dir: join(folder, 'users'),
      },
    }
    writeFileSync(join(folder, 'sftpgo.json'), JSON.stringify(settings))
    const child = spawn(
      program,
      ['serve', '--config-dir', folder, '--log-file-path', join(folder, 'log')],
      { cwd: folder, stdio: 'ignore', env: { ...process.env, ...DEFAULT_ADMIN, ...env } },
    )
    const server = new SftpgoServer(child, folder, { sftp, ftp, webdav })
    for (const number of [sftp, ftp, webdav, ...(web ? [web.port] : [])])
      await server.#answers(number)
    return server
  }

  /** Where it answers WebDAV. */
  get webdavUrl(): string {
    return `http://127.0.0.1:${this.#ports.webdav}`
  }

  /** Its log, which is verbose. */
  get log(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8')
  }

  /** Lets the clients come from another address from now on: SFTPGo bans one that guesses. */
  moveClients(): void {
    this.#client = `127.0.1.${++this.#clients}`
  }

  /** Runs lines of sftp for somebody who signs in; status 255 is a refused sign-in. */
  sftp(username: string, proof: Proof, ...lines: string[]): Promise<Outcome> {
    const { password = '', method = 'password', keyFile } = proof
    const askpass = join(this.#folder, 'askpass')
    writeFileSync(askpass, '#!/bin/sh\nprintf "%s\\n" "$TEST_PASSWORD"\n', { mode: 0o700 })
    const options = [
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
      'LogLevel=ERROR',
      'NumberOfPasswordPrompts=1',
      `BindAddress=${this.#client}`,
      `PreferredAuthentications=${keyFile === undefined ? method : 'publickey'}`,
      ...(keyFile === undefined
        ? ['PubkeyAuthentication=no']
        : ['IdentitiesOnly=yes', `IdentityFile=${keyFile}`]),
    ]
    const args = ['-F', '/dev/null', '-P', String(this.#ports.sftp)]
    return execute(
      'sftp',
      [...args, ...options.flatMap((option) => ['-o', option]), `${username}@127.0.0.1`],
      {
        // A line that fails ends a batch, but a batch asks for no password.
        input: lines.map((line) => `${line}\n`).join(''),
        env: { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', TEST_PASSWORD: password },
      },
    )
  }

  /** Lists the user's folder over FTP; status 67 is a refused sign-in. */
  ftp(username: string, password: string): Promise<Outcome> {
    const url = `ftp://127.0.0.1:${this.#ports.ftp}/`
    const from = ['--interface', this.#client]
    return execute('curl', ['-q', '--silent', ...from, '--user', `${username}:${password}`, url])
  }

  /** A WebDAV request, which carries name and password. */
  async webdav(
    username: string,
    password: string,
    method = 'PROPFIND',
    path = '/',
  ): Promise<number | undefined> {
    const asked = request({
      host: '127.0.0.1',
      port: this.#ports.webdav,
      localAddress: this.#client,
      auth: `${username}:${password}`,
      method,
      path,
      headers: { depth: '0' },
      agent: false,
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve).once('error', reject)
    })
    asked.end(method === 'PUT' ? 'from WebDAV\n' : undefined)
    const response = await answered
    response.resume()
    return response.statusCode
  }

  /** Lets time pass for what SFTPGo remembers of sign-ins. */
  letPass(seconds: number): void {
    const database = new DatabaseSync(join(this.#folder, 'sftpgo.db'))
    database.exec('pragma busy_timeout = 5000')
    const passed = seconds * 1000
    database.prepare('update users set last_login = last_login - ?').run(passed)
    database.close()
  }

  async stop(): Promise<void> {
    await stop(this.#child)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Resolves once something listens on a port; rejects when the program ends first. */
  #answers(number: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const attempt = () => {
        if (this.#child.exitCode !== null) return reject(new Error(this.log))
        const socket = createConnection(number, '127.0.0.1')
        socket.once('connect', () => {
          socket.destroy()
          resolve()
        })
        socket.once('error', () => setTimeout(attempt, 50))
      }
      attempt()
    })
  }
}

/** Its web client alone, without the files of its style: an empty folder is enough. */
function httpd({ port: number, oidc }: WebClient, folder: string) {
  const static_files_path = join(folder, 'static')
  mkdirSync(static_files_path)
  const binding = { port: number, address: '127.0.0.1', enable_web_admin: false, oidc }
  return { bindings: [binding], templates_path: templatesFolder(), static_files_path }
}

function local(number: number) {
  return { bindings: [{ port: number, address: '127.0.0.1' }] }
}

async function port(): Promise<number> {
  return Number(await freePort())
}

function templatesFolder(): string {
  const folder = process.env['SFTPGO_TEMPLATES'] ?? TEMPLATES
  return existsSync(join(folder, 'templates')) ? join(folder, 'templates') : folder
}

/** What docs/sftp.md tells the operator of an SFTPGo to write, for this service and token. */
function documentedSettings(
  origin: string,
  token: string,
): { common: object; data_provider: object } {
  const [, json] =
    /```json\n(\{[^`]*external_auth_hook[^`]*)```/.exec(readFileSync('docs/sftp.md', 'utf8')) ?? []
  if (json === undefined) throw new Error('docs/sftp.md has no lines for SFTPGo')
  const { protocol, host } = new URL(origin)
  return JSON.parse(
    json
      .replaceAll('https://sftpgo:TOKEN@', `${protocol}//sftpgo:${token}@`)
      .replaceAll('accounts.example.org', host),
  )
}
