import type { Argument, Command, Option } from 'commander'
import { SETTINGS } from '../../../settings/definitions.ts'
import { helpText } from '../../shared/help.ts'

/** A word that a shell offers. */
export interface Candidate {
  word: string
  description: string
}

/** The words that may follow: a fixed list, a file, or any text. */
export type Values = readonly string[] | 'file' | 'text'

/** What may stand behind a command. */
export interface CommandNode {
  /** The names from the program to this command, without the program's: `user add`. */
  path: string
  subcommands: Candidate[]
  options: Candidate[]
  /** What the options take that take a value, by each spelling. */
  optionValues: ReadonlyMap<string, Values>
  /** One for each argument. */
  arguments: readonly Values[]
  /** Whether the last argument may be repeated. */
  isLastRepeated: boolean
}

/** Describes all commands below a program, the program itself first. */
export function describeCommands(program: Command): CommandNode[] {
  const globals = program.options.filter(({ long }) => long !== '--version')
  return describe(program, '', globals)
}

function describe(command: Command, path: string, globals: readonly Option[]): CommandNode[] {
  const options = [...new Set([...command.options, ...globals])]
  const below = command.commands.filter((one) => one.name() !== 'help')
  const node: CommandNode = {
    path,
    subcommands: below.map((one) => ({
      word: one.name(),
      description: helpText(one.description()),
    })),
    options: [
      ...options.map((one) => ({
        word: one.long ?? one.flags,
        description: helpText(one.description),
      })),
      { word: '--help', description: helpText('display help for command') },
    ],
    optionValues: new Map(
      options
        .filter((one) => one.required || one.optional)
        .map((one) => [one.long ?? one.flags, one.argChoices ?? 'text']),
    ),
    arguments: command.registeredArguments.map(valuesOf),
    isLastRepeated: command.registeredArguments.at(-1)?.variadic ?? false,
  }
  return [node, ...below.flatMap((one) => describe(one, `${path} ${one.name()}`.trim(), globals))]
}

/** The same names mean the same in all commands. */
function valuesOf(argument: Argument): Values {
  const name = argument.name()
  if (argument.argChoices !== undefined) return argument.argChoices
  if (name === 'file') return 'file'
  return name === 'key' || name === 'keys' ? SETTINGS.map(({ key }) => key) : 'text'
}
