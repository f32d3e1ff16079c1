import { appendFileSync, cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPrograms } from '../../scripts/assets/programs.ts'
import { Client } from './client.ts'
import { ADMIN_PASSWORD, Clone } from './clone.ts'

/** Of `clocked-worker.ts`. */
const CLOCK_PATH = '/clock-of-a-test'
const ADDRESS_HEADER = 'Address-In-A-Test'

/**
 * A served site whose clock can be moved, so that a fixture can do today what its users did weeks
 * ago. It is a copy of the repository in which `clocked-worker.ts` stands before the Worker, and
 * `cheap-scrypt.ts` in place of scrypt. It takes each request for one of the address that the
 * request names.
 */
export class ClockedSite {
  readonly clone: Clone
  /** Under the name localhost, where browsers have passkeys. */
  readonly url: string
  #movedMilliseconds = 0

  private constructor(clone: Clone, url: string) {
    this.clone = clone
    this.url = url
  }

  /** @param settings Further lines of `.dev.vars`. */
  static async start(settings = ''): Promise<ClockedSite> {
    const clone = new Clone()
    cpSync(sourceOf('cheap-scrypt.ts'), clone.path('src/core/crypto/scrypt.ts'))
    renameSync(clone.path('src/worker.ts'), clone.path('src/unclocked-worker.ts'))
    const worker = readFileSync(sourceOf('clocked-worker.ts'), 'utf8')
    writeFileSync(
      clone.path('src/worker.ts'),
      worker.replaceAll('../../src/worker.ts', './unclocked-worker.ts'),
    )
    // The platform counts by the clock of the machine, in which a year passes in a minute.
    const config = clone.path('wrangler.toml')
    writeFileSync(config, readFileSync(config, 'utf8').replace('limit = 60,', 'limit = 6000,'))
    await buildPrograms(clone.folder)
    appendFileSync(clone.path('.dev.vars'), settings)
    const { url } = await clone.serve(ADMIN_PASSWORD)
    return new ClockedSite(clone, url.replace('127.0.0.1', 'localhost'))
  }

  /** Unix time at the site, milliseconds. */
  get now(): number {
    return Date.now() + this.#movedMilliseconds
  }

  /** Moves the clock of the site to a time. It goes on from there. */
  async moveTo(time: number): Promise<void> {
    this.#movedMilliseconds = time - Date.now()
    const body = String(this.#movedMilliseconds)
    const response = await fetch(new URL(CLOCK_PATH, this.url), { method: 'POST', body })
    if (!response.ok) throw new Error('the clock does not move')
  }

  /** A device of a user, in a network of its own. */
  device(address: string, userAgent = ''): Client {
    return new Client(this.url, { ...headersOf(address), 'User-Agent': userAgent })
  }
}

const sourceOf = (name: string) => join(import.meta.dirname, name)

/** Returns the headers of a browser or a device at an address. */
export function headersOf(address: string): Record<string, string> {
  return { [ADDRESS_HEADER]: address }
}
