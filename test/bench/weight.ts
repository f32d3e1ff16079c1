import { basename, dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readModules } from '../../src/programs/site/worker-modules.ts'
import { bundle } from './bundles.ts'
import { type Effort, tokenOf } from './compare.ts'
import { liveHeapBytes } from './inspector.ts'
import { load } from './load.ts'
import { type Side, Sites } from './sites.ts'
import { firstAnswerOf, startUpOf } from './start-up.ts'
import type { Figure } from './statistics.ts'

/** What the Worker weighs. */
export interface Weight {
  bundleBytes: number
  gzipBytes: number
  /** Of CPU to evaluate the global scope, beyond that of a bare handler. */
  startMilliseconds: Figure | undefined
  /**
   * Of CPU until the first answer of a workerd, beyond that of a bare handler with the same
   * bindings.
   */
  firstAnswerMilliseconds: Figure | undefined
  /** What the isolate keeps alive, before and after load. */
  idleHeapMebibytes: number
  loadedHeapMebibytes: number
  /** The same for the bare handler after the same load. */
  limitHeapMebibytes: number
}

export async function weigh(now: Side, limit: Side, effort: Effort): Promise<Weight> {
  const script = await bundle('src/worker.ts')
  const { modules } = readModules(dirname(script), basename(script))
  const texts = Object.values(modules).map((text) => Buffer.from(text))
  const heap = await heapOf(now, effort)
  return {
    bundleBytes: sum(texts.map(({ length }) => length)),
    gzipBytes: sum(texts.map((text) => gzipSync(text, { level: 9 }).length)),
    startMilliseconds: await startUpOf(script, effort.rounds),
    firstAnswerMilliseconds: await firstAnswerOf(script, effort.rounds),
    idleHeapMebibytes: heap.idle,
    loadedHeapMebibytes: heap.loaded,
    limitHeapMebibytes: (await heapOf(limit, effort)).loaded,
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/**
 * Not what workerd holds: the simulated D1 is in the same process, and grows with every statement
 * of anybody.
 */
async function heapOf(side: Side, { rounds, seconds }: Effort) {
  const sites = await Sites.start([side], { inspectable: true })
  try {
    const { name } = side
    const url = sites.url(name)
    const token = await tokenOf(sites, name)
    const idle = await liveHeapBytes(sites, name)
    const effort = { seconds: rounds * seconds, connections: 8, pid: sites.pid }
    await load(url, { method: 'GET', path: '/api/me', token }, effort)
    return { idle: idle / 2 ** 20, loaded: (await liveHeapBytes(sites, name)) / 2 ** 20 }
  } finally {
    await sites.stop()
  }
}
