import { posix } from 'node:path'

/**
 * The folders and files of `src`, lowest first: each imports only from those before it, type
 * imports too. `docs/decisions/001-floors.md` says why.
 */
const FLOORS = [
  'base',
  'database',
  'crypto',
  'deps',
  'audit',
  'accounts',
  'access',
  'http',
  'passwords',
  'throttle',
  'settings',
  'two-factor',
  'sign-in',
  'sessions',
  'activity',
  'ssh-keys',
  'users',
  'health',
  'nightly-run',
  'pages',
  'api',
  'app',
  'worker',
  'local-worker',
  'cli',
] as const

const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g

/**
 * Finds the imports that point up, and the files of `src` that stand on no floor.
 *
 * @param sources Text of each file, by its path from the project's folder (`src/http/guard.ts`).
 * @returns One sentence for each; empty when every import points down.
 */
export function findUpwardImports(sources: ReadonlyMap<string, string>): string[] {
  return Array.from(sources).flatMap(([path, text]) => {
    const own = levelOf(path)
    if (own === undefined) return [`${path} stands on no floor: add ${floorOf(path)} to FLOORS`]
    return importsOf(path, text)
      .filter((imported) => (levelOf(imported) ?? -1) > own)
      .map((imported) => `${path} imports ${imported}, which is on a higher floor`)
  })
}

function importsOf(path: string, text: string): string[] {
  return Array.from(text.matchAll(IMPORT), ([, specifier = '']) =>
    posix.join(posix.dirname(path), specifier),
  )
}

/** The folder below `src`, or the name of a file that lies in `src` itself. */
function floorOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.tsx?$/, '')
}

/** @returns `undefined` outside of `src`, and for a folder that {@link FLOORS} doesn't name. */
function levelOf(path: string): number | undefined {
  if (!path.startsWith('src/')) return undefined
  const level = FLOORS.findIndex((floor) => floor === floorOf(path))
  return level === -1 ? undefined : level
}
