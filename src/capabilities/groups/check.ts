import { sql } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { of, read } from '../../core/access/subject.ts'
import { isEnabledAt } from '../../core/accounts/enabled-at.ts'
import { ADMIN, CHANGES_FILES, isPermitted } from '../../core/accounts/roles.ts'
import { accessAt, type Decided, isAtOrBelow } from './decision.ts'
import { readFolder } from './fields.ts'
import { READS_ALL_RIGHTS } from './seen-rules.ts'
import { wayIn } from './way-in.ts'

/** What a user may do at a folder, and why. */
export interface Checked {
  access: Decided
  /** The id of the rule that names the user and decides; null when none does. */
  rule: number | null
  /** False when the user's base path hides the folder. */
  reach: boolean
  /** The folder with rules that decides, because the path may be another spelling of it. */
  otherSpellingOf?: string
}

/** A folder that was checked. */
export interface CheckedFolder extends Checked {
  path: string
  isAdmin: boolean
  /** Whether the account has access at all: it is not disabled, and has not ended. */
  isEnabled: boolean
  /** Whether the permissions of the user let files be changed at all. */
  canChange: boolean
  /** Whether it is closed to the user, and shown as the way to folders below that are not. */
  isWay: boolean
}

/** @throws {Refusal} Those of `readFolder`; `notAdmin`, `userNotFound`. */
export async function checkFolder(
  deps: ReaderDeps,
  operator: Operator,
  userId: number,
  path: string | undefined,
): Promise<CheckedFolder> {
  const [folder] = await checkFolders(deps, operator, userId, [path])
  if (folder === undefined) throw new TypeError('no answer for a folder')
  return folder
}

/**
 * Works like `checkFolder` for several folders, in one round trip.
 *
 * @throws {Refusal} As `checkFolder`.
 */
export async function checkFolders(
  deps: ReaderDeps,
  operator: Operator,
  userId: number,
  paths: readonly (string | undefined)[],
): Promise<CheckedFolder[]> {
  const folders = paths.map((path) => readFolder(path))
  const { account, seen } = await read(deps, of(operator, userId), {
    seen: deps.db
      .select({ rights: READS_ALL_RIGHTS.column.sql.as('rights') })
      .from(users)
      .where(sql`${users.id} = ${userId}`),
  })
  const { id, role, basePath, permission } = account
  const isAdmin = role === ADMIN
  const isEnabled = isEnabledAt(account, deps.now())
  const canChange = isAdmin || isPermitted(permission, CHANGES_FILES)
  const { seen: rules } = READS_ALL_RIGHTS.read({ id, role }, seen[0]?.rights ?? null)
  return folders.map((path) => {
    const { rule, ...decided } = accessAt(rules, path)
    const reach = isAdmin || isAtOrBelow(path, basePath)
    const isWay = wayIn(rules, path)?.isClosed === true
    return { path, ...decided, rule: rule?.id ?? null, reach, isAdmin, isEnabled, canChange, isWay }
  })
}
