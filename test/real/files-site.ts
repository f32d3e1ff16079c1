import { writeFileSync } from 'node:fs'
import { newSecretKey } from '../../src/programs/site/dev-vars.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import type { Client } from '../support/client.ts'
import type { Envelope } from '../support/envelope.ts'
import { freePort } from '../support/free-port.ts'
import { OpenListClient, OpenListServer, succeeded } from './openlist-server.ts'

/** What `alice` signs in with. */
export const PASSWORD = 'alice-Passw0rd'
/** All rights of OpenList's users. */
export const ALL_RIGHTS = 0x7fff

/** Latchkey in front of a real OpenList with files of its own, as `npm start -- --files` does it. */
export class FilesSite {
  readonly openlist: OpenListServer
  readonly clone: Clone
  readonly client: Client
  /** Where the files are. */
  readonly folder: string
  /** The process of `npm start`. */
  readonly pid: number
  #adminToken: Promise<string> | undefined
  #programs = 0

  private constructor(
    openlist: OpenListServer,
    clone: Clone,
    client: Client,
    { folder, pid }: { folder: string; pid: number },
  ) {
    this.pid = pid
    this.openlist = openlist
    this.clone = clone
    this.client = client
    this.folder = folder
  }

  /** @param vars Lines for `.dev.vars`. */
  static async start(
    program: string,
    { webClient, vars = {} }: { webClient?: string; vars?: Record<string, string> } = {},
  ): Promise<FilesSite> {
    const openlist = await OpenListServer.start(program, { host: '127.0.0.1', webClient })
    const folder = await openlist.addFiles()
    const clone = new Clone()
    const lines = { SECRET_KEYS: newSecretKey(), FILES_TOKEN: await openlist.token(), ...vars }
    const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(clone.path('.dev.vars'), text.join(''))
    const port = await freePort()
    const args = ['--files', openlist.client.url]
    const started = clone.start({ PORT: port, ADMIN_PASSWORD }, { args })
    await started.until('serves on')
    const client = new OpenListClient(`http://localhost:${port}`)
    return new FilesSite(openlist, clone, client, { folder, pid: started.pid })
  }

  adminToken(): Promise<string> {
    this.#adminToken ??= this.client
      .signIn('admin', ADMIN_PASSWORD)
      .then(({ data }): string => data.token)
    return this.#adminToken
  }

  async asAdmin(method: string, path: string, body?: unknown): Promise<Envelope['data']> {
    const answer = await this.client.call(method, path, { token: await this.adminToken(), body })
    succeeded(answer)
    return answer.data
  }

  /** Makes a user here, and signs the user in. */
  async addUser(username: string, user: Record<string, unknown> = {}): Promise<string> {
    const fields = { username, password: PASSWORD, base_path: '/', permission: ALL_RIGHTS, ...user }
    await this.asAdmin('POST', '/api/admin/user/create', fields)
    return (await this.client.signIn(username, PASSWORD)).data.token
  }

  /** The fields of a user here, to be sent back changed. */
  async user(username: string): Promise<Record<string, unknown>> {
    const { content } = await this.asAdmin('GET', '/api/admin/user/list')
    return content.find((user: { username: string }) => user.username === username)
  }

  async change(username: string, changes: Record<string, unknown>): Promise<void> {
    const user = await this.user(username)
    await this.asAdmin('POST', '/api/admin/user/update', { ...user, password: '', ...changes })
  }

  /** The users of OpenList, by name. */
  async usersThere(): Promise<Map<string, Record<string, unknown>>> {
    const { content } = await this.openlist.asAdmin('GET', '/api/admin/user/list')
    return new Map(content.map((user: { username: string }) => [user.username, user]))
  }

  async appPassword(token: string, scopes = ['files:read', 'files:write']): Promise<string> {
    const body = { name: `program ${this.#programs++}`, scopes }
    const created = await this.client.call('POST', '/api/me/tokens/create', { token, body })
    succeeded(created)
    return created.data.token
  }

  /** Lists a folder. */
  list(token: string, path = '/'): Promise<Envelope> {
    return this.client.call('POST', '/api/fs/list', { token, body: { path } })
  }

  dav(
    method: string,
    path: string,
    user: readonly [name: string, password: string],
    { headers = {}, body }: { headers?: Record<string, string>; body?: BodyInit } = {},
  ): Promise<Response> {
    const authorization = `Basic ${Buffer.from(user.join(':')).toString('base64')}`
    return fetch(new URL(`/dav${path}`, this.client.url), {
      method,
      headers: { Authorization: authorization, ...headers },
      ...(body !== undefined && { body }),
    })
  }

  async remove(): Promise<void> {
    await this.clone.remove()
    await this.openlist.remove()
  }
}
