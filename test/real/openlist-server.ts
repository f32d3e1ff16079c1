import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '../support/client.ts'
import type { Envelope } from '../support/envelope.ts'
import { freePort } from '../support/free-port.ts'
import { execute, stop } from './programs.ts'

/** What its admin signs in with. */
export const OPENLIST_PASSWORD = 'old-admin-Passw0rd'
const MAX_PANIC_CHARACTERS = 2000
const START_MILLISECONDS = 60_000
const START_INTERVAL_MILLISECONDS = 200

/** OpenList reads a body as its content type says. */
export class OpenListClient extends Client {
  override async call(...[method, path, { token = '', body } = {}]: Parameters<Client['call']>) {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { Authorization: token, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const envelope: Envelope = await response.json()
    return envelope
  }
}

interface Options {
  /** By default the one that has passkeys. */
  host?: string
  /** Files of the web client in place of its own. */
  webClient?: string | undefined
  /** More of its `config.json`. */
  config?: object
}

/** A real OpenList, in a temporary folder. */
export class OpenListServer {
  readonly port: string
  readonly client: Client
  /** Holds nothing else, so tests may put files into it. */
  readonly folder: string
  #child: ChildProcess | undefined
  readonly #program: string

  private constructor(program: string, folder: string, port: string, host: string) {
    this.#program = program
    this.folder = folder
    this.port = port
    this.client = new OpenListClient(`http://${host}:${port}`)
  }

  static async start(
    program: string,
    { host = 'localhost', webClient, config = {} }: Options = {},
  ): Promise<OpenListServer> {
    const server = new OpenListServer(
      program,
      mkdtempSync(join(tmpdir(), 'latchkey-openlist-')),
      await freePort(),
      host,
    )
    await server.#configure(webClient, config)
    await server.run()
    return server
  }

  async #configure(webClient: string | undefined, more: object): Promise<void> {
    const data = join(this.folder, 'data')
    const set = ['admin', 'set', OPENLIST_PASSWORD, '--data', data]
    const { status, printed } = await execute(this.#program, set, { cwd: this.folder })
    if (status !== 0) throw new Error(printed)
    const file = join(data, 'config.json')
    const config = JSON.parse(readFileSync(file, 'utf8'))
    config.scheme = { ...config.scheme, address: '127.0.0.1', http_port: Number(this.port) }
    if (webClient !== undefined) config.dist_dir = resolve(webClient)
    writeFileSync(file, JSON.stringify({ ...config, ...more }))
  }

  /** Starts it, again after a `stop`, and waits until it answers. */
  async run(): Promise<void> {
    const data = join(this.folder, 'data')
    const errors = join(this.folder, 'errors.txt')
    const errorsFile = openSync(errors, 'w')
    this.#child = spawn(this.#program, ['server', '--data', data, '--no-prefix'], {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', errorsFile],
    })
    closeSync(errorsFile)
    // A goroutine that panics ends all of OpenList, and the tests after it can't tell why.
    this.#child.once('exit', (code) => {
      if (code !== null && code !== 0)
        console.error(`OpenList ended with code ${code}:\n${panicIn(readFileSync(errors, 'utf8'))}`)
    })
    // The benchmark starts it too, outside of Vitest.
    const deadline = performance.now() + START_MILLISECONDS
    while (!(await this.#answers())) {
      if (performance.now() > deadline) throw new Error('OpenList does not answer')
      await pause(START_INTERVAL_MILLISECONDS)
    }
  }

  #answers(): Promise<boolean> {
    return this.client.call('GET', '/api/public/settings').then(
      () => true,
      () => false,
    )
  }

  /** Its database, complete once it has stopped. */
  get database(): string {
    return join(this.folder, 'data', 'data.db')
  }

  async addUser(
    username: string,
    password: string,
    permission = 0xc00,
    id?: number,
  ): Promise<void> {
    const body = { id, username, password, base_path: '/', permission }
    await this.asAdmin('POST', '/api/admin/user/create', body)
  }

  /** Serves the files of a folder, which is made, as the whole tree. */
  async addFiles(): Promise<string> {
    const folder = join(this.folder, 'files')
    mkdirSync(folder)
    await this.asAdmin('POST', '/api/admin/storage/create', {
      mount_path: '/',
      driver: 'Local',
      order_by: 'name',
      order_direction: 'asc',
      web_proxy: true,
      webdav_policy: 'native_proxy',
      addition: JSON.stringify({
        root_folder_path: folder,
        show_hidden: true,
        mkdir_perm: '777',
        recycle_bin_path: 'delete permanently',
      }),
    })
    return folder
  }

  /** The setting with which programs act as its admin. */
  async token(): Promise<string> {
    return (await this.asAdmin('GET', '/api/admin/setting/get?key=token')).value
  }

  /** Stops its process where it is, and lets it go on. */
  freeze(isFrozen: boolean): void {
    this.#child?.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT')
  }

  /** Changes settings of the group for single sign-on and passkeys. */
  async set(values: Record<string, string>): Promise<void> {
    const items = Object.entries(values).map(([key, value]) => ({ key, value, group: 7 }))
    await this.asAdmin('POST', '/api/admin/setting/save', items)
  }

  /** Calls an endpoint as its admin, who must be answered. */
  async asAdmin(method: string, path: string, body?: unknown): Promise<Envelope['data']> {
    const { token } = (await this.client.signIn('admin', OPENLIST_PASSWORD)).data
    const answer = await this.client.call(method, path, { token, body })
    succeeded(answer)
    return answer.data
  }

  async stop(): Promise<void> {
    if (this.#child !== undefined) await stop(this.#child)
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The lines from the panic on, without those of other goroutines. */
function panicIn(printed: string): string {
  const [, panic = printed] = /^((?:panic|fatal error): .*)$/ms.exec(printed) ?? []
  return panic.slice(0, MAX_PANIC_CHARACTERS)
}

export function succeeded({ code, message }: Envelope): void {
  if (code !== 200) throw new Error(message)
}
