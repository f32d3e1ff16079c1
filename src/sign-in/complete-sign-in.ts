import { not, sql } from 'drizzle-orm'
import * as base64url from 'jose/base64url'
import { type AuditEvent, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import type { Client } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { type NewSession, signToken } from '../access/token.ts'
import { readSecondFactor } from '../two-factor/second-factor.ts'
import { resealSeed } from '../two-factor/sealed.ts'
import { consumeSecondFactor, isUsedFor, replaceSeed } from '../two-factor/store.ts'
import type { CheckedAttempt } from './sign-in.ts'
import { insertRefusal, type RefusedSignIn } from '../throttle/refused.ts'
import { hasBegun, insertSession, replacePasswordHash } from './store.ts'
import {
  chargeProof,
  clearCounter,
  codeCounter,
  isProofOpen,
  payBack,
  payBackSignIn,
  selectProofBlocks,
  tooManyAttempts,
} from '../throttle/throttle.ts'

const SESSION_ID_BYTES = 16

/**
 * Settles a sign-in in one transaction. The session is written only together with all it rests on:
 * the code is used up, and the account is still what was checked. What can't be written leaves no
 * session, and so no token.
 *
 * @returns The token.
 * @throws {Refusal} `wrongCode`; `tooManyAttempts` after too many wrong codes, for the right one as
 *   well.
 */
export async function settle(
  deps: Deps,
  { user, signIn, rehash, now }: CheckedAttempt,
  code: string,
  client: Client,
  tokenSeconds: number,
): Promise<string> {
  const { db } = deps
  const ring = await deps.keyRing()
  const session = newSession(deps, user.id, now, tokenSeconds)
  const begun = hasBegun(db, session)
  const event: AuditEvent = { ...client, at: now, kind: 'sign_in', userId: user.id }
  const wrongCode: RefusedSignIn = { ...event, kind: 'sign_in_refused', detail: 'code' }
  const rest = [
    payBackSignIn(db, signIn, begun),
    insertEvent(db, event, begun),
    ...(rehash === undefined ? [] : [replacePasswordHash(db, user.id, rehash)]),
  ]

  if (user.totpSeed === null) {
    const [inserted] = await db.batch([insertSession(db, user, session, client), ...rest])
    // Only a change of the account between the two round trips can have kept the session out.
    if (inserted.length === 0) throw new Refusal('wrongCredentials')
  } else {
    const enrolled = { id: user.id, totpSeed: user.totpSeed }
    const factor = await readSecondFactor(ring, enrolled, code, now)
    const usedCode: AuditEvent = { ...event, kind: 'recovery_code_used' }
    const resealed =
      factor.kind === 'time step' ? await resealSeed(deps, ring, user.totpSeed, user.id) : undefined
    const proof = codeCounter(user.id)
    const usedRecoveryCode = factor.kind === 'recovery code' ? begun : sql`false`
    const { sessionId } = session
    const [blocks, , inserted] = await db.batch([
      selectProofBlocks(db, proof, now),
      consumeSecondFactor(db, enrolled, factor, isProofOpen(db, proof, now), sessionId),
      insertSession(db, user, session, client, isUsedFor(db, enrolled, factor, sessionId)),
      // One transaction: of codes sent at once, too, each sees what those before it were charged.
      chargeProof(db, proof, now, not(begun)),
      clearCounter(db, proof, begun),
      insertEvent(db, usedCode, usedRecoveryCode),
      ...rest,
      ...(resealed === undefined ? [] : [replaceSeed(db, enrolled, resealed, begun)]),
    ])
    if (blocks.length > 0) {
      logEvent({ ...wrongCode, detail: 'too many codes' })
      await payBack(db, signIn.counters)
      throw tooManyAttempts(blocks, now)
    }
    if (inserted.length === 0) {
      logEvent(wrongCode)
      await db.batch(insertRefusal(db, wrongCode, signIn))
      throw new Refusal('wrongCode')
    }
    if (factor.kind === 'recovery code') logEvent(usedCode)
  }
  logEvent(event)
  return signToken(ring, { ...session, bookmark: deps.meter.bookmark })
}

function newSession(
  deps: Pick<Deps, 'randomBytes'>,
  userId: number,
  now: number,
  tokenSeconds: number,
): NewSession {
  const issuedAtSeconds = Math.floor(now / 1000)
  const sessionId = base64url.encode(deps.randomBytes(SESSION_ID_BYTES))
  return { sessionId, userId, issuedAtSeconds, expiresAtSeconds: issuedAtSeconds + tokenSeconds }
}
