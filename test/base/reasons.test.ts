import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { readReason, reason, REASONS, wordsOf } from '../../src/core/base/reasons.ts'

describe('a reason', () => {
  test('keeps its code and values in an issue of valibot', () => {
    const schema = v.pipe(v.string(), v.maxLength(2, reason('maxCharacters', { max: 2 })))
    const { issues = [] } = v.safeParse(schema, 'abc')
    const read = readReason(issues[0]?.message ?? '')
    expect(read).toEqual({ code: 'maxCharacters', values: { max: 2 } })
    expect(wordsOf(read)).toBe('must have at most 2 characters')
  })

  test('has words of its own', () => {
    const words = Object.values(REASONS)
    expect(new Set(words).size).toBe(words.length)
  })

  test.each([
    'Invalid type: Expected string',
    '',
    'null',
    '{}',
    '{"code":"constructor","values":{}}',
    '{"code":"required"}',
  ])('that valibot made keeps its words: “%s”', (message) => {
    expect(wordsOf(readReason(message))).toBe(message)
  })
})
