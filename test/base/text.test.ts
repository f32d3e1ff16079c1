import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { terminalJson, visibleLines } from '../../src/core/base/text.ts'

/** What changes more than its own place on a terminal: C0 but the line feed, DEL, C1, directions. */
const CONTROLS = /(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

const texts = fc.string({ unit: 'binary' })

test('a text for a terminal has no control character but the ends of its lines', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(visibleLines(text)).not.toMatch(CONTROLS)
    }),
  )
  expect(visibleLines('a\u{1b}[2J\nb\u{9b}31m')).toBe('a�[2J\nb�31m')
})

test('JSON for a terminal has none either, and is the same value', () => {
  fc.assert(
    fc.property(fc.dictionary(texts, texts), (value) => {
      expect(terminalJson(value)).not.toMatch(CONTROLS)
      expect(JSON.parse(terminalJson(value, 2))).toEqual(value)
    }),
  )
  expect(terminalJson({ name: '\u{9b}31m\u{202e}' })).toBe('{"name":"\\u009b31m\\u202e"}')
})
