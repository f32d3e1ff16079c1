import { and } from 'drizzle-orm'
import * as base64url from 'jose/base64url'
import { insertEvent } from '../../core/audit/events.ts'
import { asAuthority } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { RelyingParty } from '../../core/base/passkey-site.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { SessionActor } from '../../core/access/act-as.ts'
import { act, change, type ChangeDeps, own } from '../../core/access/subject.ts'
import { passkeyMethods } from '../../core/access/sign-in-methods.ts'
import { toEnrol } from '../../core/access/leniency.ts'
import { strengthenSession } from '../../core/access/session-store.ts'
import { knownTransports, type RegistrationAnswer } from './answer-schemas.ts'
import { tooManyPasskeys } from './begin.ts'
import { type NewCredential, verifyRegistration } from './verification.ts'
import {
  challengeUse,
  claimChallenge,
  isClaimed,
  selectUse,
} from '../../core/access/used-challenges.ts'
import { PasskeyError } from './reasons.ts'
import { logPasskeyRefusal } from './refusal-log.ts'
import { type Ceremony, openCeremony } from './session-text.ts'
import { countPasskeys, hasRoom, insertPasskey, isNewId, MAX_PASSKEYS_PER_USER } from './store.ts'

const DEFAULT_NAME = 'Passkey'

/** An answer that registers a passkey, with the text of its ceremony. */
interface ShownRegistration {
  answer: RegistrationAnswer
  /** The session text of `beginRegistration`, as the client sends it back. */
  session: string
  relyingParty: RelyingParty
  /** The user's name for it, when it was not given before the ceremony began. */
  name?: string
}

type RegistrationDeps = ChangeDeps & Pick<Deps, 'keyRing' | 'randomBytes'>

/**
 * Adds a passkey to the account. The session then counts as begun with it, because the
 * authenticator has just verified the user.
 *
 * @throws {Refusal} `passkeyRefused`, `confirmationNeeded`, `tooManyPasskeys`.
 */
export async function finishRegistration(
  deps: RegistrationDeps,
  session: SessionActor,
  shown: ShownRegistration,
): Promise<void> {
  const actor = toEnrol(session)
  try {
    const ceremony = await openCeremony(deps, 'registration', shown.session)
    const credential = await checkRegistration(actor, shown, ceremony)
    await add(deps, actor, shown, { ceremony, credential })
  } catch (error) {
    logPasskeyRefusal(error, actor, actor.userId)
    // A session that has ended or is not fresh is told that first.
    await act(deps, own(actor), { fresh: true }, () => ({}))
    throw new Refusal('passkeyRefused')
  }
}

async function checkRegistration(
  { userId }: SessionActor,
  { answer, relyingParty }: ShownRegistration,
  ceremony: Ceremony,
): Promise<NewCredential> {
  if (ceremony.userId !== userId) throw new PasskeyError('other user')
  if (answer.rawId !== base64url.encode(answer.id)) throw new PasskeyError('credential id')
  const { clientDataJSON: clientDataJson, attestationObject } = answer.response
  return verifyRegistration(
    { ...relyingParty, challenge: ceremony.challenge },
    { id: answer.id, clientDataJson, attestationObject },
  )
}

async function add(
  deps: RegistrationDeps,
  actor: SessionActor,
  { answer, relyingParty: { rpId }, name: ownName }: ShownRegistration,
  { ceremony, credential }: { ceremony: Ceremony; credential: NewCredential },
): Promise<void> {
  const { db } = deps
  const { userId } = actor
  const name = ownName || ceremony.name || DEFAULT_NAME
  const passkey = {
    ...credential,
    userId,
    rpId,
    name,
    transports: knownTransports(answer.response.transports),
  }
  const use = await challengeUse(deps, ceremony)
  const mayAdd = and(hasRoom(db, userId), isNewId(db, base64url.encode(credential.id)))
  // The new passkey changes what the session may do, so the statements rely on the claim.
  const claimed = asAuthority(isClaimed(db, use))
  const { counted, uses, inserted } = await change(
    deps,
    own(actor),
    { kind: 'passkey_added', detail: name, fresh: true },
    ({ now, by, event }) => ({
      counted: countPasskeys(db, userId),
      uses: selectUse(db, use),
      claimed: claimChallenge(db, by, use, mayAdd),
      event: insertEvent(db, claimed, event),
      strengthened: strengthenSession(db, claimed, actor, passkeyMethods(credential)),
      inserted: insertPasskey(db, claimed, passkey, now),
    }),
  )
  if (inserted.length > 0) return
  if (uses.length > 0) throw new PasskeyError('challenge used')
  if ((counted[0]?.total ?? 0) >= MAX_PASSKEYS_PER_USER) throw tooManyPasskeys()
  throw new PasskeyError('credential taken')
}
