import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { bundle } from './bundles.ts'
import { type Effort, tokenOf } from './compare.ts'
import { send } from './client.ts'
import { load, residentMebibytes } from './load.ts'
import { type Side, Sites } from './sites.ts'
import { startUpOf } from './start-up.ts'
import type { Figure } from './statistics.ts'

/** What the Worker weighs. */
export interface Weight {
  bundleBytes: number
  gzipBytes: number
  /** Of CPU to evaluate the global scope, beyond that of a bare handler. */
  startMilliseconds: Figure | undefined
  /** Of workerd with all that simulates the platform, before and under load. */
  idleMebibytes: number | undefined
  loadedMebibytes: number | undefined
  /** The same for the bare handler under the same load. */
  limitMebibytes: number | undefined
}

export async function weigh(now: Side, limit: Side, effort: Effort): Promise<Weight> {
  const script = await bundle('src/worker.ts', { minify: true })
  const bytes = readFileSync(script)
  const memory = await memoryOf(now, effort)
  return {
    bundleBytes: bytes.length,
    gzipBytes: gzipSync(bytes, { level: 9 }).length,
    startMilliseconds: await startUpOf(script, effort.rounds),
    idleMebibytes: memory.idle,
    loadedMebibytes: memory.loaded,
    limitMebibytes: (await memoryOf(limit, effort)).loaded,
  }
}

async function memoryOf(side: Side, { rounds, seconds }: Effort) {
  const sites = await Sites.start([side])
  try {
    const url = sites.url(side.name)
    await send(url, { method: 'GET', path: '/ping' })
    const idle = residentMebibytes(sites.pid)
    const effort = { seconds: rounds * seconds, connections: 8, pid: sites.pid }
    const token = await tokenOf(sites, side.name)
    await load(url, { method: 'GET', path: '/api/me', token }, effort)
    return { idle, loaded: residentMebibytes(sites.pid) }
  } finally {
    await sites.stop()
  }
}
