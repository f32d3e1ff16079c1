import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, inject } from 'vitest'
import { Clone } from '../support/clone.ts'

let clone: Clone

beforeAll(() => {
  clone = new Clone(inject('freshClone'))
})
afterAll(() => clone.remove())

/** What is typed before the key Tab, the last word unfinished, and some words that are offered. */
const TYPED: [words: string[], offered: string[]][] = [
  [['us'], ['user']],
  [
    ['user', ''],
    ['list', 'password', 'unlock'],
  ],
  [['--json', 'user', 'pass'], ['password']],
  [
    ['user', 'add', 'alice', '--'],
    ['--role', '--generate', '--remote'],
  ],
  [
    ['user', 'add', '--role', ''],
    ['general', 'admin'],
  ],
  [['user', 'list', '--limit', '5', '--adm'], ['--admins']],
  [
    ['event', 'list', '--kind', 'two_factor_o'],
    ['two_factor_on', 'two_factor_off'],
  ],
  [['setting', 'reset', 'site_title', 'main'], ['main_color']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
]
/** The same for files, of which the clone has `package.json`. */
const FILES = [
  ['import', 'packa'],
  ['key', 'add', 'alice', 'packa'],
]

const quote = (word: string) => `'${word}'`

const SHELLS: Record<string, { options: string[]; press: (words: string[]) => string }> = {
  bash: {
    options: ['--norc', '-c'],
    press: (words) =>
      `COMPREPLY=(); COMP_WORDS=(latchkey ${words.map(quote).join(' ')}); COMP_CWORD=${words.length}
       _latchkey; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  // Zsh shows completions only in its line editor: three of its functions are replaced by ours.
  zsh: {
    options: ['-f', '-c'],
    press: (words) =>
      `_describe() { print -rl -- "\${(@)\${(P)2}%%:*}" }; _files() { print -l *(N) }; _message() { : }
       words=(latchkey ${words.map(quote).join(' ')}); CURRENT=${words.length + 1}; $_comps[latchkey]`,
  },
  fish: {
    options: ['--no-config', '-c'],
    press: (words) =>
      `complete -C ${quote(`latchkey ${words.join(' ')}`)} | string replace -r '\\t.*' ''`,
  },
}
const BEFORE: Record<string, string> = { zsh: 'autoload -U compinit; compinit -u -D\n' }

describe.each(Object.entries(SHELLS))('in %s', (shell, { options, press }) => {
  const isMissing = spawnSync(shell, ['--version']).error !== undefined

  test.skipIf(isMissing)('the script completes commands, options, values and files', async () => {
    const { stdout: script, stderr, code } = await clone.command(['completion', shell])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    writeFileSync(clone.path('script'), script)
    const lines = [...TYPED.map(([words]) => words), ...FILES, ['user', 'delete', '']]
    // In one shell, because one takes half a second to start.
    const pressed = lines.map((words) => `${press(words)}\nprintf '\\0'`)
    const command = [`${BEFORE[shell] ?? ''}source ./script`, ...pressed].join('\n')
    const done = spawnSync(shell, [...options, command], { cwd: clone.folder, encoding: 'utf8' })
    expect(done.stderr).toBe('')
    const completed = done.stdout.split('\0').map((text) => text.split('\n'))
    expect(completed).toHaveLength(lines.length + 1)
    for (const [i, [words, offered]] of TYPED.entries())
      expect(completed[i], words.join(' ')).toEqual(expect.arrayContaining(offered))
    for (const i of FILES.keys()) expect(completed[TYPED.length + i]).toContain('package.json')
    expect(completed[lines.length - 1]?.join('')).not.toContain('package.json')
  })

  test.skipIf(isMissing)('latchkey is short for the npm script, in any folder', async () => {
    const { stdout: script } = await clone.command(['completion', shell])
    writeFileSync(clone.path('script'), script)
    const command = `${BEFORE[shell] ?? ''}source ${clone.path('script')}\nlatchkey --version`
    const done = spawnSync(shell, [...options, command], { cwd: '/', encoding: 'utf8' })
    expect(done.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
