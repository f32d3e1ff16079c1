import {
  Agent,
  type ClientRequest,
  createServer,
  IncomingMessage,
  request as requestTo,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../../core/base/refusals.ts'
import { MAX_BODY_BYTES } from '../../web/http/body-limit.ts'
import { FRONT_SCHEME_HEADER, FRONT_SECRET_HEADER } from '../../web/http/front.ts'
import { readSitePath } from '../../core/base/site-areas.ts'
import { codeOf } from '../kit/command-error.ts'
import { Exchange, type OnAnswer } from './exchange.ts'
import { OpenRequests } from './open-requests.ts'
import {
  type Caller,
  isReserved,
  passedRequestHeaders,
  type Proxy,
  readCaller,
  readHost,
  readTarget,
} from './front-request.ts'

export interface FrontOptions {
  /** Returns the Worker's present URL for a target; the port changes when workerd restarts. */
  worker: (target?: string) => Promise<URL>
  secret: string
  proxy?: Proxy | undefined
  /** Whether a file server is behind the site: what is its own passes as a stream. */
  hasFiles?: boolean
  /** Is told of each request when it is over. */
  onAnswer: OnAnswer
}

/**
 * Creates the server between the network and the Worker. It does the work of Cloudflare's edge: it
 * sets the client's address, ignores the address that a client sends, and blocks Miniflare's tools
 * for developers.
 */
export function createFront(options: FrontOptions): Server {
  const busy = new WeakSet<Duplex>()
  const open = { files: new OpenRequests(), own: new OpenRequests() }
  // A request without a host gets its refusal from `readHost`.
  // A long upload takes longer than Node allows; `readBody` and `endWhenIdle` have deadlines.
  const limits = options.hasFiles === true ? { requestTimeout: 0, highWaterMark: STREAM_BYTES } : {}
  const server = createServer({ requireHostHeader: false, ...limits }, (request, response) => {
    busy.add(request.socket)
    response.once('close', () => busy.delete(request.socket))
    void handle(request, response, options, open)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    new Exchange(request, response, options.onAnswer).refuse(417, 'Expectation failed')
  })
  server.on('clientError', (error, socket) => {
    // An answer that is on its way would end in the middle.
    if (!socket.writable || busy.has(socket)) socket.destroy()
    else refuseUnread(error, socket, options)
  })
  return server
}

/**
 * As long as Node gives to a whole request, where it is not told otherwise. A body that passes to
 * the file server, or a file that passes back, may take longer, but not pause for longer.
 */
const BODY_MILLISECONDS = 300_000

/** Node's statuses for requests that its parser refuses. */
const UNREAD_STATUS = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
])

