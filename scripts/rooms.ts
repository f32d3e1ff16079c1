import { posix } from 'node:path'

/**
 * The parts of `src`, lowest first, and their rooms. A file imports from lower parts, type imports
 * included; `order` says what a room may import of its own part. `docs/decisions/013-rooms.md`
 * gives the reasons. A test compares README.md with it.
 *
 * - `line`: the rooms that stand before it;
 * - `edges`: the rooms that `EDGES` names for it.
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
    order: 'edges',
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
      'joining',
      'ldap',
    ],
  },
  /** The Worker: what it mounts, and what it runs in time. */
  site: {
    order: 'line',
    rooms: ['nightly-run', 'frequent-run', 'api', 'pages', 'app', 'worker'],
  },
  programs: {
    order: 'edges',
    rooms: [
      'kit',
      'site',
      'main',
      'backup',
      'completion',
      'deploy',
      'doctor',
      'import',
      'ldap-door',
      'start',
    ],
  },
} as const satisfies Record<string, { order: 'line' | 'edges'; rooms: readonly string[] }>

type Part = keyof typeof PARTS

/**
 * What a room may use of another one of its part, and why: `from > to`. There is no other way. What
 * the kit of the pages uses of capabilities stands here too.
 */
const EDGES: Readonly<Record<string, string>> = {
  'two-factor > settings': 'the enrolment names the site',
  'mail > settings': 'a mail names the site',
  'notices > mail': 'a channel can be an e-mail address',
  'sign-in > two-factor': 'a sign-in asks for the code',
  'ssh-keys > settings': 'an answer names the SFTP address and the contact of the operator',
  'ssh-keys > sign-in': 'SFTPGo asks about a password like a sign-in',
  'ssh-keys > two-factor': 'such a password is no sign-in while a code is needed',
  'passkeys > settings': 'a site may turn passkeys off',
  'passkeys > sign-in': 'a passkey begins a session',
  'app-passwords > openid': 'introspection also knows access tokens of programs',
  'sso > settings': 'the provider is a setting',
  'sso > sign-in': 'a proven identity begins a session',
  'sso > two-factor': 'which may need a code',
  'sso > openid': 'a sign-in that a program waits for is a proof for it',
  'sso > passkeys': 'the last way in may be a passkey',
  'joining > settings': 'who may register',
  'joining > mail': 'links and what they did are mailed',
  'joining > two-factor': 'an operator’s link takes two-step verification off',
  'files > settings': 'the settings of a site with a file server are those of both',
  'ldap > sign-in': 'a bind with a password replaces its old hash',
  'ldap > two-factor': 'a password is no bind while a code is needed',
  'users > two-factor': 'operators cancel it, and a confirmation may be a code',
  'users > passkeys': 'operators delete them, and a confirmation may be one',
  'users > sso': 'operators set the linked account',
  'users > openid': 'a name that a program knows is kept',
  'users > ssh-keys': 'a new password lists what stays',
  'users > app-passwords': 'a new password lists what stays',
  'users > notices': 'a new password lists what stays',
  'health > notices': 'the state of a site names the channels that fail',
  'health > users': 'the state of a site counts its users',
  'health > files': 'a file server behind the site is a part of it',
}

/** The files of a capability that know HTTP: routes, middleware, cookies and pages. */
const HTTP_PLACE = /^src\/capabilities\/[\w-]+\/(?:http|pages)\//
const HTTP = /^(?:src\/web\/|src\/capabilities\/[\w-]+\/(?:http|pages)\/|hono(?:\/|$))/
/**
 * The files of a capability that only Node loads: its commands, and the descriptions of its
 * endpoints.
 */
const NODE_PLACE = /^src\/capabilities\/[\w-]+\/(commands|docs)(?:\/|\.ts$)/
const IMPORT = /\b(?:from|import)\s*\(?\s*'([^']+)'/g

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
  return Array.from(sources).flatMap(([path, text]) => {
    if (placeOf(path) === undefined)
      return [`${path} is in no room: add it to PARTS in scripts/rooms.ts`]
    return importsOf(path, text).flatMap((imported) => {
      const why = whyForbidden(path, imported)
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
  return Object.keys(EDGES).filter((edge) => !used.has(edge))
}

function edgeOf(path: string, imported: string): string {
  return `${roomNameOf(path)} > ${roomNameOf(imported)}`
}

/** Commands are no part of the Worker, so their edges are apart: `users/commands > import`. */
function roomNameOf(path: string): string {
  const { room = '' } = placeOf(path) ?? {}
  return isCommand(path) ? `${room}/commands` : room
}

function whyForbidden(path: string, imported: string): string | undefined {
  const [own, other] = [placeOf(path), placeOf(imported)]
  if (own === undefined) return undefined
  if (isDecision(path, own) && HTTP.test(imported))
    return 'decisions know no HTTP, only http/ and pages/ of a capability do'
  if (other === undefined || roomNameOf(path) === roomNameOf(imported)) return undefined
  if (isCommand(path) || own.part === 'programs') return whyForbiddenInPrograms(path, imported)
  if (NODE_PLACE.test(imported) && !NODE_PLACE.test(path)) return 'only Node loads it'
  if (NODE_PLACE.test(path)) return undefined
  return whyForbiddenInWorker(path, own, imported, other)
}

function whyForbiddenInWorker(path: string, own: Place, imported: string, other: Place) {
  const edge = edgeOf(path, imported)
  if (Object.hasOwn(EDGES, edge)) return undefined
  const [level, otherLevel] = [LEVELS.indexOf(own.part), LEVELS.indexOf(other.part)]
  if (otherLevel !== level)
    return otherLevel < level ? undefined : `${other.part} stands above ${own.part}`
  const { order, rooms } = PARTS[own.part]
  if (order === 'edges') return `there is no edge “${edge}”`
  const places: readonly string[] = rooms
  const isBefore = places.indexOf(other.room) < places.indexOf(own.room)
  return isBefore ? undefined : `${other.room} stands after ${own.room}`
}

/** A program and the commands of a capability use the Worker's code, and what programs share. */
function whyForbiddenInPrograms(path: string, imported: string): string | undefined {
  const [own, other] = [roomNameOf(path), roomNameOf(imported)]
  const isProgram = isCommand(imported) || placeOf(imported)?.part === 'programs'
  if (own === MAIN || !isProgram) return undefined
  const [ownPlace, otherPlace] = [SHARED_PROGRAMS.indexOf(own), SHARED_PROGRAMS.indexOf(other)]
  if (otherPlace >= 0 && (ownPlace < 0 || otherPlace < ownPlace)) return undefined
  const edge = `${own} > ${other}`
  return Object.hasOwn(EDGES, edge) ? undefined : `programs have no edge “${edge}”`
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
  return Array.from(text.matchAll(IMPORT), ([, specifier = '']) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier,
  )
}

/** @returns `undefined` outside `src`, and for what {@link PARTS} lacks. */
function placeOf(path: string): Place | undefined {
  const [root, first = '', second] = path.split('/').map((name) => name.replace(/\.tsx?$/, ''))
  if (root !== 'src') return undefined
  const isFile = !path.replace(/^src\/[\w-]+\//, '').includes('/')
  const part = second === undefined ? 'site' : first
  const room = second === undefined ? first : part === 'programs' && isFile ? MAIN : second
  return isPart(part) && PARTS[part].rooms.some((one) => one === room) ? { part, room } : undefined
}

function isPart(name: string): name is Part {
  return Object.hasOwn(PARTS, name)
}
