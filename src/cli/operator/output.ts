import { styleText } from 'node:util'
import Table from 'cli-table3'
import { visible } from '../../base/text.ts'

type Cell = string | number | boolean | null

/** What a command shows of one thing: the names are those of the API. */
type Row = Record<string, Cell | readonly string[] | object>

/** A page of a list, and how many there are on all pages if that was counted. */
interface Page {
  content: readonly Row[]
  total?: number
  /** Whether there is more than this page. */
  more?: boolean
}

/** Where a command says what it found and did. */
export interface Output {
  /** A list: of its rows people see the columns named here, programs everything. */
  list: (columns: readonly string[], page: Page) => void
  /** One thing, with everything that is known of it. */
  record: (record: Row) => void
  /** What was done or asked for, in one line; what programs get of it; what is shown this once. */
  done: (sentence: string, record: Row, shownOnce?: Record<string, string>) => void
  /** What takes a page to tell; what programs get of it has a shape of its own. */
  report: (text: string, record: object) => void
}

export const jsonOutput: Output = {
  list: (_, page) => console.log(JSON.stringify(page)),
  record: (record) => console.log(JSON.stringify(record)),
  done: (_, record, shownOnce) => console.log(JSON.stringify({ ...record, ...shownOnce })),
  report: (_, record) => console.log(JSON.stringify(record)),
}

export const textOutput: Output = {
  list: printTable,
  record: printRecord,
  done(sentence, _, shownOnce = {}) {
    const lines = Object.entries(shownOnce).map(([name, value]) => `${name}  ${value}`)
    console.log([sentence, ...lines].join('\n'))
  },
  report: (text) => console.log(text),
}

function printTable(columns: readonly string[], { content, total, more }: Page): void {
  if (content.length === 0) return console.error('None.')
  const rows = content.map((row) => columns.map((column) => shortened(cellText(row[column]))))
  const table = borderless(columnWidths([columns, ...rows]))
  table.push(columns.map(heading), ...rows)
  console.log(textOf(table))
  const isCut = more ?? (total ?? 0) > content.length
  // On stderr, so that what is piped on is the list alone.
  const of = total === undefined ? '' : ` of ${total}`
  if (isCut) console.error(`${content.length}${of} shown: --page and --limit show the others.`)
}

function printRecord(record: Row): void {
  // What is empty takes no line: the password of an API record always is.
  const rows = Object.entries(record)
    .map(([name, value]) => [name, cellText(value)] as const)
    .filter(([, text]) => text !== '')
  const table = borderless(columnWidths(rows))
  for (const [name, value] of rows) table.push([heading(name), value])
  console.log(textOf(table))
}

/** Without the blanks that fill the last column. */
function textOf(table: ReturnType<typeof borderless>): string {
  const lines = table.toString().split('\n')
  return lines.map((line) => line.trimEnd()).join('\n')
}

function heading(name: string): string {
  return styleText('bold', name.replaceAll('_', ' '), { stream: process.stdout })
}

const GAP = 2
/** Longer than any id or fingerprint; of longer texts the beginning is enough in a list. */
const MAX_CELL_CHARACTERS = 80

/** Without lines and colours: it is read on a terminal, and by `grep` and `awk` as well. */
function borderless(widths: number[] | undefined) {
  const lines = ['top', 'bottom', 'left', 'right', 'middle', 'mid'] as const
  const corners = ['mid', 'left', 'right'].flatMap((where) => [`top-${where}`, `bottom-${where}`])
  const chars = [...lines, ...corners, 'left-mid', 'mid-mid', 'right-mid']
  return new Table({
    chars: Object.fromEntries(chars.map((name) => [name, ''])),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    // An id that is cut is of no use, so what is too long goes on below.
    ...(widths !== undefined && { colWidths: widths, wordWrap: true, wrapOnWordBoundary: false }),
  })
}

const MIN_COLUMN_WIDTH = 6 + GAP

/**
 * Takes from the widest column until the table fits the terminal.
 *
 * @returns `undefined` when it fits as it is, or when nobody looks.
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
  while (sum() > available && Math.max(...widths) > MIN_COLUMN_WIDTH) {
    const widest = widths.indexOf(Math.max(...widths))
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** How many columns of a terminal a text takes: letters of East Asia and emoji take two. */
function widthOf(text = ''): number {
  const wide =
    /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u
  return Array.from(text).reduce((width, letter) => width + (wide.test(letter) ? 2 : 1), 0)
}

function cellText(value: Row[string] | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return visible(value.join(', '))
  return visible(typeof value === 'object' ? JSON.stringify(value ?? '') : String(value ?? ''))
}

function shortened(text: string): string {
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS - 1)}…` : text
}
