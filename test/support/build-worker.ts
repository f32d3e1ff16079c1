import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { runWrangler } from '../../src/cli/wrangler.ts'

declare module 'vitest' {
  interface ProvidedContext {
    workerFolder: string
  }
}

/** Bundles the Worker once, as a deployment would. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-worker-'))
  // Every program that a test starts loads wrangler: compiled once for all of them.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compile-cache')
  await runWrangler(['deploy', '--dry-run', '--outdir', folder])
  project.provide('workerFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
