import { Command } from 'commander'
import { CommandError, runCommand } from '../../src/programs/kit/command-error.ts'
import { growthOf, isFlat } from './growth.ts'
import { soak, type Soaked, totalOf } from './soak.ts'

interface Options {
  minutes: string
  samples: string
  visitors: string
}

/** `npm run soak`: mixed load at saturation while D1 fails and stalls, every answer checked. */
const program = new Command('soak')
  .option('--minutes <number>', 'how long', '5')
  .option('--samples <number>', 'how often to measure memory', '15')
  .option('--visitors <number>', 'how many at once', '24')
  .action((options: Options) => runCommand(() => run(options)))

await program.parseAsync()

async function run({ minutes, samples, visitors }: Options): Promise<void> {
  const effort = {
    minutes: Number(minutes),
    samples: Number(samples),
    visitors: Number(visitors),
  }
  const soaked = await soak(effort)
  reportCounts(effort.minutes, soaked)
  const { violations } = soaked
  if (violations.length > 0) throw new CommandError(`Violated:\n${violations.join('\n')}`)
  console.log('No wrong answer, no lost key, no token without a session, no revived session,')
  console.log('no code or ended password that worked, no half of a change.')
  judgeMemory(soaked)
}

function reportCounts(minutes: number, { counts }: Soaked): void {
  const total = totalOf(counts)
  const unavailable = totalOf(counts, ' 503')
  for (const name of Array.from(counts.keys()).toSorted((a, b) => a.localeCompare(b)))
    console.log(`${name}\t${counts.get(name)}`)
  console.log(
    `${total} requests in ${minutes} min (${Math.round(total / minutes / 60)} a second), ${unavailable} of them 503.`,
  )
}

/**
 * What workerd holds in memory is told only: the simulated D1 lives in it and grows with what is
 * written, under a bare handler as well. What the Worker keeps alive is ours.
 */
function judgeMemory({ heap, resident }: Soaked): void {
  const sizes = resident.map((mebibytes) => (mebibytes === undefined ? '?' : Math.round(mebibytes)))
  console.log(`Resident memory of workerd, simulated D1 and KV included, MiB: ${sizes.join(' ')}`)
  console.log(
    `Live heap of the Worker, KiB: ${heap.map(({ bytes }) => kibibytes(bytes)).join(' ')}`,
  )
  const growth = growthOf(heap)
  console.log(
    `After the first third it grew by ${growth.bytesPerRequest.toFixed(1)} bytes a request, ${kibibytes(growth.grownBytes)} KiB in ${growth.requests} requests; ${kibibytes(growth.allowedBytes)} KiB are allowed.`,
  )
  if (!isFlat(growth)) throw new CommandError('The Worker keeps more and more memory.')
}

function kibibytes(bytes: number): number {
  return Math.round(bytes / 1024)
}
