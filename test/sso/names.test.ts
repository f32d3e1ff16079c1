import * as fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { checkChosenName, refuseReservedName } from '../../src/core/accounts/chosen-names.ts'
import { usernameSchema } from '../../src/core/accounts/username.ts'
import { namesFor } from '../../src/capabilities/sso/register.ts'
import { anyCharacter } from '../support/any-character.ts'

test('whatever a provider calls its user, every name for the new account keeps our rules', () => {
  const name = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 100 }),
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc.constantFrom(
      '',
      ' ',
      '.',
      '..',
      '#7',
      'bob~7',
      '\u200B',
      '\uFE0F',
      'a'.repeat(64),
      ' a ',
      'B0ss',
      'x@y',
    ),
  )
  fc.assert(
    fc.property(name, (text) => {
      const names = namesFor(text, 'abcd1234', ['boss'])
      expect(names.length).toBeGreaterThan(1)
      expect(new Set(names).size).toBe(names.length)
      for (const one of names) {
        expect(v.is(usernameSchema, one), JSON.stringify(one)).toBe(true)
        expect(() => checkChosenName(one), JSON.stringify(one)).not.toThrow()
        expect(() => refuseReservedName(one, ['boss']), JSON.stringify(one)).not.toThrow()
      }
    }),
  )
})
