import { and, eq, gt, inArray, isNotNull, isNull, notExists, sql } from 'drizzle-orm'
import { auditEvents, sessions, settings, sshKeys, users } from '../../../schema/tables.ts'
import { eventRow } from '../../audit/events.ts'
import type { Database } from '../../deps.ts'
import { EVENT_RETENTION_MILLISECONDS } from '../../nightly-run.ts'
import { COMMAND_LINE } from '../../access/operators.ts'
import { ADMIN, GUEST } from '../../accounts/roles.ts'
import type { OldKey } from './keys.ts'
import type { SiteState } from './plan.ts'

/** The row of an account. */
export interface AccountRow {
  id: number
  username: string
  usernameKey: string
  /** PHC string. */
  passwordHash: string | null
  passwordChangedAt: number
  role: number
  permission: number
  basePath: string
  disabled: boolean
  ssoId: string
  /** Sealed. */
  totpSeed: string | null
}

/** The row of a key, with its owner. */
export interface KeyRow extends OldKey {
  userId: number
  usernameKey: string
}

export async function selectSiteState(db: Database, now: number): Promise<SiteState> {
  const [locals, events, changed] = await db.batch([
    db
      .select({
        id: users.id,
        usernameKey: users.usernameKey,
        role: users.role,
        isUntouched: sql`${isUntouched(db, now)}`.mapWith(Boolean).as('is_untouched'),
      })
      .from(users),
    db
      .select({ userId: auditEvents.userId })
      .from(auditEvents)
      .where(isNotNull(auditEvents.userId))
      .groupBy(auditEvents.userId),
    db.select({ key: settings.key }).from(settings),
  ])
  return {
    users: locals,
    eventUserIds: events.flatMap(({ userId }) => userId ?? []),
    settings: changed.map(({ key }) => key),
  }
}

/** Inserts accounts; skips an account whose name or id is taken. */
export function insertAccounts(db: Database, rows: AccountRow[], now: number) {
  const row = db
    .select({
      id: member('id').as('id'),
      username: member('username').as('username'),
      usernameKey: member('usernameKey').as('username_key'),
      passwordHash: member('passwordHash').as('password_hash'),
      passwordChangedAt: member('passwordChangedAt').as('password_changed_at'),
      role: member('role').as('role'),
      permission: member('permission').as('permission'),
      basePath: member('basePath').as('base_path'),
      disabled: member('disabled').as('disabled'),
      ssoId: member('ssoId').as('sso_id'),
      totpSeed: member('totpSeed').as('totp_seed'),
      totpStep: sql`0`.as('totp_step'),
      pendingTotpSeed: sql`null`.as('pending_totp_seed'),
      pendingTotpExpiresAt: sql`0`.as('pending_totp_expires_at'),
      createdAt: sql`${now}`.as('created_at'),
      totpSession: sql`null`.as('totp_session'),
    })
    .from(jsonRows(rows))
    // Without a condition, SQLite parses "on conflict" as part of a join.
    .where(sql`true`)
  return db.insert(users).select(row).onConflictDoNothing()
}

/**
 * Replaces a built-in account, if nobody has used it since the plan was made. The guest never signs
 * in and keeps the name from here.
 */
export function replaceBuiltIn(db: Database, row: AccountRow, now: number) {
  const { id, username, usernameKey, role, ...change } = row
  return db
    .update(users)
    .set({ ...change, ...(role === ADMIN && { username }), createdAt: now })
    .where(
      and(
        eq(users.id, id),
        eq(users.usernameKey, usernameKey),
        eq(users.role, role),
        isUntouched(db, now),
      ),
    )
}

/** Inserts keys, only for accounts that this import has created or replaced. */
export function insertKeys(db: Database, rows: KeyRow[], now: number) {
  const row = db
    .select({
      id: sql`null`.as('id'),
      userId: users.id,
      title: member('title').as('title'),
      fingerprint: member('fingerprint').as('fingerprint'),
      type: member('type').as('type'),
      bits: member('bits').as('bits'),
      line: member('line').as('line'),
      addedAt: member('addedAt').as('added_at'),
      lastUsedAt: member('lastUsedAt').as('last_used_at'),
    })
    .from(jsonRows(rows))
    .innerJoin(
      users,
      and(
        eq(users.id, member('userId')),
        eq(users.usernameKey, member('usernameKey')),
        eq(users.createdAt, now),
      ),
    )
    .orderBy(sql`json_each.key`)
  return db.insert(sshKeys).select(row).onConflictDoNothing()
}

/** Inserts events for the admins and the guest that this import has created or replaced. */
export function insertAccountEvents(
  db: Database,
  rows: { userId: number; kind: 'user_made' | 'user_changed' }[],
  now: number,
) {
  const event = eventRow({ at: now, kind: 'user_made', detail: 'by import', ...COMMAND_LINE })
  const row = db
    .select({ ...event, kind: member('kind').as('kind'), userId: users.id })
    .from(jsonRows(rows))
    .innerJoin(users, and(eq(users.id, member('userId')), eq(users.createdAt, now)))
  return db.insert(auditEvents).select(row)
}

/** Selects which of these accounts this import has created or replaced. */
export function selectWritten(db: Database, userIds: number[], now: number) {
  const ids = db.select({ id: sql`value` }).from(jsonRows(userIds))
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, ids), eq(users.createdAt, now)))
}

/**
 * A condition for a built-in account that nobody has signed in to or changed. Events are kept for
 * 90 days, so an older account counts as used.
 */
function isUntouched(db: Database, now: number) {
  return and(
    inArray(users.role, [ADMIN, GUEST]),
    isNull(users.totpSeed),
    gt(users.createdAt, now - EVENT_RETENTION_MILLISECONDS),
    notExists(db.select({ id: sessions.id }).from(sessions).where(eq(sessions.userId, users.id))),
    notExists(
      db.select({ id: auditEvents.id }).from(auditEvents).where(eq(auditEvents.userId, users.id)),
    ),
  )
}

/** Passes any number of rows as one parameter, because D1 takes at most 100. */
function jsonRows(rows: unknown[]) {
  return sql`json_each(${JSON.stringify(rows)})`
}

function member(name: string) {
  return sql`json_each.value ->> ${`$.${name}`}`
}
