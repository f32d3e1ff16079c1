import { pipeline } from 'node:stream/promises'
import { InvalidArgumentError } from 'commander'
import { countEventsOfSite, listSiteEvents, readSiteEvents } from '../operator-events.ts'
import type { Change } from '../../../core/audit/changes.ts'
import type { EventFilter } from '../../../core/audit/event-lists.ts'
import { EVENT_KINDS } from '../../../core/audit/kinds.ts'
import { eventRecord } from '../record.ts'
import { windowOf } from '../../../core/base/paging.ts'
import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { csvRow, toCsv } from '../../../core/base/csv.ts'
import type { Site } from '../../../programs/site/site.ts'
import { type Progress, startProgress } from '../../../programs/kit/progress.ts'
import { lookUpUser, USER_TEXT } from '../../../programs/site/find-user.ts'
import { findUserOfEvents } from '../../users/find-users.ts'
import { choice, type Given, takes, withDefault } from '../../../programs/kit/declaration.ts'
import { onSite, sought } from '../../../programs/site/on-site.ts'
import { PAGE } from '../../../programs/kit/paging.ts'
import { permissionText } from '../../../programs/kit/permission.ts'
import { roleName } from '../../../programs/kit/role.ts'

const COLUMNS = ['time', 'kind', 'user', 'by', 'what', 'network', 'user_agent']

/** The options that choose events. */
const FILTER = {
  userId: sought(
    takes(
      '--user <user>',
      `only events of this user, who may be deleted: ${USER_TEXT[0]}`,
      `只列出此用户的事件，也可以是已删除的用户：${USER_TEXT[1]}`,
    ),
    async (site, name) => (name === undefined ? undefined : idOf(site, name)),
  ),
  kind: choice('--kind <kind>', 'only events of this kind', '只列出此类事件', EVENT_KINDS),
  since: takes(
    '--since <time>',
    'only events since then: 30m, 12h, 7d, or a time such as 2026-11-21',
    '只列出此后的事件：30m、12h、7d，或 2026-11-21 这样的时间',
    (text) => parseSince(text, Date.now()),
  ),
}

/** @throws {CommandError} When no user has or had the name; the message suggests a similar one. */
async function idOf(site: Site, name: string): Promise<number> {
  return (await findUserOfEvents(site, COMMAND_LINE, name)) ?? (await lookUpUser(site, name)).id
}

type Filter = Omit<Given<typeof FILTER>, 'userId'> & { userId: number | undefined }

function filterOf({ userId, kind, since }: Filter): EventFilter {
  return {
    ...(userId !== undefined && { userId }),
    ...(kind !== undefined && { kind }),
    ...(since !== undefined && { since }),
  }
}

const list = onSite({
  about: 'lists events, the latest first',
  zh: '列出事件，最近的在前',
  takes: { ...PAGE, ...FILTER },
  examples: ['event list --kind sign_in_refused --since 12h', 'event list --user alice --limit 20'],
  async run(site, { page, limit, ...given }, { output }) {
    const filter = filterOf(given)
    const { events, more } = await listSiteEvents(site, COMMAND_LINE, filter, windowOf(page, limit))
    output.list(COLUMNS, { content: events.map(toRow), more }, 'No events found.')
  },
})

const FORMATS = ['jsonl', 'csv'] as const

const exportAll = onSite({
  about: 'writes all events to the standard output, oldest first, in pages',
  zh: '把全部事件写到标准输出，最早的在前，逐页读取',
  takes: {
    ...FILTER,
    format: withDefault(
      choice(
        '--format <format>',
        'one JSON object a line, or a table for spreadsheets',
        '每行一个 JSON 对象，或电子表格用的表格',
        FORMATS,
      ),
      'jsonl',
    ),
  },
  examples: [
    'event export --since 7d > events.jsonl',
    'event export --user alice --format csv > alice.csv',
  ],
  async run(site, { format, ...given }) {
    const filter = filterOf(given)
    const total = await countEventsOfSite(site, COMMAND_LINE, filter)
    const progress = startProgress(total, { name: 'events', perLine: 100_000 })
    try {
      await pipeline(
        exportLines(site, filter, format, progress),
        process.stdout,
        // The standard output stays open for what comes after.
        { end: false },
      )
    } finally {
      progress.stop()
    }
  },
})

/** The columns of the table. A spreadsheet reads the times. */
const EXPORT_COLUMNS = [
  'id',
  'time',
  'kind',
  'user',
  'user_id',
  'by',
  'what',
  'detail',
  'network',
  'country',
  'times',
  'user_agent',
] as const

/** @yields The text of one page of events after the other. */
async function* exportLines(
  site: Site,
  filter: EventFilter,
  format: (typeof FORMATS)[number],
  progress: Progress,
): AsyncGenerator<string> {
  // With the mark that makes Excel read UTF-8.
  if (format === 'csv') yield toCsv([EXPORT_COLUMNS])
  for await (const events of readSiteEvents(site, COMMAND_LINE, filter)) {
    const rows = events.map((event) => ({ ...toRow(event), country: event.country }))
    yield format === 'csv'
      ? rows.map((row) => csvRow(EXPORT_COLUMNS.map((name) => row[name] ?? ''))).join('')
      : rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    progress.advance(rows.length)
  }
}

/** Returns the row of an event. An unknown name appears as its hash, a deleted user as the id. */
function toRow(event: Awaited<ReturnType<typeof listSiteEvents>>['events'][number]) {
  const { userId, username, nameHash, times } = event
  const gone = userId === null ? unknownName(nameHash, times) : `#${userId}`
  const record = eventRecord(event)
  const { actor, changes } = record
  const actorName = actor?.command_line === true ? 'command line' : actor && `#${actor.id}`
  return {
    ...record,
    user_id: userId,
    username,
    name_hash: nameHash,
    times,
    user: username ?? gone ?? '',
    by: actor?.username ?? actorName ?? '',
    what: changes.length === 0 ? event.detail : changes.map(changeText).join('; '),
  }
}

/** Formats a change, for example `role general → admin`. */
function changeText({ field, from, to }: Change): string {
  const [before, after] = [valueText(field, from), valueText(field, to)]
  if (from === null) return `${field} ${after}`
  return to === null ? `${field} ${before}` : `${field} ${before} → ${after}`
}

function valueText(field: string, value: Change['from']): string {
  if (value === null || value === '') return '""'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (field === 'role') return roleName(Number(value))
  if (field === 'permission') return permissionText(Number(value))
  return String(value)
}

/** Describes unknown names; all refused sign-ins of a network with unknown names are one event. */
function unknownName(nameHash: string | null, times: number): string {
  if (times > 1)
    return nameHash === null ? `unknown names ×${times}` : `unknown name ${nameHash} ×${times}`
  return nameHash === null ? '' : `unknown name ${nameHash}`
}

const UNIT_MILLISECONDS = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** @returns Unix time, milliseconds. */
export function parseSince(text: string, now: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const time =
    count === undefined
      ? Date.parse(/^\d{4}-\d\d-\d\d/.test(text) ? text : '')
      : now - Number(count) * (UNIT_MILLISECONDS.get(unit) ?? 0)
  if (!Number.isNaN(time)) return time
  throw new InvalidArgumentError('It must be like 30m, 12h, 7d, 2026-11-21 or 2026-11-21T09:15Z.')
}

/** `latchkey event …`: the events of the site. */
export const eventCommands = { list, export: exportAll }
