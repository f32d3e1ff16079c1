import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { buildPrograms } from '../../scripts/assets/programs.ts'
import { BUILT_LIST, digestOf, findBuilt } from '../../src/programs/built.ts'
import { Clone } from '../support/clone.ts'

let clone: Clone

beforeEach(() => {
  clone = new Clone(inject('freshClone'))
})
afterEach(() => clone.remove())

/** Takes a clone whose programs and packages are its own. */
async function takeOwnClone(): Promise<void> {
  await clone.remove()
  clone = new Clone()
}

const SCRIPTS = ['start', 'latchkey', 'deploy', 'secrets'] as const

test('every program for users says what to do where npm ci was not run', async () => {
  await takeOwnClone()
  rmSync(clone.path('node_modules'))
  for (const script of SCRIPTS)
    expect(await clone.shell(packageJson.scripts[script]).ended).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Packages are missing \(\S+ and \d+ more\): run npm ci\.\n$/),
    })
})

test('the programs say so where a package is missing', async () => {
  await takeOwnClone()
  const modules = clone.path('node_modules')
  rmSync(modules)
  mkdirSync(modules)
  for (const name of readdirSync('node_modules'))
    if (name !== 'miniflare')
      symlinkSync(join(process.cwd(), 'node_modules', name), join(modules, name))
  expect(await clone.shell(packageJson.scripts.latchkey).ended).toMatchObject({
    code: 1,
    stderr: 'Packages are missing (miniflare): run npm ci.\n',
  })
})

test('every program for users says which Node it needs, where it is too old', async () => {
  for (const script of SCRIPTS) {
    // A Node that runs no TypeScript, as Node 20.
    const program = clone.shell(packageJson.scripts[script], {
      NODE_OPTIONS: '--no-experimental-strip-types',
    })
    expect(await program.ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `Node 22.18 or later is needed, this is ${process.versions.node}: start with npm, which uses the Node that npm ci has installed.\n`,
    })
  }
})

test('a program gets its arguments, and its exit code arrives', async () => {
  const help = await clone.shell(`${packageJson.scripts.latchkey} user add --help`).ended
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: latchkey user') })
  const wrong = await clone.shell(`${packageJson.scripts.start} --prot`).ended
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown option '--prot'"),
  })
})

test.each([
  ['run latchkey --remote user disable alice', 'npm run latchkey -- user disable alice --remote'],
  [
    'run latchkey user add alice --permission 3 --generate',
    'npm run latchkey -- user add … --permission <names> --generate',
  ],
  ['run deploy --dry-run', 'npm run deploy -- --dry-run'],
  ['start --port 9305', 'npm start -- --port 9305'],
])('npm %s, without --, does nothing and says the right line', async (line, right) => {
  const { code, stdout, stderr } = await clone.shell(`npm --silent --ignore-scripts ${line}`).ended
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^npm kept \S.* for itself\. /m)
  expect(stderr.split('Write -- before the options: ')[1]).toBe(`${right}\n`)
})

test('a program is run as it was built, until a source has changed', async () => {
  await takeOwnClone()
  const version = async () => {
    const { stdout } = await clone.shell(`${packageJson.scripts.latchkey} --version`).ended
    return stdout
  }
  /** Makes the built program tell itself from its source. */
  const markBuilt = () => {
    const file = clone.path('.build/cli/src/programs/main.js')
    writeFileSync(file, `process.stdout.write('built ')\n${readFileSync(file, 'utf8')}`)
  }
  markBuilt()
  expect(await version()).toBe(`built ${packageJson.version}\n`)
  const source = clone.path('src/capabilities/settings/defaults.ts')
  const text = readFileSync(source, 'utf8')
  writeFileSync(source, text.replace(`'${packageJson.version}'`, "'9.9.9'"))
  expect(await version()).toBe('9.9.9\n')
  await buildPrograms(clone.folder)
  markBuilt()
  expect(await version()).toBe('built 9.9.9\n')
})

test('a list of built programs counts only in its own form', async () => {
  await takeOwnClone()
  const source = 'src/programs/main.ts'
  const digest = digestOf(clone.folder, [source])
  const find = (list: unknown) => {
    writeFileSync(clone.path(BUILT_LIST), JSON.stringify(list))
    return findBuilt(clone.folder, 'main')
  }
  expect(find({ sources: [source], digest })).toBe(clone.path('.build/cli/src/programs/main.js'))
  // Each character of a text would count as a file.
  const ofText = digestOf(clone.folder, Array.from(source))
  for (const list of [null, [], {}, { sources: [source] }, { sources: source, digest: ofText }])
    expect(find(list)).toBeUndefined()
})
