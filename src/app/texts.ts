import type { Language } from '../core/base/language.ts'
import type { Load } from '../core/base/load-part.ts'
import type { Texts } from '../web/kit/texts.ts'

/** The texts of all pages, by language: a visitor's is loaded alone. */
export const TEXTS: Record<Language, Load<Texts>> = {
  en: () => import('./texts.en.ts').then(({ en }) => en),
  zh: () => import('./texts.zh.ts').then(({ zh }) => zh),
}
