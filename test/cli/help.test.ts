import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { isChinese } from '../../src/programs/kit/help.ts'
import { createWholeProgram } from '../../src/programs/program.ts'

/** The home and the present folder of somebody who pastes examples. */
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-help-'))
  mkdirSync(join(folder, '.ssh'))
  for (const file of ['.ssh/id_ed25519.pub', 'announcement.md'])
    writeFileSync(join(folder, file), '')
})
afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(() => {
  for (const name of ['LC_ALL', 'LC_MESSAGES', 'LANG']) vi.stubEnv(name, '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** Every command that does something, by its words. */
async function listCommands(): Promise<{ words: string; command: Command }[]> {
  const list = (command: Command, words: string): { words: string; command: Command }[] => {
    const below = command.commands.filter((item) => item.name() !== 'help')
    if (below.length === 0) return [{ words, command }]
    return below.flatMap((child) => list(child, `${words} ${child.name()}`.trim()))
  }
  return list(await createWholeProgram(), '')
}

function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  return help
}

/** Returns the words that npm receives when bash runs a line. */
function paste(line: string): string[] {
  const received = join(folder, 'received')
  const script = `npm() { printf '%s\\0' "$@" > '${received}'; }\n${line}`
  const { stderr } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    encoding: 'utf8',
  })
  expect(stderr.replaceAll(/.*source: filename argument required.*\n.*usage.*\n/g, '')).toBe('')
  return readFileSync(received, 'utf8').split('\0').slice(0, -1)
}

describe('the examples of --help', () => {
  // Takes seconds, because a bash starts for each of some fifty lines.
  test('work when they are pasted, and are of the command that they stand at', async () => {
    for (const { words, command } of await listCommands()) {
      const [, examples = ''] = /\nExamples?:\n((?: {2}\S.*\n)+)$/.exec(helpOf(command)) ?? []
      expect(examples, words).not.toBe('')
      for (const line of examples.trimEnd().split('\n')) {
        const given = paste(line)
        expect(
          given.filter((word) => !/^(-s|--prefix|\/srv\/latchkey)$/.test(word)).slice(0, 3),
        ).toEqual(['run', 'latchkey', '--'])
        const program = await createWholeProgram()
        const ran: string[] = []
        for (const one of program.commands.flatMap((group) => [group, ...group.commands]))
          if (one.commands.length === 0)
            one.action(() => {
              ran.push(`${one.parent === program ? '' : one.parent?.name()} ${one.name()}`.trim())
            })
        await program.parseAsync(given.slice(given.indexOf('--') + 1), { from: 'user' })
        expect(ran, line).toEqual([words])
      }
    }
  })
})

describe('--help', () => {
  test('is Chinese where the locale is, for every command and without an English sentence', async () => {
    vi.stubEnv('LANG', 'zh_CN.UTF-8')
    for (const { words, command } of await listCommands()) {
      const all = [command, command.parent, command.parent?.parent].flatMap((known) => known ?? [])
      const help = all.map(helpOf).join('\n')
      expect(help, words).toMatch(/^用法：/)
      // Names, choices and examples stay as they are typed.
      const prose = help.replaceAll(
        /^.*npm run.*$|^用法.*$|\(可选值.*\)|[\w-]+(?:, [\w-]+)+,?/gm,
        '',
      )
      expect(prose, words).not.toMatch(/[A-Za-z']{2,} [a-z']{2,} [a-z']{2,} /)
    }
  })

  test.each([
    [{ LANG: 'zh_TW.UTF-8' }, true],
    [{ LANG: 'zh' }, true],
    [{ LANG: 'en_GB.UTF-8', LC_ALL: 'zh_CN.UTF-8' }, true],
    [{ LANG: 'zh_CN.UTF-8', LC_ALL: 'C.UTF-8' }, false],
    [{ LANG: 'zh_CN.UTF-8', LC_MESSAGES: 'en_US.UTF-8' }, false],
    [{ LANG: 'zha_CN' }, false],
    [{}, false],
  ])('takes the language of %j', (env, expected) => {
    expect(isChinese(env)).toBe(expected)
  })
})
