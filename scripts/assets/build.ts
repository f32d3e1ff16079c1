import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { changeOpenApiExplorer } from './openapi-explorer.ts'
import { pruneCss } from './prune-css.ts'
import { makeQueries } from './queries.ts'
import { codeOf, CommandError } from '../../src/programs/kit/command-error.ts'

const SOURCES = 'src/web/sources'
/** Files that Cloudflare serves before it runs the Worker: `[assets]` in `wrangler.toml`. */
const SERVED = '.build/assets'
/** Module with the paths of these files, for the pages. */
const MODULE = '.build/assets.ts'

const HASH_DIGITS = 10
const YEAR_SECONDS = 365 * 24 * 60 * 60
const DAY_SECONDS = 24 * 60 * 60
/** The service may run as somebody else than who has installed it. */
const PUBLIC_UMASK = 0o022

/**
 * Builds the files that browsers load, and modules of the Worker, from their sources, and writes
 * those that have changed.
 *
 * @throws {CommandError} When one must be written and can't be.
 */
export function buildAssets(): void {
  const files = makeFiles()
  try {
    for (const [path, content] of files) if (tryRead(path) !== content) write(path, content)
    for (const name of readdirSync(SERVED))
      if (!files.has(join(SERVED, name))) rmSync(join(SERVED, name))
  } catch (error) {
    throw new CommandError(
      `Can't write into the folder .build (${codeOf(error)}): run npm ci as the owner of this folder.`,
      { cause: error },
    )
  }
}

/** Returns the content of every file, by path. */
function makeFiles(): Map<string, string> {
  const files = new Map<string, string>()
  const addHashed = (name: string, extension: string, content: string) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_DIGITS)
    const served = `${name}-${hash}.${extension}`
    files.set(join(SERVED, served), content)
    return `/${served}`
  }
  const logo = source('logo.svg')
  const sso = source('sso.js')
  const arrive = source('arrive.js')
  const latchkey = addHashed('latchkey', 'svg', source('latchkey.svg'))
  const styles = minifyCss(styleSheet(latchkey))
  const module = {
    LOGO: addHashed('logo', 'svg', logo),
    ICONS: addHashed('icons', 'svg', source('icons.svg')),
    DRAWINGS: addHashed('drawings', 'svg', source('drawings.svg')),
    SCRIPT: addHashed('script', 'js', source('script.js')),
    PASSKEY_SCRIPT: addHashed('passkeys', 'js', source('passkeys.js')),
    // Stands in its page: a host may pass only `/api` and `/account` on to this service.
    SSO_SCRIPT: sso,
    ARRIVE_SCRIPT: arrive,
    ARRIVE_SCRIPT_HASH: hashOf(arrive),
    // Stands in the pages of OpenList's web client, which has its scripts after it.
    CLIENT_SCRIPT: withoutComments(source('client.js')),
    SSO_SCRIPT_HASH: hashOf(sso),
    STYLE_SHEET: addHashed('style', 'css', pico(styles) + styles),
  }
  // The default of the setting `logo`.
  files.set(join(SERVED, 'logo.svg'), logo)
  const explorer = packaged('openapi-explorer/dist/browser/openapi-explorer.min.js')
  const docs = {
    '/docs.css': addHashed('docs', 'css', source('docs/docs.css')),
    '/docs.js': addHashed('docs', 'js', source('docs/docs.js')),
    '/openapi-explorer.js': addHashed('openapi-explorer', 'js', changeOpenApiExplorer(explorer)),
  }
  const page = Object.entries(docs).reduce(
    (html, [name, served]) => html.replace(name, served),
    source('docs/docs.html'),
  )
  files.set(join(SERVED, 'docs.html'), page)
  files.set(join(SERVED, 'openapi-explorer-license.txt'), packaged('openapi-explorer/LICENSE'))
  files.set(join(SERVED, 'openapi.json'), JSON.stringify(JSON.parse(read('schema/openapi.json'))))
  files.set(join(SERVED, 'interface.txt'), read('docs/interface.md'))
  const { LOGO, ICONS, DRAWINGS, SCRIPT, PASSKEY_SCRIPT, STYLE_SHEET } = module
  const hashed = [
    latchkey,
    LOGO,
    ICONS,
    DRAWINGS,
    SCRIPT,
    PASSKEY_SCRIPT,
    STYLE_SHEET,
    ...Object.values(docs),
  ]
  files.set(join(SERVED, '_headers'), headers(...hashed))
  for (const [path, content] of makeQueries()) files.set(path, content)
  files.set(MODULE, `${toModule(module)}export type IconName = ${symbolsOf(source('icons.svg'))}\n`)
  return files
}

/** Works for lines that are a comment. */
function withoutComments(script: string): string {
  return script.replaceAll(/^ *\/\/.*\n/gm, '')
}

/** Names a script in a content security policy. */
function hashOf(script: string): string {
  return `sha256-${createHash('sha256').update(script).digest('base64')}`
}

/** @see https://developers.cloudflare.com/workers/static-assets/headers/ */
function headers(...immutable: string[]): string {
  const rules = [
    [
      '/*',
      'X-Content-Type-Options: nosniff',
      "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
    ],
    [
      '/docs',
      '! Content-Security-Policy',
      // OpenAPI Explorer has style attributes, and icons in its style sheets.
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'Referrer-Policy: no-referrer',
    ],
    ['/openapi.json', 'Access-Control-Allow-Origin: *'],
    ['/logo.svg', `Cache-Control: public, max-age=${DAY_SECONDS}`],
    ...immutable.map((path) => [path, `Cache-Control: public, max-age=${YEAR_SECONDS}, immutable`]),
  ]
  return rules.map(([path, ...lines]) => `${[path, ...lines].join('\n  ')}\n`).join('\n')
}

function toModule(values: Record<string, string>): string {
  const lines = Object.entries(values).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`,
  )
  return `// Made by \`npm run assets\` from ${SOURCES}; change it there.\n${lines.join('')}`
}

/** Returns the names of the symbols of a drawing, as a type. */
function symbolsOf(svg: string): string {
  const names = Array.from(svg.matchAll(/<symbol id="([^"]+)"/g), ([, name]) => `'${name}'`)
  return names.join(' | ')
}

/** @param following Our rules. */
function pico(following: string): string {
  return pruneCss(packaged('@picocss/pico/css/pico.classless.min.css').trim(), following)
}

/** @param latchkey Path of the drawing behind the sign-in. */
function styleSheet(latchkey: string): string {
  return source('style.css').replace('/latchkey.svg', latchkey)
}

/** Works for our style sheet only: it has no strings with double spaces or braces. */
function minifyCss(css: string): string {
  return css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .replaceAll(/: /g, ':')
    .replaceAll(';}', '}')
    .trim()
}

/** Reads a file of a package. */
function packaged(path: string): string {
  return read(createRequire(import.meta.url).resolve(path))
}

function source(name: string): string {
  return read(join(SOURCES, name))
}

function read(path: string): string {
  return readFileSync(path, 'utf8')
}

function tryRead(path: string): string | undefined {
  try {
    return read(path)
  } catch {
    return undefined
  }
}

/** @param mode The permission bits, those of a file that is no program unless told otherwise. */
export function write(path: string, content: string | Uint8Array, mode = 0o666): void {
  const umask = process.umask(PUBLIC_UMASK)
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode })
  } finally {
    process.umask(umask)
  }
}
