import * as v from 'valibot'
import { isAtOrBelow, isCovered, pathAndParents } from './decision.ts'

const idsSchema = v.nullish(v.array(v.number()), null)

/** A meta as OpenList lists it. Its other members are sent back as they are. */
export const metaSchema = v.looseObject({
  id: v.number(),
  path: v.string(),
  read_users: idsSchema,
  read_users_sub: v.optional(v.boolean(), false),
  write_users: idsSchema,
  write_users_sub: v.optional(v.boolean(), false),
})
export type Meta = v.InferOutput<typeof metaSchema>

/** The two lists of a meta: ids there. An empty one admits everybody. */
export interface Lists {
  readonly read: readonly number[]
  readonly write: readonly number[]
}

/** What this site knows of a meta that it has written. */
export interface MetaRecord {
  path: string
  remoteId: number
  /** This site has created it. */
  isOwn: boolean
  /** As last written; `undefined` while a write is under way, or was given up. */
  lists: Lists | undefined
}

/** What the rules want, and what stands at the file server. */
export interface MetaState {
  /** The folders that have rules. */
  folders: readonly string[]
  /** The lists that the rules give a folder. */
  listsAt: (path: string) => Lists
  /** All metas of the file server. */
  metas: readonly Meta[]
  /** Those that this site has written. */
  records: readonly MetaRecord[]
}

export interface MetaWrite {
  path: string
  /** `forget`: the meta is gone there, only its record is left. */
  kind: 'create' | 'update' | 'delete' | 'forget'
  /** The meta there; `undefined` for `create` and `forget`. */
  meta: Meta | undefined
  /** What it says besides its lists, in the place of what it said. */
  said?: Said
  /** Its lists after the write. `undefined` for lists that are of no rule any more: both empty. */
  lists: Lists | undefined
  /** Whether this site has created the meta, or does so now. */
  isOwn: boolean
  /** Somebody else has changed what was written. */
  isDrift: boolean
  /** Tells whether it changes what a user there may do. */
  changes: (remoteId: number) => boolean
}

export interface MetaPlan {
  /** In their order: what takes rights away stands before what gives some. */
  writes: MetaWrite[]
  /**
   * The writes of folders that have lists of OpenList's own in them, which nobody has adopted: a
   * rule was made while the file server was away.
   */
  blocked: MetaWrite[]
}

const NO_LISTS: Lists = { read: [], write: [] }

/** What a meta says besides its lists, and the member that makes it hold for all below. */
const SAYINGS = [
  ['password', 'p_sub'],
  ['hide', 'h_sub'],
  ['write', 'w_sub'],
  ['readme', 'r_sub'],
  ['header', 'header_sub'],
] as const

/** Members of a meta besides its lists. */
type Said = Readonly<Record<string, unknown>>

/** Plans what has to be written to the file server. */
export function planMetas(state: MetaState): MetaPlan {
  const { folders, metas, records } = state
  const recordAt = new Map(records.map((record) => [record.path, record]))
  const metaAt = new Map(metas.map((meta) => [meta.path, meta]))
  const ruled = new Set(folders)
  const saidAbove = sayingAbove(metaAt, recordAt)
  const created = folders.filter((path) => !metaAt.has(path))
  const gone = records.filter(({ path }) => !metaAt.has(path) && !ruled.has(path))
  const planned = [
    ...created.map((path) => creation(state, path, recordAt.get(path), saidAbove(path))),
    ...metas.flatMap((meta) => {
      const record = recordAt.get(meta.path)
      const above = saidAbove(meta.path)
      if (!isCovered(ruled, meta.path))
        return record === undefined ? [] : release(meta, record, above)
      return covering(state, meta, record, above, ruled.has(meta.path))
    }),
    ...gone.map(forgetting),
  ]
  const foreign = listForeignIn('/', state)
  const shut = folders.filter((folder) => foreign.some(({ path }) => isAtOrBelow(path, folder)))
  const isBlocked = ({ path }: MetaWrite) => shut.some((folder) => isAtOrBelow(path, folder))
  const writes = planned.filter((write) => !isBlocked(write))
  return { writes: inOrder(writes, metas), blocked: planned.filter(isBlocked) }
}

