import {
  createServer,
  type IncomingMessage,
  request as requestTo,
  type Server,
  type ServerResponse,
} from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '../../base/refusals.ts'
import { isApiPath, statusOf } from '../../http/envelope.ts'
import { FRONT_SCHEME_HEADER, FRONT_SECRET_HEADER } from '../../http/front.ts'
import {
  type Caller,
  isReserved,
  passedRequestHeaders,
  passedResponseHeaders,
  type Proxy,
  readCaller,
  readHost,
  readTarget,
} from './front-request.ts'

export interface FrontOptions {
  /** Returns the Worker's present URL; the port changes when workerd restarts. */
  worker: () => Promise<URL>
  secret: string
  proxy?: Proxy | undefined
}

/**
 * Creates the server between the network and the Worker. It does the work of Cloudflare's edge: it
 * sets the client's address, ignores the address that a client sends, and blocks Miniflare's tools
 * for developers.
 */
export function createFront(options: FrontOptions): Server {
  return createServer((request, response) => void handle(request, response, options))
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: FrontOptions,
): Promise<void> {
  const target = readTarget(request.url ?? '')
  if (target === undefined) return refuse(request, response, '', 400, 'Bad request')
  const host = readHost(request)
  if (host === undefined) return refuse(request, response, target, 400, 'Bad Host header')
  if (isReserved(target)) return refuse(request, response, target, 404, 'Not found')
  const caller = readCaller(request, options.proxy)
  if (typeof caller === 'string') return refuse(request, response, target, 403, caller)
  try {
    const { hostname, port } = await options.worker()
    const headers = ['Host', host, ...headersFor(request, caller, options.secret)]
    await passOn(request, response, { hostname, port, path: target, headers })
  } catch {
    if (response.headersSent) return void response.destroy()
    const { code, message } = new Refusal('unavailable')
    refuse(request, response, target, code, message)
  }
}

function headersFor(request: IncomingMessage, caller: Caller, secret: string): string[] {
  const headers = passedRequestHeaders(request)
  headers.push('CF-Connecting-IP', caller.address, FRONT_SECRET_HEADER, secret)
  headers.push(FRONT_SCHEME_HEADER, caller.isHttps ? 'https' : 'http')
  if (!hasBody(request)) return withoutLength(headers)
  if (isChunked(request)) headers.push('Transfer-Encoding', 'chunked')
  return headers
}

/**
 * Tells whether the Worker receives the body. The body of a GET or HEAD has no meaning (RFC 9110
 * section 9.3.1) and the Worker does not read it. workerd would reset the connection, and the
 * answer would be lost.
 */
function hasBody(request: IncomingMessage): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false
  return isChunked(request) || request.headers['content-length'] !== undefined
}

/** @param headers A flat list of names and values. */
function withoutLength(headers: readonly string[]): string[] {
  return headers.filter((_, i) => headers[i - (i % 2)]?.toLowerCase() !== 'content-length')
}

function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined
}

/**
 * Passes a request on to the Worker, and its answer back.
 *
 * @throws When the Worker can't be reached, or when a connection closes too early.
 */
async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  to: { hostname: string; port: string; path: string; headers: string[] },
): Promise<void> {
  // Each request has a new connection, because workerd may close an idle one just when it is used.
  const onward = requestTo({ ...to, method: request.method, agent: false })
  response.once('close', () => onward.destroy())
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    onward.once('response', resolve)
    // `on`, not `once`, because the Worker may answer before it has read the body, and then close.
    onward.on('error', reject)
  })
  if (hasBody(request)) request.pipe(onward)
  else {
    request.resume()
    onward.end()
  }
  const answer = await answered
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedResponseHeaders(answer))
  await pipeline(answer, response)
}

/** Refuses a request. Under `/api` the answer has the Worker's envelope. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  code: number,
  message: string,
): void {
  const [path = ''] = target.split('?')
  const [type, body] = isApiPath(path)
    ? ['application/json', JSON.stringify({ code, message, data: null })]
    : ['text/plain; charset=utf-8', `${message}\n`]
  // The rest of the body is not read, so the connection can't be used again.
  const headers = { 'Content-Type': type, Connection: 'close' }
  response.writeHead(statusOf(path, code), headers).end(request.method === 'HEAD' ? '' : body)
}
