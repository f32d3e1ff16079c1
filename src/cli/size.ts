import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { CommandError, runCommand } from './command-error.ts'
import { runWrangler } from './wrangler.ts'

const MAX_GZIP_BYTES = 92 * 1024

/** `npm run size`: what a deployed Worker weighs, minified and compressed, held to a limit. */
await runCommand(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-size-'))
  try {
    await runWrangler(['deploy', '--dry-run', '--minify', '--outdir', folder])
    const bundle = readFileSync(join(folder, 'worker.js'))
    const gzip = gzipSync(bundle, { level: 9 }).length
    console.log(
      `Worker: ${kib(bundle.length)} minified, ${kib(gzip)} gzip (limit ${kib(MAX_GZIP_BYTES)})`,
    )
    if (gzip > MAX_GZIP_BYTES) throw new CommandError('The Worker is too large.')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`
}
