import * as v from 'valibot'
import { type SealDeps, sealedText } from '../../core/crypto/sealed-text.ts'
import type { SessionActor } from '../../core/access/actor.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { newGrantId } from './handles.ts'

/** A proof outlasts the pages between it and the code, and a sign-in. */
export const PROOF_SECONDS = 10 * 60

const proofSchema = v.object({
  /** Random: a proof gives one code. */
  id: v.string(),
  /** Unix time, milliseconds. */
  at: v.number(),
  /** The session and the methods of a proof at that time; without it, a request came then. */
  shown: v.optional(v.object({ userId: v.number(), sessionId: v.string(), amr: v.string() })),
})

/**
 * Added by this site to a request for which the user must prove again who they are: the proof, or
 * the time from which a sign-in counts as one.
 */
export type Proof = v.InferOutput<typeof proofSchema>

type NewProof = Omit<Proof, 'id'>
type SentRequest = Pick<AuthorizationRequest, 'query' | 'proof'>

/** Tells whether a program sets how long ago the user may have proved who they are. */
export function demandsRecentProof(
  request: Pick<AuthorizationRequest, 'prompts' | 'maxAgeSeconds'>,
): boolean {
  return demandsNewProof(request) || request.maxAgeSeconds !== undefined
}

/** Tells whether a program wants a new proof, however recent the last one is. */
export function demandsNewProof({ prompts }: Pick<AuthorizationRequest, 'prompts'>): boolean {
  return prompts.includes('login') || prompts.includes('select_account')
}

/** Returns the query of a request that begins now: a sign-in from now on is a proof for it. */
export async function queryFromNow(deps: SealDeps, request: AuthorizationRequest): Promise<string> {
  if (!demandsRecentProof(request)) return request.query
  return withProof(deps, request, { at: deps.now() })
}

/**
 * Returns the query of a request for which the user of a session has just proved who they are.
 *
 * @param amr The methods that were shown (`access/sign-in-methods.ts`).
 */
export function queryAfterProof(
  deps: SealDeps,
  request: SentRequest,
  { userId, sessionId }: SessionActor,
  amr: string,
): Promise<string> {
  return withProof(deps, request, { at: deps.now(), shown: { userId, sessionId, amr } })
}

async function withProof(deps: SealDeps, request: SentRequest, proof: NewProof): Promise<string> {
  const sealed = await proofText(request).seal(deps, { id: newGrantId(deps), ...proof })
  return `${request.query}&proof=${sealed}`
}

/** @returns `undefined` for none, an old one, and that of another request or another session. */
export async function readProof(
  deps: Pick<SealDeps, 'keyRing' | 'now'>,
  request: SentRequest,
  { userId, sessionId }: SessionActor,
): Promise<Proof | undefined> {
  if (request.proof === undefined) return undefined
  const proof = await proofText(request).open(deps, request.proof)
  if (proof === undefined || proof === 'expired') return undefined
  const { shown } = proof
  const isOfActor =
    shown === undefined || (shown.userId === userId && shown.sessionId === sessionId)
  return isOfActor ? proof : undefined
}

/** A proof is good for one request, whose state and nonce are the program's own. */
function proofText({ query }: SentRequest) {
  return sealedText(`proof for ${query}`, PROOF_SECONDS, proofSchema)
}
