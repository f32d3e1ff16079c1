import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { CommandError, reasonIn } from '../kit/command-error.ts'
import { installed } from '../kit/places.ts'

/** The Worker as it is uploaded: the modules of an `import()` are read when it is called. */
export interface WorkerModules {
  /** The name of the module that answers. */
  main: string
  /** The text of each module, by its name. */
  modules: Record<string, string>
}

/** The modules of a Worker, and what they were made of. */
interface BuiltModules extends WorkerModules {
  /** Paths below the installation. */
  sources: string[]
  metafile: Metafile
}

/** How modules are made. */
interface BuildChoice {
  minify: boolean
  /** Module names, and the files that replace them (`alias` of `wrangler.toml`). */
  alias?: Record<string, string>
  /** The root of the repository. */
  root?: string
}

/** What workerd takes as it is written, and the form of each package that is for it. */
const FOR_WORKERD = {
  bundle: true,
  splitting: true,
  write: false,
  metafile: true,
  format: 'esm',
  target: 'es2024',
  // workerd knows both; esbuild takes them for later than this target.
  supported: { 'import-source': true, using: true },
  conditions: ['workerd', 'worker', 'browser'],
  external: ['node:*', 'cloudflare:*'],
  define: { 'process.env.NODE_ENV': '"production"' },
  // Of tsconfig.json, which esbuild does not read for a source that a plugin has found.
  jsx: 'automatic',
  jsxImportSource: 'hono/jsx',
  charset: 'utf8',
  logLevel: 'silent',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  outdir: '/modules',
} satisfies BuildOptions

/**
 * Makes the modules of the Worker: one for what is read before every answer, one for what every
 * page reads, and those of each capability. A part that several of them need is a module of its
 * own.
 *
 * @param entry The source of the main module, below `root`.
 * @throws {CommandError} When a source can't be built; the message has what esbuild says.
 */
export async function buildModules(
  entry: string,
  { minify, alias = {}, root = installed('.') }: BuildChoice,
): Promise<BuiltModules> {
  const { build } = await import('esbuild')
  const folder = resolve(root)
  const options = {
    ...FOR_WORKERD,
    minify,
    alias: Object.fromEntries(
      Object.entries(alias).map(([name, file]) => [name, resolve(folder, file)]),
    ),
    absWorkingDir: folder,
    entryPoints: [entry],
  }
  const found = await build({ ...options, minify: false, plugins: PLUGINS }).catch(
    (error: unknown) => {
      throw new CommandError(`The Worker can't be built. ${reasonIn(error)}`)
    },
  )
  const { outputFiles, metafile } = await build({
    ...options,
    plugins: [readTogether(folder, entry, found.metafile.inputs), ...PLUGINS],
  })
  return {
    main: basename(entry).replace(/\.ts$/, '.js'),
    modules: Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
    sources: Object.keys(found.metafile.inputs).filter((name) => !/^[\w-]+:/.test(name)),
    metafile,
  }
}

/** Writes the modules into a folder. @returns The path of the main one. */
export function writeModules(folder: string, { main, modules }: WorkerModules): string {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text)
  return join(folder, main)
}

/** Reads the modules that lie in a folder. @param main The name of the main one. */
export function readModules(folder: string, main: string): WorkerModules {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const texts = names.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
  return { main, modules: Object.fromEntries(texts) }
}

/** Miniflare's options for modules that lie in no folder. */
export function moduleOptions({ main, modules }: WorkerModules) {
  const names = [main, ...Object.keys(modules).filter((name) => name !== main)]
  return {
    modulesRoot: '/',
    modules: names.map((name) => ({
      type: 'ESModule' as const,
      path: `/${name}`,
      contents: modules[name] ?? '',
    })),
  }
}

/** The part of what is read for every page. */
const PAGES = 'pages'

/**
 * What first visitors ask for, one after the other: the parts that each of these answers reads
 * (`npm run bench -- --first`). A source that some of them need is in a module with those that the
 * same ones need, so that none of them reads what it does not need.
 */
const FIRST_ANSWERS: Readonly<Record<string, readonly string[]>> = {
  settings: ['settings-public-routes'],
  me: ['me-record-routes'],
  signIn: ['sign-in', 'notices-send-after-answer'],
  signInPage: [PAGES, 'texts.en', 'texts.zh', `sign-in-${PAGES}`],
  status: [
    'open-database',
    PAGES,
    'texts.en',
    'texts.zh',
    'status',
    `sign-in-${PAGES}-session-cookie`,
  ],
}

