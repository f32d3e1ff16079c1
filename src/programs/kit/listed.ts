import type { Taken } from './declaration.ts'
import type { Text } from './help.ts'

/** A command or a group of commands, for lists of all. */
export interface Listed {
  /** The words that lead to the command, without the program: `user`, `add`. */
  words: readonly string[]
  about: Text
  /** Nothing for a group. */
  takes: readonly Taken<unknown>[]
  isGroup: boolean
}
