import type { IncomingMessage, ServerResponse } from 'node:http'
import { isApiPath, statusOf } from '../../web/http/envelope.ts'
import { FRONT_OUTCOME_HEADER } from '../../web/http/front.ts'
import { compressedHeaders, gzip, isCompressed } from './compression.ts'
import { passedResponseHeaders } from './front-request.ts'

/** The end of a request. Texts that the client chose may hold any character. */
export interface Answered {
  /** Empty when the request could not be read. */
  method: string
  /** Without the query. */
  path: string
  /** Of HTTP; `undefined` when the client went away first. */
  status: number | undefined
  /** The envelope's code. */
  code: number | undefined
  /** The user whose token was sent. */
  userId: number | undefined
  /** The address of the client; empty when it is not known. */
  address: string
  /** Whether the Worker has answered and has logged the request. */
  isLogged: boolean
  milliseconds: number
}

export type OnAnswer = (answer: Answered) => void

/** A request and its answer. */
export class Exchange {
  /** Path and query; before they are read, what the client sent. */
  target: string
  address = ''
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  #code: number | undefined
  #userId: number | undefined
  #isLogged = false

  constructor(request: IncomingMessage, response: ServerResponse, onAnswer: OnAnswer) {
    this.target = request.url ?? ''
    this.#request = request
    this.#response = response
    const start = performance.now()
    response.once('close', () => onAnswer(this.#answerAfter(performance.now() - start)))
  }

  get #path(): string {
    const [path = ''] = this.target.split('?')
    return path
  }

  #answerAfter(milliseconds: number): Answered {
    return {
      method: this.#request.method ?? '',
      path: this.#path,
      status: this.#response.headersSent ? this.#response.statusCode : undefined,
      code: this.#code,
      userId: this.#userId,
      address: this.address,
      isLogged: this.#isLogged,
      milliseconds,
    }
  }

  /** Refuses the request. Under `/api` the answer has the Worker's envelope. */
  refuse(code: number, message: string): void {
    this.#code = code
    const path = this.#path
    const [type, body] = isApiPath(path)
      ? ['application/json', JSON.stringify({ code, message, data: null })]
      : ['text/plain; charset=utf-8', `${message}\n`]
    // The rest of the body is not read, so the connection can't be used again.
    const headers = { 'Content-Type': type, Connection: 'close' }
    this.#response
      .writeHead(statusOf(path, code), headers)
      .end(this.#request.method === 'HEAD' ? '' : body)
  }

  /**
   * Passes the Worker's answer back.
   *
   * @param mayCompress Bytes of files are counted: their lengths and ranges have to be right.
   */
  passBack(answer: IncomingMessage, mayCompress = true): void {
    this.#readOutcome(answer)
    const headers = passedResponseHeaders(answer)
    const compressed = mayCompress && isCompressed(this.#request, answer)
    const passed = compressed ? compressedHeaders(headers) : headers
    this.#response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passed.flat())
    // `pipeline` takes several times as long as `pipe`, which leaves it to us to end an answer that broke off.
    answer.once('close', () => {
      if (!answer.complete) this.#response.destroy()
    })
    answer.on('error', () => this.#response.destroy())
    const source = compressed ? answer.pipe(gzip()) : answer
    source.pipe(this.#response)
  }

  /** Reads the header that the request log of the Worker sets; `/ping` has none. */
  #readOutcome({ headers }: IncomingMessage): void {
    const outcome = headers[FRONT_OUTCOME_HEADER.toLowerCase()]
    if (typeof outcome !== 'string') return
    const [code, userId] = outcome.split(' ')
    this.#isLogged = true
    this.#code = Number(code)
    if (userId) this.#userId = Number(userId)
  }
}
