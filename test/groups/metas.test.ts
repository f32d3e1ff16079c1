import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pathAndParents } from '../../src/capabilities/groups/decision.ts'
import {
  isSame,
  type Lists,
  type Meta,
  type MetaRecord,
  type MetaState,
  type MetaWrite,
  planMetas,
  recordOf,
} from '../../src/capabilities/groups/metas.ts'

const IDS = [1, 2, 3, 4]
const PATHS = ['/', '/a', '/a/b', '/a/b/c', '/a/d', '/e']
/** A path of each folder, and one below it that has no meta. */
const PLACES = PATHS.flatMap((path) => [path, `${path === '/' ? '' : path}/file`])
const NO_LISTS: Lists = { read: [], write: [] }

const indexOf = (path: string) => PATHS.indexOf(path)
const anyLists = fc.record({ read: fc.subarray(IDS), write: fc.subarray(IDS) })
const oneForEach = <Value>(value: fc.Arbitrary<Value>) =>
  fc.array(value, { minLength: PATHS.length, maxLength: PATHS.length })

/** Any rules, metas and records. */
const anyState = fc
  .record({
    folders: fc.subarray(PATHS),
    wanted: oneForEach(anyLists),
    there: oneForEach(anyLists),
    subs: oneForEach(fc.boolean()),
    has: fc.subarray(PATHS),
    readmes: fc.subarray(PATHS),
    recorded: fc.subarray(PATHS),
    unknown: fc.subarray(PATHS),
    own: fc.subarray(PATHS),
  })
  .map((parts): MetaState => ({
    folders: parts.folders,
    // Below a folder with rules, the rules of the nearest such folder hold.
    listsAt: (path) => {
      const folder = pathAndParents(path).find((each) => parts.folders.includes(each))
      return parts.wanted[indexOf(folder ?? '')] ?? NO_LISTS
    },
    metas: parts.has.map((path) =>
      meta(path, {
        read_users: parts.there[indexOf(path)]?.read ?? [],
        write_users: parts.there[indexOf(path)]?.write ?? [],
        read_users_sub: parts.subs[indexOf(path)] ?? true,
        write_users_sub: parts.subs[indexOf(path)] ?? true,
        readme: parts.readmes.includes(path) ? 'x' : '',
      }),
    ),
    records: parts.recorded.map((path) => ({
      path,
      remoteId: indexOf(path) + 1,
      isOwn: parts.own.includes(path),
      lists: parts.unknown.includes(path) ? undefined : parts.there[indexOf(path)],
    })),
  }))

function meta(path: string, fields: Partial<Meta> = {}): Meta {
  const none = { read_users: [], read_users_sub: false, write_users: [], write_users_sub: false }
  return { id: indexOf(path) + 1, path, ...none, password: '', readme: '', ...fields }
}

/** The metas after a write. */
function after(metas: readonly Meta[], write: MetaWrite): Meta[] {
  const others = metas.filter(({ path }) => path !== write.path)
  if (write.kind === 'delete' || write.kind === 'forget') return others
  return [...others, { ...meta(write.path), ...recordOf(write) }]
}

/** The records after a write. */
function recorded(records: readonly MetaRecord[], write: MetaWrite): MetaRecord[] {
  const { path, isOwn, lists } = write
  const others = records.filter((record) => record.path !== path)
  return lists === undefined ? others : [...others, { path, remoteId: 1, isOwn, lists }]
}

/** Who may read and write where, by the nearest meta. */
function rights(metas: readonly Meta[]): Set<string> {
  const admitted = PLACES.flatMap((place) =>
    IDS.flatMap((id) =>
      (['read', 'write'] as const)
        .filter((right) => isAdmitted(metas, id, place, right))
        .map((right) => `${id} ${right} ${place}`),
    ),
  )
  return new Set(admitted)
}

function isAdmitted(metas: readonly Meta[], id: number, place: string, right: 'read' | 'write') {
  const nearest = pathAndParents(place)
    .map((each) => metas.find(({ path }) => path === each))
    .find((found) => found !== undefined)
  const users = nearest?.[`${right}_users`] ?? []
  const covers = nearest?.path === place || nearest?.[`${right}_users_sub`] === true
  return users.length === 0 || users.includes(id) || !covers
}

/** Lists who has meanwhile what neither the old nor the new metas give. */
function tooMuchMeanwhile({ metas, ...state }: MetaState): string[] {
  const { writes } = planMetas({ ...state, metas })
  const steps = [[...metas]]
  for (const write of writes) steps.push(after(steps.at(-1) ?? [], write))
  const allowed = new Set([...rights(metas), ...rights(steps.at(-1) ?? [])])
  return steps.flatMap((step) => Array.from(rights(step)).filter((each) => !allowed.has(each)))
}

/** Lists what is wrong after all writes, and what would be written again. */
function wrongAtTheEnd(state: MetaState) {
  const { writes, blocked } = planMetas(state)
  const metas = writes.reduce(after, [...state.metas])
  const records = writes.reduce(recorded, [...state.records])
  const isBlocked = new Set(blocked.map(({ path }) => path))
  const wrong = metas.filter((each) => {
    const isRuled = pathAndParents(each.path).some((path) => state.folders.includes(path))
    const { read, write } = state.listsAt(each.path)
    const isRight = isSame(each.read_users ?? [], read) && isSame(each.write_users ?? [], write)
    return isRuled && !isBlocked.has(each.path) && !isRight
  })
  return [...planMetas({ ...state, metas, records }).writes, ...wrong]
}

describe('the writes of metas, for any state', () => {
  test('give nobody meanwhile what neither the old nor the new lists give', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        expect(tooMuchMeanwhile(state)).toEqual([])
      }),
    )
    expect.hasAssertions()
  })

  test('leave nothing to write, and what the rules want where they hold', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        expect(wrongAtTheEnd(state)).toEqual([])
      }),
    )
    expect.hasAssertions()
  })
})
