import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kib, makeWorker } from '../src/programs/deploy/bundle.ts'
import { CommandError, runCommand } from '../src/programs/kit/command-error.ts'
import { readSiteConfig } from '../src/programs/site/site-config.ts'

/**
 * All modules, each compressed by itself: together they are an eighth larger than one bundle.
 * Cloudflare allows 3 MiB (gzip) on the free plan. `test/programs/worker-modules.test.ts` has the
 * limit of what is read before an answer.
 */
const MAX_GZIP_BYTES = 467 * 1024

/** `npm run size`: measures the minified and compressed Worker; fails when it exceeds its limit. */
await runCommand(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-size-'))
  try {
    const { bytes, gzipBytes } = await makeWorker(await readSiteConfig(), folder)
    console.log(
      `Worker: ${kib(bytes)} minified, ${kib(gzipBytes)} gzip (limit ${kib(MAX_GZIP_BYTES)})`,
    )
    if (gzipBytes > MAX_GZIP_BYTES) throw new CommandError('The Worker is too large.')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