/**
 * Lists the metas at and below a folder whose lists are OpenList's own: this site has written
 * neither them nor a folder with rules above them.
 */
export function listForeignIn(
  folder: string,
  state: Pick<MetaState, 'folders' | 'metas' | 'records'>,
): Meta[] {
  const recorded = new Set(state.records.map(({ path }) => path))
  const ruled = new Set(state.folders)
  const isOurs = (path: string) =>
    recorded.has(path) ||
    pathAndParents(path).some((parent) => ruled.has(parent) && recorded.has(parent))
  return state.metas.filter(
    (meta) => isAtOrBelow(meta.path, folder) && hasLists(meta) && !isOurs(meta.path),
  )
}

function hasLists({ read_users: readers, write_users: writers }: Meta): boolean {
  return (readers?.length ?? 0) > 0 || (writers?.length ?? 0) > 0
}

/** Returns the whole record that a write sends: what is missing, OpenList takes for empty. */
export function recordOf({ meta, said, lists, path }: MetaWrite): Record<string, unknown> {
  const { read, write } = lists ?? NO_LISTS
  return {
    ...meta,
    ...said,
    path,
    read_users: read,
    read_users_sub: lists !== undefined,
    write_users: write,
    write_users_sub: lists !== undefined,
  }
}

/**
 * Tells what the metas above a folder say of it: OpenList asks the nearest meta alone, so one that
 * this site makes would take a password away. One of those above that says nothing itself, and was
 * made by this site, hides nothing of what is said above it.
 */
function sayingAbove(
  metaAt: ReadonlyMap<string, Meta>,
  recordAt: ReadonlyMap<string, MetaRecord>,
): (path: string) => Said {
  return (path) => {
    const found = new Map<string, unknown>()
    const open = new Set(SAYINGS)
    for (const parent of pathAndParents(path).slice(1)) {
      const meta = metaAt.get(parent)
      if (meta === undefined) continue
      for (const saying of open) {
        const [name, forAllBelow] = saying
        if (!meta[name]) continue
        open.delete(saying)
        if (meta[forAllBelow] === true) found.set(name, meta[name]).set(forAllBelow, true)
      }
      if (recordAt.get(parent)?.isOwn !== true) break
    }
    return Object.fromEntries(found)
  }
}

/**
 * Plans the writes of metas of this site that have taken over what a meta above them said, and what
 * is not said there any more.
 *
 * @param state As it is now.
 * @param before The meta above, as it was.
 */
export function planFollowing(state: MetaState, before: Meta): MetaWrite[] {
  const { folders, metas, records } = state
  const recordAt = new Map(records.map((record) => [record.path, record]))
  const saidAbove = sayingAbove(new Map(metas.map((meta) => [meta.path, meta])), recordAt)
  const ruled = new Set(folders)
  return metas.flatMap((meta) => {
    const { path } = meta
    const isOwn = recordAt.get(path)?.isOwn === true && isCovered(ruled, path)
    if (!isOwn || path === before.path || !isAtOrBelow(path, before.path)) return []
    const above = saidAbove(path)
    const old = SAYINGS.filter(
      ([name, forAllBelow]) =>
        before[forAllBelow] === true &&
        Boolean(before[name]) &&
        meta[name] === before[name] &&
        meta[name] !== above[name],
    )
    if (old.length === 0) return []
    const said = Object.fromEntries(
      old.flatMap(([name, forAllBelow]) => [
        [name, above[name] ?? (typeof before[name] === 'boolean' ? false : '')],
        [forAllBelow, above[name] !== undefined],
      ]),
    )
    const rest = { isOwn, isDrift: false, changes: () => false }
    const lists = { read: meta.read_users ?? [], write: meta.write_users ?? [] }
    return [{ path, kind: 'update', meta, said, lists, ...rest }]
  })
}

