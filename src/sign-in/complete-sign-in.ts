import { type AuditEvent, insertEvent, logEvent } from '../audit/events.ts'
import { runBatch, THE_SERVICE } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import type { Client } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { methodText } from '../access/methods.ts'
import { signToken } from '../access/token.ts'
import { needsCode } from '../two-factor/second-factor.ts'
import { prepareSignInCode } from '../two-factor/sign-in-code.ts'
import { newSession } from './new-session.ts'
import type { CheckedAttempt } from './sign-in.ts'
import { refusalParts, type RefusedSignIn } from '../throttle/refused.ts'
import { insertSession, isUnchanged, replacePasswordHash } from './store.ts'
import { payBack, payBackSignIn, tooManyAttempts } from '../throttle/throttle.ts'

/**
 * Completes a sign-in in one transaction. The session is written only when the account is still
 * unchanged since the check and the code, if the user has a second factor, was used up for this
 * session. Without a session there is no token.
 *
 * @returns The token.
 * @throws {Refusal} `wrongCredentials` when the account has changed since the check; `wrongCode`;
 *   `tooManyAttempts` after too many wrong codes, for the right code as well.
 */
export async function completeSignIn(
  deps: Deps,
  checked: CheckedAttempt,
  code: string,
  client: Client,
  tokenSeconds: number,
): Promise<string> {
  const { db } = deps
  const { user, signIn, rehash, now } = checked
  const ring = await deps.keyRing()
  const session = newSession(deps, user.id, now, tokenSeconds)
  const { sessionId } = session
  const about: AuditEvent = { ...client, at: now, kind: 'sign_in', userId: user.id }
  const isStill = isUnchanged(db, user)
  const use = needsCode(user)
    ? await prepareSignInCode(deps, isStill, user, { code, sessionId, event: about })
    : undefined
  const methods = use === undefined ? (['pwd'] as const) : (['pwd', use.method] as const)
  const event = { ...about, detail: methodText(methods) }
  const by = use?.by ?? isStill
  const { blocks, inserted } = await runBatch(db, {
    blocks: use?.blocks,
    consumed: use?.consumed,
    charged: use?.charged,
    cleared: use?.cleared,
    usedEvent: use?.usedEventInsert,
    paidBack: payBackSignIn(db, by, signIn),
    event: insertEvent(db, by, event),
    inserted: insertSession(db, by, session, client, methods),
    // The password was right, so the hash is replaced even when no session begins.
    rehashed: rehash && replacePasswordHash(db, THE_SERVICE, user.id, rehash),
    resealed: use?.resealed,
  })
  if (inserted.length === 0) {
    // Without a code, the session is missing only when the account changed after the check.
    if (blocks === undefined) throw new Refusal('wrongCredentials')
    throw await refuseCode(deps, checked, blocks, event)
  }
  if (use?.usedEvent) logEvent(use.usedEvent)
  logEvent(event)
  return signToken(ring, { ...session, bookmark: deps.meter.bookmark })
}

/** Records a sign-in with a wrong code, or with any code while codes are blocked. */
async function refuseCode(
  { db }: Pick<Deps, 'db'>,
  { signIn, now }: CheckedAttempt,
  blocks: { expiresAt: number }[],
  event: AuditEvent,
): Promise<Refusal> {
  const refused: RefusedSignIn = { ...event, kind: 'sign_in_refused', detail: 'code' }
  if (blocks.length > 0) {
    logEvent({ ...refused, detail: 'too many codes' })
    await payBack(db, THE_SERVICE, signIn.counters)
    return tooManyAttempts(blocks, now)
  }
  logEvent(refused)
  await runBatch(db, refusalParts(db, THE_SERVICE, refused, signIn))
  return new Refusal('wrongCode')
}
