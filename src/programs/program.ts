import { Command, CommanderError } from 'commander'
import { terminalJson, visibleLines } from '../core/base/text.ts'
import { VERSION } from '../capabilities/settings/defaults.ts'
import { COMMANDS, isCommand } from './commands.ts'
import { isJson, runCommand } from './kit/command-error.ts'
import { declare } from './kit/declaration.ts'
import { enterData } from './kit/data-folder.ts'
import { addGlobalOptions } from './kit/global-options.ts'
import { addHelp, HELP_CONFIGURATION, HELP_OPTION, say } from './kit/help.ts'
import { refuseKeptByNpm } from './kit/npm-options.ts'
import { latchkey } from './kit/printed-command.ts'

/** Creates the program with all commands loaded. */
export async function createWholeProgram(): Promise<Command> {
  const program = createProgram()
  for (const target of program.commands) await load(program, target)
  return program
}

/** Loads a command of the program, or the commands of a group. */
async function load(program: Command, target: Command): Promise<void> {
  const loaded = await COMMANDS[target.name()]?.load()
  if (loaded === undefined) return
  if (isCommand(loaded)) return declare(program, target, loaded)
  target.helpCommand('help [command]', say(HELP_OPTION))
  for (const [name, verb] of Object.entries(loaded)) declare(program, target.command(name), verb)
}

/** Writes an error of the command line as text or as JSON. */
function explained(error: string): string {
  const text = error.trimEnd()
  return isJson() ? terminalJson({ error: text.replace(/^error: /, '') }) : visibleLines(text)
}

/** `npm run latchkey -- <command>`: the commands for operators. */
function createProgram(): Command {
  const program = new Command('latchkey')
    // No -V: the id of a session can begin with it.
    .version(VERSION, '--version', say(['output the version number', '显示版本号']))
    .helpOption('-h, --help', say(HELP_OPTION))
    .configureHelp(HELP_CONFIGURATION)
    .helpCommand(false)
    .showHelpAfterError(isJson() ? false : '(--help lists the commands and options)')
    .configureOutput({ outputError: (text, write) => write(`${explained(text)}\n`) })
    .exitOverride()
  addHelp(program, {
    about: 'Manages a Latchkey site from the command line.',
    zh: '在命令行中管理 Latchkey 站点。',
    examples: ['user add alice --generate', 'doctor'],
  })
  addGlobalOptions(program)
  for (const [name, { about, zh }] of Object.entries(COMMANDS))
    program.command(name).description(say([about, zh]))
  return program
}

/** @throws {UsageError} For an option of a command that npm has kept. */
function refuseKept(program: Command, target: Command): void {
  const { parent, options, registeredArguments, commands } = target
  const path = parent === program ? [target.name()] : [parent?.name() ?? '', target.name()]
  const words = program.args.filter((word) => !word.startsWith('-')).slice(path.length)
  const call = {
    line: latchkey(...path),
    forms: [...program.options, ...options].map(({ flags }) => flags),
    words,
    takesWords: registeredArguments.length > 0 || commands.length > 0,
  }
  refuseKeptByNpm(call, process.env)
}

export async function runProgram(argv: readonly string[]): Promise<void> {
  await runCommand(async () => {
    enterData()
    try {
      const program = createProgram().hook('preSubcommand', async (whole, target) => {
        await load(whole, target)
        refuseKept(whole, target)
        target.hook('preSubcommand', (_, verb) => refuseKept(whole, verb))
      })
      await program.parseAsync(argv)
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      // Commander has already printed what is wrong with the command line.
      if (error.exitCode !== 0) process.exitCode = 2
    }
  })
}
