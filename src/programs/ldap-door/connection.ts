import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { BerError, BerReader, element, sizeOf, TAG, utf8 } from './ber.ts'
import type { Directory, Viewer } from './directory.ts'
import { dnKey, parseDn } from './dn.ts'
import { answerTo, CODE, type Message, NOTICE_OF_DISCONNECTION, readMessage } from './message.ts'
import { REQUEST, type Result } from './message.ts'
import { type Answer, search } from './search.ts'
import { type Site, SiteAway, SiteBusy } from './site.ts'

export interface World {
  directory: Directory
  site: Pick<Site, 'accounts' | 'check'>
  /** The password of the search account. */
  searchPassword: string
  appPasswordsOnly: boolean
  log: (line: LogLine) => void
}

export interface LogLine {
  operation: 'bind' | 'search'
  code: number
  dn: string
  address: string
  milliseconds: number
}

const WHO_AM_I = '1.3.6.1.4.1.4203.1.11.3'
const MAX_MESSAGE_BYTES = 64 * 1024
const MAX_CREDENTIAL_BYTES = 1024
/** So much of a list of entries is written at once. */
const CHUNK_BYTES = 16 * 1024
const SECOND = 1000
const UNBOUND_MILLISECONDS = 30 * SECOND
const BOUND_MILLISECONDS = 600 * SECOND
const MESSAGE_MILLISECONDS = 10 * SECOND
const WRITE_MILLISECONDS = 30 * SECOND

/** One client. It answers in the order of the requests. */
export class Connection {
  readonly #world: World
  readonly #socket: Socket
  readonly #address: string
  #viewer: Viewer | undefined
  #timer: NodeJS.Timeout | undefined
  /** When the latest message came; for the choice of the idlest. */
  lastAt = performance.now()

  constructor(world: World, socket: Socket) {
    this.#world = world
    this.#socket = socket
    this.#address = socket.remoteAddress ?? ''
  }

  get isBound(): boolean {
    return this.#viewer !== undefined
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Serves the client until it goes, or is sent away. */
  async serve(): Promise<void> {
    let bytes: Buffer = Buffer.of()
    try {
      this.#wait(UNBOUND_MILLISECONDS)
      // The notice of disconnection needs the socket after the loop.
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) {
        if (bytes.length === 0) this.#wait(MESSAGE_MILLISECONDS)
        bytes = bytes.length === 0 ? Buffer.from(chunk) : Buffer.concat([bytes, chunk])
        for (;;) {
          const message = takeMessage(bytes)
          if (message === undefined) break
          bytes = message.rest
          clearTimeout(this.#timer)
          this.lastAt = performance.now()
          const read = readMessage(message.content)
          if (read.tag === REQUEST.unbind) return
          await this.#answer(read)
          this.#wait(bytes.length > 0 ? MESSAGE_MILLISECONDS : this.#idleMilliseconds)
        }
      }
    } catch (error) {
      // Nothing else is thrown but by a socket that has failed.
      if (error instanceof BerError) this.#socket.write(NOTICE_OF_DISCONNECTION)
    } finally {
      clearTimeout(this.#timer)
      this.#socket.end()
      setTimeout(() => this.#socket.destroy(), SECOND).unref()
    }
  }

  get #idleMilliseconds(): number {
    return this.isBound ? BOUND_MILLISECONDS : UNBOUND_MILLISECONDS
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.close(), milliseconds)
  }

  async #answer(message: Message): Promise<void> {
    const { tag } = message
    if (tag === REQUEST.abandon) return
    if (tag === REQUEST.bind) return this.#answerBind(message)
    if (tag === REQUEST.search) return this.#answerSearch(message)
    if (tag === REQUEST.extended) return this.#send(this.#extended(message))
    const readOnly = { code: CODE.unwillingToPerform, text: 'read only' }
    await this.#send(answerTo(message, readOnly))
  }

