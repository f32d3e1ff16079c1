import { Refusal } from '../../core/base/refusals.ts'
import type { Answers } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import type { ActorDeps } from '../../core/access/act-as.ts'
import { actAsOperator, type Operator } from '../../core/access/operators.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { hashAppPassword, isAppPassword } from '../../core/access/app-password.ts'
import {
  type AppPasswordState,
  noteUse,
  selectShown,
} from '../../core/access/app-password-store.ts'
import {
  APP_PASSWORD_SCOPES,
  type AppPasswordScope,
  maskPermission,
} from '../../core/access/scopes.ts'
import { actAsService } from '../../core/access/service-tokens.ts'
import { selectAccountOf } from '../../core/access/session-store.ts'
import {
  selectByAccessToken,
  type ShownAccessToken,
  type SignedInUser,
} from '../openid/grant-store.ts'
import { readAccessToken } from '../openid/token.ts'
import { type SessionClaims, verifyToken } from '../../core/access/token.ts'

/** A token that is in force. */
interface ActiveToken {
  account: Account
  /** Null for a session. */
  appPassword: AppPasswordState | null
  scopes: readonly AppPasswordScope[]
  /** Unix time, seconds. */
  issuedAtSeconds: number
  /** `undefined`: never. */
  expiresAtSeconds: number | undefined
}

/** An access token of a program that is in force. */
interface ProgramToken {
  ofProgram: SignedInUser
}

type IntrospectionDeps = Pick<Deps, 'db' | 'now' | 'keyRing'>

/**
 * Tells a server whether a session token or an app password is in force, in one round trip.
 *
 * @param serviceTokenHash The credential of the server, with the scope `introspect`.
 * @returns `undefined` for a token that is not in force, for whatever reason.
 * @throws {Refusal} `wrongServiceToken`.
 * @see RFC 7662 section 2
 */
export async function introspect(
  deps: IntrospectionDeps & Pick<Deps, 'defer'>,
  serviceTokenHash: string,
  token: string,
): Promise<ActiveToken | ProgramToken | undefined> {
  const now = deps.now()
  const { db } = deps
  const found = await findToken(deps, token, now, (parts) =>
    actAsService(db, serviceTokenHash, 'introspect', parts),
  )
  if (found !== undefined && 'appPassword' in found && found.appPassword) {
    const used = { ...found.appPassword, userId: found.account.id }
    noteUse(deps, { network: undefined, userAgent: '' }, used, now)
  }
  return found
}

/** Works like `introspect`, for an operator. It counts as no use. @throws {Refusal} `notAdmin`. */
export function introspectAsOperator(
  deps: IntrospectionDeps & ActorDeps,
  operator: Operator,
  token: string,
): Promise<ActiveToken | ProgramToken | undefined> {
  return findToken(deps, token, deps.now(), (parts) => actAsOperator(deps, operator, parts))
}

/** Returns the statements that find a token. */
function searchesFor(
  db: Database,
  claims: SessionClaims | undefined,
  hash: string,
  shownAccess: ShownAccessToken | undefined,
  now: number,
) {
  const shown = { tokenHash: hash, username: undefined, network: undefined }
  return {
    ofSession: claims && selectAccountOf(db, claims, now),
    ofAppPassword: claims === undefined ? selectShown(db, shown, now) : undefined,
    ofProgram: shownAccess && selectByAccessToken(db, shownAccess, now),
  }
}

type Searches = ReturnType<typeof searchesFor>

/** @param run Runs the statements for a caller who may know the answer. */
async function findToken(
  deps: IntrospectionDeps,
  token: string,
  now: number,
  run: (parts: Searches) => Promise<Answers<Searches>>,
): Promise<ActiveToken | ProgramToken | undefined> {
  const isOurs = isAppPassword(token)
  const claims = isOurs ? undefined : await readClaims(deps, token, now)
  const shownAccess = await readAccessToken(token)
  const { ofSession, ofAppPassword, ofProgram } = await run(
    searchesFor(deps.db, claims, hashAppPassword(token), shownAccess, now),
  )
  const [signedIn] = ofProgram ?? []
  if (signedIn !== undefined) return { ofProgram: signedIn }
  const session = ofSession?.[0]
  if (session !== undefined && claims !== undefined) {
    const { expiresAt, ...account } = session
    const { issuedAtSeconds } = claims
    const scopes = scopesOfSession(account)
    const expiresAtSeconds = toSeconds(expiresAt)
    return { account, scopes, issuedAtSeconds, expiresAtSeconds, appPassword: null }
  }
  const { appPassword = null, ...account } = ofAppPassword?.[0] ?? {}
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
export function introspectionRecord(token: ActiveToken | ProgramToken | undefined) {
  if (token === undefined) return { active: false }
  if ('ofProgram' in token) return programRecord(token.ofProgram)
  const { account, scopes, issuedAtSeconds, expiresAtSeconds } = token
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
  }
}

/**
 * An access token of a program tells that program who signed in. It gives no access to files, so
 * its record has neither a role nor a folder: a file server that accepts every active token learns
 * of no folder.
 */
function programRecord(user: SignedInUser) {
  return {
    active: true,
    aud: user.clientId,
    client_id: user.clientId,
    sub: user.sub,
    username: user.username,
    scope: user.scope,
    exp: toSeconds(user.expiresAt),
    iat: toSeconds(user.grantedAt),
    token_type: 'Bearer',
    permission: 0,
  }
}
