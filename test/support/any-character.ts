import * as fc from 'fast-check'

/**
 * Any code point but half a surrogate pair, as the unit of a text. It serves as the unit `binary`
 * of fast-check, which takes 1.5 s of CPU to prepare in each of the two workers; this one takes
 * 0.01.
 */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code), codeOf)

/** Lets fast-check mix in texts such as `__proto__`, which it takes apart into characters. */
function codeOf(character: unknown): number {
  const [first, ...rest] = Array.from(String(character), (part) => part.codePointAt(0) ?? NaN)
  if (first === undefined || rest.length > 0) throw new Error('not one character')
  return first
}
