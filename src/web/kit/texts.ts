import type { KitTexts } from './texts/en.ts'

/**
 * Every text of the pages in one language: those of the kit, and of each capability, which adds its
 * own in `texts.en.ts`.
 */
export interface Texts extends KitTexts {}
