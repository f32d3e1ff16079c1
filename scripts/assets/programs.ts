import type { Plugin } from 'esbuild'
import { readFileSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import {
  BUILT_FOLDER,
  BUILT_LIST,
  type BuiltFrom,
  digestOf,
  findBuilt,
} from '../../src/programs/built.ts'
import { write } from './build.ts'

/**
 * The programs that `launch.cjs` starts. `scripts/assets` is this one, which runs before each `npm
 * start`; `scripts/openapi` reads the routes of the Worker, whose pages Node can't load unbuilt.
 */
const PROGRAMS = ['start', 'main', 'deploy/main', '../../scripts/assets', '../../scripts/openapi']
/** A script that a program starts, from beside its own file. */
export const BESIDE = 'src/programs/site/workerd.sh'
/** How they are built, and the packages whose code is in them. */
const HOW = ['scripts/assets/programs.ts', 'node_modules/.package-lock.json']

/** A package that is CommonJS loads the modules of Node by `require`. */
const DEFINE_REQUIRE = `import { createRequire as makeRequire } from 'node:module'
const require = makeRequire(import.meta.url)`

/**
 * Loads `node:http` by `require`: an `import` of it reads each of its exports, and for one of them
 * Node loads its HTTP client, which takes a sixteenth of a second of CPU.
 */
const REQUIRE_HTTP: Plugin = {
  name: 'require-http',
  setup(build) {
    const namespace = 'required'
    build.onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace } : { path, external: true },
    )
    build.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `module.exports = require('${path}')`,
    }))
  },
}

/**
 * Builds the programs of `src/programs`, unless they were built from the sources of today. Where
 * nothing can be written, they run from their sources, and only take longer to start.
 *
 * @param root The folder of `package.json`.
 */
export async function buildPrograms(root: string): Promise<void> {
  if (findBuilt(root, 'start') !== undefined) return
  const { outputFiles, metafile } = await bundlePrograms(root, PROGRAMS, BUILT_FOLDER)
  const own = Object.keys(metafile.inputs).filter(
    (name) => !name.includes('node_modules/') && !name.startsWith('required:'),
  )
  const sources = [...own, BESIDE, ...HOW]
  const list: BuiltFrom = { sources, digest: digestOf(root, sources) }
  try {
    rmSync(join(root, BUILT_FOLDER), { recursive: true, force: true })
    for (const { path, contents } of outputFiles) write(path, contents)
    write(join(root, BUILT_FOLDER, basename(BESIDE)), readFileSync(join(root, BESIDE)), 0o777)
    write(join(root, BUILT_LIST), JSON.stringify(list))
  } catch {
    // The list is written last, so what is half written counts for nothing.
  }
}

/**
 * Builds programs, without writing them: a file for each, and the parts that they share.
 *
 * @param names Paths of their sources below `src/programs`, without `.ts`.
 */
export async function bundlePrograms(root: string, names: readonly string[], outdir: string) {
  const { build } = await import('esbuild')
  return build({
    absWorkingDir: resolve(root),
    entryPoints: names.map((name) => join('src/programs', `${name}.ts`)),
    outbase: '.',
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    charset: 'utf8',
    banner: { js: DEFINE_REQUIRE },
    plugins: [REQUIRE_HTTP],
    // Loaded only where a site has a mail server, and where something is to be built.
    external: ['nodemailer', 'esbuild'],
    metafile: true,
    write: false,
  })
}