/** Sources of first answers that are a part by themselves, and not of that of their capability. */
const ALONE = /\/(public-routes|record-routes|forms|session-cookie|send-after-answer)\.tsx?$/

/** Sources that are a part together, whatever capability they are of. */
const TOGETHER: readonly [part: string, sources: RegExp][] = [
  // What is read for every page: the pages of the site itself, and the parts of capabilities.
  [PAGES, /^src\/app\/page|\/pages\/parts\.tsx?$/],
  // What is shown on the first page of an administrator.
  ['status', /\/health\/pages\/admin\/routes\.tsx$/],
  ['status', /\/pages\/(?:admin\/(?:attention|needy-count)|health)\.tsx?$|\/kit\/admin\/view\.ts$/],
  // What runs in time.
  ['runs', /^src\/app\/[\w-]+-run\.ts$|^src\/capabilities\/[\w-]+\/runs\.ts$/],
  // What a request with a credential, and a sign-in with a password alone, need seldom.
  ['seldom', /^src\/core\/(?:access|accounts|throttle)\//],
  ['seldom', /\/sign-in\/(?:unusual|sign-out|complete-sign-in)\.ts$/],
  // What the page of the sign-in needs with the database.
  [`sign-in-${PAGES}-seldom`, /\/sign-in\/pages\/(?:guest-page|sign-out-routes)\.ts$/],
]

/** Returns the part of the Worker that the source of an `import()` is in. */
function partOf(source: string): string {
  const together = TOGETHER.find(([, sources]) => sources.test(source))
  if (together !== undefined) return together[0]
  const name = basename(source).replace(/\.\w+$/, '')
  const owner = ownerOf(source) ?? name
  return ALONE.test(source) ? `${owner}-${name}` : owner
}

/** Returns the capability, or its pages, or the package (or its scope) that a source is of. */
function ownerOf(source: string): string | undefined {
  const [, capability, rest = ''] = /^src\/capabilities\/([\w-]+)\/(.*)/.exec(source) ?? []
  if (capability === undefined) return /node_modules\/@?([^/]+)/.exec(source)?.[1]
  if (rest.startsWith('pages/admin/')) return `${capability}-operator-${PAGES}`
  return rest.startsWith('pages/') ? `${capability}-${PAGES}` : capability
}

/** What a metafile of esbuild says of each source. */
type Sources = Metafile['inputs']

/** Lists the sources of the `import()`s of each part. */
function partsOf(sources: Sources): Map<string, string[]> {
  const asked = Object.values(sources).flatMap(({ imports }) =>
    imports.filter(({ kind, external }) => kind === 'dynamic-import' && external !== true),
  )
  return Map.groupBy(new Set(asked.map(({ path }) => path)), partOf)
}

/** Finds what is read with some sources. */
function readWith(sources: Sources, first: Iterable<string>): Set<string> {
  const read = new Set(first)
  // A set also walks through what is added meanwhile.
  for (const source of read)
    for (const { kind, path } of sources[source]?.imports ?? [])
      if (kind !== 'dynamic-import' && sources[path] !== undefined) read.add(path)
  return read
}

/** The sources that several parts need, and the main module does not have. */
interface Shared {
  /** The sources of each owner. */
  owned: Map<string, string[]>
  /** The owners that each part reads. */
  owners: Map<string, Set<string>>
}

/**
 * Finds what several parts need. A part that needs one source of an owner reads them all, so that
 * they are one module.
 */
function findShared(
  sources: Sources,
  entry: string,
  parts: ReadonlyMap<string, readonly string[]>,
): Shared {
  const main = readWith(sources, [entry])
  const read = new Map([...parts].map(([part, first]) => [part, readWith(sources, first)]))
  const shared = new Map<string, string>()
  for (const source of Object.keys(sources)) {
    const sharing = [...read.keys()].filter((part) => read.get(part)?.has(source))
    if (main.has(source) || sharing.length < 2 || !IS_FILE.test(source)) continue
    const owner = firstAnswersOf(sharing) ?? ownerOf(source)
    shared.set(source, owner ?? (sharing.every(isOfPages) ? PAGES : 'api'))
  }
  const owned = Map.groupBy(shared.keys(), (source) => shared.get(source) ?? '')
  const owners = [...read].map(([part, all]): [string, Set<string>] => {
    const names = new Set<string>()
    for (const source of all) {
      const owner = shared.get(source)
      if (owner === undefined || names.has(owner)) continue
      names.add(owner)
      for (const added of readWith(sources, owned.get(owner) ?? [])) all.add(added)
    }
    return [part, names]
  })
  return { owned, owners: new Map(owners) }
}

/** Names the answers of first visitors that need what these parts share; `undefined` for none. */
function firstAnswersOf(parts: readonly string[]): string | undefined {
  const names = Object.keys(FIRST_ANSWERS).filter((name) =>
    FIRST_ANSWERS[name]?.some((part) => parts.includes(part)),
  )
  return names.length === 0 ? undefined : `first-${names.join('-')}`
}

/** Plugins also make sources, which no path leads to. */
const IS_FILE = /^[^:]+\.\w+$/

function isOfPages(part: string): boolean {
  return part.endsWith(PAGES)
}

/** An `import()` of a source, which is none of a type. */
const ASKED = /(?<!typeof )\bimport\('([^']+)'\)/g

