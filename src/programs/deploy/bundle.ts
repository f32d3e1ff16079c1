import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Wrangler } from '../site/cloudflare.ts'
import type { SiteConfig } from '../site/site-config.ts'
import { buildModules, writeModules } from '../site/worker-modules.ts'

/** The modules of an upload. */
export interface MadeWorker {
  /** The path of the main module; the others are beside it. */
  main: string
  /** Of all modules, minified. */
  bytes: number
  /** Of all modules, each compressed by itself. */
  gzipBytes: number
}

/** Writes the modules of the Worker into a folder. */
export async function makeWorker(
  { main: entry, alias }: Pick<SiteConfig, 'main' | 'alias'>,
  folder: string,
): Promise<MadeWorker> {
  const built = await buildModules(entry, { minify: true, alias })
  const texts = Object.values(built.modules).map((text) => Buffer.from(text))
  return {
    main: writeModules(folder, built),
    bytes: sumOfLengths(texts),
    gzipBytes: sumOfLengths(texts.map((text) => gzipSync(text, { level: 9 }))),
  }
}

function sumOfLengths(texts: readonly Buffer[]): number {
  return texts.reduce((bytes, { length }) => bytes + length, 0)
}

/**
 * Writes a configuration with which wrangler uploads the modules as they are.
 *
 * @param main The path of the main module; all others in its folder are uploaded with it.
 */
export function writeUploadConfig(path: string, config: object, main: string): void {
  const modules = {
    main,
    no_bundle: true,
    minify: false,
    find_additional_modules: true,
    base_dir: dirname(main),
    rules: [{ type: 'ESModule', globs: ['**/*.js'] }],
  }
  writeFileSync(path, JSON.stringify({ ...config, ...modules }))
}

/** Lets wrangler read everything that an upload has, without uploading it. */
export async function rehearseUpload(
  wrangler: Wrangler,
  folder: string,
  configPath: string,
): Promise<void> {
  const outdir = join(folder, 'uploaded')
  await wrangler(['deploy', '--dry-run', '--outdir', outdir, '--config', configPath])
}

export function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`
}
