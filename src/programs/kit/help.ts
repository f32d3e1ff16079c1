import type { Command, Help, Option } from 'commander'
import { saidHere } from './printed-command.ts'

/** A text of the help, in both languages. */
export type Text = readonly [english: string, chinese: string]

/** Returns a text in the language of the operator. */
export function say([english, chinese]: Text): string {
  return isChinese(process.env) ? chinese : english
}

/** Tells whether the locale is Chinese. @see POSIX.1-2017, Base Definitions, section 8.2 */
export function isChinese(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
  return /^zh\b|^zh_/i.test(locale)
}

/** The help of a command, without what it takes. */
export interface HelpTexts {
  /** A summary, in English and Chinese. That of a command without a group is in `COMMANDS`. */
  about?: string
  zh?: string
  /** Text below the descriptions of the command and its options. */
  notes?: Text
  /** A heading and the text below it. */
  section?: readonly [heading: Text, text: string]
  /** Command lines without `npm run latchkey --`, or whole lines of a shell. */
  examples: readonly string[]
}

/** Adds texts to `--help`. The examples work when they are pasted into a shell. */
export function addHelp(command: Command, texts: HelpTexts): Command {
  const { about, zh, notes, section, examples } = texts
  if (about !== undefined) command.description(say([about, zh ?? about]))
  const lines = () =>
    [
      ...(notes === undefined ? [] : ['', say(notes)]),
      ...(section === undefined ? [] : ['', say(section[0]), `  ${section[1]}`]),
      '',
      say(examples.length === 1 ? ['Example:', '示例：'] : ['Examples:', '示例：']),
      ...examples.map((example) => `  ${lineOf(example)}`),
    ].join('\n')
  return command.addHelpText('after', () => saidHere(lines()))
}

function lineOf(example: string): string {
  return /\bnpm (--prefix \S+ )?(run|start) /.test(example)
    ? example
    : `npm run latchkey -- ${example}`
}

export const HELP_OPTION = ['display help for command', '显示帮助'] as const

/** The Chinese headings that commander writes in English. */
const HEADINGS: Readonly<Record<string, string>> = {
  'Usage:': '用法：',
  'Arguments:': '参数：',
  'Options:': '选项：',
  'Global Options:': '通用选项：',
  'Commands:': '命令：',
}

/**
 * The configuration with which commander prints help in the language of the operator. All commands
 * inherit it.
 */
export const HELP_CONFIGURATION: Partial<Help> = {
  showGlobalOptions: true,
  styleTitle: (title) => say([title, HEADINGS[title] ?? title]),
  argumentDescription: ({ description }) => description,
  optionDescription: (option) => [option.description, ...extras(option)].join(' '),
}

/** Returns what commander adds to the description of an option. */
function extras({ argChoices, defaultValue }: Option): string[] {
  return [
    ...(argChoices === undefined
      ? []
      : [`(${say(['choices', '可选值'])}: ${argChoices.join(', ')})`]),
    ...(typeof defaultValue === 'number' ? [`(${say(['default', '默认'])}: ${defaultValue})`] : []),
  ]
}
