import chromium from '@sparticuz/chromium'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildPrograms } from '../../scripts/assets/programs.ts'
import { bundle } from '../bench/bundles.ts'
import { ADMIN_PASSWORD, Clone } from './clone.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Holds the bundled Worker, which hashes passwords with `cheap-scrypt.ts`. */
    workerFolder: string
    /** A clone in which nothing was ever started. */
    freshClone: string
    /**
     * A clone in which `npm start` has run once; nobody has used its site. Its sources hash
     * passwords with `cheap-scrypt.ts`.
     */
    startedSite: string
  }
}

/** Made once for all projects of a run, with the number of those that still need it. */
let made: { folders: Promise<Folders>; users: number } | undefined

type Folders = Record<'workerFolder' | 'freshClone' | 'startedSite', string> & {
  remove: () => Promise<unknown>
}

/**
 * Bundles the Worker once, as a deployment would, makes a site that tests copy, and unpacks the
 * browser, all where the tests of programs have their temporary files.
 */
export default async function setup(project: TestProject) {
  made ??= { folders: make(project.config.env['TMPDIR']), users: 0 }
  const { folders } = made
  made.users++
  const { remove, ...provided } = await folders
  project.provide('workerFolder', provided.workerFolder)
  project.provide('freshClone', provided.freshClone)
  project.provide('startedSite', provided.startedSite)
  return async () => {
    if (made !== undefined && --made.users === 0) await remove()
  }
}

async function make(folder: string | undefined): Promise<Folders> {
  const TMPDIR = tmpdir()
  process.env['TMPDIR'] = folder
  // Every program that a test starts loads wrangler: compiled once for all of them.
  const cache = mkdtempSync(join(tmpdir(), 'latchkey-compile-cache-'))
  process.env['NODE_COMPILE_CACHE'] = cache
  const [fresh, clone] = [new Clone(), new Clone()]
  cpSync(join(import.meta.dirname, 'cheap-scrypt.ts'), clone.path('src/core/crypto/scrypt.ts'))
  await buildPrograms(clone.folder)
  const [script] = await Promise.all([
    bundle('src/worker.ts', { source: clone.folder }),
    clone.serve(ADMIN_PASSWORD).then(() => clone.stop()),
    // Unpacks the browser: two test files that did it at once would start one that is half written.
    chromium.executablePath(),
  ])
  process.env['TMPDIR'] = TMPDIR
  return {
    workerFolder: dirname(script),
    freshClone: fresh.folder,
    startedSite: clone.folder,
    remove: () => {
      rmSync(cache, { recursive: true, force: true })
      return Promise.all([fresh.remove(), clone.remove()])
    },
  }
}
