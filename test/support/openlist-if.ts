/** A part of a list: a token or an ETag. */
interface Condition {
  isNot: boolean
  token: string
  etag: string
}

/** A list of the header `If`. */
export interface ConditionList {
  /** Empty for none. */
  tag: string
  conditions: Condition[]
}

type Lexeme = readonly [kind: string, text: string, rest: string]

/**
 * Reads the header `If` as OpenList does (`server/webdav/if.go`).
 *
 * @returns `undefined` for a text that it refuses.
 */
export function readIf(header: string): ConditionList[] | undefined {
  let rest = header.replaceAll(/^[\t ]+|[\t ]+$/g, '')
  const isTagged = lex(rest)[0] === '<'
  const lists: ConditionList[] = []
  let tag = ''
  let listsOfTag = isTagged ? 1 : 0
  do {
    const [kind, text, after] = lex(rest)
    if (isTagged && kind === '<') {
      if (listsOfTag === 0) return undefined
      tag = text
      listsOfTag = 0
      rest = after
      if (rest === '') return undefined
      continue
    }
    const list = readList(rest)
    if (list === undefined) return undefined
    lists.push({ tag, conditions: list.conditions })
    listsOfTag += 1
    rest = list.rest
  } while (rest !== '')
  return lists
}

function readList(text: string): { conditions: Condition[]; rest: string } | undefined {
  let [kind, , rest] = lex(text)
  if (kind !== '(') return undefined
  const conditions: Condition[] = []
  for (;;) {
    let word
    ;[kind, word, rest] = lex(rest)
    if (kind === ')') return conditions.length === 0 ? undefined : { conditions, rest }
    const isNot = kind === 'Not'
    if (isNot) [kind, word, rest] = lex(rest)
    if (!['word', '<', '['].includes(kind)) return undefined
    const isEtag = kind === '['
    conditions.push({ isNot, token: isEtag ? '' : word, etag: isEtag ? word : '' })
  }
}

function lex(text: string): Lexeme {
  const rest = text.replace(/^[\t ]+/, '')
  if (rest === '') return ['end', '', '']
  const [word] = /^[^\t ()<>[\]]+/.exec(rest) ?? []
  if (word !== undefined) return [word === 'Not' ? 'Not' : 'word', word, rest.slice(word.length)]
  const first = rest.slice(0, 1)
  if (first !== '<' && first !== '[') return [first, '', rest.slice(1)]
  const end = rest.indexOf(first === '<' ? '>' : ']')
  return end < 0 ? ['error', '', ''] : [first, rest.slice(1, end), rest.slice(end + 1)]
}
