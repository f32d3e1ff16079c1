import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pruneCss } from './prune-css.ts'
import { CommandError, runCommand } from '../src/cli/command-error.ts'

const SOURCES = 'src/pages/sources'
/** Files that Cloudflare serves before it runs the Worker. */
const SERVED = 'src/pages/assets'
/** Module with the paths of these files. */
const MODULE = 'src/pages/assets.ts'

/** Files in the same folder that `npm run openapi` and `npm run interface` write. */
const OTHER_FILES = ['openapi.json', 'interface.txt']

/** What we change in OpenAPI Explorer 2.4, each with what it is changed to. */
const CHANGES: [before: string, after: string][] = [
  // In a curl line, an apostrophe in the JSON body would end the text.
  ["-d '${l.body}'", "-d '${l.body.replaceAll(\"'\", \"'\\\\''\")}'"],
  // The button to copy covered the ends of the lines, and underscores of the last line were cut off.
  ['padding-right:70px', 'padding-right:90px;padding-bottom:4px'],
  // After a change of the colour scheme, the colours of buttons were hard to read for an instant.
  ['transition:background-color .2s;', ''],
]

const HASH_DIGITS = 10
const YEAR_SECONDS = 365 * 24 * 60 * 60
const DAY_SECONDS = 24 * 60 * 60

/**
 * `npm run assets`: builds the files that browsers load from their sources; with `--check`, fails
 * when they are stale.
 */
await runCommand(async () => {
  const files = makeFiles()
  if (!process.argv.includes('--check')) return write(files)
  const present = [MODULE, ...listServed()]
  const isStale = (path: string) => !existsSync(path) || read(path) !== files.get(path)
  if ([...present, ...files.keys()].some(isStale)) {
    throw new CommandError(`${SERVED} or ${MODULE} is stale: run \`npm run assets\`.`)
  }
})

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
  const module = {
    LOGO: addHashed('logo', 'svg', logo),
    ICONS: addHashed('icons', 'svg', source('icons.svg')),
    SCRIPT: addHashed('script', 'js', source('script.js')),
    PASSKEY_SCRIPT: addHashed('passkeys', 'js', source('passkeys.js')),
    // Stands in its page: a host may pass only `/api` and `/account` on to this service.
    SSO_SCRIPT: sso,
    SSO_SCRIPT_HASH: `sha256-${createHash('sha256').update(sso).digest('base64')}`,
    STYLE_SHEET: addHashed('style', 'css', pico() + minifyCss(source('style.css'))),
  }
  // The default of the setting `logo`.
  files.set(join(SERVED, 'logo.svg'), logo)
  const docs = {
    '/docs.css': addHashed('docs', 'css', source('docs/docs.css')),
    '/docs.js': addHashed('docs', 'js', source('docs/docs.js')),
    '/openapi-explorer.js': addHashed('openapi-explorer', 'js', openApiExplorer()),
  }
  const page = Object.entries(docs).reduce(
    (html, [name, served]) => html.replace(name, served),
    source('docs/docs.html'),
  )
  files.set(join(SERVED, 'docs.html'), page)
  files.set(join(SERVED, 'openapi-explorer-license.txt'), packaged('openapi-explorer/LICENSE'))
  const { LOGO, ICONS, SCRIPT, PASSKEY_SCRIPT, STYLE_SHEET } = module
  const hashed = [LOGO, ICONS, SCRIPT, PASSKEY_SCRIPT, STYLE_SHEET, ...Object.values(docs)]
  files.set(join(SERVED, '_headers'), headers(...hashed))
  files.set(MODULE, toModule(module))
  return files
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

/** @throws {CommandError} When a version of OpenAPI Explorer has other code where we change it. */
function openApiExplorer(): string {
  const original = packaged('openapi-explorer/dist/browser/openapi-explorer.min.js')
  return CHANGES.reduce((text, [before, after]) => {
    const parts = text.split(before)
    if (parts.length !== 2) throw new CommandError(`OpenAPI Explorer has no ${before} now.`)
    return parts.join(after)
  }, `/* Changed by Latchkey: scripts/assets.ts */${original}`)
}

function toModule(values: Record<string, string>): string {
  const lines = Object.entries(values).map(
    ([name, value]) => `export const ${name} =\n  ${JSON.stringify(value)}\n`,
  )
  return `// Made by \`npm run assets\` from ${SOURCES}; change it there.\n${lines.join('')}`
}

function pico(): string {
  return pruneCss(packaged('@picocss/pico/css/pico.classless.min.css').trim())
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

function listServed(): string[] {
  const names = readdirSync(SERVED).filter((name) => !OTHER_FILES.includes(name))
  return names.map((name) => join(SERVED, name))
}

function write(files: Map<string, string>): void {
  for (const path of listServed()) rmSync(path)
  for (const [path, content] of files) writeFileSync(path, content)
}
