/**
 * Finds the supported language with the highest weight; the first one when there is none.
 *
 * @param header Value of `Accept-Language`.
 * @param supported Two-letter codes.
 * @see RFC 9110 section 12.5.4
 */
export function bestLanguage<Language extends string>(
  header: string,
  supported: readonly [Language, ...Language[]],
): Language {
  let [best, bestWeight] = [supported[0], 0]
  for (const range of header.split(',')) {
    // Spaces are trimmed, not matched: a pattern would take quadratic time on long runs of them.
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const code = tag.toLowerCase().split('-', 1)[0] ?? ''
    const language = supported.find((one) => one === code)
    const weight = Number(parameters.find((one) => /^q=/i.test(one))?.slice(2) ?? 1)
    if (language !== undefined && weight > bestWeight) [best, bestWeight] = [language, weight]
  }
  return best
}
