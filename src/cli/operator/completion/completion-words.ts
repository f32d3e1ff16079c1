import type { CommandNode, Values } from './completion-tree.ts'

/** Makes `latchkey` a command of the shell, unless there is one. The syntax is that of bash and zsh. */
export function shortForm(folder: string): string {
  return `type latchkey >/dev/null 2>&1 || latchkey() { npm --prefix ${singleQuoted(folder)} run -s latchkey -- "$@"; }`
}

/**
 * Returns the branches of a `case` for bash and zsh that read a word before the cursor. They set
 * `where` to the command so far, or `values` to what an option takes.
 */
export function wordBranches(nodes: readonly CommandNode[]): string {
  return nodes
    .flatMap(({ path, subcommands, optionValues }) => [
      ...subcommands.map(({ word }) => {
        const name = `${path} ${word}`
        return `      ${singleQuoted(name)}) where=${singleQuoted(name.trim())} ;;`
      }),
      ...[...optionValues].map(
        ([option, values]) =>
          `      ${singleQuoted(`${path} ${option}`)}) values=${singleQuoted(textOf(values))} ;;`,
      ),
    ])
    .join('\n')
}

/** Returns the branches that set `values` to what the argument at the cursor may be. */
export function argumentBranches(nodes: readonly CommandNode[]): string {
  return nodes
    .flatMap(({ path, arguments: all, isLastRepeated }) =>
      all.map((values, index) => {
        const isRepeated = isLastRepeated && index === all.length - 1
        const position = isRepeated
          ? `${singleQuoted(`${path} `)}*`
          : singleQuoted(`${path} ${index}`)
        return `      ${position}) values=${singleQuoted(textOf(values))} ;;`
      }),
    )
    .join('\n')
}

/** Quotes a text for bash and zsh. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function textOf(values: Values): string {
  return typeof values === 'string' ? values : values.join(' ')
}
