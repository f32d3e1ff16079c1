import * as v from 'valibot'
import { maxCharacters, noControlCharacters, text } from '../../core/base/text.ts'
import { isPrivateKey } from '../../core/crypto/private-key.ts'
import { reason } from '../../core/base/reasons.ts'

export const MAX_TITLE_CHARACTERS = 255

/** The user's name for a key. */
export const titleSchema = v.pipe(
  text(),
  maxCharacters(MAX_TITLE_CHARACTERS),
  noControlCharacters(),
  // A browser puts a text pasted into the wrong field on one line. A title is shown and logged.
  v.check((title) => !isPrivateKey(title), reason('titleIsPrivateKey')),
)

/** A key to add. */
export const keySchema = v.object({ title: titleSchema, key: text() })
