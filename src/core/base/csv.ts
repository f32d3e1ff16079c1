/** Excel reads a file as UTF-8 only after this mark. */
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Formats rows as CSV. What a spreadsheet would take for a formula gets an apostrophe in front,
 * also within a text: some spreadsheets divide cells at semicolons or tabs, and heed no quotation
 * mark there.
 *
 * @see RFC 4180 section 2
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function toCsv(rows: readonly (readonly (string | number)[])[]): string {
  return BYTE_ORDER_MARK + rows.map(csvRow).join('')
}

/** Formats one row, for a file that is written row by row. Its first row comes from `toCsv`. */
export function csvRow(row: readonly (string | number)[]): string {
  return `${row.map(cell).join(',')}\r\n`
}

/**
 * The beginning of a formula. The wide forms count in East Asian versions; blanks in front are
 * skipped by some programs.
 */
const FORMULA =
  /(?<=^|[;\t\r\n])(?=(?:[^\S\t\r\n]|\u200B)*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])|^(?=[\t\r\n])/g

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = value.replaceAll(FORMULA, "'")
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
