import { isOption, type Taken } from '../kit/declaration.ts'
import { GLOBAL_OPTIONS } from '../kit/global-options.ts'
import { HELP_OPTION, say, type Text } from '../kit/help.ts'
import type { Listed } from '../kit/listed.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const

/**
 * Returns a script: a table of all words, a program of awk that reads it, and what the shell does
 * with the answer.
 */
export function completionScript(
  shell: (typeof SHELLS)[number],
  commands: readonly Listed[],
  folder: string,
): string {
  const offer = `printf '%s\\n' '${tableOf(commands)}' | awk -F '|' '${OFFER}'`
  return SCRIPTS[shell](offer, folder)
}

/** The lines of the table: a command, a word that may follow it, what that is, what it does. */
function tableOf(commands: readonly Listed[]): string {
  const globals = [...GLOBAL_OPTIONS, { form: '--help', about: HELP_OPTION }]
  return commands
    .flatMap(({ words, about, takes }) => {
      const path = words.join(' ')
      const options = [...takes.filter(isOption), ...globals]
      const others = takes.filter((one) => !isOption(one))
      return [
        [words.slice(0, -1).join(' '), words.at(-1) ?? '', 'command', quotable(about)],
        ...options.map((one) => [path, nameOf(one), valuesOf(one), quotable(one.about)]),
        ...others.map((one, index) => [
          path,
          one.form.includes('...') ? '*' : String(index),
          valuesOf(one),
        ]),
      ]
    })
    .map((cells) => cells.join('|'))
    .join('\n')
}

function nameOf({ form }: Pick<Taken<unknown>, 'form'>): string {
  return form.replace(/ .*/, '')
}

/** What may stand in a place: words, a file, any text; nothing behind a flag. */
function valuesOf({ form, choices, offered = choices }: Omit<Taken<unknown>, 'about'>): string {
  if (offered !== undefined) return offered.join(' ')
  if (isOption({ form }) && !form.includes(' ')) return 'flag'
  return /[<[]file[\]>]/.test(form) && !isOption({ form }) ? 'file' : 'text'
}

/** Removes the quotes from a help text, so that the table can stand in quotes in every shell. */
function quotable(about: Text): string {
  return say(about)
    .replaceAll("'", '’')
    .replaceAll(/[\\|\n]/g, ' ')
}

/**
 * Prints what may stand at the last of its arguments, the words that are typed: a word and its
 * description a line, or a slash for a file. It has no quotes, as the table.
 */
const OFFER = `
BEGIN { for (i = 1; i < ARGC; i++) { typed[i] = ARGV[i]; ARGV[i] = "" } last = ARGC - 1 }
{ what[$1 FS $2] = $3; row[NR] = $0 }
END {
  for (i = 1; i < last; i++) {
    follows = what[path FS typed[i]]
    if (values != "") values = ""
    else if (follows == "command") { path = path (path == "" ? "" : " ") typed[i]; place = 0 }
    else if (typed[i] !~ /^-/) place++
    else if (follows != "flag") values = follows
  }
  if (values == "" && typed[last] !~ /^-/) {
    values = what[path FS place + 0]
    if (values == "") values = what[path FS "*"]
  }
  if (values == "file") print "/"
  else if (values == "") {
    for (i = 1; i <= NR; i++) {
      split(row[i], cell, FS)
      if (cell[1] == path && cell[2] !~ /^[0-9]$|^[*]$/) print cell[2] "\\t" cell[4]
    }
  } else if (values != "text") {
    count = split(values, words, " ")
    for (i = 1; i <= count; i++) print words[i]
  }
}`

const SCRIPTS: Record<(typeof SHELLS)[number], (offer: string, folder: string) => string> = {
  /** For bash 4 and later. @see Bash Reference Manual, section 8.6, Programmable Completion */
  bash: (offer, folder) => `${shortForm(folder)}
_latchkey_offer() { ${offer} "$@"; }
_latchkey() {
  local cur=\${COMP_WORDS[COMP_CWORD]} IFS=$'\\n' offered
  offered=$(_latchkey_offer "\${COMP_WORDS[@]:1:COMP_CWORD}")
  if [[ $offered == / ]]; then
    COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null
  else
    COMPREPLY=($(compgen -W "$(cut -f 1 <<< "$offered")" -- "$cur"))
  fi
}
complete -F _latchkey latchkey`,
  /** @see zshcompsys(1), `_describe` and `_files`: a colon ends the word */
  zsh: (offer, folder) => `${shortForm(folder)}
_latchkey_offer() { ${offer} "$@"; }
_latchkey() {
  local -a offered
  offered=("\${(@f)$(_latchkey_offer "\${(@)words[2,CURRENT]}")}")
  if [[ $offered == / ]]; then
    _files
  else
    offered=("\${(@)offered//:/\\\\:}")
    offered=("\${(@)offered/$'\\t'/:}")
    _describe 'latchkey' offered
  fi
}
compdef _latchkey latchkey`,
  /** For fish 3 and later. @see https://fishshell.com/docs/current/completions.html */
  fish: (
    offer,
    folder,
  ) => `type -q latchkey; or function latchkey; npm --prefix '${folder.replaceAll(/[\\']/g, String.raw`\$&`)}' run -s latchkey -- $argv; end
function __latchkey_offer
    ${offer} $argv
end
function __latchkey
    set -l cur (commandline -ct)
    set -l before (commandline -opc)
    set -l offered (__latchkey_offer $before[2..] "$cur")
    if test "$offered" = /
        __fish_complete_path "$cur"
    else
        printf '%s\\n' $offered
    end
end
complete -c latchkey -f -a '(__latchkey)'`,
}

/** Makes `latchkey` a command of the shell, unless there is one. The syntax is that of bash and zsh. */
function shortForm(folder: string): string {
  const quoted = `'${folder.replaceAll("'", String.raw`'\''`)}'`
  return `type latchkey >/dev/null 2>&1 || latchkey() { npm --prefix ${quoted} run -s latchkey -- "$@"; }`
}
