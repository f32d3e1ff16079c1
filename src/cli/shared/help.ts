import type { Command, Help, Option } from 'commander'
import { ZH } from './help-zh.ts'

/** The end of a help text. */
interface HelpEnd {
  /** What the descriptions of the command and its options don't say. */
  notes?: string
  /** A heading and the text below it. */
  section?: readonly [heading: string, text: string]
  /** Command lines without `npm run latchkey --`, or whole lines of a shell. */
  examples: readonly string[]
}

/** Adds notes and examples to `--help`. The examples work when they are pasted into a shell. */
export function addHelp(command: Command, { notes, section, examples }: HelpEnd): Command {
  return command.addHelpText('after', () =>
    [
      ...(notes === undefined ? [] : ['', helpText(notes)]),
      ...(section === undefined ? [] : ['', helpText(`${section[0]}:`), `  ${section[1]}`]),
      '',
      helpText(examples.length === 1 ? 'Example:' : 'Examples:'),
      ...examples.map((example) => `  ${lineOf(example)}`),
    ].join('\n'),
  )
}

function lineOf(example: string): string {
  return /\bnpm (--prefix \S+ )?run /.test(example) ? example : `npm run latchkey -- ${example}`
}

/**
 * The configuration with which commander prints help in the language of the operator. All commands
 * inherit it.
 */
export const HELP_CONFIGURATION: Partial<Help> = {
  showGlobalOptions: true,
  styleTitle: helpText,
  commandDescription: (command) => helpText(command.description()),
  subcommandDescription: (command) => helpText(command.summary() || command.description()),
  argumentDescription: ({ description }) => helpText(description),
  optionDescription: (option) => [helpText(option.description), ...extras(option)].join(' '),
}

/** Returns what commander adds to the description of an option. */
function extras({ argChoices, defaultValue }: Option): string[] {
  return [
    ...(argChoices === undefined ? [] : [`(${helpText('choices')}: ${argChoices.join(', ')})`]),
    ...(typeof defaultValue === 'number' ? [`(${helpText('default')}: ${defaultValue})`] : []),
  ]
}

/** Translates a text of the help when the operator reads Chinese. */
export function helpText(text: string): string {
  return isChinese(process.env) ? (ZH[text] ?? text) : text
}

/** Tells whether the locale is Chinese. @see POSIX.1-2017, Base Definitions, section 8.2 */
export function isChinese(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
  return /^zh\b|^zh_/i.test(locale)
}
