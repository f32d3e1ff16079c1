import type { ReasonCode } from '../../core/base/reasons.ts'
import { isSiteAddress } from '../../core/base/web-address.ts'
import { ALL_DEFAULTS, type SettingKey } from './defaults.ts'

/** A column of a table. */
interface Column {
  name: string
  /** Returns the text to store. */
  clean: (cell: string) => string
  /** @returns What is wrong with a cell of a row that is not empty. */
  check: (cell: string) => ReasonCode | undefined
}

const column = <Name extends string>(
  name: Name,
  clean: Column['clean'] = (cell) => cell.trim(),
  check: Column['check'] = (cell) => (cell === '' ? 'required' : undefined),
) => ({ name, clean, check })

const asTyped = (cell: string) => cell
const address = (cell: string) => (isSiteAddress(cell) ? undefined : ('address' as const))

const VIEWERS = [
  column('types', cleanTypes),
  column('viewer'),
  column('address', undefined, address),
] as const

/** Settings whose JSON pages show as a table: objects of texts, or objects of such objects. */
const TABLES = {
  external_previews: VIEWERS,
  iframe_previews: VIEWERS,
  // A space is a character too, and no text in its place leaves the character out.
  filename_char_mapping: [column('character', asTyped), column('shown', asTyped, () => undefined)],
  sso_group_map: [column('claimValue'), column('group')],
} as const satisfies Partial<Record<SettingKey, readonly Column[]>>

export type TableKey = keyof typeof TABLES

/** The name of a column of any table. */
export type ColumnName = (typeof TABLES)[TableKey][number]['name']

/** A cell that can't be stored. */
export interface WrongCell {
  row: number
  column: ColumnName
  reason: ReasonCode
}

export function isTableKey(key: string): key is TableKey {
  return Object.hasOwn(TABLES, key)
}

export const TABLE_KEYS = Object.keys(TABLES).filter(isTableKey)

/** Returns the names of the columns of a table. */
export function columnsOf(key: TableKey): readonly ColumnName[] {
  return TABLES[key].map(({ name }) => name)
}

/** Writes `pdf, epub` as `pdf,epub`; a regular expression, `/…/`, stays. */
function cleanTypes(cell: string): string {
  const types = cell.trim()
  if (types.startsWith('/')) return types
  return types
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '')
    .join(',')
}

/** @returns `undefined` for a text that no table can show without a loss. */
export function rowsOf(key: TableKey, text: string): string[][] | undefined {
  const value = parse(text.trim() === '' ? '{}' : text)
  const rows = TABLES[key].length === 2 ? pairsOf(value) : triplesOf(value)
  return rows?.every((row) => row.every((cell) => !/[\r\n]/.test(cell))) === true ? rows : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function membersOf(value: unknown): [name: string, member: unknown][] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.entries(value)
}

function pairsOf(value: unknown): [string, string][] | undefined {
  const pairs = membersOf(value)?.map(([name, member]) =>
    typeof member === 'string' ? ([name, member] as [string, string]) : undefined,
  )
  return allOf(pairs)
}

function triplesOf(value: unknown): string[][] | undefined {
  const lists = membersOf(value)?.map(([types, viewers]) => {
    const pairs = pairsOf(viewers)
    // A table has no row for an object without members.
    return pairs?.length === 0 ? undefined : pairs?.map((pair) => [types, ...pair])
  })
  return allOf(lists)?.flat()
}

function allOf<Item>(items: readonly (Item | undefined)[] | undefined): Item[] | undefined {
  const found = items?.filter((item) => item !== undefined)
  return found?.length === items?.length ? found : undefined
}

/**
 * Makes the JSON of a table. Empty rows are left out.
 *
 * @param before The stored text, which stays when it says the same.
 * @returns The text, or the first cell that is wrong.
 */
export function textOfRows(
  key: TableKey,
  rows: readonly (readonly string[])[],
  before: string,
): string | WrongCell {
  const columns = TABLES[key]
  const filled = rows
    .map((cells, row) => ({ row, cells: columns.map(({ clean }, at) => clean(cells[at] ?? '')) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  for (const { row, cells } of filled) {
    for (const [at, { name, check }] of columns.entries()) {
      const reason = check(cells[at] ?? '')
      if (reason !== undefined) return { row, column: name, reason }
    }
  }
  const seen = new Set<string>()
  for (const { row, cells } of filled) {
    const name = JSON.stringify(cells.slice(0, -1))
    if (seen.has(name))
      return { row, column: columns[columns.length - 2]?.name ?? 'types', reason: 'repeatedRow' }
    seen.add(name)
  }
  const wanted = filled.map(({ cells }) => cells)
  const same = [before, ALL_DEFAULTS[key]].find(
    (text) => JSON.stringify(rowsOf(key, text)) === JSON.stringify(wanted),
  )
  return same ?? JSON.stringify(objectOf(wanted), undefined, 2)
}

/** `Object.fromEntries` makes an own member of `__proto__` too. */
function objectOf(rows: readonly (readonly string[])[]): object {
  if (rows.every((row) => row.length === 2)) return Object.fromEntries(rows)
  const byTypes = Map.groupBy(rows, ([types]) => types)
  return Object.fromEntries(
    Array.from(byTypes, ([types = '', viewers]) => [
      types,
      Object.fromEntries(viewers.map(([, ...viewer]) => viewer)),
    ]),
  )
}
