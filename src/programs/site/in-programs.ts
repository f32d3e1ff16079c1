import type { Declared } from '../kit/declaration.ts'

/** Commands of a group, by their names. */
type Verbs = Readonly<Record<string, Declared>>

/** A command, or a group of commands by their names. */
export type Loaded = Declared | Verbs

/** A command or a group before it is loaded. */
export interface Group {
  about: string
  /** The same in Chinese. */
  zh: string
  load: () => Promise<Loaded>
}

/**
 * What a capability has for programs. It names only what it has, and `capabilities.ts` beside this
 * file names it. Every command starts with all of these, so each loads its parts when they are
 * asked for.
 */
export interface InPrograms {
  /** Commands and groups of its own, by their names. */
  commands?: Readonly<Record<string, Group>>
  /** What it adds to the groups of other capabilities, by the name of the group. */
  verbs?: Readonly<Record<string, () => Promise<Verbs>>>
}
