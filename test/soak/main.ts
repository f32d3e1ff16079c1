import { Command } from 'commander'
import { CommandError, runCommand } from '../../src/cli/command-error.ts'
import { bundle } from '../bench/bundles.ts'
import { residentMebibytes } from '../bench/load.ts'
import { Sites } from '../bench/sites.ts'
import { Visitor } from './visitor.ts'

const VISITORS = 24
/** Of a hundred calls to D1, how many fail and how many take 2 s longer. */
const FAULTS = { D1_ERROR_PERCENT: 1, D1_STALL_PERCENT: 1 }
const SAMPLES = 60

/** `npm run soak`: mixed load at saturation while D1 fails and stalls, every answer checked. */
const program = new Command('soak')
  .option('--minutes <number>', 'how long', '5')
  .action(({ minutes }: { minutes: string }) => runCommand(() => soak(Number(minutes))))

await program.parseAsync()

async function soak(minutes: number): Promise<void> {
  const script = await bundle('test/bench/metered.ts')
  const sites = await Sites.start([{ name: 'soak', script, bindings: FAULTS }])
  const counts = new Map<string, number>()
  const count = (what: string, code: number) => {
    const name = `${what} ${code}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const violations: string[] = []
  const end = Date.now() + minutes * 60_000
  const memory: Sample[] = []
  const sampling = setInterval(
    () => memory.push({ at: Date.now(), mebibytes: residentMebibytes(sites.pid) ?? NaN }),
    (minutes * 60_000) / SAMPLES,
  )
  const visits = Array.from({ length: VISITORS }, async (_, i) => {
    const visitor = new Visitor(sites.url('soak'), i + 1, count)
    while (Date.now() < end && violations.length === 0) {
      await visitor
        .act()
        .catch((error: unknown) => violations.push(`user${i + 1}: ${String(error)}`))
    }
  })
  try {
    await Promise.all(visits)
  } finally {
    clearInterval(sampling)
    await sites.stop()
  }
  report(minutes, counts, memory)
  if (violations.length > 0) throw new CommandError(`Violated:\n${violations.join('\n')}`)
  console.log('No wrong answer, no lost key, no token without a session, no revived session.')
}

interface Sample {
  /** Unix time, milliseconds. */
  at: number
  mebibytes: number
}

function report(minutes: number, counts: Map<string, number>, memory: Sample[]): void {
  const total = Array.from(counts.values()).reduce((sum, one) => sum + one, 0)
  const faults = Array.from(counts).flatMap(([name, one]) => (name.endsWith(' 503') ? one : []))
  const unavailable = faults.reduce((sum, one) => sum + one, 0)
  for (const name of Array.from(counts.keys()).toSorted((a, b) => a.localeCompare(b)))
    console.log(`${name}\t${counts.get(name)}`)
  const sizes = memory.map(({ mebibytes }) => Math.round(mebibytes))
  console.log(
    `${total} requests in ${minutes} min (${Math.round(total / minutes / 60)} a second), ${unavailable} of them 503.`,
  )
  console.log(`Memory of workerd, MiB: ${sizes.filter((_, i) => i % 6 === 0).join(' ')}`)
  // Told, not judged: under the same load a bare handler with one D1 statement grows as much, because
  // the simulated D1 lives in the same process.
  console.log(`Slope of the second half: ${slopeOf(memory).toFixed(2)} MiB a minute.`)
}

/** Least squares over the second half, when all is warm; MiB per minute. */
function slopeOf(memory: Sample[]): number {
  const half = memory.slice(Math.floor(memory.length / 2))
  const mean = (of: (sample: Sample) => number) =>
    half.reduce((sum, sample) => sum + of(sample), 0) / half.length
  const [at, size] = [mean((one) => one.at), mean((one) => one.mebibytes)]
  const covariance = mean((one) => (one.at - at) * (one.mebibytes - size))
  return (covariance / mean((one) => (one.at - at) ** 2)) * 60_000
}
