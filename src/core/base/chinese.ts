/** Tells whether this is a Chinese character, or punctuation as wide as one. */
export function isWide(character: string): boolean {
  return /^[\p{Script=Han}\u3000-\u303F\uFF01-\uFF60]$/u.test(character)
}

/** Returns the first character; empty for an empty text. */
export function firstOf(text: string): string {
  return /^./su.exec(text)?.[0] ?? ''
}

/** Returns the last character; empty for an empty text. */
export function lastOf(text: string): string {
  return /.$/su.exec(text)?.[0] ?? ''
}

/**
 * Builds a Chinese text, as a tag of a template. A space stands between Chinese and Latin words
 * only: beside a value that begins or ends with a Chinese character, the space of the template is
 * left out.
 */
export function chinese(texts: TemplateStringsArray, ...values: string[]): string {
  return texts.reduce((written, text, place) => {
    const value = values[place - 1] ?? ''
    const before = isWide(firstOf(value)) ? written.replace(/ $/, '') : written
    return before + value + (isWide(lastOf(value)) ? text.replace(/^ /, '') : text)
  })
}
