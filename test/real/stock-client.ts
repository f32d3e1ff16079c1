import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { freePort } from '../support/free-port.ts'

const PACKAGE = '@openlist-frontend/openlist-frontend@4.2.6'
const CACHE = 'node_modules/.cache/openlist-frontend-4.2.6'

/**
 * Finds the web client of OpenList: the folder in `OPENLIST_CLIENT_DIST`, or a copy from npm, which
 * is kept. It can't be a dependency, because npm would install the tools of its build too.
 *
 * @returns `undefined` when npm is out of reach.
 */
export function findStockClient(): string | undefined {
  const dist = process.env['OPENLIST_CLIENT_DIST'] ?? join(CACHE, 'package', 'dist')
  if (existsSync(join(dist, 'index.html')) || fetchClient()) return dist
  console.warn(`Skipped, for want of ${PACKAGE}: set OPENLIST_CLIENT_DIST to its folder "dist".`)
  return undefined
}

function fetchClient(): boolean {
  mkdirSync(CACHE, { recursive: true })
  const args = ['pack', '--silent', '--pack-destination', CACHE, PACKAGE]
  const { status, stdout } = spawnSync('npm', args, { encoding: 'utf8' })
  const file = join(CACHE, stdout.trim())
  return status === 0 && spawnSync('tar', ['xzf', file, '-C', CACHE]).status === 0
}

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** A site of OpenList whose accounts are ours: its web client, and our API under the same origin. */
export class StockSite {
  readonly url: string
  readonly stop: () => Promise<void>

  private constructor(url: string, stop: () => Promise<void>) {
    this.url = url
    this.stop = stop
  }

  /**
   * @param dist The built client.
   * @param api Where the service answers.
   */
  static async start(dist: string, api: string): Promise<StockSite> {
    const server = createServer((asked, answer) => {
      if (/^\/(?:api\/|ping$)/.test(asked.url ?? '')) pass(asked, answer, api)
      else serveFile(dist, asked.url ?? '/', answer)
    })
    const port = await freePort()
    await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve))
    const stop = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    return new StockSite(`http://localhost:${port}`, stop)
  }
}

/** Passes a request on, with the host name that the browser asked for. */
function pass(asked: IncomingMessage, answer: ServerResponse, api: string): void {
  const { method, url = '/', headers } = asked
  const { hostname, port } = new URL(api)
  const passed = request({ hostname, port, method, path: url, headers }, (answered) => {
    answer.writeHead(answered.statusCode ?? 502, answered.headers)
    answered.pipe(answer)
  })
  passed.once('error', () => answer.destroy())
  asked.pipe(passed)
}

/** Serves a file, or the page of the client for every other path. */
function serveFile(dist: string, url: string, answer: ServerResponse): void {
  const { pathname } = new URL(url, 'http://localhost')
  const file = join(dist, normalize(pathname))
  const isFile = existsSync(file) && statSync(file).isFile()
  const served = isFile ? file : join(dist, 'index.html')
  answer.setHeader('Content-Type', TYPES[extname(served)] ?? 'application/octet-stream')
  answer.end(readFileSync(served))
}
