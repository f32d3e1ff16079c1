import * as v from 'valibot'
import { maxCharacters, noControlCharacters, text } from '../text.ts'

const MAX_TITLE_CHARACTERS = 255

/** What a user calls a key. */
export const titleSchema = v.pipe(
  text(),
  maxCharacters(MAX_TITLE_CHARACTERS),
  noControlCharacters(),
)
