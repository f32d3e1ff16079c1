/** The languages of pages and mails. */
export const LANGUAGES = ['en', 'zh'] as const

export type Language = (typeof LANGUAGES)[number]

export function isLanguage(text: string): text is Language {
  return LANGUAGES.some((language) => language === text)
}

/**
 * Finds the supported language with the highest weight; English when there is none.
 *
 * @param header Value of `Accept-Language`.
 * @see RFC 9110 section 12.5.4
 */
export function acceptedLanguage(header: string): Language {
  let [best, bestWeight]: [Language, number] = ['en', 0]
  for (const range of header.split(',')) {
    // Spaces are trimmed, not matched: a pattern would take quadratic time on long runs of them.
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const language = tag.toLowerCase().split('-', 1)[0] ?? ''
    const weight = Number(parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? 1)
    if (isLanguage(language) && weight > bestWeight) [best, bestWeight] = [language, weight]
  }
  return best
}
