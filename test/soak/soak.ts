import { bundle } from '../bench/bundles.ts'
import { residentMebibytes } from '../bench/load.ts'
import { Sites } from '../bench/sites.ts'
import type { HeapSample } from './growth.ts'
import { liveHeapBytes } from '../bench/inspector.ts'
import { Visitor } from './visitor.ts'

/** Of a hundred calls to D1, how many fail and how many take 2 s longer. */
const FAULTS = { D1_ERROR_PERCENT: 1, D1_STALL_PERCENT: 1 }
const NAME = 'soak'

/** How long to load by how many at once, and how often to stop and measure meanwhile. */
export interface Effort {
  minutes: number
  samples: number
  visitors: number
}

/** What came of it. */
export interface Soaked {
  /** Answers, by what was asked and the code. */
  counts: Map<string, number>
  violations: string[]
  heap: HeapSample[]
  /** Of workerd with all that simulates the platform, MiB; none where there is no /proc. */
  resident: (number | undefined)[]
}

/**
 * Loads the Worker by many visitors at once while D1 fails and stalls. Before each measuring all of
 * them come to an end, so that nothing is alive but what is kept between requests.
 */
export async function soak(effort: Effort): Promise<Soaked> {
  const { minutes, samples } = effort
  const script = await bundle('test/bench/metered.ts')
  const sides = [{ name: NAME, script, bindings: FAULTS }]
  const sites = await Sites.start(sides, { inspectable: true })
  const soaked: Soaked = { counts: new Map(), violations: [], heap: [], resident: [] }
  const { counts, violations } = soaked
  const count = (what: string, code: number) => {
    const name = `${what} ${code}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const visitors = Array.from(
    { length: effort.visitors },
    (_, i) => new Visitor(sites.url(NAME), i + 1, count),
  )
  try {
    while (soaked.heap.length < samples && violations.length === 0) {
      const end = Date.now() + (minutes * 60_000) / samples
      await Promise.all(visitors.map((visitor) => visit(visitor, end, violations)))
      const bytes = await liveHeapBytes(sites, NAME)
      soaked.heap.push({ requests: totalOf(counts), bytes })
      soaked.resident.push(residentMebibytes(sites.pid))
    }
  } finally {
    await sites.stop()
  }
  return soaked
}

/** How many answers, of those whose name ends so. */
export function totalOf(counts: Map<string, number>, ending = ''): number {
  return Array.from(counts).reduce((sum, [name, one]) => sum + (name.endsWith(ending) ? one : 0), 0)
}

/** Until the end (Unix time, milliseconds), or the first wrong answer to anybody. */
async function visit(visitor: Visitor, end: number, violations: string[]): Promise<void> {
  while (Date.now() < end && violations.length === 0) {
    await visitor
      .act()
      .catch((error: unknown) => violations.push(`${visitor.username}: ${String(error)}`))
  }
}
