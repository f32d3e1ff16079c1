import { posix } from 'node:path'

/**
 * The parts of `src`, lowest first, and their rooms. A file imports from lower parts, type imports
 * included; `order` says what a room may import of its own part. `docs/decisions/013-rooms.md`
 * gives the reasons. A test compares README.md with it.
 *
 * - `line`: the rooms that stand before it;
 * - `uses`: the capabilities that its manifest names (`USES` in `capability.ts`);
 * - `edges`: the programs that `EDGES` names for it.
 */
export const PARTS = {
  /** Who somebody is, and what an account may do at every door. */
  core: {
    order: 'line',
    rooms: [
      'base',
      'database',
      'crypto',
      'deps',
      'audit',
      'accounts',
      'access',
      'passwords',
      'throttle',
    ],
  },
  /** What routes and pages share. */
  web: { order: 'line', rooms: ['http', 'kit'] },
  /** What the service can do: a folder each. */
  capabilities: {
    order: 'uses',
    rooms: [
      'settings',
      'mail',
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
      'me',
      'users',
      'health',
      'files',
      'groups',
      'joining',
      'ldap',
      'undo',
    ],
  },
  /** The Worker, the list of its capabilities, and `src/app`: what it mounts and runs in time. */
  app: {
    order: 'line',
    rooms: [
      'capabilities',
      'run-parts',
      'frequent-run',
      'nightly-run',
      'mounts',
      'texts.en',
      'texts.zh',
      'texts',
      'pages',
      'page-source',
      'app',
      'worker',
    ],
  },
  programs: {
    order: 'edges',
    rooms: [
      'kit',
      'site',
      'main',
      'backup',
      'deploy',
      'doctor',
      'import',
      'secrets',
      'ldap-door',
      'start',
      'container',
    ],
  },
} as const satisfies Record<string, { order: 'line' | 'uses' | 'edges'; rooms: readonly string[] }>

type Part = keyof typeof PARTS

/** What a program may use of another one, and why: `from > to`. There is no other way. */
const EDGES: Readonly<Record<string, string>> = {
  'container > main': 'the words behind the name of the image are a command',
  'container > start': 'the container serves the site',
  'users/commands > import': 'a name is kept as an import would have kept it',
}

/**
 * The files of a capability that know HTTP: routes, middleware, cookies, pages and their texts, and
 * its manifest.
 */
const HTTP_PLACE =
  /^src\/capabilities\/[\w-]+\/(?:(?:http|pages)\/|texts\.\w+\.ts$|capability\.ts$)/
const HTTP = /^(?:src\/web\/|src\/capabilities\/[\w-]+\/(?:http|pages)\/|hono(?:\/|$))/
/**
 * The files of a capability that only Node loads: its commands, what it has for other programs, and
 * the descriptions of its endpoints.
 */
const NODE_PLACE = /^src\/capabilities\/[\w-]+\/(commands|programs|docs)(?:\/|\.ts$)/
const IMPORT = /\b(?:from|import)\s*\(?\s*'([^']+)'/g
const STATIC_IMPORT = /\b(?:from|import)\s*'([^']+)'/g

/** The programs that all others and the commands of capabilities share, the lower one first. */
const SHARED_PROGRAMS = ['kit', 'site']
/** The files of `src/programs` itself start programs and list their commands. */
const MAIN = 'main'

/** The part and the room of a file. */
interface Place {
  part: Part
  room: string
}

const LEVELS = Object.keys(PARTS)

/**
 * Finds imports that a room may not make, and files of `src` that are in no room.
 *
 * @param sources Text of each file, by its path from the project's folder
 *   (`src/web/http/guard.ts`).
 * @returns One sentence for each violation.
 */
export function findForbiddenImports(sources: ReadonlyMap<string, string>): string[] {
  const edges = edgesIn(sources)
  return Array.from(sources).flatMap(([path, text]) => {
    if (placeOf(path) === undefined)
      return [`${path} is in no room: add it to PARTS in scripts/rooms.ts`]
    return importsOf(path, text).flatMap((imported) => {
      const why = whyForbidden(path, imported, edges)
      return why === undefined ? [] : [`${path} imports ${imported}: ${why}`]
    })
  })
}

/** Lists the edges that no file uses. */
export function findUnusedEdges(sources: ReadonlyMap<string, string>): string[] {
  const used = new Set(
    Array.from(sources).flatMap(([path, text]) =>
      importsOf(path, text).map((imported) => edgeOf(path, imported)),
    ),
  )
  return Array.from(edgesIn(sources)).filter((edge) => !used.has(edge))
}

/** Reads what programs may use of each other, and what the manifests of capabilities name. */
function edgesIn(sources: ReadonlyMap<string, string>): ReadonlySet<string> {
  const used = Array.from(sources).flatMap(([path, text]) => {
    const [, room] = /^src\/capabilities\/([\w-]+)\/capability\.ts$/.exec(path) ?? []
    const [, names = ''] = /^export const USES = \{\n(.*?)^\}/ms.exec(text) ?? []
    const others = Array.from(names.matchAll(/^ {2}'?([\w-]+)'?:/gm), ([, other]) => other)
    return room === undefined ? [] : others.map((item) => `${room} > ${item}`)
  })
  return new Set([...Object.keys(EDGES), ...used])
}

