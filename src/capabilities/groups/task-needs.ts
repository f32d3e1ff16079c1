import { PERMISSION } from '../../core/accounts/roles.ts'
import { cleanFolder } from '../../core/base/clean-folder.ts'
import { type Need, readsWhole, removes, takesAway, writesWhole } from './needs.ts'
import { joinNames, nameOf } from './openlist-paths.ts'

/** The queues of OpenList: `/api/task/KIND`. */
export const TASK_KINDS = [
  'copy',
  'move',
  'upload',
  'decompress',
  'decompress_upload',
  'offline_download',
  'offline_download_transfer',
] as const
export type TaskKind = (typeof TASK_KINDS)[number]

/** The bit of `permission` that a user needs to begin a task. */
export const BIT_OF_TASK: Readonly<Record<TaskKind, number>> = {
  copy: PERMISSION.copy,
  move: PERMISSION.move,
  upload: PERMISSION.make,
  decompress: PERMISSION.decompress,
  decompress_upload: PERMISSION.decompress,
  offline_download: PERMISSION.offlineDownload,
  offline_download_transfer: PERMISSION.offlineDownload,
}

/** What a task needs whose name has a form. The parts stand for the stars of the form. */
type Form = readonly [form: string, needs: (...parts: readonly string[]) => Need[]]

/** Joins the path of a storage and one in it. */
function inStorage(storage = '', ...parts: string[]): string {
  return cleanFolder(joinNames(cleanFolder(storage), ...parts))
}

/** `TO` is the folder that a copy is put into. */
function copies(from?: string, file = '', to?: string, folder = ''): Need[] {
  const source = inStorage(from, file)
  return [readsWhole(source), writesWhole(inStorage(to, folder, nameOf(source)))]
}

function moves(from?: string, file = '', to?: string, folder = ''): Need[] {
  const source = inStorage(from, file)
  return [takesAway(source), writesWhole(inStorage(to, folder, nameOf(source)))]
}

const TRANSFERS: readonly Form[] = [
  ['copy [*](*) to [*](*)', copies],
  ['merge [*](*) to [*](*)', copies],
  ['move [*](*) to [*](*)', moves],
]

/** OpenList tells of a task its name alone (`GetName`). */
const FORMS: Readonly<Record<TaskKind, readonly Form[]>> = {
  copy: TRANSFERS,
  move: TRANSFERS,
  upload: [
    [
      'upload * to [*](*)',
      (name = '', to = '', folder = '') => [removes(inStorage(to, folder, name))],
    ],
  ],
  // Names in an archive may lead anywhere in the storage (`refuseUnseenPlaces`).
  decompress: [
    [
      'decompress [*](*)[*] to [*](*) with password <*>',
      (from, file = '', _inner = '', to = '') => [
        readsWhole(inStorage(from, file)),
        writesWhole(inStorage(to)),
      ],
    ],
  ],
  decompress_upload: [['upload * to [*](*)', (_, to) => [writesWhole(inStorage(to))]]],
  offline_download: [['download * to (*)', (_, folder = '') => [writesWhole(cleanFolder(folder))]]],
  offline_download_transfer: [
    [
      'transfer [*](*) to [*](*)',
      (_from, _file, to, folder = '') => [writesWhole(inStorage(to, folder))],
    ],
    [
      'upload [*](*) to [*](*)',
      (_file, _url, to, folder = '') => [writesWhole(inStorage(to, folder))],
    ],
  ],
}

/**
 * Returns what a task of the file server needs.
 *
 * @returns `undefined` for a name that does not say it, or may mean several things.
 */
export function needsOfTask(kind: TaskKind, name: string): Need[] | undefined {
  // Storages of a name with this ending are one folder.
  if (name.includes('.balance')) return undefined
  for (const [form, needs] of FORMS[kind]) {
    const parts = partsOf(name, form)
    if (parts !== undefined) return needs(...parts)
  }
  return undefined
}

/** @returns The texts in the place of the stars; `undefined` where there are none, or several. */
function partsOf(text: string, form: string): string[] | undefined {
  const [start = '', ...marks] = form.split('*')
  const end = marks.pop() ?? ''
  if (!text.startsWith(start) || !text.endsWith(end)) return undefined
  const inner = text.slice(start.length, text.length - end.length)
  const shortest = splitAtFirst(inner, marks)
  const longest = splitAtLast(inner, marks)
  return shortest?.every((part, i) => part === longest?.[i]) === true ? shortest : undefined
}

/** Splits a text at the first place of each mark. */
function splitAtFirst(text: string, marks: readonly string[]): string[] | undefined {
  const parts: string[] = []
  let from = 0
  for (const mark of marks) {
    const to = text.indexOf(mark, from)
    if (to === -1) return undefined
    parts.push(text.slice(from, to))
    from = to + mark.length
  }
  return [...parts, text.slice(from)]
}

/** Splits a text at the last place of each mark. */
function splitAtLast(text: string, marks: readonly string[]): string[] | undefined {
  const parts: string[] = []
  let to = text.length
  for (const mark of marks.toReversed()) {
    // From a place before the beginning, it would search at the beginning.
    const from = to < mark.length ? -1 : text.lastIndexOf(mark, to - mark.length)
    if (from === -1) return undefined
    parts.push(text.slice(from + mark.length, to))
    to = from
  }
  return [...parts, text.slice(0, to)].toReversed()
}
