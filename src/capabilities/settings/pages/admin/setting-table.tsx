import { Refusal } from '../../../../core/base/refusals.ts'
import type { Fields, Problem } from '../../../../web/kit/form.ts'
import type { View } from '../../../../web/kit/view.ts'
import { columnsOf, rowsOf, TABLE_KEYS, type TableKey, textOfRows } from '../../tables.ts'

/** Rows to fill. The script adds more, so that it shows one of them. */
const EMPTY_ROWS = 2

/** Grey texts that show the form of a cell. */
const SAMPLES: Partial<Record<string, string>> = {
  types: 'pdf,epub',
  address: 'https://viewer.example.org/?file=$e_url',
}

interface TableProps {
  view: View
  name: TableKey
  legend: string
  hint: string
  /** The JSON. */
  value: string
  rows: readonly (readonly string[])[]
  problem: Problem | undefined
}

/** The fields of a setting whose JSON is a table. The JSON itself is sent too, for what stays. */
export function SettingTable(props: TableProps) {
  const { view, name, legend, hint, value, rows, problem } = props
  const t = view.t.adminSettings
  const columns = columnsOf(name)
  const empty = Array.from({ length: EMPTY_ROWS }, (): string[] => [])
  return (
    <fieldset
      class={columns.length > 2 ? 'field whole' : 'field'}
      aria-describedby={`${name}-hint`}
    >
      <legend>{legend}</legend>
      <p class="hint" id={`${name}-hint`}>
        {hint}
        {t.emptyRows}
      </p>
      {problem?.field === name && (
        <p class="problem" id={`${name}-problem`}>
          {problem.message}
        </p>
      )}
      <ul class="entries" id={`${name}-rows`}>
        {[...rows, ...empty].map((cells, row) => (
          <li class={row > rows.length ? 'spare' : undefined}>
            {columns.map((column, at) => (
              <Cell
                field={cellName(name, row, column)}
                label={t.columns[column]}
                sample={SAMPLES[column]}
                value={cells[at] ?? ''}
                problem={problem}
              />
            ))}
            <button type="button" class="quiet" data-remove="">
              {t.removeRow}
            </button>
          </li>
        ))}
      </ul>
      <p class="buttons">
        <button type="button" class="secondary" data-add={`${name}-rows`}>
          {t.addRow}
        </button>
        <a href={`${view.path}?text=${name}`}>{t.asText}</a>
      </p>
      <input id={name} type="hidden" name={name} value={value} />
    </fieldset>
  )
}

interface CellProps {
  field: string
  label: string
  sample: string | undefined
  value: string
  problem: Problem | undefined
}

function Cell({ field, label, sample, value, problem }: CellProps) {
  const isWrong = problem?.field === field
  return (
    <label>
      <span>{label}</span>
      <input
        id={field}
        name={field}
        value={value}
        placeholder={sample}
        aria-label={label}
        autocomplete="off"
        spellcheck={false}
        autocapitalize="off"
        autofocus={isWrong}
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={isWrong ? `${field}-problem` : undefined}
      />
      {isWrong && (
        <small class="problem" id={`${field}-problem`}>
          {problem.message}
        </small>
      )}
    </label>
  )
}

function cellName(key: TableKey, row: number, column: string): string {
  return `${key}.${row}.${column}`
}

/** Returns the filled rows of a table in a form, as they were typed; `undefined` when it has none. */
function rowsIn(fields: Fields, key: TableKey): string[][] | undefined {
  const numbers = Object.keys(fields).flatMap((name) => {
    const [table, row = '', column] = name.split('.')
    return table === key && column !== undefined && /^\d{1,4}$/.test(row) ? [Number(row)] : []
  })
  if (numbers.length === 0) return undefined
  return [...new Set(numbers)]
    .toSorted((a, b) => a - b)
    .map((row) => columnsOf(key).map((column) => fields[cellName(key, row, column)] ?? ''))
    .filter((cells) => cells.some((cell) => cell !== ''))
}

/** Returns the rows to show; `undefined` where the JSON itself is to be changed. */
export function shownRows(
  key: TableKey,
  value: string,
  fields: Fields | undefined,
): string[][] | undefined {
  const typed = fields && rowsIn(fields, key)
  if (typed !== undefined) return typed
  return fields?.[key] === undefined ? rowsOf(key, value) : undefined
}

/**
 * Puts the JSON of the tables of a form into the fields of their settings, and numbers the rows as
 * they are shown.
 *
 * @throws {Refusal} `invalidBody`, naming the cell.
 */
export function withTables(fields: Fields): Fields {
  const texts = TABLE_KEYS.flatMap((key) => {
    const rows = rowsIn(fields, key)
    if (rows === undefined) return []
    const text = textOfRows(key, rows, fields[key] ?? '')
    if (typeof text === 'string') return [[key, text]]
    const { row, column, reason } = text
    throw new Refusal('invalidBody', {
      field: cellName(key, row, column),
      reason: { code: reason, values: {} },
    })
  })
  return { ...fields, ...Object.fromEntries(texts) }
}
