import type { Candidate, CommandNode } from './completion-tree.ts'
import { argumentBranches, shortForm, singleQuoted, wordBranches } from './completion-words.ts'

/**
 * Returns the script for zsh.
 *
 * @see zshcompsys(1), `_describe` and `_files`
 */
export function zshScript(nodes: readonly CommandNode[], folder: string): string {
  return `${shortForm(folder)}
_latchkey() {
  local cur=$words[CURRENT] word where= values=
  local -i position=0
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $values ]]; then values=; continue; fi
    case "$where $word" in
${wordBranches(nodes)}
      *' '-?*) ;;
      *) position+=1 ;;
    esac
  done
  if [[ -z $values ]]; then
    case "$where $position" in
${argumentBranches(nodes)}
    esac
    if [[ -z $values || $cur == -* ]]; then
      case $where in
${nodes.map(offeredBranch).join('\n')}
      esac
      _describe 'latchkey' offered
      return
    fi
  fi
  case $values in
    file) _files ;;
    text) _message 'text' ;;
    *) offered=(\${=values}); _describe 'value' offered ;;
  esac
}
compdef _latchkey latchkey`
}

function offeredBranch({ path, subcommands, options }: CommandNode): string {
  const all = [...subcommands, ...options].map(described)
  return `        ${singleQuoted(path)}) offered=(${all.join(' ')}) ;;`
}

/** A colon ends the word. @see zshcompsys(1), `_describe` */
function described({ word, description }: Candidate): string {
  return singleQuoted(`${word.replaceAll(':', String.raw`\:`)}:${description}`)
}
