import { and, eq, inArray, lt, lte, or, sql } from 'drizzle-orm'
import * as base64url from 'jose/base64url'
import { SignJWT } from 'jose/jwt/sign'
import { openidClients, openidLogouts } from '../../../schema/tables.ts'
import { literal } from '../../core/database/literal.ts'
import { runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import { signingKey, selectSigningKeys, type StoredSigningKey } from './keys.ts'

export const MAX_LOGOUT_ATTEMPTS = 5
const BATCH = 20
const TIMEOUT_MILLISECONDS = 5000
const TOKEN_SECONDS = 120
/** After the first failure; eight times as long after each one. The five take 20 hours. */
const PAUSE_MILLISECONDS = 2 * 60_000
const JTI_BYTES = 16

export type LogoutDeps = Pick<
  Deps,
  'db' | 'now' | 'keyRing' | 'isolateMemory' | 'randomBytes' | 'sendOut'
>

/**
 * Tells clients which sessions have ended. The triggers of migration 0011 have written that in the
 * transaction that ended the session. What fails stays for the run every five minutes. An attempt
 * counts before it is made, also when D1 then fails. It takes one round trip to D1 when nobody is
 * to be told.
 *
 * @returns The number of logouts that were tried.
 * @see https://openid.net/specs/openid-connect-backchannel-1_0.html
 */
export async function sendLogouts(deps: LogoutDeps): Promise<number> {
  const { db } = deps
  const now = deps.now()
  const { clientId, sessionId, sub, issuer, attempts } = openidLogouts
  const isDue = sql`(${clientId}, ${sessionId}) in ${selectDue(db, now).limit(BATCH)}`
  const due = await writing(db, THE_SERVICE)
    .update(openidLogouts, { attempts: sql`${attempts} + 1`, triedAt: now }, isDue)
    .returning({ clientId, sessionId, sub, issuer })
  if (due.length === 0) return 0
  const { clients, keys } = await runBatch(db, {
    clients: db
      .select({ id: openidClients.id, uri: openidClients.logoutUri })
      .from(openidClients)
      .where(
        inArray(
          openidClients.id,
          due.map((logout) => logout.clientId),
        ),
      ),
    keys: selectSigningKeys(db, now),
  })
  const delivered = await Promise.all(
    due.map(async (logout) => {
      const uri = clients.find(({ id }) => id === logout.clientId)?.uri
      return !uri || (await tell(deps, keys, uri, logout)) ? [logout] : []
    }),
  )
  const done = delivered
    .flat()
    .map((logout) => and(eq(clientId, logout.clientId), eq(sessionId, logout.sessionId)))
  if (done.length > 0) await writing(db, THE_SERVICE).delete(openidLogouts, or(...done))
  return due.length
}

/** Selects one logout that is due, if there is any. */
export function selectAnyLogout(db: Database, now: number) {
  return selectDue(db, now).limit(1)
}

/** Selects the logouts that are due, those first that nobody has tried. */
function selectDue(db: Database, now: number) {
  const { clientId, sessionId, attempts, triedAt } = openidLogouts
  const pause = sql`(${literal(PAUSE_MILLISECONDS / 8)} << (3 * ${attempts}))`
  return db
    .select({ clientId, sessionId })
    .from(openidLogouts)
    .where(
      and(
        lt(attempts, MAX_LOGOUT_ATTEMPTS),
        // The shortest pause, by the index.
        lte(triedAt, now - PAUSE_MILLISECONDS),
        sql`${triedAt} <= ${now} - ${pause}`,
      ),
    )
    .orderBy(triedAt)
}

/** Works like `sendLogouts`, for all that are due. */
export async function sendAllLogouts(deps: LogoutDeps): Promise<void> {
  while ((await sendLogouts(deps)) === BATCH) continue
}

interface Logout {
  clientId: string
  sessionId: string
  /** The `sub` of the user; empty when the account was deleted before. */
  sub: string
  /** The issuer that the client knows. */
  issuer: string
}

/** @returns Whether the client has taken the logout. */
async function tell(
  deps: LogoutDeps,
  keys: readonly StoredSigningKey[],
  uri: string,
  { clientId, sessionId, sub, issuer }: Logout,
): Promise<boolean> {
  const { kid, key } = await signingKey(deps, keys)
  const nowSeconds = Math.floor(deps.now() / 1000)
  const token = await new SignJWT({
    sid: sessionId,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', kid })
    .setIssuer(issuer)
    .setAudience(clientId)
    .setSubject(sub)
    .setJti(base64url.encode(deps.randomBytes(JTI_BYTES)))
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + TOKEN_SECONDS)
    .sign(key)
  try {
    const body = new URLSearchParams({ logout_token: token })
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS)
    const { status } = await deps.sendOut(uri, { method: 'POST', body, signal }, 'any')
    // 400 means that the client knows no such session.
    return status === 200 || status === 204 || status === 400
  } catch {
    return false
  }
}
