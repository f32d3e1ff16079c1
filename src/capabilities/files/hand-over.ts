import * as base64url from 'jose/base64url'
import * as v from 'valibot'
import type { SessionActor } from '../../core/access/actor.ts'
import { act, own } from '../../core/access/subject.ts'
import { verifyToken } from '../../core/access/token.ts'
import { challengeUse, claimChallenge } from '../../core/access/used-challenges.ts'
import { sha256Base64Url } from '../../core/base/encoding.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { sealedText } from '../../core/crypto/sealed-text.ts'
import type { Deps } from '../../core/deps.ts'

/** From the redirect of the account's host to the page at the host of the files. */
const LIFETIME_SECONDS = 60

const schema = v.object({ token: v.string(), challenge: v.string(), next: v.string() })

/**
 * A session on its way from the host of the accounts to that of the files. It opens for the browser
 * alone that has asked for it: the challenge is the hash of a secret in a cookie there.
 */
export const handOverCode = sealedText('files hand-over', LIFETIME_SECONDS, schema)

/** Matches a challenge: SHA-256, base64url. */
const CHALLENGE = /^[\w-]{43}$/

export function isChallenge(text: string): boolean {
  return CHALLENGE.test(text)
}

/**
 * Takes a code: in this browser, in time, once, and while its session lives, in one round trip.
 *
 * @param secret That of the cookie; empty without it.
 * @throws {Refusal} `handOverInvalid`.
 */
export async function takeHandOver(
  deps: Deps,
  code: string,
  secret: string,
  client: Client,
): Promise<{ token: string; next: string }> {
  const opened = await handOverCode.open(deps, code)
  if (opened === undefined || opened === 'expired') throw new Refusal('handOverInvalid')
  const { token, challenge, next } = opened
  if (secret === '' || challenge !== (await sha256Base64Url(secret)))
    throw new Refusal('handOverInvalid')
  const now = deps.now()
  const expiresAt = now + LIFETIME_SECONDS * 1000
  const bytes = new Uint8Array(base64url.decode(challenge))
  const use = await challengeUse(deps, { challenge: bytes, expiresAt })
  const claims = await verifyToken(await deps.keyRing(), token, now)
  const actor: SessionActor = { ...claims, ...client }
  // It changes nothing of the account, so it is not counted as a change.
  const { claimed } = await act(deps, own(actor), { ends: true }, ({ by }) => ({
    claimed: claimChallenge(deps.db, by, use),
  }))
  if (claimed.length === 0) throw new Refusal('handOverInvalid')
  return { token, next }
}
