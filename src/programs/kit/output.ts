import { styleText } from 'node:util'
import Table from 'cli-table3'
import { terminalJson, visible, visibleLines } from '../../core/base/text.ts'
import { saidHere } from './printed-command.ts'

type Cell = string | number | boolean | null

/** One record that a command shows, with the names of the API. */
export type Row = Record<string, Cell | readonly string[] | object>

/** A page of a list, with the total of all pages if it was counted. */
interface Page {
  content: readonly Row[]
  total?: number
  /** Whether there are more pages. */
  more?: boolean
}

/** The output of a command, as text or as JSON. */
export interface Output {
  /**
   * Prints a list: a page, or all rows. Text has these columns of `shown`, or the sentence `empty`
   * when there are no rows; JSON has everything.
   */
  list: (
    columns: readonly string[],
    rows: Page | readonly Row[],
    empty: string,
    shown?: readonly Row[],
  ) => void
  /** Prints one record: as JSON with all its members, as text with the members of `shown`. */
  record: (record: Row, shown?: Row) => void
  /** Prints one sentence, or the record as JSON; `shownOnce` is added to both. */
  done: (sentence: string, record: Row, shownOnce?: Record<string, string>) => void
  /** Prints a longer text, or a record of any shape as JSON. */
  report: (text: string, record: object) => void
}

function pageOf(rows: Page | readonly Row[]): Page {
  return 'content' in rows ? rows : { content: rows, total: rows.length }
}

export const jsonOutput: Output = {
  list: (_, rows) => console.log(terminalJson(pageOf(rows))),
  record: (record) => console.log(terminalJson(record)),
  done: (_, record, shownOnce) => console.log(terminalJson({ ...record, ...shownOnce })),
  report: (_, record) => console.log(terminalJson(record)),
}

export const textOutput: Output = {
  list: printTable,
  record: (record, shown = record) => printRecord(shown),
  done(sentence, _, shownOnce = {}) {
    const lines = Object.entries(shownOnce).map(([name, value]) => `${name}  ${value}`)
    console.log([visibleLines(saidHere(sentence)), ...lines].join('\n'))
  },
  report: (text) => console.log(visibleLines(text)),
}

function printTable(
  columns: readonly string[],
  list: Page | readonly Row[],
  empty: string,
  shown?: readonly Row[],
): void {
  const { content, total, more } = pageOf(list)
  if (content.length === 0) return console.error(saidHere(empty))
  const rows = (shown ?? content).map((row) =>
    columns.map((column) => shortened(cellText(row[column]))),
  )
  const table = borderless(columnWidths([columns, ...rows]))
  table.push(columns.map(heading), ...rows)
  console.log(tableText(table))
  const isCut = more ?? (total ?? 0) > content.length
  // On stderr, so that a pipe receives only the list.
  const of = total === undefined ? '' : ` of ${total}`
  if (isCut) console.error(`This shows ${content.length}${of}; --page and --limit show the others.`)
}

function printRecord(record: Row): void {
  // Empty members are left out, such as the password of an API record.
  const rows = Object.entries(record)
    .map(([name, value]) => [name, cellText(value)] as const)
    .filter(([, text]) => text !== '')
  const table = borderless(columnWidths(rows))
  for (const [name, value] of rows) table.push([heading(name), value])
  console.log(tableText(table))
}

/** Returns the table as text, without trailing spaces. */
function tableText(table: ReturnType<typeof borderless>): string {
  const lines = table.toString().split('\n')
  return lines.map((line) => line.trimEnd()).join('\n')
}

function heading(name: string): string {
  return styleText('bold', name.replaceAll('_', ' '), { stream: process.stdout })
}

const GAP = 2
/** Longer than any id or fingerprint; a list shows the beginning of longer texts. */
const MAX_CELL_CHARACTERS = 80

/** Makes a table without lines and colours, for terminals as well as for `grep` and `awk`. */
function borderless(widths: number[] | undefined) {
  const lines = ['top', 'bottom', 'left', 'right', 'middle', 'mid'] as const
  const corners = ['mid', 'left', 'right'].flatMap((where) => [`top-${where}`, `bottom-${where}`])
  const chars = [...lines, ...corners, 'left-mid', 'mid-mid', 'right-mid']
  return new Table({
    chars: Object.fromEntries(chars.map((name) => [name, ''])),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    // A cut id is useless, so long cells are wrapped.
    ...(widths !== undefined && { colWidths: widths, wordWrap: true, wrapOnWordBoundary: false }),
  })
}

const MIN_COLUMN_WIDTH = 6 + GAP

/**
 * Returns column widths, taking from the widest column until the table fits the terminal.
 *
 * @returns `undefined` when the table fits, or when the output is not a terminal.
 */
export function columnWidths(
  rows: readonly (readonly string[])[],
  available = process.stdout.columns || Infinity,
): number[] | undefined {
  const [first = []] = rows
  const widths = first.map(
    (_, column) => Math.max(...rows.map((row) => widthOf(row[column]))) + GAP,
  )
  const sum = () => widths.reduce((total, width) => total + width, 0)
  if (sum() <= available) return undefined
  // A time in pieces is hard to read, so its column is narrowed last.
  const times = first.map((_, column) => rows.some((row) => SHOWN_TIME.test(row[column] ?? '')))
  for (const isNarrowed of [(column: number) => !times[column], () => true])
    for (;;) {
      const able = widths.map((width, column) => (isNarrowed(column) ? width : 0))
      const widest = able.indexOf(Math.max(...able))
      if (sum() <= available || (able[widest] ?? 0) <= MIN_COLUMN_WIDTH) break
      widths[widest] = (widths[widest] ?? 0) - 1
    }
  return widths
}

/** Returns how many terminal columns a text takes: East Asian letters and emoji take two. */
function widthOf(text = ''): number {
  const wide =
    /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u
  return Array.from(text).reduce((width, letter) => width + (wide.test(letter) ? 2 : 1), 0)
}

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}\+00:00$/

/** The same in a table: without milliseconds. */
const SHOWN_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

function cellText(value: Row[string] | undefined): string {
  if (typeof value === 'string' && TIME.test(value)) return value.replace(TIME, '$1T$2Z')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return visible(value.join(', '))
  return visible(typeof value === 'object' ? JSON.stringify(value ?? '') : String(value ?? ''))
}

function shortened(text: string): string {
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS - 1)}…` : text
}