/** Returns what a meta lacks of what is said above it. What it says itself stays. */
function lackOf(meta: Meta, above: Said): Said {
  const lacking = SAYINGS.filter(([name]) => !meta[name] && above[name] !== undefined)
  return Object.fromEntries(
    lacking.flatMap(([name, forAllBelow]) => [
      [name, above[name]],
      [forAllBelow, true],
    ]),
  )
}

function creation(
  state: MetaState,
  path: string,
  record: MetaRecord | undefined,
  above: Said,
): MetaWrite {
  const lists = state.listsAt(path)
  return {
    path,
    kind: 'create',
    meta: undefined,
    said: above,
    lists,
    isOwn: true,
    isDrift: record?.lists !== undefined,
    changes: changesOf(record, inForce(state.metas, path), lists),
  }
}

/** Writes a meta at or below a folder with rules, and ends one of ours that says nothing more. */
function covering(
  state: MetaState,
  meta: Meta,
  record: MetaRecord | undefined,
  above: Said,
  hasRules: boolean,
): MetaWrite[] {
  const { path } = meta
  const lists = state.listsAt(path)
  const said = record?.isOwn === true ? lackOf(meta, above) : {}
  const update = {
    path,
    kind: 'update' as const,
    meta,
    said,
    lists,
    isOwn: record?.isOwn ?? false,
    isDrift: record?.lists !== undefined && !isWritten(meta, record.lists),
    changes: changesOf(record, inForce([meta], path), lists),
  }
  const isSaid = Object.keys(said).length === 0
  const isDone = isWritten(meta, lists) && record?.lists !== undefined && isSaid
  const isOver = record?.isOwn === true && !hasRules && isOnlyLists(meta, above)
  return [...(isDone ? [] : [update]), ...(isOver ? [deletion(meta)] : [])]
}

/** The last rule is gone: everybody may again, and an empty meta that this site has made goes. */
function release(meta: Meta, record: MetaRecord, above: Said): MetaWrite[] {
  const changes = changesOf(record, inForce([meta], meta.path), NO_LISTS)
  if (record.isOwn && isOnlyLists(meta, above)) return [{ ...deletion(meta), changes }]
  const rest = { lists: undefined, isOwn: record.isOwn, isDrift: false, changes }
  return [{ path: meta.path, kind: 'update', meta, ...rest }]
}

function deletion(meta: Meta): MetaWrite {
  const rest = { lists: undefined, isOwn: true, isDrift: false, changes: () => false }
  return { path: meta.path, kind: 'delete', meta, ...rest }
}

function forgetting({ path, isOwn }: MetaRecord): MetaWrite {
  const rest = { meta: undefined, lists: undefined, isDrift: false, changes: () => false }
  return { path, kind: 'forget', isOwn, ...rest }
}

const LIST_MEMBERS = new Set([
  'id',
  'path',
  'read_users',
  'read_users_sub',
  'write_users',
  'write_users_sub',
])

/** Tells whether a meta says nothing but who may read and write, and what is said above it. */
function isOnlyLists(meta: Meta, above: Said): boolean {
  return Object.entries(meta).every(
    ([name, value]) => LIST_MEMBERS.has(name) || !value || value === above[name],
  )
}

/**
 * Returns the lists in force at a path, and those in force below it: without `_sub`, a list guards
 * its own folder only.
 */
function inForce(metas: readonly Meta[], path: string): Lists[] {
  const nearest = nearestOf(metas, path)
  if (nearest === undefined) return [NO_LISTS]
  const at = { read: nearest.read_users ?? [], write: nearest.write_users ?? [] }
  const below = {
    read: nearest.read_users_sub ? at.read : [],
    write: nearest.write_users_sub ? at.write : [],
  }
  return nearest.path === path ? [at, below] : [below]
}