  async #answerBind(message: Message): Promise<void> {
    const start = performance.now()
    this.#viewer = undefined
    const { result, viewer, dn } = await this.#bind(message)
    this.#viewer = viewer
    this.#log('bind', result.code, dn, start)
    await this.#send(answerTo(message, result))
  }

  async #answerSearch(message: Message): Promise<void> {
    const start = performance.now()
    const { directory, site } = this.#world
    const answer = await search(directory, await this.#current(), message, () =>
      site.accounts(),
    ).catch((error: unknown): Answer => ({ result: troubleOf(error) }))
    this.#log('search', answer.result.code, this.#viewerDn, start)
    // Each write wakes the client, so the result leaves with the last entries.
    let bytes: Buffer = Buffer.of()
    for (const entry of answer.entries ?? []) {
      bytes = Buffer.concat([bytes, entry])
      if (bytes.length < CHUNK_BYTES) continue
      await this.#send(bytes)
      bytes = Buffer.of()
    }
    const result = answerTo(message, answer.result, answer.controls)
    await this.#send(Buffer.concat([bytes, result]))
  }

  /** The viewer; `undefined` for a person who is not in the list any more. */
  async #current(): Promise<Viewer | undefined> {
    const viewer = this.#viewer
    if (viewer?.kind !== 'person') return viewer
    const list = await this.#world.site.accounts().catch(() => undefined)
    // Without a list, the search itself fails.
    if (list === undefined) return viewer
    return list.accounts.some(({ username }) => username === viewer.username) ? viewer : undefined
  }

  #extended(message: Message): Buffer {
    const reader = new BerReader(message.content)
    const oid = reader.read(0x80).toString()
    if (!reader.isAtEnd) reader.read(0x81)
    reader.end()
    if (message.controls.some(({ isCritical }) => isCritical))
      return answerTo(message, { code: CODE.unavailableCriticalExtension })
    if (oid !== WHO_AM_I) return answerTo(message, { code: CODE.protocolError })
    const dn = this.#viewerDn
    const value = element(0x8b, dn === '' ? '' : `dn:${dn}`)
    return answerTo(message, { code: CODE.success }, undefined, value)
  }

  get #viewerDn(): string {
    const viewer = this.#viewer
    if (viewer === undefined) return ''
    const { directory } = this.#world
    return viewer.kind === 'search' ? directory.searchAccount : directory.personDn(viewer.username)
  }

  /** @returns `dn` for the log. @throws {BerError} */
  async #bind(message: Message): Promise<{ result: Result; viewer?: Viewer; dn: string }> {
    const reader = new BerReader(message.content)
    const version = reader.readInteger()
    const name = reader.read(TAG.octets)
    const { tag, content: password } = reader.readAny()
    reader.end()
    if (version !== 3) return refuse(CODE.protocolError)
    if (tag !== 0x80) return refuse(CODE.authMethodNotSupported)
    if (message.controls.some(({ isCritical }) => isCritical))
      return refuse(CODE.unavailableCriticalExtension)
    if (name.length === 0 && password.length === 0) return refuse(CODE.success, '')
    if (name.length > MAX_CREDENTIAL_BYTES || password.length > MAX_CREDENTIAL_BYTES)
      return refuse(CODE.invalidCredentials)
    if (name.length === 0) return refuse(CODE.invalidCredentials, '')
    if (password.length === 0) return refuse(CODE.unwillingToPerform)
    const dn = readDn(name)
    if (dn === undefined) return refuse(CODE.invalidDnSyntax)
    return this.#bindAs(dn, password)
  }

  async #bindAs(dn: ReturnType<typeof parseDn>, password: Buffer) {
    const { directory, site, searchPassword, appPasswordsOnly } = this.#world
    const wrong = { code: CODE.invalidCredentials }
    if (dnKey(dn) === dnKey(parseDn(directory.searchAccount))) {
      const isRight = isSame(password, Buffer.from(searchPassword))
      const own = { dn: directory.searchAccount }
      return isRight
        ? { ...own, result: { code: CODE.success }, viewer: { kind: 'search' } as const }
        : { ...own, result: wrong }
    }
    const username = directory.usernameIn(dn)
    const text = utf8(password)
    if (username === undefined) return { result: wrong, dn: 'unknown' }
    try {
      const { accounts } = await site.accounts()
      const isKnown = accounts.some((account) => account.username === username)
      const mayAsk = text !== undefined && (!appPasswordsOnly || text.startsWith('lk_'))
      const isRight = mayAsk && !text.includes('\0') && (await site.check(username, text))
      const known = { dn: isKnown ? directory.personDn(username) : 'unknown' }
      return isRight
        ? {
            ...known,
            result: { code: CODE.success },
            viewer: { kind: 'person' as const, username },
          }
        : { ...known, result: wrong }
    } catch (error) {
      return { result: troubleOf(error), dn: 'unknown' }
    }
  }

  #log(operation: LogLine['operation'], code: number, dn: string, start: number): void {
    const milliseconds = Math.round(performance.now() - start)
    this.#world.log({ operation, code, dn, address: this.#address, milliseconds })
  }

  /** Sends with backpressure: a client that reads nothing for 30 s is sent away. */
  async #send(bytes: Buffer): Promise<void> {
    if (this.#socket.destroyed || this.#socket.write(bytes)) return
    const timer = setTimeout(() => this.close(), WRITE_MILLISECONDS)
    const stop = new AbortController()
    const onClose = () => stop.abort()
    // Nothing drains a socket that has closed.
    this.#socket.once('close', onClose)
    try {
      await once(this.#socket, 'drain', { signal: stop.signal })
    } finally {
      clearTimeout(timer)
      this.#socket.off('close', onClose)
    }
  }
}

/** Takes the first message of what has come. @throws {BerError} */
function takeMessage(bytes: Buffer): { content: Buffer; rest: Buffer } | undefined {
  if (bytes.length > 0 && bytes[0] !== TAG.sequence) throw new BerError('no message')
  const size = sizeOf(bytes, 0)
  if (size === undefined) return undefined
  const { header, content } = size
  if (content > MAX_MESSAGE_BYTES) throw new BerError('a message is too large')
  if (bytes.length < header + content) return undefined
  return {
    content: bytes.subarray(header, header + content),
    rest: bytes.subarray(header + content),
  }
}

function readDn(name: Buffer): ReturnType<typeof parseDn> | undefined {
  const text = utf8(name)
  try {
    return text === undefined ? undefined : parseDn(text)
  } catch {
    return undefined
  }
}

function troubleOf(error: unknown): Result {
  if (error instanceof SiteBusy) return { code: CODE.busy }
  if (error instanceof SiteAway) return { code: CODE.unavailable }
  throw error
}

function refuse(code: number, dn = 'unknown') {
  return { result: { code }, dn }
}

function hashOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function isSame(a: Buffer, b: Buffer): boolean {
  return timingSafeEqual(hashOf(a), hashOf(b))
}
