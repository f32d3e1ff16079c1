import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Listed, loadCommands } from '../../src/programs/commands.ts'
import { isOption } from '../../src/programs/kit/declaration.ts'
import { Clone } from '../support/clone.ts'

let clone: Clone
const commands = (await loadCommands()).filter(({ isGroup }) => !isGroup)

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  // The commands then open no runtime of their own.
  await clone.serve()
})
afterAll(() => clone.remove())

/** Words that nobody means. */
const ODD = ['', 'x'.repeat(5000), 'a\u0000\nb\u001b[31m', '\u202eß你🙂', '-1', '9'.repeat(20)]

/** These read the standard input, or would serve. */
const NEEDS_INPUT = ['token introspect', 'setting import']

/** Command lines with something wrong, or at least something strange. */
function wrongLines({ takes }: Listed): string[][] {
  const args = takes.filter((take) => !isOption(take)).map(() => 'nothing')
  const options = takes.filter(({ form }) => form.startsWith('-') && form.includes('<'))
  const names = options.map(({ form }) => form.replace(/ .*/, ''))
  return [
    [],
    args.slice(1),
    [...args, 'one', 'too', 'many'],
    [...args, '--no-such-option'],
    [...args, '--', '--yes', '-x'],
    [...args, ...names.slice(0, 1)],
    ...ODD.flatMap((odd) => [
      args.map(() => odd),
      ...names.map((name) => [...args, `${name}=${odd}`]),
    ]),
  ]
}

/** What no answer may have: a line of a stack, the name of a bug, and what a terminal obeys. */
const FORBIDDEN =
  // oxlint-disable-next-line no-control-regex -- A terminal obeys them.
  /^\s+at |\b(?:Type|Range|Reference|Syntax)Error\b|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202e]/m

test.each(
  commands
    .filter(({ words }) => !NEEDS_INPUT.includes(words.join(' ')))
    .map((command) => [command.words.join(' '), command] as const),
)('%s answers every wrong command line with a sentence and an exit code', async (_, listed) => {
  const bad: unknown[] = []
  for (const line of wrongLines(listed)) {
    const { code, stdout, stderr } = await clone.command([...listed.words, ...line])
    const isSaid = code === 0 || stderr.trim() !== ''
    const isKnown = code === 0 || code === 1 || code === 2
    // A table for another program holds what the commands before it have been given.
    const shown = listed.words.join(' ') === 'event export' ? stderr : stdout + stderr
    if (!isKnown || !isSaid || FORBIDDEN.test(shown)) bad.push([line, code, stderr])
  }
  expect(bad).toEqual([])
})

test('npm run deploy answers a wrong command line with a sentence, before it does anything', async () => {
  for (const line of [['more'], ['--dryrun'], ['--attach'], [''], ['\u202eß']]) {
    const ended = await clone.run('src/programs/launch.cjs', ['deploy/main', ...line])
    const stderr = expect.stringMatching(/^[^\n]+ \(--help lists the options\)\n$/)
    expect([line, ended]).toEqual([line, { code: 2, stdout: '', stderr }])
  }
})
