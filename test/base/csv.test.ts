import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toCsv } from '../../src/core/base/csv.ts'
import { anyCharacter } from '../support/any-character.ts'

/** Reads CSV as RFC 4180 section 2 has it. */
function parse(csv: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain, end] of csv
    .slice(1)
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

describe('CSV', () => {
  test('has the mark of UTF-8, commas, and CRLF after every row', () => {
    expect(
      toCsv([
        ['a', 1],
        ['用户', ''],
      ]),
    ).toBe('\uFEFFa,1\r\n用户,\r\n')
  })

  test('quotes commas, quotes and line ends', () => {
    expect(toCsv([['a,b', 'say "x"', 'one\ntwo']])).toBe('\uFEFF"a,b","say ""x""","one\ntwo"\r\n')
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '＝1', '＋1', '－1', '＠x'])(
    'keeps %j from being a formula',
    (text) => {
      expect(parse(toCsv([[text]]))).toEqual([[`'${text}`]])
    },
  )

  test.each([
    ['laptop;=1+1', "laptop;'=1+1"],
    ['laptop\t@SUM(A1)', "laptop\t'@SUM(A1)"],
    ['laptop; \u200B-1;-2', "laptop;' \u200B-1;'-2"],
    ['two\r\n=1', "two\r\n'=1"],
    ['a;b=c', 'a;b=c'],
  ])('keeps %j from being a formula where cells are divided otherwise', (text, shown) => {
    expect(parse(toCsv([[text]]))).toEqual([[shown]])
  })

  test('leaves numbers and other texts alone', () => {
    expect(toCsv([[-5, 'a=b', 'a-b', '192.0.2.1', '→']])).toBe('\uFEFF-5,a=b,a-b,192.0.2.1,→\r\n')
  })

  test('gives back every text, and no cell begins as a formula does', () => {
    const text = fc.string({ unit: anyCharacter })
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 1 }), { minLength: 1 }), (rows) => {
        const read = parse(toCsv(rows))
        expect(read.map((row) => row.map((cell) => cell.replaceAll("'", '')))).toEqual(
          rows.map((row) => row.map((cell) => cell.replaceAll("'", ''))),
        )
        for (const part of read.flatMap((row) => row.join(';').split(/[;\t\r\n]/)))
          expect(part).not.toMatch(/^[=+\-@]/)
      }),
    )
  })
})
