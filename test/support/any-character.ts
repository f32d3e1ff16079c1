import * as fc from 'fast-check'

/**
 * Any code point but half a surrogate pair, as the unit of a text. The unit `binary` of fast-check
 * gives the same texts, after half a second of preparation.
 */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code))
