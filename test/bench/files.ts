import { fork } from 'node:child_process'
import { join } from 'node:path'
import * as v from 'valibot'
import { send } from './client.ts'
import { type Effort, tokenOf } from './compare.ts'
import { type Load, load, type Request } from './load.ts'
import type { Sites } from './sites.ts'
import { type Figure, figureOf } from './statistics.ts'

const CONNECTIONS = 8
const addressSchema = v.object({ port: v.number() })

/** A file server of the benchmark, in a process of its own. */
export async function startFilesServer(): Promise<{ origin: string; stop: () => void }> {
  const child = fork(join(import.meta.dirname, 'files-server.ts'))
  const { port } = await new Promise<{ port: number }>((resolve) => {
    child.once('message', (message) => resolve(v.parse(addressSchema, message)))
  })
  return { origin: `http://127.0.0.1:${port}`, stop: () => child.kill() }
}

/** A list of files through the gateway, beside a bare Worker that reads D1 once and fetches it. */
export interface FilesFigure {
  gateway: Figure
  bare: Figure
  /** Of the gateway over the bare Worker, in the same round. */
  ratio: Figure
}

export async function measureFiles(
  sites: Sites,
  names: { gateway: string; bare: string },
  { rounds, seconds }: Effort,
): Promise<FilesFigure> {
  const sides = [names.gateway, names.bare]
  const requests = new Map<string, Request>()
  for (const name of sides) {
    const token = await tokenOf(sites, name)
    requests.set(name, { method: 'POST', path: '/api/fs/list', token, body: { path: '/' } })
  }
  const loads = new Map(sides.map((name) => [name, [] as Load[]]))
  for (let round = -1; round < rounds; round++) {
    // In turn, so that what the machine does besides falls on both.
    for (const name of round % 2 === 0 ? sides : sides.toReversed()) {
      const request = requests.get(name)
      if (request === undefined) throw new Error(`no request for ${name}`)
      if (round < 0) await send(sites.url(name), request)
      const pressure = { seconds, connections: CONNECTIONS, pid: sites.pid }
      const taken = await load(sites.url(name), request, pressure)
      if (round >= 0) loads.get(name)?.push(taken)
    }
  }
  const rates = (name: string) => (loads.get(name) ?? []).map(({ perSecond }) => perSecond)
  const [gateway, bare] = [rates(names.gateway), rates(names.bare)]
  return {
    gateway: figureOf(gateway),
    bare: figureOf(bare),
    ratio: figureOf(gateway.map((rate, i) => rate / (bare[i] ?? NaN))),
  }
}

export function toFilesTable({ gateway, bare, ratio }: FilesFigure): string {
  const cells = [
    gateway.median.toFixed(0),
    bare.median.toFixed(0),
    `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)})`,
  ]
  return [
    '| `fs/list` per second | bare Worker | ratio |',
    '|---|---|---|',
    `| ${cells.join(' | ')} |`,
  ].join('\n')
}
