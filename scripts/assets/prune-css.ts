/** Selectors of Pico that match nothing on our pages, or whose rules ours replace. */
const UNUSED =
  /\[data-(?:tooltip|placement)|\[type=(?:range|file|date|time|datetime|month|week|reset|image)|\[role=(?:group|search|link)|\[role=switch\]\[disabled|summary\[role|\[aria-(?:invalid|hidden)=false|\[aria-(?:disabled|controls)|\[multiple\]|^body>|^aside|progress|dialog|modal|aria-busy|:host|breadcrumb|blockquote|\[dir=rtl\]|data-theme=dark|striped|:indeterminate|:-moz-focusring|\b(?:mark|ins|del|kbd|samp|figure|figcaption|video|audio|canvas|iframe|address|abbr|cite|optgroup|meter|h[4-6]|hr|sub|sup|tfoot|template)\b|::-(?:moz-(?:range|progress|focus|selection|list)|ms|webkit-(?:slider|file|calendar|progress|input))/
const UNUSED_VARIABLE =
  /--pico-(?:secondary|contrast|accordion-border|scrollbar|range|progress|tooltip|dropdown|modal|blockquote|nav-breadcrumb|loading|ins|del|mark|code-kbd|icon-(?:date|time|close|loading|minus))[\w-]*:(?:[^;"}]|"[^"]*")*;?/g
/** Declarations for browsers that can't show our pages: they know neither `:has` nor `light-dark`. */
const OLD_DECLARATION =
  /(?<=[{;])(?:-webkit-(?:appearance|text-decoration)|-moz-[\w-]+|-o-[\w-]+|-ms-[\w-]+|width:-moz-[\w-]+)[^;}]*;?|,-webkit-text-decoration [^,;}]*/g
/** A declaration that the next one replaces. */
const REPEATED_DECLARATION = /(?<=[{;])([\w-]+):[^;{}]*;(?=\1:)/g

/**
 * Removes what has no effect on our pages from the minified style sheet of Pico: rules that match
 * nothing, and variables that nothing reads, or that ours sets after it. Text in parentheses, as in
 * `:not(…)` and `:is(…)`, does not remove a selector.
 *
 * @param following Our style sheet, which comes after it.
 */
export function pruneCss(css: string, following: string): string {
  const replaced = new Set(rootVariables(following))
  const rules = css
    .replaceAll(/@keyframes (?:progress|tooltip)[^{]*\{(?:[^{}]*\{[^{}]*\})*\}/g, '')
    .replaceAll(OLD_DECLARATION, '')
    .replaceAll(REPEATED_DECLARATION, '')
    .replaceAll(UNUSED_VARIABLE, '')
    .replaceAll(/([^{};]+)\{([^{}]*)\}/g, (_, selectors: string, body: string) => {
      const used = splitSelectors(selectors).filter(
        (selector) => !UNUSED.test(withoutParentheses(selector)),
      )
      const isOfRoot = /:root\S*$/.test(selectors)
      const rest = withoutVariables(body, (name) => isOfRoot && replaced.has(name))
      return used.length === 0 || rest === '' ? '' : `${used.join(',')}{${rest}}`
    })
  return withoutUnread(rules, following).replaceAll(/@[\w-]+[^{};]*\{\}/g, '')
}

/** Returns the variables of the whole document. */
function rootVariables(css: string): string[] {
  return Array.from(css.matchAll(/:root[^{]*\{([^{}]*)\}/g), ([, body = '']) =>
    Array.from(body.matchAll(/(--[\w-]+):/g), ([, name = '']) => name),
  ).flat()
}

/** Removes variables that nothing reads, until each has a reader. */
function withoutUnread(css: string, following: string): string {
  const read = new Set(
    Array.from((css + following).matchAll(/var\((--[\w-]+)/g), ([, name]) => name),
  )
  const rest = css.replaceAll(/\{([^{}]*)\}/g, (_, body: string) => {
    return `{${withoutVariables(body, (name) => !read.has(name))}}`
  })
  return rest === css ? css.replaceAll(/[^{};]+\{\}/g, '') : withoutUnread(rest, following)
}

function withoutVariables(body: string, isRemoved: (name: string) => boolean): string {
  return body
    .replaceAll(/(--[\w-]+):(?:[^;"]|"[^"]*")*;?/g, (declaration: string, name: string) =>
      isRemoved(name) ? '' : declaration,
    )
    .replace(/;$/, '')
}

/** Splits at the commas outside parentheses. */
function splitSelectors(selectors: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of selectors) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === ',' && depth === 0) parts.push('')
    else parts.push((parts.pop() ?? '') + character)
  }
  return parts
}

function withoutParentheses(selector: string): string {
  const inner = selector.replaceAll(/\([^()]*\)/g, '')
  return inner === selector ? selector : withoutParentheses(inner)
}
