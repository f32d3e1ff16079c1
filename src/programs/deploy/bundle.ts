import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Wrangler } from '../site/cloudflare.ts'

/** The size of an upload. */
interface BundleSize {
  bytes: number
  gzipBytes: number
}

/** Builds the Worker into a folder, as an upload does, and measures it. */
export async function buildBundle(
  wrangler: Wrangler,
  folder: string,
  configPath = 'wrangler.toml',
): Promise<BundleSize> {
  await wrangler(['deploy', '--dry-run', '--minify', '--outdir', folder, '--config', configPath])
  const bundle = readFileSync(join(folder, 'worker.js'))
  return { bytes: bundle.length, gzipBytes: gzipSync(bundle, { level: 9 }).length }
}

export function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`
}
