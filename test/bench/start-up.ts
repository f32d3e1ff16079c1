import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  moduleOptions,
  readModules,
  type WorkerModules,
} from '../../src/programs/site/worker-modules.ts'
import { compatibilityFlags } from '../support/compatibility-flags.ts'
import { temporaryFolder } from './bundles.ts'
import { send } from './client.ts'
import { type Figure, figureOf } from './statistics.ts'
import { BARE, startMiniflare, workerOf } from './sites.ts'

/** Loads the Worker at its first request, so that nothing else is measured with it. */
const SHELL = `export default {
  async fetch(request) {
    if (!request.url.endsWith('/warm')) await import('./worker.js')
    return new Response('pong')
  },
}`
const BARE_WITH_OBJECT = `import { DurableObject } from 'cloudflare:workers'
export class PasswordHasher extends DurableObject {}
${BARE}`
const WARM_UP = 5

/**
 * What a start of the Worker costs: the CPU that workerd spends on compiling and evaluating its
 * global scope, garbage collection included, beyond that of a bare handler.
 *
 * @param script The bundle as it is deployed.
 * @returns Milliseconds; none where there is no /proc.
 */
export async function startUpOf(script: string, rounds: number): Promise<Figure | undefined> {
  const ours = readModules(dirname(script), basename(script))
  const beyond: number[] = []
  for (let round = 0; round < rounds; round++) {
    const bare = await loadOnce({ main: 'worker.js', modules: { 'worker.js': BARE } })
    const spent = await loadOnce(ours)
    if (bare !== undefined && spent !== undefined) beyond.push(spent - bare)
  }
  return beyond.length === 0 ? undefined : figureOf(beyond)
}

/**
 * What the first visitor waits for after workerd has started with a new version: all CPU that
 * workerd spends until its first answer, beyond that of a bare handler with the same bindings. It
 * is more than {@link startUpOf}: workerd reads the bundle, and V8 compiles what the first request
 * runs.
 *
 * @returns Milliseconds; none where there is no /proc.
 */
export async function firstAnswerOf(script: string, rounds: number): Promise<Figure | undefined> {
  const bare = join(temporaryFolder(), 'bare.js')
  writeFileSync(bare, BARE_WITH_OBJECT)
  const beyond: number[] = []
  for (let round = 0; round < rounds; round++) {
    const [least, ours] = [await answerOnce(bare), await answerOnce(script)]
    if (least !== undefined && ours !== undefined) beyond.push(ours - least)
  }
  return beyond.length === 0 ? undefined : figureOf(beyond)
}

async function answerOnce(script: string): Promise<number | undefined> {
  const { miniflare, pid } = await startMiniflare({
    workers: [workerOf({ name: 'first', script })],
  })
  try {
    const url = await miniflare.unsafeGetDirectURL('first')
    await send(url, { method: 'GET', path: '/ping', isGood: (body) => body === 'pong' })
    return cpuMilliseconds(pid)
  } finally {
    await miniflare.dispose()
  }
}

/** Each time in a workerd of its own: an isolate loads a module once. */
async function loadOnce({ main, modules }: WorkerModules): Promise<number | undefined> {
  const { miniflare, pid } = await startMiniflare({
    name: 'shell',
    compatibilityDate: '2026-08-01',
    compatibilityFlags: compatibilityFlags(),
    ...moduleOptions({
      main: 'shell.js',
      modules: { ...modules, 'shell.js': SHELL.replace('worker.js', main) },
    }),
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  })
  try {
    const url = await miniflare.unsafeGetDirectURL('shell')
    for (let i = 0; i < WARM_UP; i++) await send(url, { method: 'GET', path: '/warm' })
    const idle = cpuMilliseconds(pid)
    await send(url, { method: 'GET', path: '/load' })
    const loaded = cpuMilliseconds(pid)
    return idle === undefined || loaded === undefined ? undefined : loaded - idle
  } finally {
    await miniflare.dispose()
  }
}

/** Of all threads, to the nanosecond; ticks of 10 ms would be too coarse. @see proc(5), schedstat */
export function cpuMilliseconds(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const [spent] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return Number(spent)
  })
  return nanoseconds.reduce((sum, spent) => sum + spent, 0) / 1e6
}