function edgeOf(path: string, imported: string): string {
  return `${roomNameOf(path)} > ${roomNameOf(imported)}`
}

/** Commands are no part of the Worker, so their edges are apart: `users/commands > import`. */
function roomNameOf(path: string): string {
  const { room = '' } = placeOf(path) ?? {}
  return isCommand(path) ? `${room}/commands` : room
}

function whyForbidden(
  path: string,
  imported: string,
  edges: ReadonlySet<string>,
): string | undefined {
  const [own, other] = [placeOf(path), placeOf(imported)]
  if (own === undefined) return undefined
  if (isDecision(path, own) && HTTP.test(imported))
    return 'decisions know no HTTP, only http/ and pages/ of a capability do'
  if (NODE_PLACE.test(imported) && !NODE_PLACE.test(path) && own.part !== 'programs')
    return 'only Node loads it'
  if (other === undefined || roomNameOf(path) === roomNameOf(imported)) return undefined
  if (isCommand(path) || own.part === 'programs')
    return whyForbiddenInPrograms(path, imported, edges)
  if (NODE_PLACE.test(path)) return undefined
  return whyForbiddenInWorker(path, own, imported, other, edges)
}

function whyForbiddenInWorker(
  path: string,
  own: Place,
  imported: string,
  other: Place,
  edges: ReadonlySet<string>,
) {
  const [level, otherLevel] = [LEVELS.indexOf(own.part), LEVELS.indexOf(other.part)]
  if (otherLevel !== level)
    return otherLevel < level ? undefined : `${other.part} stands above ${own.part}`
  const { order, rooms } = PARTS[own.part]
  if (order !== 'line') {
    const isUsed = edges.has(edgeOf(path, imported))
    return isUsed ? undefined : `USES of ${own.room} does not name ${other.room}`
  }
  const places: readonly string[] = rooms
  const isBefore = places.indexOf(other.room) < places.indexOf(own.room)
  return isBefore ? undefined : `${other.room} stands after ${own.room}`
}

/** A program and the commands of a capability use the Worker's code, and what programs share. */
function whyForbiddenInPrograms(path: string, imported: string, edges: ReadonlySet<string>) {
  const [own, other] = [roomNameOf(path), roomNameOf(imported)]
  const isProgram = isCommand(imported) || placeOf(imported)?.part === 'programs'
  if (own === MAIN || !isProgram) return undefined
  const [ownPlace, otherPlace] = [SHARED_PROGRAMS.indexOf(own), SHARED_PROGRAMS.indexOf(other)]
  if (otherPlace >= 0 && (ownPlace < 0 || otherPlace < ownPlace)) return undefined
  const edge = `${own} > ${other}`
  return edges.has(edge) ? undefined : `programs have no edge “${edge}”`
}

/** Tells whether a file decides: it lies in `core`, or in a capability beside its routes and pages. */
function isDecision(path: string, { part }: Place): boolean {
  if (part === 'core') return true
  return part === 'capabilities' && !HTTP_PLACE.test(path) && !NODE_PLACE.test(path)
}

function isCommand(path: string): boolean {
  return NODE_PLACE.exec(path)?.[1] === 'commands'
}

/** Returns paths from the project's folder, and packages by their names. */
function importsOf(path: string, text: string): string[] {
  return specifiersIn(path, text, IMPORT)
}

/** Like `importsOf`, but for what the file loads later, with `import()`: commands start like that. */
export function staticImportsOf(path: string, text: string): string[] {
  return specifiersIn(path, text, STATIC_IMPORT)
}

function specifiersIn(path: string, text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, specifier = '']) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier,
  )
}

/** @returns `undefined` outside `src`, and for what {@link PARTS} lacks. */
function placeOf(path: string): Place | undefined {
  const [root, first = '', second] = path.split('/').map((name) => name.replace(/\.tsx?$/, ''))
  if (root !== 'src') return undefined
  const isFile = !path.replace(/^src\/[\w-]+\//, '').includes('/')
  const part = second === undefined ? 'app' : first
  const room = second === undefined ? first : part === 'programs' && isFile ? MAIN : second
  return isPart(part) && PARTS[part].rooms.some((name) => name === room)
    ? { part, room }
    : undefined
}

function isPart(name: string): name is Part {
  return Object.hasOwn(PARTS, name)
}

/** Lists the capabilities that no other one uses. */
export function findLeaves(sources: ReadonlyMap<string, string>): string[] {
  const used = new Set(Array.from(edgesIn(sources), (edge) => edge.split(' > ')[1]))
  return PARTS.capabilities.rooms.filter((room) => !used.has(room))
}
