import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Effort } from './compare.ts'
import { send, signInOf, tokenIn } from './client.ts'
import { load, type Request } from './load.ts'
import type { Sites } from './sites.ts'
import { type Figure, figureOf } from './statistics.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'

const CONNECTIONS = 8

/** The plainest proxy that Node makes, with kept connections, before the plainest server. */
const BARE = `
import { Agent, createServer, request } from 'node:http'
const server = createServer((_, response) => response.end('pong'))
server.listen(0, '127.0.0.1', () => {
  const agent = new Agent({ keepAlive: true })
  const { port } = server.address()
  const proxy = createServer(({ url: path, method, headers }, response) => {
    request({ port, path, method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode, answer.rawHeaders)
      answer.pipe(response)
    }).end()
  })
  proxy.listen(0, '127.0.0.1', () => console.log(proxy.address().port))
})`

/** What `npm start` answers a second, beside a bare proxy and beside workerd asked directly. */
export interface FrontFigure {
  name: string
  perSecond: Figure
  /** Of the rate over that of the other, in the same round. */
  ratio: Figure | undefined
}

function meOf(token: string): Request {
  return { method: 'GET', path: '/api/me', token }
}

/** Loads a site of `npm start`, the bare proxy and a workerd without a front server in turns. */
export async function measureFront(
  sites: Sites,
  name: string,
  { rounds, seconds }: Effort,
): Promise<FrontFigure[]> {
  const clone = new Clone()
  const bare = spawn(process.execPath, ['--input-type=module', '-e', BARE], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [port] = await once(bare.stdout, 'data')
    const { url } = await clone.serve(ADMIN_PASSWORD)
    const site = new URL(url)
    const ping: Request = { method: 'GET', path: '/ping', isGood: (body) => body === 'pong' }
    const here = meOf(tokenIn(await send(site, signInOf('admin', ADMIN_PASSWORD))))
    const there = meOf(tokenIn(await send(sites.url(name), signInOf('user9'))))
    const subjects: [name: string, url: URL, request: Request][] = [
      ['bare proxy', new URL(`http://127.0.0.1:${Number(port)}`), ping],
      ['npm start: ping', site, ping],
      ['workerd: me', sites.url(name), there],
      ['npm start: me', site, here],
    ]
    const rates = subjects.map((): number[] => [])
    for (let round = -1; round < rounds; round++)
      for (const [i, [, at, request]] of subjects.entries()) {
        const pressure = { seconds, connections: CONNECTIONS, pid: undefined }
        const { perSecond } = await load(at, request, pressure)
        // The first round warms up.
        if (round >= 0) rates[i]?.push(perSecond)
      }
    return subjects.map(([subject], i) => ({
      name: subject,
      perSecond: figureOf(rates[i] ?? []),
      ratio:
        i % 2 === 0
          ? undefined
          : figureOf((rates[i] ?? []).map((rate, round) => rate / (rates[i - 1]?.[round] ?? NaN))),
    }))
  } finally {
    bare.kill()
    await clone.remove()
  }
}

export function toFrontTable(figures: readonly FrontFigure[]): string {
  return figures
    .map(
      ({ name, perSecond, ratio }) =>
        `${name.padEnd(18)}${cell(perSecond, 0)} a second${ratio ? `, ratio ${cell(ratio, 2)}` : ''}`,
    )
    .join('\n')
}

function cell({ median, least, most }: Figure, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}
