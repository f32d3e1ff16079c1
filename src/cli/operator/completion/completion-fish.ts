import type { Candidate, CommandNode, Values } from './completion-tree.ts'

/**
 * Returns the script for fish 3 and later.
 *
 * @see https://fishshell.com/docs/current/cmds/complete.html
 */
export function fishScript(nodes: readonly CommandNode[], folder: string): string {
  return [
    `type -q latchkey; or function latchkey; npm --prefix '${folder.replaceAll(/[\\']/g, String.raw`\$&`)}' run -s latchkey -- $argv; end`,
    // The names before the cursor that are no options and no values of options.
    `function __latchkey_at
    set -l at
    set -l values ''
    for word in (commandline -opc)[2..]
        if test -n "$values"
            set values ''
            continue
        end
        switch "$word"
            case ${[...new Set(nodes.flatMap((node) => [...node.optionValues.keys()]))].join(' ')}
                set values text
            case '-*'
            case '*'
                set -a at $word
        end
    end
    string match -q -- "$argv" "$at"
end`,
    'complete -c latchkey -f',
    ...nodes.flatMap(linesOf),
  ].join('\n')
}

function linesOf(node: CommandNode): string[] {
  const at = `-n ${quoted(`__latchkey_at ${quoted(node.path)}`)}`
  const anywhere = `-n ${quoted(`__latchkey_at ${quoted(node.path)}; or __latchkey_at ${quoted(`${node.path} *`)}`)}`
  return [
    ...node.subcommands.map((one) => `complete -c latchkey ${at} -a ${one.word} ${about(one)}`),
    ...node.options
      // Options of the program may stand anywhere; each command lists them.
      .map((one) => {
        const values = node.optionValues.get(one.word)
        const value = values === undefined ? '' : ` ${valuesOf(values)}`
        const where = node.subcommands.length > 0 ? at : anywhere
        return `complete -c latchkey ${where} -l ${one.word.slice(2)}${value} ${about(one)}`
      }),
    ...node.arguments.flatMap((values, index) => argumentLines(node, values, index)),
  ]
}

function argumentLines(node: CommandNode, values: Values, index: number): string[] {
  const { path, isLastRepeated } = node
  if (values === 'text') return []
  const isRepeated = isLastRepeated && index === node.arguments.length - 1
  const pattern = isRepeated ? `${path}*` : `${path}${' *'.repeat(index)}`
  const at = `-n ${quoted(`__latchkey_at ${quoted(pattern)}`)}`
  return values === 'file'
    ? [`complete -c latchkey ${at} -F`]
    : [`complete -c latchkey ${at} -a ${quoted(values.join(' '))}`]
}

function valuesOf(values: Values): string {
  if (values === 'file') return '-r -F'
  return values === 'text' ? '-x' : `-x -a ${quoted(values.join(' '))}`
}

function about({ description }: Candidate): string {
  return `-d ${quoted(description)}`
}

/** @see https://fishshell.com/docs/current/language.html#quotes */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}
