import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findJsonFault } from '../../src/core/base/json-fault.ts'

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the place at which a text is no JSON', () => {
  test.each([
    ['', 1, 1],
    ['{', 1, 2],
    ['{\n  "pdf": }', 2, 10],
    ['{"a": 1,}', 1, 9],
    ['[1,]', 1, 4],
    ['{"a" 1}', 1, 6],
    ['{"a": 1} x', 1, 10],
    ['{"a": "b\n"}', 1, 7],
    ["{'a': 1}", 1, 2],
    ['01', 1, 2],
    ['[}', 1, 2],
    ['{,', 1, 2],
  ])('of %j is line %i, column %i', (text, line, column) => {
    expect(findJsonFault(text)).toEqual({ line, column })
  })

  test('is there exactly for the texts that are no JSON', () => {
    const signs = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      'a',
      '\\',
      '1',
      '0',
      '-',
      '.',
      'e',
      ' ',
      '\n',
      'null',
      'true',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string({ unit: 'binary' }),
          fc.array(signs, { maxLength: 12 }).map((all) => all.join('')),
          fc.tuple(fc.json(), fc.nat(), signs).map(([json, at, sign]) => {
            const place = at % (json.length + 1)
            return json.slice(0, place) + sign + json.slice(place)
          }),
        ),
        (text) => {
          expect(findJsonFault(text) === undefined, text).toBe(isJson(text))
        },
      ),
      { numRuns: 3000 },
    )
  })
})
