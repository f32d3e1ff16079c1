import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { GENERAL, GUEST } from '../../core/accounts/roles.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { callAsAdmin, callOrigin, type OriginDeps } from '../files/origin.ts'
import { type FolderRule, type RulesAt, rulesByPath, seenBy, usersOf } from './decision.ts'
import { type Lists, type Meta, metaSchema, type MetaPlan, planMetas } from './metas.ts'
import { readMetaRecords, selectMetaRecords, selectRemoteUsers } from './meta-store.ts'
import type { MetaRecord } from './metas.ts'
import { selectUnderWay } from './requests-under-way.ts'
import {
  type PersonHere,
  readPeople,
  readRules,
  selectFolderState,
  selectPeople,
  selectRules,
} from './store.ts'

export type PlanDeps = OriginDeps & Pick<Deps, 'db' | 'now'>

/** With the longest lists that are meant, an answer stays below what is read of one. */
const METAS_PER_PAGE = 200

const pageSchema = v.object({ content: v.nullable(v.array(metaSchema)), total: v.number() })
const meSchema = v.object({ id: v.number() })

/** The rules, and whom they concern. */
export interface RightsHere {
  /** Of the rules and all that they depend on. */
  version: string
  /** Whether all is in force there that this version asks for, as far as is known. */
  isSettled: boolean
  rules: readonly FolderRule[]
  /** The rules by the paths of their folders. */
  at: RulesAt
  /** The folders that have rules. */
  folders: readonly string[]
  people: readonly PersonHere[]
  records: readonly MetaRecord[]
  /** The users of the file server whom an account acts as. */
  remoteUsers: Awaited<ReturnType<typeof selectRemoteUsers>>
  /** The requests under way whose users' rights were others when they began. */
  underWay: number
}

/** Reads the rules and whom they concern, in one round trip. */
export async function readRightsHere({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<RightsHere> {
  const answers = await runBatch(db, {
    state: selectFolderState(db),
    rules: selectRules(db),
    people: selectPeople(db),
    records: selectMetaRecords(db),
    remoteUsers: selectRemoteUsers(db),
    underWay: selectUnderWay(db, now()),
  })
  const rules = readRules(answers.rules)
  const at = rulesByPath(rules)
  // The first change makes the row.
  const { version = '', written = '' } = answers.state[0] ?? {}
  return {
    version,
    isSettled: version === written,
    rules,
    at,
    folders: Array.from(at.keys()),
    people: readPeople(answers.people, now()),
    records: readMetaRecords(answers.records),
    remoteUsers: answers.remoteUsers,
    underWay: answers.underWay[0]?.count ?? 0,
  }
}

/** The rules, the metas of the file server, and what has to be written. */
export interface Rights extends RightsHere, MetaPlan {
  metas: readonly Meta[]
  /** The id of OpenList's own admin. */
  adminId: number
  /** The lists that the rules give a folder, in ids there. */
  listsAt: (path: string) => Lists
}

/** Tells whether nothing waits but tasks, or shares, that OpenList does not end. */
export function isEnding({ isSettled, writes, blocked, underWay }: Rights): boolean {
  return !isSettled && writes.length + blocked.length + underWay === 0
}

/** @throws {Refusal} `filesUnavailable`, `filesBroken`. */
export async function readRights(deps: PlanDeps, files: FileServer): Promise<Rights> {
  const here = await readRightsHere(deps)
  const [adminId, metas] = await Promise.all([readAdminId(deps, files), listMetas(deps, files)])
  const listsAt = listsOf(here, adminId)
  return { ...here, metas, adminId, listsAt, ...planMetas({ ...here, metas, listsAt }) }
}

/** Lists the metas of the file server. @throws {Refusal} `filesUnavailable`, `filesBroken`. */
export async function listMetas(deps: OriginDeps, files: FileServer): Promise<Meta[]> {
  const metas = new Map<number, Meta>()
  for (let page = 1; ; page++) {
    const path = `/api/admin/meta/list?page=${page}&per_page=${METAS_PER_PAGE}`
    const { code, data } = await callAsAdmin(deps, files, path)
    const parsed = v.safeParse(pageSchema, data)
    if (code !== 200 || !parsed.success)
      throw new Refusal('filesBroken', { detail: 'no list of metas' })
    const { content, total } = parsed.output
    for (const meta of content ?? []) metas.set(meta.id, meta)
    if (page * METAS_PER_PAGE >= total) return Array.from(metas.values())
  }
}

/** OpenList's own admin, and its index, are refused by a list that does not name the admin. */
async function readAdminId(deps: OriginDeps, files: FileServer): Promise<number> {
  const { data } = await callOrigin(deps, files, '/api/me', { token: files.token })
  if (v.is(meSchema, data)) return data.id
  throw new Refusal('filesBroken', { detail: 'the file server refuses FILES_TOKEN' })
}

/**
 * Lists hold accounts as if each were enabled, and none an admin: a list that grew while the guest
 * is disabled, or a user is an admin, would stay so for a moment longer. An admin needs no list.
 */
function asListed(person: PersonHere): PersonHere {
  return person.role === GUEST ? person : { ...person, role: GENERAL }
}

function listsOf({ people, at, remoteUsers }: RightsHere, adminId: number): Rights['listsAt'] {
  const remoteIds = new Map(remoteUsers.map(({ userId, remoteId }) => [userId, remoteId]))
  const known = new Map<string, Lists>()
  const seeing = people.map((person) => ({ id: person.id, seen: seenBy(at, asListed(person)) }))
  const listed = (ids: number[] | undefined) =>
    ids === undefined ? [] : [adminId, ...ids.flatMap((id) => remoteIds.get(id) ?? [])]
  return (path) => {
    const made = known.get(path)
    if (made !== undefined) return made
    const { readers, writers } = usersOf(seeing, path)
    const lists = { read: listed(readers), write: listed(writers) }
    known.set(path, lists)
    return lists
  }
}
