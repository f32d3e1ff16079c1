import type { Counts, Plan } from './plan.ts'
import type { Item, Source } from './source.ts'
import type { Written } from './write.ts'

/** The result of an import or of a dry run. */
export interface Report {
  source: Source['kind']
  dry_run: boolean
  users: Tally
  keys: Tally
  settings: Tally
  passkeys: Tally
  /** The RP IDs of the passkeys that are imported. */
  passkey_rp_ids: string[]
  service_tokens: number
  reserved_names: number
  groups: number
  folder_rules: number
  /** Accounts that go on being a user of OpenList, once it is behind this site. */
  file_users: number
  warnings: string[]
  refused: Item[]
  notes: Item[]
}

/** The result for the rows of one kind. */
interface Tally {
  imported: number
  /** Users who were here without password, sessions and keys, and got them. */
  completed: number
  kept: number
  refused: number
}

const COLUMNS = ['imported', 'completed', 'kept', 'refused'] as const
/** The number of names shown with one note. */
const NAMES_SHOWN = 5
const MAX_NAME_CHARACTERS = 64

export function makeReport(
  { kind, warnings }: Pick<Source, 'kind' | 'warnings'>,
  isDryRun: boolean,
  { kept, notes, accounts }: Pick<Plan, 'kept' | 'notes' | 'accounts'>,
  { imported, completed, serviceTokens, reservedNames, fileUsers, ...written }: Written,
): Report {
  const tally = (what: keyof Counts, item: Item['kind']): Tally => ({
    imported: imported[what],
    completed: what === 'users' ? completed : 0,
    kept: kept[what],
    refused: written.refused.filter((row) => row.kind === item).length,
  })
  return {
    source: kind,
    dry_run: isDryRun,
    users: tally('users', 'user'),
    keys: tally('keys', 'key'),
    settings: tally('settings', 'setting'),
    passkeys: tally('passkeys', 'passkey'),
    passkey_rp_ids: rpIdsOf(accounts),
    service_tokens: serviceTokens,
    reserved_names: reservedNames,
    groups: written.groups,
    folder_rules: written.folderRules,
    file_users: fileUsers,
    warnings,
    refused: written.refused,
    notes,
  }
}

function rpIdsOf(accounts: Plan['accounts']): string[] {
  const rpIds = accounts.flatMap(({ passkeys }) => passkeys.map(({ rpId }) => rpId))
  return [...new Set(rpIds)].toSorted()
}

/** Formats the report as text: counts, then refused rows with reasons, then notes. */
export function reportText(report: Report): string {
  const { users, keys, settings, passkeys } = report
  return [
    `${headline(report)}\n`,
    line('', 'imported', 'completed', 'kept', 'refused'),
    ...Object.entries({ users, 'SSH keys': keys, settings }).map(([name, tally]) =>
      line(name, ...COLUMNS.map((column) => number(tally[column]))),
    ),
    ...(COLUMNS.some((column) => passkeys[column] > 0)
      ? [line('passkeys', ...COLUMNS.map((column) => number(passkeys[column])))]
      : []),
    ...(report.service_tokens > 0
      ? [line('tokens', number(report.service_tokens), '0', '0', '0')]
      : []),
    ...(report.reserved_names > 0
      ? [line('reserved', number(report.reserved_names), '0', '0', '0')]
      : []),
    ...(report.groups > 0 ? [line('groups', number(report.groups), '0', '0', '0')] : []),
    ...(report.folder_rules > 0 ? [line('rules', number(report.folder_rules), '0', '0', '0')] : []),
    ...section('Refused:', report.refused.map(itemText)),
    ...section('Notes:', [...sourceNotes(report), ...report.warnings, ...noteTexts(report.notes)]),
  ].join('\n')
}

function headline(report: Report): string {
  const { users, keys, settings, passkeys, service_tokens: tokens, reserved_names: names } = report
  const others = [tokens, names, report.groups, report.folder_rules]
  const rows = [users, keys, settings, passkeys].map((counts) => counts.imported + counts.completed)
  const isNews = [...rows, ...others].some((count) => count > 0)
  const nothing = 'Nothing new: everything that can be imported is here already.'
  if (report.dry_run)
    return isNews ? 'Dry run: nothing was written. An import would have this result:' : nothing
  return isNews ? 'Imported:' : nothing
}

function sourceNotes({ source, passkey_rp_ids: rpIds }: Report): string[] {
  return [
    ...(source === 'backup'
      ? ['a backup has no passwords, no 2FA and no SSH keys; data.db has them']
      : []),
    ...rpIds.map(
      (rpId) =>
        `the passkeys of ${rpId} work only while this site is visited as ${rpId}, or as a host under it with PASSKEY_RP_ID = "${rpId}"`,
    ),
  ]
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
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
  return `"${safe}${characters.length > MAX_NAME_CHARACTERS ? '…' : ''}"`
}
