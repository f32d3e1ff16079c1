import * as v from 'valibot'

/** A text of at least one character that D1 and every client can hold. */
export function text() {
  return v.pipe(possiblyEmptyText(), v.minLength(1))
}

/** As `text`, and it may be empty. */
export function possiblyEmptyText() {
  return v.pipe(
    v.string(),
    v.check((value) => value.isWellFormed(), 'must be valid Unicode'),
    v.check((value) => !value.includes('\0'), 'must not contain NUL'),
  )
}
