import { posix } from 'node:path'

/**
 * The folders and files of `src`, lowest first. Each imports only from entries before it; type
 * imports count too. `docs/decisions/013-floors.md` gives the reasons. README.md and
 * CONTRIBUTING.md repeat the list; a test compares them.
 */
export const FLOORS = [
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
  'openid',
  'sessions',
  'activity',
  'ssh-keys',
  'passkeys',
  'app-passwords',
  'sso',
  'notices',
  'users',
  'health',
  'nightly-run',
  'frequent-run',
  'pages',
  'api',
  'app',
  'worker',
  'local-data',
  'local-worker',
  'cli',
] as const

const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g

/**
 * Finds imports that point to a higher floor, and files of `src` that belong to no floor.
 *
 * @param sources Text of each file, by its path from the project's folder (`src/http/guard.ts`).
 * @returns One sentence for each violation.
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

/** Returns the name of the folder in `src`, or of the file when it lies in `src` itself. */
function floorOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.tsx?$/, '')
}

/** @returns `undefined` outside `src`, and for folders that are missing in {@link FLOORS}. */
function levelOf(path: string): number | undefined {
  if (!path.startsWith('src/')) return undefined
  const level = FLOORS.findIndex((floor) => floor === floorOf(path))
  return level === -1 ? undefined : level
}
