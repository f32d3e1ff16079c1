/** Selectors of Pico that match nothing on our pages. */
const UNUSED =
  /\[data-(?:tooltip|placement)|\[type=(?:range|file|date|time|datetime|month|week|reset|image)|\[role=group|progress|dialog|modal|aria-busy|:host|breadcrumb|blockquote|\[dir=rtl\]|data-theme=dark|\b(?:mark|ins|del|kbd|samp|figure|figcaption|video|audio|canvas|iframe|address|abbr|cite|optgroup|meter)\b|::-(?:moz-range|ms|webkit-slider|webkit-file|webkit-calendar|webkit-progress|moz-progress)/
const UNUSED_VARIABLE =
  /--pico-(?:secondary|contrast|accordion-border|scrollbar|range|progress|tooltip|dropdown|modal|blockquote|nav-breadcrumb|loading|ins|del|mark|code-kbd|icon-(?:date|time|close|loading|minus))[\w-]*:(?:[^;"}]|"[^"]*")*;?/g

/**
 * Removes the rules of a minified style sheet that match nothing on our pages. Text in parentheses,
 * as in `:not(…)` and `:is(…)`, does not remove a selector.
 */
export function pruneCss(css: string): string {
  return css
    .replaceAll(/@keyframes (?:progress|tooltip)[^{]*\{(?:[^{}]*\{[^{}]*\})*\}/g, '')
    .replaceAll(/([^{};]+)\{([^{}]*)\}/g, (_, selectors: string, body: string) => {
      const used = splitSelectors(selectors).filter(
        (selector) => !UNUSED.test(withoutParentheses(selector)),
      )
      const rest = body.replaceAll(UNUSED_VARIABLE, '').replace(/;$/, '')
      return used.length === 0 || rest === '' ? '' : `${used.join(',')}{${rest}}`
    })
    .replaceAll(/@(?:media|supports)[^{}]*\{\}/g, '')
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