function refuseUnread(error: Error, socket: Duplex, { onAnswer }: FrontOptions): void {
  const code = codeOf(error)
  if (code === 'ECONNRESET') return void socket.destroy()
  const status = UNREAD_STATUS.get(code) ?? 400
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`)
  onAnswer({
    method: '',
    path: '',
    status,
    code: undefined,
    userId: undefined,
    address: '',
    isLogged: false,
    milliseconds: 0,
  })
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: FrontOptions,
  open: Record<'files' | 'own', OpenRequests>,
): Promise<void> {
  const exchange = new Exchange(request, response, options.onAnswer)
  const caller = readCaller(request, options.proxy)
  if (typeof caller !== 'string') exchange.address = caller.address
  const target = readTarget(request.url ?? '')
  if (target === undefined) return exchange.refuse(400, 'Bad request')
  exchange.target = target
  const host = readHost(request)
  if (host === undefined) return exchange.refuse(400, 'Bad Host header')
  if (isReserved(target)) return exchange.refuse(404, 'Not found')
  if (typeof caller === 'string') return exchange.refuse(403, caller)
  const isForFiles = options.hasFiles === true && !isOwnPath(target)
  if (!open[isForFiles ? 'files' : 'own'].enter(caller.address, response)) {
    const { code, message } = new Refusal('tooManyRequests')
    return exchange.refuse(code, message)
  }
  try {
    const body = isForFiles && !isShort(request) ? streamOf(request) : await readBody(request)
    const { hostname, port } = await options.worker(target)
    const headers = ['Host', host, ...headersFor(request, body, caller, options.secret)]
    const answer = await askWorker(request, response, body, {
      hostname,
      port,
      path: target,
      headers,
    })
    // Each reader who has stopped holds a part of the file in memory.
    if (isForFiles) response.setTimeout(BODY_MILLISECONDS, () => response.destroy())
    exchange.passBack(answer, !isForFiles)
  } catch {
    if (response.headersSent || request.socket.destroyed) return void response.destroy()
    const { code, message } = new Refusal('unavailable')
    exchange.refuse(code, message)
  }
}

/**
 * Reads the body of a request. Of a body that is too large, it reads only what the Worker needs to
 * refuse it. The Worker gets the body whole: it would answer a body that breaks off with an
 * exception, and while a body is sent, its early answer can be lost.
 *
 * @returns `undefined` when the Worker receives none: the body of a GET or HEAD has no meaning (RFC
 *   9110 section 9.3.1).
 * @throws When the client goes away.
 */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return void request.resume()
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (length === undefined && coding === undefined) return undefined
  const chunks: Buffer[] = []
  let bytes = 0
  const deadline = setTimeout(() => request.destroy(), BODY_MILLISECONDS)
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      chunks.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) break
    }
  } finally {
    clearTimeout(deadline)
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES + 1)
}

/** An early refusal of a body that is still being sent can be lost, so short ones are sent whole. */
function isShort({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) <= MAX_BODY_BYTES
}

/** A body that passes as it comes; `undefined` when there is none. */
function streamOf(request: IncomingMessage): IncomingMessage | undefined {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead && (length !== undefined || coding !== undefined)) return request
  return void request.resume()
}

/** Tells whether this service answers a path on a site with a file server. */
function isOwnPath(target: string): boolean {
  const [path = ''] = target.split('?')
  const area = readSitePath(path)?.area
  return area === undefined || area === 'latchkey' || area === 'nobody'
}

function headersFor(
  request: IncomingMessage,
  body: Buffer | IncomingMessage | undefined,
  caller: Caller,
  secret: string,
): string[] {
  const headers = withoutLength(passedRequestHeaders(request))
  headers.push('CF-Connecting-IP', caller.address, FRONT_SECRET_HEADER, secret)
  headers.push(FRONT_SCHEME_HEADER, caller.isHttps ? 'https' : 'http')
  const length =
    body instanceof IncomingMessage ? body.headers['content-length'] : body && String(body.length)
  if (length !== undefined) headers.push('Content-Length', length)
  else if (body !== undefined) headers.push('Transfer-Encoding', 'chunked')
  return headers
}

/** @param headers A flat list of names and values. */
function withoutLength(headers: readonly string[]): string[] {
  return headers.filter((_, i) => headers[i - (i % 2)]?.toLowerCase() !== 'content-length')
}

/**
 * How much of a file waits between two sockets, four times Node's. A hundred clients that do not
 * read hold 75 MB with it, and 290 MB with 1 MiB, which is not faster.
 */
const STREAM_BYTES = 256 * 1024

/** Connections to workerd that are used again. */
const kept = new Agent({ keepAlive: true })

/** Methods whose request may be sent again when its connection was lost. */
const SAFE = new Set(['GET', 'HEAD'])

interface Onward {
  hostname: string
  port: string
  path: string
  headers: string[]
}

/**
 * Sends a request to the Worker. workerd may close an idle connection just when it is used, so one
 * is used again only for a request that may be repeated, and that one is then repeated on a new
 * connection.
 *
 * @throws When the Worker can't be reached, or when a connection closes too early.
 */
async function askWorker(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer | IncomingMessage | undefined,
  to: Onward,
): Promise<IncomingMessage> {
  const isSafe = SAFE.has(request.method ?? '')
  // Their types lack it: requests hand their options on to `net.connect`.
  const options = { ...to, method: request.method, highWaterMark: STREAM_BYTES }
  const send = (agent: Agent | false) => requestTo({ ...options, agent })
  let onward = send(isSafe && kept)
  response.once('close', () => onward.destroy())
  try {
    return await answerTo(onward, body)
  } catch (error) {
    if (!isSafe || !onward.reusedSocket || response.destroyed) throw error
    onward = send(false)
    return answerTo(onward, body)
  }
}

function answerTo(
  onward: ClientRequest,
  body: Buffer | IncomingMessage | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // `on`, not `once`, because the Worker may answer and then close the connection with an error.
    onward.once('response', resolve).on('error', reject)
    if (!(body instanceof IncomingMessage)) return onward.end(body)
    // A client that goes away ends the request, so that the file server does not keep half a file
    // (of one whose length is not known it does: workerd ends such a body as if it were whole).
    body.once('error', () => onward.destroy())
    endWhenIdle(body)
    return body.pipe(onward)
  })
}

/** Ends a request whose body has stopped coming: for these, Node has no limit (`createFront`). */
function endWhenIdle(body: IncomingMessage): void {
  const deadline = setTimeout(() => body.destroy(), BODY_MILLISECONDS)
  body.on('data', () => deadline.refresh())
  for (const event of ['end', 'close']) body.once(event, () => clearTimeout(deadline))
}
