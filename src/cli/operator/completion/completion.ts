import { Argument, type Command } from 'commander'
import { jsonOutput } from '../../shared/output.ts'
import { type CommandNode, describeCommands } from './completion-tree.ts'
import { bashScript } from './completion-bash.ts'
import { fishScript } from './completion-fish.ts'
import { zshScript } from './completion-zsh.ts'
import type { GlobalOptions } from '../../shared/global-options.ts'
import { addHelp } from '../../shared/help.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

const NOTES = `The script completes the words of latchkey, and makes latchkey a short form of npm run -s latchkey --. To
have it in every shell, add the line of yours to ~/.bashrc, ~/.zshrc (after compinit) or
~/.config/fish/config.fish. Files that you name are looked for in the folder of the site.`

/** `latchkey completion`: prints the script with which a shell completes commands. */
export function addCompletionCommand(program: Command, command: Command): void {
  addHelp(command, {
    notes: NOTES,
    examples: [
      'source <(npm --prefix /srv/latchkey run -s latchkey -- completion bash)',
      'source <(npm --prefix /srv/latchkey run -s latchkey -- completion zsh)',
      'npm --prefix /srv/latchkey run -s latchkey -- completion fish | source',
    ],
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action(async (shell: keyof typeof SCRIPTS) => {
      // Not at the top: the program loads this file.
      const { createWholeProgram } = await import('../../program.ts')
      const nodes: CommandNode[] = describeCommands(await createWholeProgram())
      const script = SCRIPTS[shell](nodes, process.cwd())
      if (program.opts<GlobalOptions>().json) jsonOutput.record({ shell, script })
      else console.log(script)
    })
}
