import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { childrenOf, workerdsOf } from '../support/listeners.ts'
import type { Program } from '../support/program.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const
const WAIT = { timeout: 20_000, interval: 50 }

let clone: Clone

beforeEach(() => {
  clone = new Clone(inject('startedSite'))
})

afterEach(() => clone.remove())

function isRunning(pid: number): boolean {
  try {
    // A process that has ended is there until its parent has read how.
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Returns what still runs after a while. */
async function survivorsOf(pids: number[]): Promise<number[]> {
  await vi.waitUntil(() => !pids.some(isRunning), WAIT).catch(() => undefined)
  return pids.filter(isRunning)
}

async function served(program: Program): Promise<number[]> {
  await program.until('serves on')
  const pids = [program.pid, ...childrenOf(program.pid)]
  expect(workerdsOf(program.pid)).toHaveLength(1)
  return pids
}

// Each starts a site: two seconds.
describe.skipIf(process.platform !== 'linux')('nothing is left of a site', () => {
  test.each(SIGNALS)('that gets %s', async (signal) => {
    const service = clone.start({ PORT: await freePort() })
    const pids = await served(service)
    process.kill(service.pid, signal)
    expect(await survivorsOf(pids)).toEqual([])
  })

  // npm leaves SIGINT to the terminal, which sends it to the site too.
  test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)('whose npm gets %s', async (signal) => {
    const npm = clone.shell('exec npm start', { PORT: await freePort() })
    const pids = await served(npm)
    process.kill(npm.pid, signal)
    expect(await survivorsOf(pids)).toEqual([])
  })

  // A slow machine takes seconds for this, and a container that is stopped gets ten.
  test('that is stopped while the runtime starts', async () => {
    const runtime = clone.path('runtime.sh')
    const begun = clone.path('begun')
    writeFileSync(runtime, `#!/bin/sh\n: > ${begun}\nexec sleep infinity\n`)
    chmodSync(runtime, 0o755)
    const service = clone.start({ PORT: await freePort(), MINIFLARE_WORKERD_PATH: runtime })
    await vi.waitFor(() => expect(existsSync(begun)).toBe(true), WAIT)
    const pids = [service.pid, ...childrenOf(service.pid)]
    expect(await service.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    expect(await survivorsOf(pids)).toEqual([])
  })

  test('whose command is killed', async () => {
    const command = clone.holdLatchkey('setting', 'import')
    await vi.waitFor(() => expect(workerdsOf(command.pid)).toHaveLength(1), WAIT)
    const pids = [command.pid, ...childrenOf(command.pid)]
    process.kill(command.pid, 'SIGKILL')
    expect(await survivorsOf(pids)).toEqual([])
  })
})
