/**
 * A token of JSON after its blanks: a sign, a text, a number or a word. @see RFC 8259 sections 2,
 * 3, 6, 7
 */
const TOKEN =
  /[ \t\n\r]*([{}[\],:]|"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)?/uy

/** Where a text is no JSON, both from 1. */
export interface Place {
  line: number
  column: number
}

/**
 * Finds the first place at which a text is no JSON, for the person who has written it: engines tell
 * it in words, or not at all.
 *
 * @returns `undefined` for JSON.
 */
export function findJsonFault(text: string): Place | undefined {
  const end = readValue(text)
  if (end === undefined) return undefined
  const lines = text.slice(0, end).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** @returns The offset of the first token that can't stand there; `undefined` for JSON. */
function readValue(text: string): number | undefined {
  /** The closing signs of what is open. */
  const open: string[] = []
  // What may come next: a value, a name, a colon, or what follows a value.
  let next: 'value' | 'name' | 'colon' | 'rest' = 'value'
  let mayClose = false
  let offset = 0
  for (;;) {
    TOKEN.lastIndex = offset
    const [whole, token] = TOKEN.exec(text) ?? ['', undefined]
    const start = offset + whole.length - (token ?? '').length
    const closes = open.at(-1)
    if (next === 'rest' && closes === undefined)
      return token === undefined && start === text.length ? undefined : start
    if (token === undefined) return start
    if (token === closes && (next === 'rest' || mayClose)) {
      open.pop()
      next = 'rest'
    } else if (next === 'rest' && token === ',') next = closes === '}' ? 'name' : 'value'
    else if (next === 'colon' && token === ':') next = 'value'
    else if (next === 'name' && token.startsWith('"')) next = 'colon'
    else if (next === 'value' && (token === '{' || token === '[')) {
      open.push(token === '{' ? '}' : ']')
      next = token === '{' ? 'name' : 'value'
      mayClose = true
      offset = start + 1
      continue
    } else if (next === 'value' && !/^[}\],:]$/.test(token)) next = 'rest'
    else return start
    mayClose = false
    offset = start + token.length
  }
}
