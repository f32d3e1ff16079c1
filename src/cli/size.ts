import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBundle, kib } from './bundle.ts'
import { CommandError, runCommand } from './command-error.ts'
import { runWrangler } from './wrangler.ts'

const MAX_GZIP_BYTES = 120 * 1024

/** `npm run size`: what a deployed Worker weighs, minified and compressed, held to a limit. */
await runCommand(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-size-'))
  try {
    const { bytes, gzipBytes } = await buildBundle(runWrangler, folder)
    console.log(
      `Worker: ${kib(bytes)} minified, ${kib(gzipBytes)} gzip (limit ${kib(MAX_GZIP_BYTES)})`,
    )
    if (gzipBytes > MAX_GZIP_BYTES) throw new CommandError('The Worker is too large.')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
