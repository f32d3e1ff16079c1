import { not, or, sql } from 'drizzle-orm'
import { begunWithPasskey } from '../../core/access/begun-with-names.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { logEvictions } from '../sign-in/evictions.ts'
import { passGate, tooManyAttempts } from '../../core/throttle/gate.ts'
import { type AuditEvent, insertEvent } from '../../core/audit/events.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { hashName } from '../../core/crypto/key-ring.ts'
import { passkeyMethods } from '../../core/access/sign-in-methods.ts'
import { signInDetail } from '../../core/audit/sign-in-detail.ts'
import { newSession, signSession } from '../sign-in/new-session.ts'
import { evictSessions, selectLacksRoom, withRoom } from '../sign-in/session-limit.ts'
import { insertSession } from '../sign-in/store.ts'
import { isKnownNetwork } from '../../core/throttle/known-networks.ts'
import { refusalParts } from '../../core/throttle/refused.ts'
import { isSignInOpen, selectSignInBlocks } from '../../core/throttle/blocks.ts'
import { chargeSignIn } from '../../core/throttle/charges.ts'
import { noteSignInStop } from '../../core/throttle/stops.ts'
import { signInCounters, type SignInCounters } from '../../core/throttle/counters.ts'
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

const METHODS = ['passkey'] as const

/**
 * Signs a user in with a passkey, in one read and one write transaction. The challenge, the counter
 * of the passkey and the session change together or not at all.
 *
 * A refusal is counted as a wrong password is, but never for a network that the owner has lately
 * signed in from: a stranger there could otherwise lock the owner out, and signatures can't be
 * guessed.
 *
 * @returns The token.
 * @throws {Refusal} `passkeyRefused`, `tooManyAttempts`.
 */
export async function signInWithPasskey(
  deps: Deps,
  shown: ShownPasskey,
  client: Client,
): Promise<string> {
  const tokenSeconds = deps.tokenSeconds()
  await passGate(deps, client)
  const ceremony = await openOrRefuse(deps, shown, client)
  const found = await selectCredential(
    deps.db,
    credentialIdOf(shown.answer),
    shown.relyingParty.rpId,
    deps.now(),
  )
  const [credential] = found
  const nameHash = await hashOwner(deps, credential, shown)
  const signIn = signInCounters(credential?.username ?? '', nameHash, client.network)
  const attempt: Attempt = { ceremony, credential, nameHash, signIn, now: deps.now(), client }
  try {
    const checked = await checkAnswer(shown, ceremony, credential)
    return await begin(deps, { ...attempt, ...checked, tokenSeconds })
  } catch (error) {
    // The passkey was right.
    if (error instanceof Refusal && error.refusal === 'tooManySessions') throw error
    const reason = logPasskeyRefusal(error, client, credential?.userId)
    if (reason === 'counter' && credential) await reportClone(deps, ceremony, credential, client)
    throw await refuse(deps, attempt)
  }
}

/** A sign-in whose credential was looked up. */
interface Attempt {
  ceremony: Ceremony
  credential: Credential | undefined
  /** Keyed hash of the owner's name, or of the id of a passkey that nobody has. */
  nameHash: string
  /** The counters of the owner and the network. */
  signIn: SignInCounters
  /** Unix time, milliseconds. */
  now: number
  client: Client
}

/** An attempt with a right answer. */
interface CheckedAttempt extends Attempt, CheckedAnswer {
  credential: Credential
  tokenSeconds: number
}

async function openOrRefuse(
  deps: Deps,
  { session }: ShownPasskey,
  client: Client,
): Promise<Ceremony> {
  try {
    return await openCeremony(deps, 'assertion', session)
  } catch (error) {
    logPasskeyRefusal(error, client)
    throw new Refusal('passkeyRefused')
  }
}

async function hashOwner(
  deps: Pick<Deps, 'keyRing'>,
  credential: Credential | undefined,
  { answer }: ShownPasskey,
): Promise<string> {
  const name = credential?.username ?? `passkey/${credentialIdOf(answer)}`
  return hashName(await deps.keyRing(), name)
}

/** @throws {PasskeyError} When nothing was written; {Refusal} `tooManyAttempts`. */
async function begin(deps: Deps, attempt: CheckedAttempt): Promise<string> {
  const { db } = deps
  const { ceremony, credential, assertion, signIn, now, client, tokenSeconds } = attempt
  const ring = await deps.keyRing()
  const session = newSession(deps, credential.userId, now, tokenSeconds)
  const isOpen = or(isKnownNetwork(signIn, now), isSignInOpen(signIn, now))
  const { accepted, parts } = await answerAcceptance(
    deps,
    THE_SERVICE,
    ceremony,
    attempt,
    isOpen,
    now,
  )
  const event: AuditEvent = {
    ...client,
    at: now,
    kind: 'sign_in',
    userId: credential.userId,
    detail: signInDetail({ methods: METHODS }),
  }
  const mayBegin = withRoom(accepted, credential.userId, now)
  const { blocks, uses, lacking, inserted, evicted } = await runBatch(db, {
    blocks: selectSignInBlocks(db, signIn, now),
    ...parts,
    lacking: selectLacksRoom(db, accepted, credential.userId, now),
    event: insertEvent(db, mayBegin, event),
    inserted: insertSession(
      db,
      mayBegin,
      session,
      client,
      passkeyMethods(assertion),
      begunWithPasskey(credential.credentialId),
    ),
    ...evictSessions(db, session, event, now),
  })
  if (lacking.length > 0) throw new Refusal('tooManySessions')
  if (inserted.length === 0) refuseUnaccepted(uses, blocks, now)
  logEvent(event)
  logEvictions(event, evicted)
  return signSession(deps, ring, session)
}

/** Counts and records a refused answer. */
async function refuse(
  { db }: Pick<Deps, 'db'>,
  { credential, nameHash, signIn, now, client }: Attempt,
): Promise<Refusal> {
  const isKnown = isKnownNetwork(signIn, now)
  const { known, blocks, charged } = await runBatch(db, {
    known: db
      .select({ isKnown: sql`${isKnown}`.mapWith(Boolean).as('is_known') })
      .from(sql`(select 1)`),
    blocks: selectSignInBlocks(db, signIn, now),
    charged: chargeSignIn(db, THE_SERVICE, signIn, now, not(isKnown)),
    noted: noteSignInStop(db, THE_SERVICE, signIn, now),
  })
  const owner = credential === undefined ? { nameHash } : { userId: credential.userId }
  const refused = { ...client, ...owner, at: now, kind: 'sign_in_refused' as const }
  if (charged.length > 0) {
    const event = { ...refused, detail: 'passkey' as const }
    await runBatch(db, refusalParts(db, THE_SERVICE, event, signIn))
    logEvent(event)
    return new Refusal('passkeyRefused')
  }
  if (known[0]?.isKnown) return new Refusal('passkeyRefused')
  logEvent({ ...refused, detail: 'too many attempts' })
  return tooManyAttempts(blocks, now)
}
