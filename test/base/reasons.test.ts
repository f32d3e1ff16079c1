import { describe, expect, test } from 'vitest'
import { fillReason, findReason, REASONS } from '../../src/base/reasons.ts'

describe('a reason', () => {
  test.each(Object.entries(REASONS))('is found by the words of %s', (code, words) => {
    const values: Record<string, string> = {
      part: 'public key',
      type: 'sk-ssh-ed25519@openssh.com',
      curve: 'nistp256',
      options: 'a, b, c',
    }
    const names = Array.from(words.matchAll(/<(\w+)>/g), ([, name = '']) => name)
    const named = Object.fromEntries(names.map((name) => [name, values[name] ?? '1024']))
    const found = findReason(fillReason(words, named))
    expect(found?.code).toBe(code)
    expect({ ...found?.values }).toEqual(named)
  })

  test.each(['', 'constructor', 'is required.', 'must have at most many characters'])(
    'is not found by the words “%s”',
    (words) => {
      expect(findReason(words)).toBeUndefined()
    },
  )
})
