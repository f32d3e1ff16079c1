import { expect, test } from 'vitest'
import { parametersWith } from '../../src/core/database/query-text.ts'

test('a parameter gets the value of its name, null for one that is undefined, and needs one', () => {
  const parameters = [{ name: 'now' }, { value: 7 }, { name: 'username' }]
  expect(parametersWith(parameters, { now: 5, username: undefined })).toEqual([5, 7, null])
  expect(() => parametersWith(parameters, { now: 5 })).toThrow('username')
})
