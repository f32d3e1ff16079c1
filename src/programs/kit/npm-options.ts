import { shellWord } from '../../core/base/shell-word.ts'
import { visible } from '../../core/base/text.ts'
import { UsageError } from './command-error.ts'

/** Options that npm has too. An operator may have set them for npm, so they tell nothing. */
const OPTIONS_OF_NPM = new Set(['all', 'cert', 'expires', 'json', 'key', 'name', 'scope', 'yes'])

/** How npm has called a program. */
interface NpmCall {
  /** The command line before the options, with the `--`. */
  line: string
  /** The forms of the options, as in a usage line. */
  forms: readonly string[]
  /** The arguments of the program that are no options. */
  words: readonly string[]
  /** Whether the program takes such words. */
  takesWords: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Refuses options that npm has kept for itself, because nobody wrote `--` before them: the program
 * would run without them. npm tells them in variables. A value behind a blank becomes a word, and
 * the variable is then `true`.
 *
 * @throws {UsageError} With the right line.
 * @see https://docs.npmjs.com/cli/using-npm/config
 */
export function refuseKeptByNpm(call: NpmCall, env: Environment): void {
  const kept = call.forms.flatMap((form) => keptOption(form, env))
  if (kept.length === 0) return
  const names = kept.map(({ name }) => name).join(' and ')
  throw new UsageError(
    `npm kept ${names} for itself. Write -- before the options: ${rightLine(call, kept)}`,
  )
}

interface Kept {
  /** With its hyphens. */
  name: string
  form: string
  /** The option with its value; `undefined` when the value is among the words. */
  given: string[] | undefined
}

function keptOption(form: string, env: Environment): Kept[] {
  const [option = '', name = '', value] = /--([a-z-]+)(?: (.*))?$/.exec(form) ?? []
  const given = env[`npm_config_${name.replaceAll('-', '_')}`] ?? ''
  if (['', 'false'].includes(given) || OPTIONS_OF_NPM.has(name)) return []
  const flag = `--${name}`
  if (value === undefined) return [{ name: flag, form: option, given: [flag] }]
  return [{ name: flag, form: option, given: given === 'true' ? undefined : [flag, given] }]
}

function rightLine({ line, words, takesWords }: NpmCall, kept: readonly Kept[]): string {
  const isValueMissing = kept.some(({ given }) => given === undefined)
  const isValue = kept.length === 1 && words.length === 1 && !takesWords
  if (isValueMissing && isValue) return [line, kept[0]?.name, ...words.map(quoted)].join(' ')
  const options = kept.map(({ given, form }) => given?.map(quoted).join(' ') ?? form)
  const before = !isValueMissing ? words.map(quoted) : takesWords ? ['…'] : []
  return [line, ...before, ...options].join(' ')
}

function quoted(word: string): string {
  return shellWord(visible(word))
}
