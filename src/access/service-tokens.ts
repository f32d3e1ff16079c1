import { and, eq, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import * as base64url from 'jose/base64url'
import { serviceTokens } from '../../schema/tables.ts'
import { type AuditEvent, afterChange, insertEvent } from '../audit/events.ts'
import type { Database, Deps } from '../deps.ts'
import { sha256Hex } from '../base/encoding.ts'
import { Refusal } from '../base/refusals.ts'
import { COMMAND_LINE } from './operators.ts'

const TOKEN_BYTES = 32
/** Tells scanners of public code what they have found. */
const PREFIX = 'latchkey_'

/**
 * What a server may ask: for keys, which anybody may see, or whether a password is right. A server
 * that signs users in by key only must not be able to try passwords.
 */
const SCOPES = ['sftp:keys', 'sftp:passwords'] as const

type Scope = (typeof SCOPES)[number]

/** What an operator may write: `sftp` is short for both. */
export const SCOPE_NAMES = [...SCOPES, 'sftp'] as const

export type ScopeName = (typeof SCOPE_NAMES)[number]

/** A list of scopes as it is stored and shown: sorted, with a blank between two. */
export function scopeText(names: readonly ScopeName[]): string {
  const scopes = names.flatMap((name): readonly Scope[] => (name === 'sftp' ? SCOPES : [name]))
  return SCOPES.filter((scope) => scopes.includes(scope)).join(' ')
}

/**
 * Makes a credential for a server.
 *
 * @returns The token, which is not stored and never shown again; `undefined` when the name is
 *   taken.
 */
export async function addServiceToken(
  deps: Pick<Deps, 'db' | 'now' | 'randomBytes'>,
  name: string,
  ...scopes: [ScopeName, ...ScopeName[]]
): Promise<string | undefined> {
  const token = PREFIX + base64url.encode(deps.randomBytes(TOKEN_BYTES))
  const now = deps.now()
  const event: AuditEvent = { ...COMMAND_LINE, at: now, kind: 'service_token_made', detail: name }
  const [inserted] = await deps.db.batch([
    deps.db
      .insert(serviceTokens)
      .values({
        name,
        scope: scopeText(scopes),
        tokenHash: await sha256Hex(token),
        createdAt: now,
      })
      .onConflictDoNothing()
      .returning({ id: serviceTokens.id }),
    insertEvent(deps.db, event, afterChange),
  ])
  return inserted.length === 0 ? undefined : token
}

export function listServiceTokens(db: Database) {
  return db
    .select({
      name: serviceTokens.name,
      scope: serviceTokens.scope,
      createdAt: serviceTokens.createdAt,
    })
    .from(serviceTokens)
    .orderBy(serviceTokens.name)
}

/** @returns Whether there was one of that name. */
export async function deleteServiceToken(
  deps: Pick<Deps, 'db' | 'now'>,
  name: string,
): Promise<boolean> {
  const event: AuditEvent = {
    ...COMMAND_LINE,
    at: deps.now(),
    kind: 'service_token_ended',
    detail: name,
  }
  const [deleted] = await deps.db.batch([
    deps.db
      .delete(serviceTokens)
      .where(eq(serviceTokens.name, name))
      .returning({ id: serviceTokens.id }),
    insertEvent(deps.db, event, afterChange),
  ])
  return deleted.length > 0
}

/**
 * Acts for a server in one round trip: its credential is checked and `statements` run in the same
 * D1 transaction. A statement that writes carries `isService` in its condition.
 *
 * @throws {Refusal} `wrongServiceToken`.
 */
export async function actAsService<Statements extends BatchItem<'sqlite'>[]>(
  db: Database,
  tokenHash: string,
  scope: Scope,
  ...statements: Statements
): Promise<BatchResponse<Statements>> {
  const [found, ...results] = await db.batch([isService(db, tokenHash, scope), ...statements])
  if (found.length === 0) throw new Refusal('wrongServiceToken')
  return results
}

/** The row of a credential that has a scope; in `exists`, a condition for statements that write. */
export function isService(db: Database, tokenHash: string, scope: Scope) {
  const hasScope = sql`instr(' ' || ${serviceTokens.scope} || ' ', ${` ${scope} `}) > 0`
  return db
    .select({ id: serviceTokens.id })
    .from(serviceTokens)
    .where(and(eq(serviceTokens.tokenHash, tokenHash), hasScope))
}
