import { shellWord } from '../../core/base/shell-word.ts'
import { visible } from '../../core/base/text.ts'

/**
 * Returns a command for an operator who copies it into a shell. Every command that the command line
 * prints comes from here: a name that a user has chosen would otherwise be a command itself.
 *
 * @param words Of the command, each as it is. The operator replaces those in capitals.
 */
export function latchkey(...words: readonly string[]): string {
  return ['npm run latchkey --', ...words.map((word) => shellWord(visible(word)))].join(' ')
}

/** The word of a command for a user: the name, or `#7` when the name can't stand there. */
export function userWord({ id, username }: { id: number; username: string }): string {
  const isOption = username.startsWith('-')
  return isOption || username.startsWith('#') || visible(username) !== username
    ? `#${id}`
    : username
}
