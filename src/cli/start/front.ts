import {
  createServer,
  type IncomingMessage,
  request as requestTo,
  type Server,
  type ServerResponse,
} from 'node:http'
import { pipeline } from 'node:stream/promises'
import { FRONT_SCHEME_HEADER, FRONT_SECRET_HEADER } from '../../http/front.ts'
import {
  type Caller,
  isReserved,
  passedRequestHeaders,
  passedResponseHeaders,
  type Proxy,
  readCaller,
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
 * sets the client's address, ignoring what the client claims, and blocks Miniflare's tools for
 * developers.
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
  if (target === undefined) return refuse(request, response, 400, 'Bad request')
  if (isReserved(target)) return refuse(request, response, 404, 'Not found')
  const caller = readCaller(request, options.proxy)
  if (typeof caller === 'string') return refuse(request, response, 403, caller)
  try {
    const { hostname, port } = await options.worker()
    const headers = headersFor(request, caller, options.secret)
    await passOn(request, response, { hostname, port, path: target, headers })
  } catch {
    if (response.headersSent) response.destroy()
    else refuse(request, response, 503, 'Service unavailable, try again')
  }
}

function headersFor(request: IncomingMessage, caller: Caller, secret: string): string[] {
  const headers = passedRequestHeaders(request)
  headers.push('CF-Connecting-IP', caller.address, FRONT_SECRET_HEADER, secret)
  headers.push(FRONT_SCHEME_HEADER, caller.isHttps ? 'https' : 'http')
  if (isChunked(request)) headers.push('Transfer-Encoding', 'chunked')
  return headers
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
  // A new connection for each request: workerd may close an idle connection just when it is used.
  const onward = requestTo({ ...to, method: request.method, agent: false })
  response.once('close', () => onward.destroy())
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    onward.once('response', resolve)
    // `on`, not `once`: the Worker may answer before it has read the body, and then close.
    onward.on('error', reject)
  })
  if (isChunked(request) || request.headers['content-length'] !== undefined) request.pipe(onward)
  else onward.end()
  const answer = await answered
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedResponseHeaders(answer))
  await pipeline(answer, response)
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  sentence: string,
): void {
  // The rest of the body is not read, so the connection can't be used again.
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }
  response.writeHead(status, headers).end(request.method === 'HEAD' ? '' : `${sentence}\n`)
}
