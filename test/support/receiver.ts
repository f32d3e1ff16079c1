import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'

/** A request that a receiver of notices or logouts got. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** As it was sent, for signatures. */
  raw: string
  // oxlint-disable-next-line typescript/no-explicit-any -- Its form is what the tests look at.
  body: any
}

type Answer = (response: ServerResponse) => void

/**
 * Stands in for a receiver of notices or logouts: it answers as the test says, and keeps what it
 * got.
 */
export class Receiver {
  readonly got: Received[] = []
  /** The next answers; then 200. */
  readonly answers: Answer[] = []
  readonly #server: Server
  readonly #onRequest = new Set<() => void>()

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#take(request, response)
    })
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(request)
    const { url = '', headers } = request
    const isJson = headers['content-type']?.startsWith('application/json') === true
    this.got.push({ path: url, headers, raw, body: isJson && raw !== '' ? JSON.parse(raw) : null })
    const answer = this.answers.shift() ?? ((item) => item.end('{"ok":true}'))
    answer(response)
    for (const look of this.#onRequest) look()
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver()
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the receiver is closed')
    return `http://127.0.0.1:${address.port}`
  }

  /** Resolves when it has got so many requests. */
  until(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.got.length < count) return
        this.#onRequest.delete(look)
        resolve()
      }
      this.#onRequest.add(look)
      look()
    })
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** Answers with a status. */
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(code, headers).end()
}

/** Never answers. */
export const hang: Answer = () => undefined

/** Answers after some time. */
export function late(milliseconds: number): Answer {
  return (response) => void setTimeout(() => response.end(), milliseconds)
}
