import { expect, test } from 'vitest'
import { chooseTurn } from '../../scripts/take-away-turn.ts'

const CAPABILITIES = ['settings', 'sign-in', 'keys', 'apps', 'groups', 'undo', 'users']
const LEAVES = ['apps', 'groups', 'undo', 'keys']

test('each capability is tested without each other one that can be taken away, once in a cycle of turns', () => {
  const seen = Array.from({ length: 3 * LEAVES.length }, (_, index) => {
    const { name, tested } = chooseTurn(20_000 + index, LEAVES, CAPABILITIES)
    return tested.map((capability) => `${capability} without ${name}`)
  }).flat()
  const wanted = LEAVES.flatMap((name) =>
    CAPABILITIES.filter((capability) => capability !== name).map(
      (capability) => `${capability} without ${name}`,
    ),
  )
  expect(seen.toSorted()).toEqual(wanted.toSorted())
})

test('a turn takes another capability away than the turn before it', () => {
  const names = [0, 1, 2, 3, 4].map((number) => chooseTurn(number, LEAVES, CAPABILITIES).name)
  expect(names).toEqual(['apps', 'groups', 'undo', 'keys', 'apps'])
})

test('a turn tests a third of the others', () => {
  for (let number = 0; number < 12; number++)
    expect(chooseTurn(number, LEAVES, CAPABILITIES).tested).toHaveLength(2)
})
