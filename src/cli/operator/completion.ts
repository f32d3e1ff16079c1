import { Argument, type Command } from 'commander'
import { jsonOutput } from './output.ts'
import { type CommandNode, describeCommands } from './completion-tree.ts'
import { bashScript } from './completion-bash.ts'
import { fishScript } from './completion-fish.ts'
import { zshScript } from './completion-zsh.ts'
import type { GlobalOptions } from '../global-options.ts'
import { addHelp } from './help.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

const NOTES = `The script completes the words of latchkey, and makes latchkey a short form of npm run -s latchkey --. It
works in the folder of the site. Add the line of your shell to ~/.bashrc, ~/.zshrc (after compinit) or
~/.config/fish/config.fish to keep it.`

/** `latchkey completion`: prints the script with which a shell completes commands. */
export function addCompletionCommand(program: Command, command: Command): void {
  addHelp(command, {
    notes: NOTES,
    examples: [
      'source <(npm run -s latchkey -- completion bash)',
      'source <(npm run -s latchkey -- completion zsh)',
      'npm run -s latchkey -- completion fish | source',
    ],
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action(async (shell: keyof typeof SCRIPTS) => {
      // Not at the top: the program loads this file.
      const { createWholeProgram } = await import('../program.ts')
      const nodes: CommandNode[] = describeCommands(await createWholeProgram())
      const script = SCRIPTS[shell](nodes)
      if (program.opts<GlobalOptions>().json) jsonOutput.record({ shell, script })
      else console.log(script)
    })
}
