import { posix } from 'node:path'

/**
 * The rooms of `src` (its folders, and the files beside them) in five tiers, lowest first. A room
 * imports from lower tiers; what it may import of its own tier, `order` says. Type imports count
 * too. `docs/decisions/013-rooms.md` gives the reasons. A test compares README.md with it.
 */
export const TIERS = {
  /** Knows nothing of accounts. */
  ground: { order: 'line', rooms: ['base', 'database', 'crypto', 'deps'] },
  /** Who somebody is, and what an account may do at every door. */
  identity: { order: 'line', rooms: ['audit', 'accounts', 'access', 'passwords', 'throttle'] },
  /** What the service can do: each is read with the tiers below it and its edges. */
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
      'users',
      'health',
      'files',
      'joining',
      'ldap',
    ],
  },
  /** What shows the capabilities to clients. */
  surfaces: {
    order: 'line',
    rooms: ['http', 'nightly-run', 'frequent-run', 'pages', 'api', 'app'],
  },
  programs: { order: 'line', rooms: ['worker', 'local-data', 'local-worker', 'cli'] },
} as const satisfies Record<string, { order: 'line' | 'edges'; rooms: readonly string[] }>

/** What a capability may use of another one, and why: `from > to`. There is no other way. */
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

/**
 * Where a capability may know HTTP: the folder `http/` in its room holds its routes, its middleware
 * and its cookies. Its decisions and stores stand beside that folder.
 */
const HTTP_PLACE = /^src\/[\w-]+\/http\//
const HTTP = /^(?:src\/http\/|src\/[\w-]+\/http\/|hono(?:\/|$))/
const IMPORT = /\b(?:from|import)\s*\(?\s*'([^']+)'/g

/**
 * The programs of `src/programs`, in folders that don't know each other: `start`, `deploy`,
 * `import`, and one of `operator` for each group of commands. All may use `shared` (words, options,
 * terminals) and `site` (the site that a program works on), which uses `shared`. Files beside them
 * start programs.
 */
const CLI_BELOW = ['shared', 'site']
const CLI_EDGES: Readonly<Record<string, string>> = {
  'operator/users > import': 'a name is kept as an import would have kept it',
  'operator/users > operator/joining': 'links for a user are commands of the user',
  'operator/completion > main': 'the script completes every command',
}

const ROOMS = Object.entries(TIERS).flatMap(([tier, { order, rooms }], level) =>
  rooms.map((room, place) => ({ room: room as string, tier, level, order, place })),
)

/**
 * Finds imports that a room may not make, and files of `src` that are in no room.
 *
 * @param sources Text of each file, by its path from the project's folder
 *   (`src/web/http/guard.ts`).
 * @returns One sentence for each violation.
 */
export function findForbiddenImports(sources: ReadonlyMap<string, string>): string[] {
  return Array.from(sources).flatMap(([path, text]) => {
    if (roomOf(path) === undefined)
      return [`${path} is in no room: add ${nameOf(path)} to TIERS in scripts/rooms.ts`]
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
      importsOf(path, text).flatMap((imported) => [
        `${nameOf(path)} > ${nameOf(imported)}`,
        `${programOf(path)} > ${programOf(imported)}`,
      ]),
    ),
  )
  return Object.keys({ ...EDGES, ...CLI_EDGES }).filter((edge) => !used.has(edge))
}

function whyForbidden(path: string, imported: string): string | undefined {
  const [own, other] = [roomOf(path), roomOf(imported)]
  const isBelowHttp = own !== undefined && own.level <= levelOf('capabilities')
  if (isBelowHttp && HTTP.test(imported))
    return HTTP_PLACE.test(path) ? undefined : 'decisions know no HTTP, only http/ in the room does'
  if (own === undefined || other === undefined) return undefined
  if (own.room === other.room)
    return own.room === 'cli' ? whyForbiddenInCli(path, imported) : undefined
  if (other.level !== own.level)
    return other.level < own.level ? undefined : `${other.tier} stand above ${own.tier}`
  if (own.order === 'line')
    return other.place < own.place ? undefined : `${other.room} stands after ${own.room}`
  const edge = `${own.room} > ${other.room}`
  return Object.hasOwn(EDGES, edge) ? undefined : `there is no edge “${edge}”`
}

function whyForbiddenInCli(path: string, imported: string): string | undefined {
  const [own, other] = [programOf(path), programOf(imported)]
  if (own === other || own === 'main') return undefined
  const [ownPlace, otherPlace] = [CLI_BELOW.indexOf(own), CLI_BELOW.indexOf(other)]
  if (otherPlace >= 0 && (ownPlace < 0 || otherPlace < ownPlace)) return undefined
  const edge = `${own} > ${other}`
  return Object.hasOwn(CLI_EDGES, edge) ? undefined : `programs have no edge “${edge}”`
}

/** Returns the folder of a program in `src/programs`, and `main` for the files beside these folders. */
function programOf(path: string): string {
  const folders = path.split('/').slice(2, -1)
  return folders.length === 0 ? 'main' : folders.join('/')
}

/** Returns paths from the project's folder, and packages by their names. */
function importsOf(path: string, text: string): string[] {
  return Array.from(text.matchAll(IMPORT), ([, specifier = '']) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier,
  )
}

/** Returns the name of the folder in `src`, or of the file when it lies in `src` itself. */
function nameOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.tsx?$/, '')
}

/** @returns `undefined` outside `src`, and for what {@link TIERS} lacks. */
function roomOf(path: string) {
  return path.startsWith('src/') ? ROOMS.find(({ room }) => room === nameOf(path)) : undefined
}

function levelOf(tier: keyof typeof TIERS): number {
  return Object.keys(TIERS).indexOf(tier)
}
