import { choice, command } from '../kit/declaration.ts'
import { completionScript, SHELLS } from './completion-script.ts'

/** `latchkey completion`: prints the script with which a shell completes commands. */
export const completionCommand = command({
  takes: { shell: choice('<shell>', 'the shell', '使用的 shell', SHELLS) },
  notes: [
    `The script completes the words of latchkey, and makes latchkey a short form of npm run -s latchkey --. To
have it in every shell, add the line of yours to ~/.bashrc, ~/.zshrc (after compinit) or
~/.config/fish/config.fish. Files that you name are looked for in the folder of the site.`,
    `脚本补全 latchkey 之后的词，并使 latchkey 成为 npm run -s latchkey -- 的简写。要在每个终端中使用，
请把对应的一行加入 ~/.bashrc、~/.zshrc（在 compinit 之后）或 ~/.config/fish/config.fish。指定的文件从站点的文件夹中查找。`,
  ],
  examples: [
    'source <(npm --prefix /srv/latchkey run -s latchkey -- completion bash)',
    'source <(npm --prefix /srv/latchkey run -s latchkey -- completion zsh)',
    'npm --prefix /srv/latchkey run -s latchkey -- completion fish | source',
  ],
  async run({ shell }, { output }) {
    // Not at the top: the list of commands loads this file.
    const { loadCommands } = await import('../commands.ts')
    const script = completionScript(shell, await loadCommands(), process.cwd())
    output.report(script, { shell, script })
  },
})
