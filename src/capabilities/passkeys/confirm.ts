import { eventOf, insertEvent, logEvent } from '../../core/audit/events.ts'
import type { Deps } from '../../core/deps.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { type ActorDeps, confirmAs, type SessionActor } from '../../core/access/act-as.ts'
import { type Method, passkeyMethods } from '../../core/access/sign-in-methods.ts'
import { confirmSessionWhen, mayConfirm } from '../../core/access/session-store.ts'
import { areOpen, selectBlocks } from '../../core/throttle/blocks.ts'
import { chargeUnspent, clearCounter } from '../../core/throttle/charges.ts'
import { passkeyCounter } from '../../core/throttle/counters.ts'
import { noteStop } from '../../core/throttle/stops.ts'
import { tooManyAttempts } from '../../core/throttle/requests.ts'
import { answerAcceptance, refuseUnaccepted } from './answer-acceptance.ts'
import {
  checkAnswer,
  type CheckedAnswer,
  credentialIdOf,
  type ShownPasskey,
} from './shown-passkey.ts'
import { reportClone } from './clones.ts'
import { logPasskeyRefusal } from './refusal-log.ts'
import { type Ceremony, openCeremony } from './session-text.ts'
import { type Credential, selectCredential } from './store.ts'

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
    const id = credentialIdOf(shown.answer)
    const { found } = await confirmAs(deps, actor, {
      found: selectCredential(deps.db, id, shown.relyingParty.rpId, deps.now()),
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

/** @throws {PasskeyError} When nothing was written; {Refusal} `tooManyAttempts`. */
async function confirm(
  deps: ConfirmDeps,
  actor: SessionActor,
  ceremony: Ceremony,
  answer: CheckedAnswer,
): Promise<Method[]> {
  const { db } = deps
  const now = deps.now()
  const counter = passkeyCounter(actor)
  const methods = passkeyMethods(answer.assertion)
  const [by, isOpen] = [mayConfirm(db, actor, now), areOpen([counter], now)]
  const { accepted, parts } = await answerAcceptance(deps, by, ceremony, answer, isOpen, now)
  const { uses, blocks, confirmed } = await confirmAs(deps, actor, {
    blocks: selectBlocks(db, [counter], now),
    ...parts,
    cleared: clearCounter(db, accepted, counter),
    confirmed: confirmSessionWhen(db, accepted, actor, methods, now),
  })
  if (confirmed.length > 0) return methods
  return refuseUnaccepted(uses, blocks, now)
}

/** Counts and records a refused passkey of a signed-in user. */
async function refuse(deps: ConfirmDeps, actor: SessionActor): Promise<Refusal> {
  const { db } = deps
  const now = deps.now()
  const counter = passkeyCounter(actor)
  const by = mayConfirm(db, actor, now)
  const event = eventOf(actor, 'proof_refused', now, 'passkey')
  const { blocks, charged } = await confirmAs(deps, actor, {
    blocks: selectBlocks(db, [counter], now),
    // Stands before the charge, which can spend the counter.
    event: insertEvent(db, by, event, areOpen([counter], now)),
    charged: chargeUnspent(db, by, [counter], now),
    noted: noteStop(db, by, counter, actor.userId, now),
  })
  if (charged.length === 0) {
    logEvent({ ...event, detail: 'too many passkeys' })
    return tooManyAttempts(blocks, now)
  }
  logEvent(event)
  return new Refusal('wrongConfirmationPasskey')
}
