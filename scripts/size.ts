import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildBundle, kib } from '../src/programs/deploy/bundle.ts'
import { CommandError, runCommand } from '../src/programs/kit/command-error.ts'
import { runWrangler } from '../src/programs/site/wrangler.ts'

/**
 * 170 KiB with pages were enough until programs could sign users in, users could sign in with an
 * identity provider, and notices were sent: their endpoints, pages and texts in two languages. The
 * rules that all of these keep for each other took 3 KiB more, the file server behind the site 10
 * KiB, links, registration and mail with their pages 18 KiB, the overviews and lists of the pages
 * 10 KiB, the endpoints of the LDAP door 1 KiB, what closed 31 findings of two attacks 13 KiB, and
 * the one session of accounts and files 6 KiB. Cloudflare allows 3 MiB (gzip) on the free plan.
 */
const MAX_GZIP_BYTES = { 'with pages': 336 * 1024 }

const SOURCES = ['.build', 'src', 'schema', 'package.json', 'tsconfig.json', 'wrangler.toml']
/** `npm run size`: measures the minified and compressed Worker; fails when it exceeds its limits. */
await runCommand(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-size-'))
  try {
    for (const source of SOURCES) cpSync(source, join(folder, source), { recursive: true })
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    const whole = await weigh(folder, 'with pages')
    if (!whole) throw new CommandError('The Worker is too large.')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** @returns True when the Worker is within its limit. */
async function weigh(folder: string, name: keyof typeof MAX_GZIP_BYTES): Promise<boolean> {
  const config = join(folder, 'wrangler.toml')
  const { bytes, gzipBytes } = await buildBundle(runWrangler, join(folder, 'out'), config)
  const limit = MAX_GZIP_BYTES[name]
  console.log(
    `Worker ${name}: ${kib(bytes)} minified, ${kib(gzipBytes)} gzip (limit ${kib(limit)})`,
  )
  return gzipBytes <= limit
}
