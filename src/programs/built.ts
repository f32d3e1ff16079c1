import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Where `npm run assets` puts the programs: a file for each, and the parts that they share. Node
 * takes a third of a second of CPU to find and load the 400 modules of a program one by one.
 */
export const BUILT_FOLDER = '.build/cli'
/** Written last, and read first: without it, nothing is built. */
export const BUILT_LIST = `${BUILT_FOLDER}/sources.json`

/** The files from which the programs were built, and what they held. */
export interface BuiltFrom {
  sources: string[]
  digest: string
}

/**
 * @param files Paths below `root`.
 * @returns A text that changes with the content of any of the files.
 */
export function digestOf(root: string, files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\n`).update(tryRead(join(root, file)))
  return hash.digest('hex')
}

/**
 * Finds the built form of a program.
 *
 * @param root The folder of `package.json`.
 * @param name The path of its source below `src/programs`, without `.ts`.
 * @returns `undefined` when it was not built, or a source has changed since.
 */
export function findBuilt(root: string, name: string): string | undefined {
  try {
    const list: unknown = JSON.parse(readFileSync(join(root, BUILT_LIST), 'utf8'))
    const source = join('src/programs', `${name}.ts`)
    const isBuilt =
      isBuiltFrom(list) &&
      list.sources.includes(source) &&
      list.digest === digestOf(root, list.sources)
    return isBuilt ? join(root, BUILT_FOLDER, source.replace(/ts$/, 'js')) : undefined
  } catch {
    return undefined
  }
}

/** Checks the list without valibot, which every program would load before it starts. */
function isBuiltFrom(list: unknown): list is BuiltFrom {
  if (typeof list !== 'object' || list === null) return false
  if (!('sources' in list && 'digest' in list)) return false
  const { sources, digest } = list
  const areTexts = Array.isArray(sources) && sources.every((source) => typeof source === 'string')
  return areTexts && typeof digest === 'string'
}

/** @returns Nothing for a file that can't be read. */
function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
