import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { freePort } from '../support/free-port.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { Client } from '../support/client.ts'
import type { Envelope } from '../support/envelope.ts'
import { succeeded } from './openlist-server.ts'

/** What users of the site sign in with. */
export const PASSWORD = 'alice-Passw0rd'

/** What programs need of a door, as `--show` prints it. */
interface Shown {
  base: string
  bindDn: string
  bindPassword: string
}

/** `npm start` and an LDAP door that asks it, with a relay between them. */
export class LdapSite {
  readonly clone: Clone
  readonly client: Client
  readonly relay: Relay
  readonly port: number
  readonly shown: Shown
  readonly #admin: string
  #programs = 0

  private constructor(
    clone: Clone,
    client: Client,
    door: { relay: Relay; port: number; shown: Shown },
    admin: string,
  ) {
    this.clone = clone
    this.client = client
    this.relay = door.relay
    this.port = door.port
    this.shown = door.shown
    this.#admin = admin
  }

  /** @param args More options of the door. */
  static async start(...args: string[]): Promise<LdapSite> {
    const clone = new Clone()
    const client = await clone.serve(ADMIN_PASSWORD)
    const relay = await Relay.start(new URL(client.url))
    const made = await clone.latchkey(['service-token', 'add', 'nas', '--scope', 'ldap'])
    const [token = ''] = /latchkey_[\w-]+/.exec(made.stdout) ?? []
    const file = clone.path('ldap.token')
    writeFileSync(file, `${token}\n`, { mode: 0o600 })
    const options = ['ldap', '--site', relay.url, '--token-file', file]
    const { stdout } = await clone.latchkey([...options, '--show'])
    const [base = '', bindDn = '', bindPassword = ''] = Array.from(
      stdout.matchAll(/^[^:]+: (.*)$/gm),
      ([, value = '']) => value,
    )
    const port = Number(await freePort())
    const listen = ['--listen', `ldap://127.0.0.1:${port}`]
    await clone.startLatchkey(...options, ...listen, ...args).until(' start ldap://')
    const { data } = await client.signIn('admin', ADMIN_PASSWORD)
    const shown = { base, bindDn, bindPassword }
    return new LdapSite(clone, client, { relay, port, shown }, data.token)
  }

  async asAdmin(method: string, path: string, body?: unknown): Promise<Envelope['data']> {
    const answer = await this.client.call(method, path, { token: this.#admin, body })
    succeeded(answer)
    return answer.data
  }

  /** Makes a user with all rights. @returns A session. */
  async addUser(username: string): Promise<string> {
    const body = { username, password: PASSWORD, base_path: '/', permission: 0xf00 }
    await this.asAdmin('POST', '/api/admin/user/create', body)
    return (await this.client.signIn(username, PASSWORD)).data.token
  }

  async setDisabled(username: string, disabled: boolean): Promise<void> {
    const { content } = await this.asAdmin('GET', '/api/admin/user/list')
    const user = content.find((item: { username: string }) => item.username === username)
    await this.asAdmin('POST', '/api/admin/user/update', { ...user, password: '', disabled })
  }

  async appPassword(session: string, ...scopes: string[]): Promise<string> {
    const body = { name: `program ${this.#programs++}`, scopes }
    const answer = await this.client.call('POST', '/api/me/tokens/create', { token: session, body })
    succeeded(answer)
    return answer.data.token
  }

  async remove(): Promise<void> {
    await this.relay.stop()
    await this.clone.remove()
  }
}

/** Passes requests on to a site, and notes their paths. */
export class Relay {
  readonly #site: URL
  readonly #port: number
  #server = createServer()
  /** The paths that were asked for. */
  asked: string[] = []

  private constructor(site: URL, port: number) {
    this.#site = site
    this.#port = port
  }

  static async start(site: URL): Promise<Relay> {
    const relay = new Relay(site, Number(await freePort()))
    await relay.run()
    return relay
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Starts it, again after a `stop`. */
  async run(): Promise<void> {
    this.#server = createServer((asked, answer) => this.#pass(asked, answer))
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Takes the site away. */
  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const { method, url: path = '/', headers } = asked
    this.asked.push(path)
    const { hostname, port, host } = this.#site
    const options = { hostname, port, method, path, headers: { ...headers, host } }
    const passed = request(options, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    passed.once('error', () => answer.destroy())
    asked.pipe(passed)
  }
}