function nearestOf(metas: readonly Meta[], path: string): Meta | undefined {
  const metaAt = new Map(metas.map((meta) => [meta.path, meta]))
  const nearest = pathAndParents(path).find((parent) => metaAt.has(parent))
  return nearest === undefined ? undefined : metaAt.get(nearest)
}

function isWritten(meta: Meta, lists: Lists): boolean {
  return (
    meta.read_users_sub &&
    meta.write_users_sub &&
    isSame(meta.read_users ?? [], lists.read) &&
    isSame(meta.write_users ?? [], lists.write)
  )
}

/** Whether two lists name the same ids, in any order. */
export function isSame(one: readonly number[], other: readonly number[]): boolean {
  const ids = new Set(one)
  return ids.size === new Set(other).size && other.every((id) => ids.has(id))
}

/** After a write that was given up, OpenList may keep any lists in memory. */
function changesOf(
  record: MetaRecord | undefined,
  before: readonly Lists[],
  after: Lists,
): MetaWrite['changes'] {
  if (record !== undefined && record.lists === undefined) return () => true
  const sets = [...before, after].map(({ read, write }) => [new Set(read), new Set(write)])
  return (id) => {
    const [first, ...others] = sets.map(([read, write]) => [admits(read, id), admits(write, id)])
    return others.some((rights) => rights.some((right, index) => right !== first?.[index]))
  }
}

function admits(list: ReadonlySet<number> | undefined, id: number): boolean {
  return list === undefined || list.size === 0 || list.has(id)
}

/** Whether a list admits somebody whom the other one does not. */
function isWider(list: readonly number[], than: readonly number[]): boolean {
  if (than.length === 0) return false
  const ids = new Set(than)
  return list.length === 0 || list.some((id) => !ids.has(id))
}

/**
 * Sorts writes so that nobody has meanwhile what neither the old nor the new lists give: what takes
 * away first, then what gives, and the end of metas that say nothing more. A new meta stands before
 * the writes of those above it that are in force at its path until then, and an old one ends after
 * those above it.
 */
function inOrder(writes: MetaWrite[], metas: readonly Meta[]): MetaWrite[] {
  const there = new Set(metas.map(({ path }) => path))
  const ranks = new Map(
    writes.filter(hasLater).map((write) => [write.path, rankOf(write, metas)] as const),
  )
  const keyOf = (write: MetaWrite) => {
    const { kind, path } = write
    if (kind === 'create') {
      const parents = pathAndParents(path)
      const nearest = parents.findIndex((parent) => there.has(parent))
      const above = nearest === -1 ? parents : parents.slice(0, nearest + 1)
      const rank = Math.min(...above.map((parent) => ranks.get(parent) ?? Infinity))
      return [rank, 0, -path.length]
    }
    return [rankOf(write, metas), 1, path.length]
  }
  return writes
    .map((write) => ({ write, key: keyOf(write) }))
    .toSorted((a, b) => compare(a.key, b.key))
    .map(({ write }) => write)
}

/** Whether a meta is there after a write. */
function hasLater({ kind }: MetaWrite): boolean {
  return kind === 'create' || kind === 'update'
}

function rankOf({ kind, path, lists, meta }: MetaWrite, metas: readonly Meta[]): number {
  if (kind === 'delete' || kind === 'forget') return 2
  const after = lists ?? NO_LISTS
  const takes = inForce(meta === undefined ? metas : [meta], path).some(
    (before) => isWider(before.read, after.read) || isWider(before.write, after.write),
  )
  return takes ? 0 : 1
}

function compare(a: readonly number[], b: readonly number[]): number {
  const place = a.findIndex((number, index) => number !== b[index])
  return place === -1 ? 0 : (a[place] ?? 0) - (b[place] ?? 0)
}
