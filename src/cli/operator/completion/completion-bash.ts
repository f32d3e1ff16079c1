import type { CommandNode } from './completion-tree.ts'
import { argumentBranches, shortForm, singleQuoted, wordBranches } from './completion-words.ts'

/**
 * Returns the script for bash 4 and later.
 *
 * @see Bash Reference Manual, section 8.6, Programmable Completion
 */
export function bashScript(nodes: readonly CommandNode[], folder: string): string {
  return `${shortForm(folder)}
_latchkey() {
  local cur=\${COMP_WORDS[COMP_CWORD]} where= values= words= i word position=0
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $values ]]; then values=; continue; fi
    case "$where $word" in
${wordBranches(nodes)}
      *' '-?*) ;;
      *) position=$((position + 1)) ;;
    esac
  done
  if [[ -z $values ]]; then
    case "$where $position" in
${argumentBranches(nodes)}
    esac
    if [[ -z $values || $cur == -* ]]; then
      values=
      case $where in
${nodes.map(offeredBranch).join('\n')}
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  case $values in
    file) COMPREPLY+=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null ;;
    text | '') ;;
    *) COMPREPLY+=($(compgen -W "$values" -- "$cur")) ;;
  esac
}
complete -F _latchkey latchkey`
}

function offeredBranch({ path, subcommands, options }: CommandNode): string {
  const words = [...subcommands, ...options].map(({ word }) => word)
  return `        ${singleQuoted(path)}) words=${singleQuoted(words.join(' '))} ;;`
}
