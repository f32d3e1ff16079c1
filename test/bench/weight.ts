import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { bundle } from './bundles.ts'
import { type Effort, tokenOf } from './compare.ts'
import { send } from './client.ts'
import { load, residentMebibytes } from './load.ts'
import { type Side, Sites } from './sites.ts'
import { figureOf } from './statistics.ts'

/** What the Worker weighs. */
export interface Weight {
  bundleBytes: number
  gzipBytes: number
  /** CPU time until the first answer, beyond that of the bare handler. */
  startMilliseconds: number | undefined
  /** Of workerd with all that simulates the platform, before and under load. */
  idleMebibytes: number | undefined
  loadedMebibytes: number | undefined
  /** The same for the bare handler under the same load. */
  limitMebibytes: number | undefined
}

export async function weigh(now: Side, limit: Side, effort: Effort): Promise<Weight> {
  const bytes = readFileSync(await bundle('src/worker.ts', { minify: true }))
  const starts: number[] = []
  for (let round = 0; round < effort.rounds; round++) {
    const [bare, ours] = [await startCost(limit), await startCost(now)]
    if (bare !== undefined && ours !== undefined) starts.push(ours - bare)
  }
  const memory = await memoryOf(now, effort)
  return {
    bundleBytes: bytes.length,
    gzipBytes: gzipSync(bytes, { level: 9 }).length,
    startMilliseconds: starts.length === 0 ? undefined : figureOf(starts).median,
    idleMebibytes: memory.idle,
    loadedMebibytes: memory.loaded,
    limitMebibytes: (await memoryOf(limit, effort)).loaded,
  }
}

/** Milliseconds of CPU that workerd has spent when the first request has been answered. */
async function startCost(side: Side): Promise<number | undefined> {
  const sites = await Sites.start([{ ...side, users: 0 }])
  try {
    await send(sites.url(side.name), { method: 'GET', path: '/ping' })
    return cpuMilliseconds(sites.pid)
  } finally {
    await sites.stop()
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

/** Of all threads, to the nanosecond; ticks of 10 ms would be too coarse. @see proc(5), schedstat */
function cpuMilliseconds(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const [spent] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return Number(spent)
  })
  return nanoseconds.reduce((sum, spent) => sum + spent, 0) / 1e6
}
