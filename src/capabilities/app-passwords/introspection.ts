import { Refusal } from '../../core/base/refusals.ts'
import { inOneBatch } from '../../core/database/shared-batch.ts'
import type { Answers, Parts } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { of, read } from '../../core/access/subject.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { groupNamesOf } from '../../core/accounts/groups.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { hashAppPassword } from '../../core/access/app-password.ts'
import { isAppPassword } from '../../core/access/app-password-form.ts'
import { noteUse, selectShown } from '../../core/access/app-password-store.ts'
import type { AppPasswordState } from '../../core/access/app-password-state.ts'
import {
  APP_PASSWORD_SCOPES,
  type AppPasswordScope,
  maskPermission,
} from '../../core/access/scopes.ts'
import { actAsService } from '../../core/access/service-tokens.ts'
import { selectAccountOf } from '../../core/access/session-store.ts'
import type { ReadToken, TokenRecord } from '../../core/access/read-token.ts'
import { type SessionClaims, verifyToken } from '../../core/access/token.ts'

/** A token that is in force. */
interface ActiveToken {
  account: Account & { groupNames: string }
  /** Null for a session. */
  appPassword: AppPasswordState | null
  scopes: readonly AppPasswordScope[]
  /** Unix time, seconds. */
  issuedAtSeconds: number
  /** `undefined`: never. */
  expiresAtSeconds: number | undefined
}

type IntrospectionDeps = Pick<Deps, 'db' | 'now' | 'keyRing'>

/**
 * Tells a server whether a session token or an app password is in force, in one round trip.
 *
 * @param readers Read tokens of other kinds.
 * @param serviceTokenHash The credential of the server, with the scope `introspect`.
 * @returns The answer about the token (RFC 7662 section 2.2).
 * @throws {Refusal} `wrongServiceToken`.
 * @see RFC 7662 section 2
 */
export async function introspect(
  deps: IntrospectionDeps & Pick<Deps, 'defer'>,
  readers: readonly ReadToken[],
  serviceTokenHash: string,
  token: string,
): Promise<TokenRecord> {
  const now = deps.now()
  const { db } = deps
  const found = await findToken(deps, readers, token, now, (parts) =>
    actAsService(db, serviceTokenHash, 'introspect', parts),
  )
  if ('active' in found && found.active?.appPassword) {
    const { appPassword, account } = found.active
    noteUse(
      deps,
      { network: undefined, userAgent: '' },
      { ...appPassword, userId: account.id },
      now,
    )
  }
  return recordOf(found)
}

/** Works like `introspect`, for an operator. It counts as no use. @throws {Refusal} `notAdmin`. */
export async function introspectAsOperator(
  deps: IntrospectionDeps & ReaderDeps,
  readers: readonly ReadToken[],
  operator: Operator,
  token: string,
): Promise<TokenRecord> {
  const found = await findToken(deps, readers, token, deps.now(), (parts) =>
    read(deps, of(operator), parts),
  )
  return recordOf(found)
}

/** Returns the statements that find a token. */
function searchesFor(db: Database, claims: SessionClaims | undefined, hash: string, now: number) {
  const shown = { tokenHash: hash, username: undefined, network: undefined }
  return {
    ofSession: claims && selectAccountOf(db, claims, now),
    ofAppPassword: claims === undefined ? selectShown(db, shown, now) : undefined,
  }
}

type Found = { active: ActiveToken | undefined } | { record: TokenRecord }

/** @param run Runs the statements for a caller who may know the answer. */
async function findToken(
  deps: IntrospectionDeps,
  readers: readonly ReadToken[],
  token: string,
  now: number,
  run: (parts: Parts) => Promise<Record<string, unknown>>,
): Promise<Found> {
  const isOurs = isAppPassword(token)
  const claims = isOurs ? undefined : await readClaims(deps, token, now)
  const others = await Promise.all(readers.map((reader) => reader(deps, token, now)))
  const [{ ofSession, ofAppPassword }, ...records] = await inOneBatch(run, (batch) => [
    batch.add(searchesFor(deps.db, claims, hashAppPassword(token), now)),
    ...others.map(async (search) => search?.(batch)),
  ])
  const record = records.find((found) => found !== undefined)
  if (record !== undefined) return { record }
  return { active: activeToken(claims, ofSession?.[0], ofAppPassword?.[0]) }
}

type Searches = Answers<ReturnType<typeof searchesFor>>

function activeToken(
  claims: SessionClaims | undefined,
  session: NonNullable<Searches['ofSession']>[number] | undefined,
  ofAppPassword: NonNullable<Searches['ofAppPassword']>[number] | undefined,
): ActiveToken | undefined {
  if (session !== undefined && claims !== undefined) {
    const { expiresAt, ...account } = session
    const { issuedAtSeconds } = claims
    const scopes = scopesOfSession(account)
    const expiresAtSeconds = toSeconds(expiresAt)
    return { account, scopes, issuedAtSeconds, expiresAtSeconds, appPassword: null }
  }
  const { appPassword = null, ...account } = ofAppPassword ?? {}
  if (appPassword === null || !('id' in account)) return undefined
  const { scopes, createdAt, expiresAt } = appPassword
  return {
    account,
    appPassword,
    scopes,
    issuedAtSeconds: toSeconds(createdAt),
    expiresAtSeconds: expiresAt === null ? undefined : toSeconds(expiresAt),
  }
}

/** A session may do everything that its user may do. */
function scopesOfSession({ role }: Account): readonly AppPasswordScope[] {
  return APP_PASSWORD_SCOPES.filter((scope) => scope !== 'admin' || role === ADMIN)
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

async function readClaims(
  deps: Pick<Deps, 'keyRing'>,
  token: string,
  now: number,
): Promise<SessionClaims | undefined> {
  const ring = await deps.keyRing()
  try {
    return await verifyToken(ring, token, now)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/**
 * Returns the answer about a token.
 *
 * @see RFC 7662 section 2.2
 */
function recordOf(found: Found): TokenRecord {
  if ('record' in found) return found.record
  if (found.active === undefined) return { active: false }
  const { account, scopes, issuedAtSeconds, expiresAtSeconds } = found.active
  return {
    active: true,
    sub: account.sub,
    username: account.username,
    scope: scopes.join(' '),
    ...(expiresAtSeconds !== undefined && { exp: expiresAtSeconds }),
    iat: issuedAtSeconds,
    token_type: 'Bearer',
    base_path: account.basePath,
    permission: maskPermission(account.permission, scopes),
    role: account.role,
    groups: groupNamesOf(account.role, account.groupNames),
  }
}
