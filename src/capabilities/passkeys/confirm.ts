import { eventOf, insertEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { tooManyAttempts } from '../../core/throttle/gate.ts'
import type { Deps } from '../../core/deps.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { SessionActor } from '../../core/access/act-as.ts'
import { act, change, type ChangeDeps, own } from '../../core/access/subject.ts'
import { type Method, passkeyMethods } from '../../core/access/sign-in-methods.ts'
import { confirmSessionWhen } from '../../core/access/session-store.ts'
import { areOpen, selectBlocks } from '../../core/throttle/blocks.ts'
import { chargeUnspent, clearCounter } from '../../core/throttle/charges.ts'
import { passkeyCounter } from '../../core/throttle/counters.ts'
import { noteStop } from '../../core/throttle/stops.ts'
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

type ConfirmDeps = ChangeDeps & Pick<Deps, 'keyRing' | 'randomBytes'>

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
    const { found } = await act(deps, own(actor), { confirms: true }, ({ now }) => ({
      found: selectCredential(deps.db, id, shown.relyingParty.rpId, now),
    }))
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
  const counter = passkeyCounter(actor)
  const methods = passkeyMethods(answer.assertion)
  const { uses, blocks, confirmed, now } = await act(
    deps,
    own(actor),
    { confirms: true },
    async ({ now: at, by }) => {
      const isOpen = areOpen([counter], at)
      const { accepted, parts } = await answerAcceptance(deps, by, ceremony, answer, isOpen, at)
      return {
        blocks: selectBlocks(db, [counter], at),
        ...parts,
        cleared: clearCounter(db, accepted, counter),
        confirmed: confirmSessionWhen(db, accepted, actor, methods, at),
      }
    },
  )
  if (confirmed.length > 0) return methods
  return refuseUnaccepted(uses, blocks, now)
}

/** Counts and records a refused passkey of a signed-in user. */
async function refuse(deps: ConfirmDeps, actor: SessionActor): Promise<Refusal> {
  const { db } = deps
  const counter = passkeyCounter(actor)
  const { blocks, charged, now } = await change(
    deps,
    own(actor),
    { kind: 'proof_refused', detail: 'passkey', confirms: true },
    ({ now: at, by, event }) => ({
      blocks: selectBlocks(db, [counter], at),
      // Stands before the charge, which can spend the counter.
      event: insertEvent(db, by, event, areOpen([counter], at)),
      charged: chargeUnspent(db, by, [counter], at),
      noted: noteStop(db, by, counter, actor.userId, at),
    }),
  )
  if (charged.length > 0) return new Refusal('wrongConfirmationPasskey')
  logEvent(eventOf(actor, 'proof_refused', now, 'too many passkeys'))
  return tooManyAttempts(blocks, now)
}