/**
 * Makes one module of the sources of a part: each `import()` of one of them becomes one of the
 * part. esbuild makes a module of the sources that the same parts need, so each part names what it
 * shares with others, and the main module, which has been read before.
 */
function readTogether(root: string, entry: string, sources: Sources): Plugin {
  const parts = partsOf(sources)
  const { owned, owners } = findShared(sources, entry, parts)
  return {
    name: 'read-together',
    setup(build) {
      build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        const imports = sources[relative(root, path)]?.imports ?? []
        const asked = new Map(
          imports.flatMap(({ kind, external, original = '', path: source }) => {
            if (kind !== 'dynamic-import' || external === true) return []
            const part = partOf(source)
            const order = parts.get(part)?.indexOf(source)
            return [[original, `import('part:${part}').then((part) => part.source${order})`]]
          }),
        )
        if (asked.size === 0) return undefined
        const text = readFileSync(path, 'utf8')
        const contents = text.replace(ASKED, (all, name: string) => asked.get(name) ?? all)
        return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
      })
      build.onLoad({ filter: /./, namespace: 'part' }, ({ path: part }) => {
        const shared = Array.from(owners.get(part) ?? [], (owner) => `import 'shared:${owner}'\n`)
        const own = (parts.get(part) ?? []).map(
          (source, order) => `export * as source${order} from './${source}'\n`,
        )
        return { contents: [`import './${entry}'\n`, ...shared, ...own].join('') }
      })
      build.onLoad({ filter: /./, namespace: 'shared' }, ({ path: owner }) => ({
        contents: (owned.get(owner) ?? []).map((source) => `import './${source}'\n`).join(''),
      }))
      for (const namespace of ['part', 'shared']) {
        build.onResolve({ filter: new RegExp(`^${namespace}:`) }, ({ path }) => ({
          path: path.slice(namespace.length + 1),
          namespace,
        }))
        // A package may say that an import of it without names does nothing.
        build.onResolve({ filter: /^\.\//, namespace }, ({ path }) => ({
          path: join(root, path),
          sideEffects: true,
        }))
      }
    },
  }
}

/** A package that is CommonJS gets the modules of Node as an import has them. */
const NODE_MODULES: Plugin = {
  name: 'node-modules',
  setup(build) {
    const namespace = 'required'
    build.onResolve({ filter: /^(?:crypto|fs|buffer|stream|util)$/ }, ({ path, kind }) => {
      const name = `node:${path}`
      return kind === 'require-call' ? { path: name, namespace } : { path: name, external: true }
    })
    build.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `import all from '${path}'\nmodule.exports = all`,
    }))
  },
}

/**
 * Leaves out the columns of PostgreSQL, of which Drizzle asks whether a value is an enum: there are
 * none.
 */
const NO_POSTGRES: Plugin = {
  name: 'no-postgres',
  setup(build) {
    build.onLoad({ filter: /[/\\]drizzle-orm[/\\]pg-core[/\\]columns[/\\]enum\.js$/ }, () => ({
      contents: 'export const isPgEnum = () => false',
    }))
  },
}

const PLUGINS = [NODE_MODULES, NO_POSTGRES]
