import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ListEntries } from '../../src/capabilities/files/list-entries.ts'

/** Reads a text in parts that end at some places. */
function readInParts(text: string, ends: readonly number[]) {
  const entries = new ListEntries()
  const places = [0, ...ends.map((end) => end % (text.length + 1)), text.length]
  places.sort((a, b) => a - b)
  const found = places.flatMap((end, i) => entries.read(text.slice(places[i - 1] ?? 0, end)))
  return { found, rest: entries.rest }
}

test('entries are those of the list, wherever the parts of the answer end', () => {
  const entry = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(fc.array(entry), fc.array(fc.nat()), fc.string(), (data, ends, message) => {
      const { found, rest } = readInParts(JSON.stringify({ code: 200, message, data }), ends)
      expect(found).toEqual(data.map((each) => JSON.stringify(each)))
      expect(JSON.parse(rest)).toEqual({ code: 200, message, data: data.map(() => null) })
    }),
  )
})

test.each([
  ['{"data":null}', '{"data":null}'],
  ['{"data":{"a":{"b":[1]}}}', '{"data":{"a":null}}'],
  ['{"data":["[{","\\"{"]}', '{"data":["[{","\\"{"]}'],
  ['{"data":[{"a":"}"', '{"data":['],
  [']]]{}', ']]]{}'],
])('the rest of %s', (text, rest) => {
  expect(readInParts(text, []).rest).toBe(rest)
})
