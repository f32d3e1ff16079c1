import { describe, expect, test } from 'vitest'
import { buildModules } from '../../src/programs/site/worker-modules.ts'

/** What is asked for, the parts that it reads, and the limit in bytes of minified modules. */
const PAGES = ['pages', 'texts.en']
const READ: [name: string, parts: string[], maxBytes: number][] = [
  ['ping', [], 105_000],
  ['settings', ['settings-public-routes'], 110_000],
  ['me', ['me-record-routes'], 150_000],
  ['sign-in', ['sign-in', 'notices-send-after-answer'], 182_000],
  ['page of the sign-in', [...PAGES, 'sign-in-pages'], 320_000],
  ['first page of an administrator', [...PAGES, 'sign-in-pages-session-cookie', 'status'], 545_000],
]
/** Together with the parts that capabilities share. */
const MAX_MODULES = 100

// Builds the Worker, which takes a second or two.
const built = await buildModules('src/worker.ts', { minify: true })
const { outputs } = built.metafile

/** Lists the modules that are read for the main one and for some parts. */
function modulesFor(parts: readonly string[]): string[] {
  const read = new Set<string>()
  const add = (name: string) => {
    if (read.has(name) || outputs[name] === undefined) return
    read.add(name)
    for (const { kind, path } of outputs[name].imports) if (kind === 'import-statement') add(path)
  }
  for (const source of ['src/worker.ts', ...parts.map((name) => `part:${name}`)]) {
    const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source)
    if (found === undefined) throw new Error(`no module is made of ${source}`)
    add(found[0])
  }
  return [...read]
}

/** The sources that are in modules. */
function sourcesOf(names: readonly string[]): string[] {
  return names.flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}))
}

/** The bytes of each package, and of each folder of `src`, that are in modules. */
function contentOf(names: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const name of names)
    for (const [source, { bytesInOutput }] of Object.entries(outputs[name]?.inputs ?? {})) {
      const [, packageName] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? []
      const owner = packageName ?? source.split('/').slice(0, 3).join('/')
      sizes.set(owner, (sizes.get(owner) ?? 0) + bytesInOutput)
    }
  return sizes
}

describe('the modules of the Worker', () => {
  test.each(READ)('that are read for a %s stay below a limit', (_, parts, maxBytes) => {
    const read = modulesFor(parts)
    const bytes = read.reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0)
    const largest = [...contentOf(read)].toSorted(([, a], [, b]) => b - a).slice(0, 25)
    const list = largest.map(([owner, size]) => `${size} ${owner}`).join('\n')
    expect(bytes, list).toBeLessThan(maxBytes)
  })

  test.each([
    [[]],
    [['settings-public-routes']],
    [['me-record-routes']],
    [['sign-in', 'notices-send-after-answer']],
  ])('that are read for a first answer with %j build no query', (parts) => {
    const sources = sourcesOf(modulesFor(parts))
    // Of Drizzle, the class of its errors: they are logged without the parameters.
    expect(sources.filter((source) => source.includes('drizzle-orm/')).length).toBeLessThan(4)
    expect(sources).not.toContain('schema/tables.ts')
  })

  test('that are read for a ping hold these packages, and no page', () => {
    const owners = [...contentOf(modulesFor([])).keys()]
    expect(owners.filter((owner) => !/^(src|schema)\//.test(owner)).toSorted()).toEqual([
      'drizzle-orm',
      'hono',
      'jose',
      'valibot',
    ])
    const sources = sourcesOf(modulesFor([]))
    expect(sources.filter((source) => /\/pages\/|texts|\.tsx$/.test(source))).toEqual([])
  })

  test('have no column of PostgreSQL', () => {
    const classes = Object.values(built.modules).filter((text) => text.includes('PgColumn'))
    expect(classes).toEqual([])
  })

  test('are a part each, or what several share', () => {
    expect(Object.keys(outputs).length).toBeLessThan(MAX_MODULES)
  })

  test('hold each source once', () => {
    const sources = Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([name, { bytesInOutput }]) =>
        bytesInOutput > 0 && !name.includes(':') ? [name] : [],
      ),
    )
    expect(sources.filter((name, i) => sources.indexOf(name) !== i)).toEqual([])
  })
})
