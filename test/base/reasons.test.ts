import { describe, expect, test } from 'vitest'
import { fillReason, findReason, REASONS } from '../../src/base/reasons.ts'

describe('a reason', () => {
  test.each(Object.entries(REASONS))('is found by the words of %s', (code, words) => {
    const numbers = { min: '8', max: '1024' }
    const names = Array.from(words.matchAll(/<(\w+)>/g), ([, name = '']) => name)
    const found = findReason(fillReason(words, numbers))
    expect(found?.code).toBe(code)
    expect(Object.entries(found?.numbers ?? {})).toEqual(
      Object.entries(numbers).filter(([name]) => names.includes(name)),
    )
  })

  test.each(['', 'constructor', 'is required.', 'must have at most many characters'])(
    'is not found by the words “%s”',
    (words) => {
      expect(findReason(words)).toBeUndefined()
    },
  )
})
