import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { findLeaves } from './rooms.ts'

/**
 * `npm run take-away [name…]`: shows that `src` type-checks without the folder of a capability and
 * without its lines in the lists; without names, without all that no other capability uses at
 * once.
 */

/** The lists that may name every capability. */
const LISTS = [
  'src/capabilities.ts',
  'src/app/texts.en.ts',
  'src/app/texts.zh.ts',
  'src/programs/site/capabilities.ts',
]

const paths = globSync('src/**/*.{ts,tsx}')
const sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))
const named = process.argv.slice(2)
const names = named.length > 0 ? named : findLeaves(sources)

const copy = resolve('.build/take-away')
rmSync(copy, { recursive: true, force: true })
mkdirSync(copy, { recursive: true })
for (const name of ['src', 'schema', 'tsconfig.json', 'package.json'])
  cpSync(name, join(copy, name), { recursive: true })
cpSync('.build/assets.ts', join(copy, '.build/assets.ts'))
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
// Descriptions of endpoints are for the scripts, which have a list of their own.
for (const path of globSync('src/capabilities/*/docs{,.ts}'))
  rmSync(join(copy, path), { recursive: true })
for (const name of names) rmSync(join(copy, 'src/capabilities', name), { recursive: true })
for (const list of LISTS) {
  const text = readFileSync(join(copy, list), 'utf8')
  writeFileSync(join(copy, list), names.reduce(withoutLines, text))
}
const tsconfig: { include: string[] } = JSON.parse(readFileSync('tsconfig.json', 'utf8'))
tsconfig.include = ['src', 'schema']
writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(tsconfig))
const { status } = spawnSync('npx', ['tsc', '--project', copy], { stdio: 'inherit' })
if (status === 0) console.log(`src type-checks without ${names.join(', ')}.`)
process.exitCode = status ?? 1

/** Cuts the lines of a capability out of a list: its imports, and what they import. */
function withoutLines(list: string, name: string): string {
  const folder = `capabilities/${name}/`
  const imports = Array.from(
    list.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']*)'\n/gm),
    ([text, imported = '', from = '']) => ({ text, imported, from }),
  ).filter(({ from }) => from.includes(folder))
  const words = imports.flatMap(({ imported }) => imported.split(',').map((word) => word.trim()))
  const rest = imports.reduce((text, { text: line }) => text.replace(line, ''), list)
  return rest
    .split('\n')
    .filter(
      (line) =>
        !words.includes(
          line
            .trim()
            .replace(/^\.\.\./, '')
            .replace(/,$/, ''),
        ),
    )
    .join('\n')
}
