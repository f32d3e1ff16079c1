import { and, eq, exists, not } from 'drizzle-orm'
import * as base64url from 'jose/base64url'
import { serviceTokens } from '../../../schema/tables.ts'
import { type AuditEvent, insertEvent } from '../audit/events.ts'
import {
  type Answers,
  asAuthority,
  type Authority,
  type Parts,
  runBatch,
  runBatchAfter,
  writing,
} from '../database/statements.ts'
import { hasWord } from '../database/words.ts'
import type { Database, Deps } from '../deps.ts'
import { sha256Hex } from '../base/encoding.ts'
import { Refusal } from '../base/refusals.ts'
import { COMMAND_LINE, isOperator } from './operators.ts'

const TOKEN_BYTES = 32
/** Lets scanners of public code recognise the token. */
const PREFIX = 'latchkey_'

/**
 * The scopes of a server: it may ask for keys, which are public, check passwords, ask whether a
 * token is good, or answer LDAP. A server that signs users in by key only must not be able to try
 * passwords.
 */
const SCOPES = ['sftp:keys', 'sftp:passwords', 'introspect', 'ldap'] as const

type Scope = (typeof SCOPES)[number]

/** The scopes for which `sftp` is short. */
const SFTP_SCOPES: readonly Scope[] = ['sftp:keys', 'sftp:passwords']

/** The names that an operator may write. */
export const SCOPE_NAMES = [...SCOPES, 'sftp'] as const

export type ScopeName = (typeof SCOPE_NAMES)[number]

/** Returns a list of scopes as it is stored and shown: sorted and separated by a space. */
export function scopeText(names: readonly ScopeName[]): string {
  const scopes = names.flatMap((name): readonly Scope[] => (name === 'sftp' ? SFTP_SCOPES : [name]))
  return SCOPES.filter((scope) => scopes.includes(scope)).join(' ')
}

/**
 * Creates a credential for a server.
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
  const { db } = deps
  const by = isOperator(db, COMMAND_LINE, now)
  const row = { name, scope: scopeText(scopes), tokenHash: await sha256Hex(token), createdAt: now }
  const isFree = not(hasServiceToken(db, name))
  const { inserted } = await runBatch(db, {
    event: insertEvent(db, by, event, isFree),
    inserted: writing(db, by)
      .insert(serviceTokens, row, { where: isFree })
      .returning({ id: serviceTokens.id }),
  })
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

/** @returns Whether a credential of that name existed. */
export async function deleteServiceToken(
  deps: Pick<Deps, 'db' | 'now'>,
  name: string,
): Promise<boolean> {
  const { db } = deps
  const now = deps.now()
  const event: AuditEvent = { ...COMMAND_LINE, at: now, kind: 'service_token_ended', detail: name }
  const by = isOperator(db, COMMAND_LINE, now)
  const { deleted } = await runBatch(db, {
    event: insertEvent(db, by, event, hasServiceToken(db, name)),
    deleted: writing(db, by)
      .delete(serviceTokens, eq(serviceTokens.name, name))
      .returning({ id: serviceTokens.id }),
  })
  return deleted.length > 0
}

function hasServiceToken(db: Database, name: string) {
  const named = db.select({ id: serviceTokens.id }).from(serviceTokens)
  return exists(named.where(eq(serviceTokens.name, name)))
}

/**
 * Acts for a server in one round trip: its credential is checked and `parts` run in the same D1
 * transaction. A write carries `isService`.
 *
 * @throws {Refusal} `wrongServiceToken`.
 */
export async function actAsService<Named extends Parts>(
  db: Database,
  tokenHash: string,
  scope: Scope,
  parts: Named,
): Promise<Answers<Named>> {
  const first = { found: selectService(db, tokenHash, scope) }
  const [{ found }, answers] = await runBatchAfter(db, first, parts)
  if (found.length === 0) throw new Refusal('wrongServiceToken')
  return answers
}

/** Holds when the credential exists and has the scope. */
export function isService(db: Database, tokenHash: string, scope: Scope): Authority {
  return asAuthority(exists(selectService(db, tokenHash, scope)))
}

/** Selects the name of a credential, for the network of those who sign in through its server. */
export function selectServiceName(db: Database, tokenHash: string) {
  return db
    .select({ name: serviceTokens.name })
    .from(serviceTokens)
    .where(eq(serviceTokens.tokenHash, tokenHash))
}

function selectService(db: Database, tokenHash: string, scope: Scope) {
  return db
    .select({ id: serviceTokens.id })
    .from(serviceTokens)
    .where(and(eq(serviceTokens.tokenHash, tokenHash), hasWord(serviceTokens.scope, scope)))
}
