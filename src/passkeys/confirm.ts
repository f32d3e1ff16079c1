import { and } from 'drizzle-orm'
import { eventOf, insertEvent, logEvent } from '../audit/events.ts'
import { asAuthority } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../base/refusals.ts'
import { actAs, type SessionActor, type ActorDeps } from '../access/act-as.ts'
import { type Method, passkeyMethods } from '../access/methods.ts'
import { confirmSessionWhen, isLive } from '../access/session-store.ts'
import {
  chargeProof,
  clearCounter,
  isProofOpen,
  passkeyCounter,
  selectProofBlocks,
  tooManyAttempts,
} from '../throttle/throttle.ts'
import { checkAnswer, credentialIdOf, type ShownPasskey } from './shown-passkey.ts'
import { challengeUse } from './challenge-use.ts'
import { reportClone } from './clones.ts'
import { PasskeyError } from './reasons.ts'
import { logPasskeyRefusal } from './refusal-log.ts'
import { type Ceremony, openCeremony } from './session-text.ts'
import {
  claimChallenge,
  type Credential,
  isClaimed,
  isCurrent,
  markUsed,
  selectCredential,
  selectUse,
} from './store.ts'

type ConfirmDeps = ActorDeps & Pick<Deps, 'keyRing' | 'randomBytes'>

/**
 * Makes the session of a signed-in user fresh with a passkey of the same user.
 *
 * @returns The methods that it counts as.
 * @throws {Refusal} `wrongConfirmationPasskey`; `tooManyAttempts` after too many of them.
 */
export async function confirmWithPasskey(
  deps: ConfirmDeps,
  actor: SessionActor,
  shown: ShownPasskey,
): Promise<Method[]> {
  let ceremony: Ceremony | undefined
  let credential: Credential | undefined
  try {
    ceremony = await openCeremony(deps, 'assertion', shown.session)
    const { found } = await actAs(deps, actor, {
      found: selectCredential(deps.db, credentialIdOf(shown.answer), shown.relyingParty.rpId),
    })
    credential = found.find(({ userId }) => userId === actor.userId)
    return await confirm(deps, actor, ceremony, await checkAnswer(shown, ceremony, credential))
  } catch (error) {
    const reason = logPasskeyRefusal(error, actor, actor.userId)
    if (reason === 'counter' && ceremony && credential)
      await reportClone(deps, ceremony, credential, actor)
    throw await refuse(deps, actor)
  }
}

async function confirm(
  deps: ConfirmDeps,
  actor: SessionActor,
  ceremony: Ceremony,
  { credential, assertion }: Awaited<ReturnType<typeof checkAnswer>>,
): Promise<Method[]> {
  const { db } = deps
  const now = deps.now()
  const use = await challengeUse(deps, ceremony)
  const counter = passkeyCounter(actor.userId)
  const methods = passkeyMethods(assertion)
  const mayConfirm = and(isCurrent(db, credential, assertion), isProofOpen(db, counter, now))
  const by = asAuthority(isClaimed(db, use))
  const { uses, blocks, confirmed } = await actAs(deps, actor, {
    uses: selectUse(db, use),
    blocks: selectProofBlocks(db, counter, now),
    claimed: claimChallenge(db, isLive(db, actor, now), use, mayConfirm),
    used: markUsed(db, by, credential, assertion, ceremony.userId === undefined, now),
    cleared: clearCounter(db, by, counter),
    confirmed: confirmSessionWhen(db, by, actor, methods, now),
  })
  if (confirmed.length > 0) return methods
  if (uses.length > 0) throw new PasskeyError('challenge used')
  if (blocks.length > 0) throw tooManyAttempts(blocks, now)
  throw new PasskeyError('changed')
}

/** Counts and records a refused passkey of a signed-in user. */
async function refuse(deps: ConfirmDeps, actor: SessionActor): Promise<Refusal> {
  const { db } = deps
  const now = deps.now()
  const counter = passkeyCounter(actor.userId)
  const by = isLive(db, actor, now)
  const event = eventOf(actor, 'proof_refused', now, 'passkey')
  const { blocks, charged } = await actAs(deps, actor, {
    blocks: selectProofBlocks(db, counter, now),
    // Stands before the charge, which can spend the counter.
    event: insertEvent(db, by, event, isProofOpen(db, counter, now)),
    charged: chargeProof(db, by, counter, now),
  })
  if (charged.length === 0) {
    logEvent({ ...event, detail: 'too many passkeys' })
    return tooManyAttempts(blocks, now)
  }
  logEvent(event)
  return new Refusal('wrongConfirmationPasskey')
}
