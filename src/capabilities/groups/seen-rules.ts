import { and, eq, type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { folderRules, folderState, groupMembers, users } from '../../../schema/tables.ts'
import type { AccountColumn } from '../../core/access/actor-queries.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { remembered } from '../../core/base/isolate-memory.ts'
import type { Database, Deps } from '../../core/deps.ts'
import {
  ACCESS,
  type Person,
  rulesByPath,
  type RulesAt,
  seenBy,
  type SeenRules,
} from './decision.ts'

/** The rules of one version, which an isolate has read. */
interface KnownRules {
  version: string
  at: RulesAt
}

const rulesMemory = remembered('the folder rules', (): { known?: KnownRules } => ({}))

/** The first change of a rule makes the row. */
function stateOf(column: SQLWrapper): SQL<string> {
  return sql<string>`coalesce((${sql`select ${column} from ${folderState}`}), '')`
}

/** The fields of an account that decide what it may do with files, besides the rules. */
export const standingColumns = {
  role: users.role,
  permission: users.permission,
  basePath: users.basePath,
  disabled: users.disabled,
  endsAt: users.endsAt,
}
type Standing = Pick<Account, keyof typeof standingColumns>

export function isSameStanding(before: Standing, after: Standing): boolean {
  return (
    after.role === before.role &&
    after.permission === before.permission &&
    after.basePath === before.basePath &&
    after.disabled === before.disabled &&
    after.endsAt === before.endsAt
  )
}

/** Holds for the row of an account whose fields are as they were. */
export function hasStanding(before: Standing): SQL | undefined {
  const { role, permission, basePath, disabled, endsAt } = standingColumns
  return and(
    eq(role, before.role),
    eq(permission, before.permission),
    eq(basePath, before.basePath),
    eq(disabled, before.disabled),
    sql`${endsAt} is ${before.endsAt}`,
  )
}

/** Tells whether an account, and the rules, are as they were when a request was let through. */
export function isStillAllowed(
  { account, version }: { account: Standing; version: string | undefined },
  now: (Standing & { version: string }) | undefined,
): boolean {
  return now !== undefined && now.version === version && isSameStanding(account, now)
}

/** Selects the fields of an account, and the version of the rules. */
export function selectStanding(db: Database, userId: number) {
  const version = stateOf(folderState.version).as('version')
  return db
    .select({ version, ...standingColumns })
    .from(users)
    .where(eq(users.id, userId))
}

/**
 * All that decides about the folders of an account: a column of the row of `users`, so it takes no
 * round trip. JSON.
 *
 * @param known The version of the rules that is known; these come without the rules. Triggers give
 *   another random one with every change of a rule (migration 0039).
 */
// Nested, because Drizzle takes the names of tables off the columns of the outer level.
function rightsWithout(known: Placeholder | null): SQL<string | null> {
  const { id, path, access, builtIn, groupId, userId } = folderRules
  const version = stateOf(folderState.version)
  return sql<string | null>`json_object(
    'version', ${version},
    'written', ${stateOf(folderState.written)},
    'groupIds', json((${sql`select json_group_array(${groupMembers.groupId}) from ${groupMembers}
      where ${groupMembers.userId} = ${users.id}`})),
    'rules', iif(${version} <> '' and ${version} = ${known}, null, json((${sql`select json_group_array(
      json_array(${id}, ${path}, ${access}, ${builtIn}, ${groupId}, ${userId})) from ${folderRules}`}))))`
}

const ALL_RIGHTS = rightsWithout(null)
const OTHER_RIGHTS = rightsWithout(sql.placeholder('knownRules'))

const id = v.number()
const ruleSchema = v.pipe(
  v.tuple([
    id,
    v.string(),
    v.picklist(ACCESS),
    v.nullable(v.picklist(['user', 'guest'])),
    v.nullable(id),
    v.nullable(id),
  ]),
  v.transform(([ruleId, path, access, builtIn, groupId, userId]) => ({
    id: ruleId,
    path,
    access,
    builtIn,
    groupId,
    userId,
  })),
)
const rightsSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    version: v.string(),
    written: v.string(),
    groupIds: v.array(id),
    rules: v.nullable(v.array(ruleSchema)),
  }),
)

/** The rules as an account sees them. */
export interface Rights {
  /** Another one after each change of a right. */
  version: string
  /** The version that waits to be written; null when none does. */
  waits: string | null
  hasRules: boolean
  seen: SeenRules
}

/** How the rights of accounts are read. */
export interface RightsReading {
  column: AccountColumn
  /** Reads the value of the column. */
  read: (account: Pick<Person, 'id' | 'role'>, json: string | null) => Rights
}

/** Reads the rules each time. */
export const READS_ALL_RIGHTS: RightsReading = {
  column: { sql: ALL_RIGHTS },
  read: (account, json) => readRights(account, json, undefined).rights,
}

/** Reads the rules that the isolate does not know, and remembers them. */
export function readingRights(deps: Pick<Deps, 'isolateMemory'>): RightsReading {
  const memory = rulesMemory(deps)
  // Another request may replace them before D1 answers, and the answer is about these.
  const { known } = memory
  return {
    column: { sql: OTHER_RIGHTS, given: { knownRules: known?.version ?? null } },
    read: (account, json) => {
      const { rights, rules } = readRights(account, json, known)
      memory.known = rules
      return rights
    },
  }
}

function readRights(
  { id: personId, role }: Pick<Person, 'id' | 'role'>,
  json: string | null,
  known: KnownRules | undefined,
): { rights: Rights; rules: KnownRules } {
  const { version, written, groupIds, rules } = v.parse(rightsSchema, json)
  const at = rules === null ? known?.at : rulesByPath(rules)
  if (at === undefined) throw new TypeError('D1 left out rules that nobody knows')
  const waits = version === written ? null : version
  const seen = seenBy(at, { id: personId, role, groupIds })
  return { rights: { version, waits, hasRules: at.size > 0, seen }, rules: { version, at } }
}
