import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { own } from '../../core/base/own.ts'
import { UsageError } from './command-error.ts'
import { nearestFew } from './edit-distance.ts'
import type { GlobalOptions } from './global-options.ts'
import { addHelp, HELP_CONFIGURATION, HELP_OPTION, type HelpTexts, say, type Text } from './help.ts'
import { refuseKeptByNpm } from './npm-options.ts'
import { jsonOutput, type Output, textOutput } from './output.ts'

/**
 * Something that a command takes: an option when its form begins with a hyphen, else an argument.
 *
 * @template Value The type of its value.
 */
export interface Taken<Value> {
  /** The text of a usage line: `<user>`, `[file]`, `<topics...>`, `--yes`, `--title <title>`. */
  form: string
  about: Text
  /** Throws commander's `InvalidArgumentError`. */
  parse?: (text: string) => unknown
  choices?: readonly string[]
  /** Whether the option can be repeated. */
  isRepeated?: boolean
  isRequired?: boolean
  /** The value of an option that is not there. */
  fallback?: Value
}

export type Takes = Readonly<Record<string, Taken<unknown>>>

/** The values that a command gets, by the names in its `takes`. */
export type Given<T extends Takes> = {
  [Name in keyof T]: T[Name] extends Taken<infer Value> ? Value : never
}

/** The value of a form: a flag is true or false, and what stands in brackets may be missing. */
type ValueOf<Form extends string, Value> = Form extends `--${string} <${string}>`
  ? Value | undefined
  : Form extends `--${string}`
    ? boolean
    : Form extends `${string}...${string}`
      ? Value[]
      : Form extends `[${string}]`
        ? Value | undefined
        : Value

/** Declares an argument or an option. */
export function takes<const Form extends string>(
  form: Form,
  english: string,
  chinese: string,
): Taken<ValueOf<Form, string>>
export function takes<const Form extends string, Value>(
  form: Form,
  english: string,
  chinese: string,
  parse: (text: string) => Value,
): Taken<ValueOf<Form, Value>>
export function takes(
  form: string,
  english: string,
  chinese: string,
  parse?: (text: string) => unknown,
): Taken<unknown> {
  return { form, about: [english, chinese], ...(parse !== undefined && { parse }) }
}

/** Declares an argument or an option that must be one of some words. */
export function choice<const Form extends string, Choice extends string>(
  form: Form,
  english: string,
  chinese: string,
  choices: readonly Choice[],
): Taken<ValueOf<Form, Choice>> {
  return { form, about: [english, chinese], choices }
}

/** Declares an option that can be repeated. */
export function repeated<Value>(
  form: `--${string}`,
  english: string,
  chinese: string,
  parse: (text: string) => Value,
): Taken<[Value, ...Value[]] | undefined> {
  return { form, about: [english, chinese], parse, isRepeated: true }
}

/** Makes an option one that must be there. */
export function required<Value>(taken: Taken<Value>): Taken<Exclude<Value, undefined>> {
  const { fallback: _, ...rest } = taken
  return { ...rest, isRequired: true }
}

/** Gives an option a value when it is not there. */
export function withDefault<Value>(
  taken: Taken<Value>,
  fallback: Exclude<Value, undefined>,
): Taken<Exclude<Value, undefined>> {
  return { ...taken, fallback }
}

/** How a command was called. */
export interface Call extends GlobalOptions {
  output: Output
}

/** The help of a command, and what it takes. */
export interface Shape<T extends Takes> extends HelpTexts {
  takes?: T
  /** True where an argument may begin with a hyphen. */
  allowsUnknownOptions?: true
  /** Advice about options that do not exist, by their names. */
  instead?: Readonly<Record<`--${string}`, string>>
}

/** A command: what it is called stands where it is listed. */
export interface Declared extends Shape<Takes> {
  run: (read: Read, call: Call) => Promise<void>
}

/** Reads the value of something from a parsed command line. */
type Read = (taken: Taken<unknown>) => unknown

/** Declares a command. */
export function command<T extends Takes>({
  run,
  ...shape
}: Shape<T> & { run: (given: Given<T>, call: Call) => Promise<void> | void }): Declared {
  return { ...shape, run: async (read, call) => run(givenOf(shape.takes, read), call) }
}

function givenOf<T extends Takes>(taken: T | undefined, read: Read): Given<T>
function givenOf(taken: Takes = {}, read: Read): Record<string, unknown> {
  return Object.fromEntries(Object.entries(taken).map(([name, value]) => [name, read(value)]))
}

