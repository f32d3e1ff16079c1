import { rmSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  request as requestTo,
  type Server,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { FRONT_DATA_HEADER, FRONT_SECRET_HEADER } from '../../web/http/front.ts'
import { DATA_SOCKET } from '../site/running-site.ts'
import type { FrontOptions } from './front.ts'

type WorkerOptions = Pick<FrontOptions, 'worker' | 'secret'>

/**
 * Serves the data of the site to the commands of the same user, by a Unix socket. Without it, as on
 * file systems that have no sockets, commands open the data themselves.
 *
 * @returns The server; it removes its socket when it closes.
 */
export async function serveData(options: WorkerOptions): Promise<Server> {
  const server = createServer((request, response) => {
    passToWorker(request, response, options).catch(() => response.destroy())
  })
  // A start that was killed has left it. Only one start at a time comes here (`folder-lock.ts`).
  rmSync(DATA_SOCKET, { force: true })
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve()).listen(DATA_SOCKET, resolve)
  })
  return server
}

async function passToWorker(
  request: IncomingMessage,
  response: ServerResponse,
  options: WorkerOptions,
): Promise<void> {
  // Rejects when the command ends before it has sent everything.
  const answer = await callWorker(await buffer(request), options)
  response.writeHead(answer.statusCode ?? 502)
  await pipeline(answer, response)
}

/** Sends a call for the data of the site to the Worker. */
export async function callWorker(
  call: Buffer | string,
  { worker, secret }: WorkerOptions,
): Promise<IncomingMessage> {
  const { hostname, port } = await worker()
  const headers = { [FRONT_SECRET_HEADER]: secret, [FRONT_DATA_HEADER]: '1' }
  const onward = requestTo({ hostname, port, method: 'POST', headers, agent: false })
  return new Promise((resolve, reject) => {
    onward.once('response', resolve).on('error', reject).end(call)
  })
}
