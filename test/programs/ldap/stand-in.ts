import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { BerReader, element, integer, sizeOf, TAG } from '../../../src/programs/ldap-door/ber.ts'
import { type Door, openDoor } from '../../../src/programs/ldap-door/door.ts'
import {
  readOptions,
  searchPasswordOf,
  type WrittenOptions,
} from '../../../src/programs/ldap-door/options.ts'

const TOKEN = 'latchkey_x'
export const BASE = 'dc=accounts,dc=example,dc=org'
export const PEOPLE = `ou=people,${BASE}`
export const GROUPS = `ou=groups,${BASE}`
export const SEARCH = `cn=search,${BASE}`
export const SECRET = searchPasswordOf(TOKEN)

/** A door, and a server that answers in place of the site. */
export class DoorWithSite {
  /** The users of the site, whose passwords are all `right`. */
  readonly accounts = [
    { id: 1, username: 'admin', groups: ['users', 'admins'] },
    { id: 7, username: 'alice', groups: ['users', 'webdav-read'] },
    { id: 8, username: 'bob', groups: ['users'] },
  ]
  /** The HTTP status of its answers. */
  status = 200
  /** How long the door was to wait before each refusal, milliseconds. */
  readonly pauses: number[] = []
  /** The paths that are not answered. */
  hanging: string[] = []
  readonly asked: string[] = []
  readonly log: string[] = []
  readonly #hanging: ServerResponse[] = []
  #door: Door | undefined
  readonly #server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => this.#answer(request.url ?? '', body, response))
  })

  /** @param more Further users. */
  static async start(options: WrittenOptions = {}, more: string[] = []): Promise<DoorWithSite> {
    const site = new DoorWithSite()
    site.accounts.push(
      ...more.map((username, index) => ({ id: 100 + index, username, groups: ['users'] })),
    )
    site.#server.listen(0, '127.0.0.1')
    await once(site.#server, 'listening')
    const address = site.#server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const given = { site: `http://127.0.0.1:${port}`, base: BASE, listen: ['ldap://127.0.0.1:0'] }
    const read = readOptions({ ...given, ...options }, { LATCHKEY_SERVICE_TOKEN: TOKEN })
    const pause = async (milliseconds: number) => {
      site.pauses.push(milliseconds)
    }
    site.#door = await openDoor(read, (line) => site.log.push(line), pause)
    return site
  }

  get ports(): number[] {
    return this.#door?.ports ?? []
  }

  get port(): number {
    return this.ports[0] ?? 0
  }

  reload(): void {
    this.#door?.reload()
  }

  /** Answers what hangs as right: the site had decided before it changed its mind. */
  answerHanging(): void {
    for (const response of this.#hanging.splice(0)) response.end(JSON.stringify({ ok: true }))
  }

  async stop(): Promise<void> {
    for (const response of this.#hanging) response.destroy()
    await this.#door?.close()
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #answer(path: string, body: string, response: ServerResponse): void {
    this.asked.push(path)
    if (this.hanging.includes(path)) {
      this.#hanging.push(response)
      return
    }
    response.statusCode = this.status
    response.setHeader('ETag', '"1"')
    const groups = ['users', 'admins', 'webdav-read', 'webdav-write', 'sftp-read', 'sftp-write']
    const answer =
      path === '/api/ldap/entries'
        ? { groups, accounts: this.accounts }
        : { ok: JSON.parse(body).password === 'right' }
    response.end(JSON.stringify(answer))
  }
}

/** An answer of the door: the tag of its operation, and its result code (-1 for an entry). */
interface RawAnswer {
  id: number
  tag: number
  code: number
  bytes: Buffer
}

/** A client that writes bytes. */
export class RawClient {
  readonly socket: Socket
  /** Resolves when the door has closed the connection. */
  readonly closed: Promise<unknown>
  isClosed = false
  readonly #answers: RawAnswer[] = []
  readonly #waiting: ((answer: RawAnswer) => void)[] = []
  #bytes: Buffer = Buffer.of()
  #id = 0

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('error', () => undefined)
    this.closed = new Promise<void>((resolve) => {
      this.socket.once('close', () => {
        this.isClosed = true
        resolve()
      })
    })
    this.socket.on('data', (chunk) => this.#read(chunk))
  }

  /** Sends an operation. @returns Its message id. */
  send(operation: Buffer, controls?: Buffer): number {
    this.#id += 1
    this.socket.write(message(this.#id, operation, controls))
    return this.#id
  }

  /** The next answer. */
  answer(): Promise<RawAnswer> {
    const answer = this.#answers.shift()
    return answer === undefined
      ? new Promise((resolve) => {
          this.#waiting.push(resolve)
        })
      : Promise.resolve(answer)
  }

  /** Sends an operation. @returns The code of its result, after entries. */
  async code(operation: Buffer, controls?: Buffer): Promise<number> {
    this.send(operation, controls)
    for (;;) {
      const { code } = await this.answer()
      if (code >= 0) return code
    }
  }

  /** The answers that came and nobody took. */
  get untaken(): readonly RawAnswer[] {
    return this.#answers
  }

  close(): void {
    this.socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    for (;;) {
      const size = sizeOf(this.#bytes, 0)
      if (size === undefined || this.#bytes.length < size.header + size.content) return
      const bytes = this.#bytes.subarray(size.header, size.header + size.content)
      this.#bytes = this.#bytes.subarray(size.header + size.content)
      const reader = new BerReader(bytes)
      const id = reader.readInteger()
      const { tag, content } = reader.readAny()
      const code = tag === 0x64 ? -1 : new BerReader(content).readInteger(TAG.enumerated)
      const answer = { id, tag, code, bytes }
      const waiting = this.#waiting.shift()
      if (waiting === undefined) this.#answers.push(answer)
      else waiting(answer)
    }
  }
}

export function message(id: number, operation: Buffer, controls?: Buffer): Buffer {
  return element(TAG.sequence, integer(id), operation, ...(controls ? [controls] : []))
}

export function bindRequest(dn: string, password: string, version = 3): Buffer {
  return element(0x60, integer(version), element(TAG.octets, dn), element(0x80, password))
}

export const WHO_AM_I = element(0x77, element(0x80, '1.3.6.1.4.1.4203.1.11.3'))
export const PRESENT = element(0x87, 'objectClass')

interface SearchFields {
  base?: string | Buffer
  scope?: number
  deref?: number
  sizeLimit?: number
  timeLimit?: number
  typesOnly?: boolean
  filter?: Buffer
  attributes?: string[]
}

/** A search for everything, unless fields say otherwise. */
export function searchRequest(fields: SearchFields = {}): Buffer {
  const { base = BASE, scope = 2, deref = 0, sizeLimit = 0, timeLimit = 0 } = fields
  const { typesOnly = false, filter = PRESENT, attributes = [] } = fields
  return element(
    0x63,
    element(TAG.octets, base),
    integer(scope, TAG.enumerated),
    integer(deref, TAG.enumerated),
    integer(sizeLimit),
    integer(timeLimit),
    element(TAG.boolean, Buffer.of(typesOnly ? 0xff : 0)),
    filter,
    element(TAG.sequence, ...attributes.map((name) => element(TAG.octets, name))),
  )
}

export function equal(attribute: string, value: string): Buffer {
  return element(0xa3, element(TAG.octets, attribute), element(TAG.octets, value))
}

export function and(...filters: Buffer[]): Buffer {
  return element(0xa0, ...filters)
}

export function or(...filters: Buffer[]): Buffer {
  return element(0xa1, ...filters)
}

/** The list of controls with one of them. */
export function control(oid: string, isCritical: boolean, value?: Buffer): Buffer {
  return element(
    0xa0,
    element(
      TAG.sequence,
      element(TAG.octets, oid),
      ...(isCritical ? [element(TAG.boolean, Buffer.of(0xff))] : []),
      ...(value ? [element(TAG.octets, value)] : []),
    ),
  )
}

/** The control for pages (RFC 2696). */
export function paging(size: number, cookie: string, isCritical: boolean): Buffer {
  const value = element(TAG.sequence, integer(size), element(TAG.octets, cookie))
  return control('1.2.840.113556.1.4.319', isCritical, value)
}
