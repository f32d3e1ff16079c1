import type { Counts, Item, Plan } from './plan.ts'
import type { Source } from './source.ts'

/** The result of an import or of a dry run. */
export interface Report {
  source: Source['kind']
  dry_run: boolean
  users: Tally
  keys: Tally
  settings: Tally
  refused: Item[]
  notes: Item[]
}

/** The result for the rows of one kind. */
interface Tally {
  imported: number
  kept: number
  refused: number
}

/** The number of names shown with one note. */
const NAMES_SHOWN = 5
const MAX_NAME_CHARACTERS = 64

export function makeReport(
  kind: Source['kind'],
  isDryRun: boolean,
  { kept, notes }: Pick<Plan, 'kept' | 'notes'>,
  { imported, refused }: { imported: Counts; refused: Item[] },
): Report {
  const tally = (what: keyof Counts, item: Item['kind']): Tally => ({
    imported: imported[what],
    kept: kept[what],
    refused: refused.filter((one) => one.kind === item).length,
  })
  return {
    source: kind,
    dry_run: isDryRun,
    users: tally('users', 'user'),
    keys: tally('keys', 'key'),
    settings: tally('settings', 'setting'),
    refused,
    notes,
  }
}

/** Formats the report as text: counts, then refused rows with reasons, then notes. */
export function reportText(report: Report): string {
  const { users, keys, settings } = report
  return [
    report.dry_run
      ? 'Dry run: nothing was written. An import would have this result:\n'
      : 'Imported:\n',
    line('', 'imported', 'kept', 'refused'),
    ...Object.entries({ users, 'SSH keys': keys, settings }).map(([name, tally]) =>
      line(name, number(tally.imported), number(tally.kept), number(tally.refused)),
    ),
    ...section('Refused:', report.refused.map(itemText)),
    ...section('Notes:', [...sourceNotes(report), ...noteTexts(report.notes)]),
  ].join('\n')
}

function sourceNotes({ source }: Report): string[] {
  return source === 'backup'
    ? ['a backup has no passwords, no 2FA and no SSH keys; data.db has them']
    : []
}

function noteTexts(notes: Item[]): string[] {
  return [...Map.groupBy(notes, ({ reason }) => reason)].map(([reason, items]) => {
    const names = items.slice(0, NAMES_SHOWN).map(({ name }) => quote(name))
    const more =
      items.length > NAMES_SHOWN ? `, and ${number(items.length - NAMES_SHOWN)} more` : ''
    return `${names.join(', ')}${more}: ${reason}`
  })
}

function itemText({ kind, id, name, reason }: Item): string {
  return `${[kind, id, kind === 'setting' ? name : quote(name)].filter(Boolean).join(' ')}: ${reason}`
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((text) => `  ${text}`)]
}

function line(name: string, ...cells: string[]): string {
  return `  ${name.padEnd(9)}${cells.map((cell) => cell.padStart(10)).join('')}`
}

function number(value: number): string {
  return value.toLocaleString('en')
}

/** Quotes a name; escapes characters with which a foreign database could control the terminal. */
function quote(name: string): string {
  const characters = Array.from(name)
  const shown = characters.slice(0, MAX_NAME_CHARACTERS).join('')
  const safe = shown.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  )
  return `"${safe}${characters.length > MAX_NAME_CHARACTERS ? '…' : ''}"`
}
