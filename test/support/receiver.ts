import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request that a receiver of notices got. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** As it was sent, for signatures. */
  raw: string
  body: any
}

type Answer = (response: ServerResponse) => void

/** Stands in for a receiver of notices: it answers as the test says, and keeps what it got. */
export class Receiver {
  readonly got: Received[] = []
  /** The next answers; then 200. */
  readonly answers: Answer[] = []
  readonly #server: Server
  readonly #onRequest = new Set<() => void>()

  private constructor() {
    this.#server = createServer((request, response) => {
      void text(request).then((raw) => {
        this.got.push({
          path: request.url ?? '',
          headers: request.headers,
          raw,
          body: raw === '' ? null : JSON.parse(raw),
        })
        const answer = this.answers.shift() ?? ((one) => one.end('{"ok":true}'))
        answer(response)
        for (const look of this.#onRequest) look()
      })
    })
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver()
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
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
