import * as v from 'valibot'
import type { Deps } from '../deps.ts'
import { openBox, sealBox } from '../crypto/sealed-box.ts'
import type { SessionActor } from '../access/actor.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/** A proof outlasts the pages between it and the code, and a sign-in. */
const PROOF_MILLISECONDS = 10 * 60 * 1000

const proofSchema = v.object({
  /** Unix time, milliseconds. */
  at: v.number(),
  /** Who has proved what at that time; without it, the request came at that time. */
  shown: v.optional(v.object({ userId: v.number(), sessionId: v.string(), amr: v.string() })),
})

/**
 * What stands beside a request for which the user must prove again who they are: that the user has
 * done so, or since when a sign-in counts as doing so.
 */
export type Proof = v.InferOutput<typeof proofSchema>

type Request = Pick<AuthorizationRequest, 'query' | 'proof'>

/** Tells whether a sign-in of the past may not be enough for a request. */
function needsProof({ prompts, maxAgeSeconds }: AuthorizationRequest): boolean {
  return mustProve(prompts) || maxAgeSeconds !== undefined
}

/** Tells whether a program wants a new proof, however short ago the last one was. */
export function mustProve(prompts: readonly string[]): boolean {
  return prompts.includes('login') || prompts.includes('select_account')
}

/** Returns the query of a request that begins now: a sign-in from now on is a proof for it. */
export async function queryFromNow(
  deps: Pick<Deps, 'keyRing' | 'randomBytes' | 'now'>,
  request: AuthorizationRequest,
): Promise<string> {
  if (!needsProof(request)) return request.query
  return withProof(deps, request, { at: deps.now() })
}

/**
 * Returns the query of a request for which the user of a session has just proved who they are.
 *
 * @param amr The methods that were shown (`access/methods.ts`).
 */
export function queryAfterProof(
  deps: Pick<Deps, 'keyRing' | 'randomBytes' | 'now'>,
  request: Request,
  { userId, sessionId }: SessionActor,
  amr: string,
): Promise<string> {
  return withProof(deps, request, { at: deps.now(), shown: { userId, sessionId, amr } })
}

async function withProof(
  deps: Pick<Deps, 'keyRing' | 'randomBytes'>,
  request: Request,
  proof: Proof,
): Promise<string> {
  const bytes = new Uint8Array(new TextEncoder().encode(JSON.stringify(proof)))
  const sealed = await sealBox(deps, await deps.keyRing(), bytes, useOf(request))
  return `${request.query}&proof=${sealed}`
}

/** @returns `undefined` for none, an old one, and that of another request or another session. */
export async function readProof(
  deps: Pick<Deps, 'keyRing' | 'now'>,
  request: Request,
  actor: SessionActor,
): Promise<Proof | undefined> {
  if (request.proof === undefined) return undefined
  const ring = await deps.keyRing()
  const bytes = await openBox(ring, request.proof, useOf(request), 'a proof').catch(() => undefined)
  if (bytes === undefined) return undefined
  const proof = v.parse(proofSchema, JSON.parse(new TextDecoder().decode(bytes)))
  const { at, shown } = proof
  const isOfActor =
    shown === undefined || (shown.userId === actor.userId && shown.sessionId === actor.sessionId)
  return isOfActor && at > deps.now() - PROOF_MILLISECONDS ? proof : undefined
}

/** A proof is good for one request, whose state and nonce are the program's own. */
function useOf({ query }: Request): string {
  return `proof for ${query}`
}
