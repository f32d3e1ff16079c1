/** How the tags and the tokens of a condition are written anew. */
interface Rewriting {
  /** @returns The tag that is sent. */
  tag: (address: string) => string
  /**
   * @param tag As the client has sent it; `undefined` for a list without one.
   * @returns The token that is sent.
   */
  token: (token: string, tag: string | undefined) => Promise<string>
}

/** More than the locks of one request need: each token costs time to open. */
const MAX_CHARACTERS = 8192
/** OpenList refuses it. */
const NO_CONDITION = '('

/** A part, as OpenList finds it (`lex` in `server/webdav/if.go`): in angle brackets, or not. */
const PART = /[\t ]*(?:<([^>]*)>|([()]|\[[^\]]*\]|[^\t ()<>[\]]+))/gy

/**
 * Writes the header `If` anew: each part as OpenList finds it, with other tags and tokens.
 *
 * @returns A text that OpenList refuses for one with parts that no condition has. Whether their
 *   order is that of a condition is left to it.
 * @see RFC 4918 section 10.4.2
 */
export async function rewriteCondition(condition: string, write: Rewriting): Promise<string> {
  if (condition.length > MAX_CHARACTERS) return NO_CONDITION
  const parts: string[] = []
  let isInList = false
  let tag: string | undefined
  let end = 0
  for (const [whole, inBrackets, other = ''] of condition.matchAll(PART)) {
    end += whole.length
    if (/^(?:[()[]|Not$)/.test(other)) {
      isInList = other === '(' || (isInList && other !== ')')
      parts.push(other)
    } else if (isInList) {
      parts.push(`<${await write.token(inBrackets ?? other, tag)}>`)
    } else {
      // OpenList takes a token without brackets, and no such tag.
      if (inBrackets === undefined) return NO_CONDITION
      tag = inBrackets
      parts.push(`<${write.tag(tag)}>`)
    }
  }
  return end === condition.length ? parts.join(' ') : NO_CONDITION
}