/** Makes a command of commander from a declared one. */
export function declare(program: Command, target: Command, declared: Declared): void {
  const read = addShape(target, declared)
  addHints(target, declared.instead ?? {})
  target.allowUnknownOption(declared.allowsUnknownOptions === true).action(() => {
    const { remote, json } = program.opts<GlobalOptions>()
    const call = { remote, json, output: json ? jsonOutput : textOutput }
    return declared.run(read, call)
  })
}

/** Adds to the message about an unknown option what to use in its place. */
function addHints(target: Command, instead: Readonly<Record<string, string>>): void {
  const inherited = target.configureOutput()
  target.configureOutput({
    outputError(text, write) {
      const [, option = ''] = /^error: unknown option '(--[\w-]+)/.exec(text) ?? []
      const hint = own(instead, option)
      inherited.outputError?.(hint === undefined ? text : `${text.trimEnd()}\n(${hint})\n`, write)
    },
  })
}

/**
 * Reads the command line of a program that is one command, such as `npm start --`.
 *
 * @param argv Without the name of the program.
 * @param env The variables of npm.
 * @returns `undefined` for `--help`, which it prints.
 * @throws {UsageError} One sentence about a wrong command line.
 */
export function readCommandLine<T extends Takes>(
  name: string,
  shape: Shape<T>,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Given<T> | undefined {
  const program = new Command(name)
    .helpOption('-h, --help', say(HELP_OPTION))
    .configureHelp(HELP_CONFIGURATION)
    .configureOutput({ writeErr: () => undefined })
    .exitOverride()
  const read = addShape(program, shape)
  const words = argv.filter((word) => !word.startsWith('-'))
  const forms = program.options.map(({ flags }) => flags)
  refuseKeptByNpm({ line: name, forms, words, takesWords: false }, env)
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    // Commander's suggestion stands in a line of its own.
    const sentence = error.message.replace(/^error: /, '').replace('\n', ' ')
    throw new UsageError(`${sentence} (--help lists the options)`)
  }
  return givenOf(shape.takes, read)
}

/** Adds the help of a command, and what it takes. */
function addShape(target: Command, shape: Shape<Takes>): Read {
  addHelp(target, shape)
  const readers = new Map(
    Object.values(shape.takes ?? {}).map((taken) => [
      taken,
      isOption(taken) ? addOption(target, taken) : addArgument(target, taken),
    ]),
  )
  return (taken) => readers.get(taken)?.()
}

export function isOption({ form }: Pick<Taken<unknown>, 'form'>): boolean {
  return form.startsWith('-')
}

/** @returns A function that reads the value from a command line that was parsed. */
function addOption(target: Command, { form, about, ...how }: Taken<unknown>): () => unknown {
  const { parse, choices, fallback, isRepeated = false, isRequired = false } = how
  const option = new Option(form, say(about)).makeOptionMandatory(isRequired)
  // Commander would add to a default.
  if (!isRepeated) option.default(fallback)
  if (choices !== undefined) {
    option.choices(choices)
    if (choices.length > MAX_LISTED_CHOICES) option.argParser((text) => oneOf(choices, text))
  } else if (parse !== undefined) option.argParser(isRepeated ? collect(parse) : parse)
  target.addOption(option)
  const missing = option.required ? fallback : false
  return () => target.opts()[option.attributeName()] ?? missing
}

/** More choices than these are not listed in a message: it names the nearest. */
const MAX_LISTED_CHOICES = 12
const MAX_SUGGESTED = 4

/** @throws {InvalidArgumentError} With the nearest choices. */
function oneOf(choices: readonly string[], text: string): string {
  if (choices.includes(text)) return text
  const near = nearestFew(text, choices, MAX_SUGGESTED)
  throw new InvalidArgumentError(
    near.length === 0 ? '--help lists the choices.' : `Did you mean ${near.join(', ')}?`,
  )
}

function collect(parse: (text: string) => unknown) {
  return (text: string, others: unknown) =>
    Array.isArray(others) ? [...others, parse(text)] : [parse(text)]
}

function addArgument(target: Command, { form, about, parse, choices }: Taken<unknown>) {
  const argument = new Argument(form, say(about))
  if (choices !== undefined) argument.choices(choices)
  else if (parse !== undefined) argument.argParser(parse)
  const index = target.registeredArguments.length
  target.addArgument(argument)
  return (): unknown => target.processedArgs[index]
}
