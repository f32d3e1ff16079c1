import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { execFileSync, spawnSync } from 'node:child_process'
import { dirname, join, posix, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { DAY_MILLISECONDS } from '../src/core/base/time.ts'
import { findLeaves, PARTS } from './rooms.ts'
import { chooseTurn } from './take-away-turn.ts'

/**
 * `npm run take-away [-- [name…] [--turn] [--tests]]`: shows that the project stands without the
 * folder of a capability and without its lines in the lists: `src` type-checks, and with `--tests`
 * the tests of the other capabilities pass. Without names: without all that no other capability
 * uses, at once; with `--turn` without one of them, another one each day, and `--tests` runs the
 * tests of a third of the others.
 */

/** The lists that may name every capability. */
const LISTS = [
  'src/capabilities.ts',
  'src/app/texts.en.ts',
  'src/app/texts.zh.ts',
  'src/programs/site/capabilities.ts',
]

/** Tests of a capability that reach others over HTTP, and these. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  'test/files/client-sign-in.test.ts': ['joining', 'health'],
  'test/files/health.test.ts': ['health'],
  'test/mail/outbox.test.ts': ['joining'],
  'test/notices/notices.test.ts': ['app-passwords'],
  'test/openid/groups.test.ts': ['app-passwords'],
  'test/openid/names.test.ts': ['joining'],
  'test/openid/required-factor.test.ts': ['app-passwords'],
  'test/openid/sign-out.test.ts': ['app-passwords'],
  'test/sso/groups.test.ts': ['groups'],
}

/** The OpenAPI document, which is made of every endpoint, and the descriptions for it. */
const DOCUMENT = /^scripts\/openapi\b|^src\/capabilities\/[^/]+\/docs(?:\/|\.ts$)/

/** Each checker reads the types of every library for itself: four, the default, take twice the CPU. */
const ONE_CHECKER = ['--checkers', '1']

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: 'boolean', default: false },
    turn: { type: 'boolean', default: false },
  },
})
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'])
  .toString()
  .split('\0')
  .filter((path) => path !== '')
const sources = new Map(
  files
    .filter((path) => /^(?:src|test)\/.*\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(path, 'utf8')]),
)
const capabilities: readonly string[] = PARTS.capabilities.rooms
const leaves = findLeaves(sources)
const { names, tested } = choose()
const unknown = names.filter((name) => !capabilities.includes(name))
if (unknown.length > 0) throw new Error(`no capability has the name ${unknown.join(', ')}`)

const copy = resolve('.build/take-away', names.join('+'))
rmSync(copy, { recursive: true, force: true })
for (const path of files.filter((name) => !isTakenAway(name))) {
  mkdirSync(dirname(join(copy, path)), { recursive: true })
  cpSync(path, join(copy, path))
}
for (const name of ['assets.ts', 'queries'])
  cpSync(join('.build', name), join(copy, '.build', name), { recursive: true })
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
for (const list of LISTS) {
  const text = readFileSync(join(copy, list), 'utf8')
  writeFileSync(join(copy, list), names.reduce(withoutLines, text))
}
// A program that is built with the others.
writeFileSync(join(copy, 'scripts/openapi.ts'), 'export {}\n')
const tsconfig: { include: string[] } = JSON.parse(readFileSync('tsconfig.json', 'utf8'))
tsconfig.include = ['src', 'schema']
writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(tsconfig))
const without = `without ${names.join(', ')}`
console.log(`The project ${without} (npm run take-away -- ${names.join(' ')}):`)
process.exitCode = succeeds('tsc', ...ONE_CHECKER) && (!values.tests || passesTests()) ? 0 : 1

/** Chooses what is taken away, and the capabilities whose tests are run. */
function choose(): { names: string[]; tested: readonly string[] } {
  if (positionals.length === 0 && values.turn) {
    const turn = chooseTurn(Math.floor(Date.now() / DAY_MILLISECONDS), leaves, capabilities)
    return { names: [turn.name], tested: turn.tested }
  }
  const chosen = positionals.length > 0 ? positionals : leaves
  return { names: chosen, tested: capabilities.filter((name) => !chosen.includes(name)) }
}

function passesTests(): boolean {
  console.log(`Tests ${without}: ${tested.join(', ')}`)
  const config = ['--config', 'test/vitest.config.ts', '--root', '.', '--project', 'worker']
  return succeeds('vitest', 'run', ...config, ...tested.map((name) => `test/${name}/`))
}

function succeeds(command: string, ...words: string[]): boolean {
  const { status } = spawnSync('npx', [command, ...words], { cwd: copy, stdio: 'inherit' })
  if (status === 0) console.log(`${command} passes ${without}.`)
  return status === 0
}

/** Tells whether a file is a part of what is taken away, or of the document, or a test that uses it. */
function isTakenAway(path: string): boolean {
  return (
    names.some((name) => path.startsWith(`src/capabilities/${name}/`)) ||
    DOCUMENT.test(path) ||
    NEEDS[path]?.some((needed) => names.includes(needed)) === true ||
    (path.endsWith('.test.ts') && uses(path, new Set()))
  )
}

/** Tells whether a file of the tests imports what is taken away, perhaps by another one. */
function uses(path: string, seen: Set<string>): boolean {
  if (!path.startsWith('test/')) return isTakenAway(path)
  if (seen.has(path)) return false
  seen.add(path)
  const imports = (sources.get(path) ?? '').matchAll(/\bfrom '(\.[^']+)'/g)
  return Array.from(imports, ([, to = '']) => posix.join(posix.dirname(path), to)).some((to) =>
    uses(to, seen),
  )
}

/** Cuts the lines of a capability out of a list: its imports, and what they import. */
function withoutLines(list: string, name: string): string {
  const words: string[] = []
  const rest = list.replaceAll(
    /^import (?:type )?\{([^}]*)\} from '([^']*)'\n/gm,
    (line, imported: string, from: string) => {
      if (!from.includes(`capabilities/${name}/`)) return line
      words.push(...imported.split(',').map((word) => word.trim()))
      return ''
    },
  )
  return rest
    .split('\n')
    .filter((line) => !words.includes(line.replace(/^ *(?:\.\.\.)?|,$/g, '')))
    .join('\n')
}
