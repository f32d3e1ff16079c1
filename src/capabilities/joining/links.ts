import * as base64url from 'jose/base64url'
import { sha256Hex } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** The purposes of links. */
export const LINK_KINDS = ['invitation', 'reset', 'email'] as const

export type LinkKind = (typeof LINK_KINDS)[number]

/** The state of a link in lists. An unused link is `ended` in whatever way it died. */
export type LinkState = 'live' | 'used' | 'ended'

const SECRET_BYTES = 32
const SECRET = /^[\w-]{43}$/

/** The lifetimes of links: the default, and the longest. */
export const LIFETIMES = {
  invitation: { milliseconds: 7 * DAY_MILLISECONDS, maxDays: 365 },
  /** One that an operator hands over. */
  reset: { milliseconds: DAY_MILLISECONDS, maxDays: 7 },
  /** One that is mailed to who has forgotten the password. */
  mailedReset: { milliseconds: 30 * 60 * 1000, maxDays: 1 },
  email: { milliseconds: DAY_MILLISECONDS, maxDays: 1 },
} as const

/** Makes the secret of a link, of which only the hash is stored. */
export async function newSecret(
  deps: Pick<Deps, 'randomBytes'>,
): Promise<{ secret: string; tokenHash: string }> {
  const secret = base64url.encode(deps.randomBytes(SECRET_BYTES))
  return { secret, tokenHash: await sha256Hex(secret) }
}

/**
 * A use of a link: the hash of its secret, and a random text that names the request, so that only
 * the statements of this request find the link used.
 */
export interface LinkUse {
  kind: LinkKind
  tokenHash: string
  usedBy: string
}

/** @throws {Refusal} `linkInvalid` for a text that is no secret of a link. */
export async function linkUse(
  deps: Pick<Deps, 'randomBytes'>,
  kind: LinkKind,
  secret: string,
): Promise<LinkUse> {
  if (!SECRET.test(secret)) throw new Refusal('linkInvalid')
  const usedBy = base64url.encode(deps.randomBytes(16))
  return { kind, tokenHash: await sha256Hex(secret), usedBy }
}

/**
 * Returns when a link ends.
 *
 * @param wanted Unix time, milliseconds; nothing for the usual time.
 * @throws {Refusal} `invalidBody` for a time that is over or too far.
 */
export function endOfLink(
  kind: 'invitation' | 'reset',
  wanted: number | undefined,
  now: number,
): number {
  const { milliseconds, maxDays } = LIFETIMES[kind]
  if (wanted === undefined) return now + milliseconds
  const reason =
    wanted <= now
      ? ({ code: 'future', values: {} } as const)
      : ({ code: 'linkEnd', values: { days: maxDays } } as const)
  if (wanted > now && wanted <= now + maxDays * DAY_MILLISECONDS) return wanted
  throw new Refusal('invalidBody', { field: 'ends_at', reason })
}
