import { shellWord } from '../../core/base/shell-word.ts'
import { visible } from '../../core/base/text.ts'
import { installed, isPacked } from './places.ts'

/** In a container, what stands before the words of a command outside of it. */
const COMMAND_VARIABLE = 'LATCHKEY_COMMAND'
const START_IN_CONTAINER = 'docker compose up -d'

/**
 * Returns a command for an operator who copies it into a shell. Every command that the command line
 * prints comes from here: a name that a user has chosen would otherwise be a command itself.
 *
 * @param words Of the command, each as it is. The operator replaces those in capitals.
 */
export function latchkey(...words: readonly string[]): string {
  return [commandHere(), ...words.map((word) => shellWord(visible(word)))].join(' ')
}

function commandHere(): string {
  if (!isPacked()) return 'npm run latchkey --'
  return process.env[COMMAND_VARIABLE] || shellWord(installed('latchkey'))
}

/** Rewrites a text that was written for a checkout for the installation that says it. */
export function saidHere(text: string): string {
  if (!isPacked()) return text
  const isContainer = Boolean(process.env[COMMAND_VARIABLE])
  const start = isContainer ? START_IN_CONTAINER : latchkey('start')
  return text
    .replaceAll(/\bnpm run (?:-s )?latchkey --(?= |$)/gm, commandHere)
    .replaceAll(/\bnpm start\b(?: --(?= -))?/g, () => start)
    .replaceAll(/\bnpm run secrets\b/g, () => latchkey('secrets', 'new'))
    .replaceAll('git pull', () => 'upgrade Latchkey')
}

/** Returns a command for the site that is meant. */
export function latchkeyOn({ isRemote }: { isRemote: boolean }, ...words: readonly string[]) {
  return latchkey(...words, ...(isRemote ? ['--remote'] : []))
}

/** The word of a command for a user: the name, or `#7` when the name can't stand there. */
export function userWord({ id, username }: { id: number; username: string }): string {
  const isOption = username.startsWith('-')
  return isOption || username.startsWith('#') || visible(username) !== username
    ? `#${id}`
    : username
}
