import type { SessionClaims } from '../access/token.ts'
import { siteOf } from '../base/network.ts'
import type { LimitName } from './limit-table.ts'

/** A row of `throttle_counters`. */
export interface Counter {
  limit: LimitName
  key: string
  /** The keys of the counters in the row's `parts`. They are charged with it, in one row written. */
  parts?: Parts
}

/** The keys of the counters in a row. */
type Parts = Record<'network' | 'pair', string>

/**
 * Milliseconds for which a charged attempt counts as in flight. An attempt that it keeps out waits
 * for it. After this time its request has failed, and it counts as a failure.
 */
export const IN_FLIGHT_MILLISECONDS = 10_000

/** The counters of one attempt to sign in. */
export interface SignInCounters {
  counters: [site: Counter, account: Counter]
  parts: Parts
  username: string
  network: string
}

/** @param nameHash Keyed hash of the user name. An account of that name need not exist. */
export function signInCounters(
  username: string,
  nameHash: string,
  network: string,
): SignInCounters {
  const parts = { network: `network/${network}`, pair: `pair/${nameHash}/${network}` }
  return {
    counters: [{ ...counter('site', siteOf(network)), parts }, counter('account', nameHash)],
    parts,
    username,
    network,
  }
}

/** The limits that bound what strangers write, with those of a /48. They block no password. */
const LIMIT_OF_SITE = {
  stranger: 'strangers',
  appPassword: 'appPasswords',
  register: 'registers',
  forgotten: 'forgottens',
} as const

/** Returns the counters of a network, and of its /48, for what a stranger causes to be written. */
export function strangerCounters(
  limit: keyof typeof LIMIT_OF_SITE,
  network: string,
): [own: Counter, ...site: Counter[]] {
  const site = siteOf(network)
  const own = counter(limit, network)
  return site === network ? [own] : [own, counter(LIMIT_OF_SITE[limit], site)]
}

/**
 * Returns the counters of mails that confirm an address.
 *
 * @param addressHash Keyed hash: the address itself is not kept.
 */
export function confirmationCounters(userId: number, addressHash: string): Counter[] {
  return [
    counter('confirmMail', String(userId)),
    counter('confirmMails', String(userId)),
    counter('confirmMailsTo', addressHash),
  ]
}

/** Returns the counter of a user's wrong codes at sign-in. */
export function codeCounter(userId: number): Counter {
  return counter('proof', `code/${userId}`)
}

/** The session whose user proves who they are. */
type Session = Pick<SessionClaims, 'userId' | 'sessionId'>

/**
 * Returns the counter of wrong codes in a session. Each session has its own, and sign-ins another
 * one, so that the thief of a token can keep its user from no sign-in, and from no proof in another
 * session. A new session needs a sign-in, so a thief gets no more attempts.
 */
export function sessionCodeCounter({ userId, sessionId }: Session): Counter {
  return counter('proof', `code/${userId}/${sessionId}`)
}

/** Returns the counter of wrong old passwords in a session, as `sessionCodeCounter`. */
export function oldPasswordCounter({ userId, sessionId }: Session): Counter {
  return counter('proof', `old-password/${userId}/${sessionId}`)
}

/** Returns the counter of refused passkeys in a session, as `sessionCodeCounter`. */
export function passkeyCounter({ userId, sessionId }: Session): Counter {
  return counter('proof', `passkey/${userId}/${sessionId}`)
}

/** The beginnings of the keys of what is counted in the sessions of a user. */
export function proofKeysOf(userId: number): string[] {
  return ['code', 'old-password', 'passkey'].map((what) => `proof/${what}/${userId}/`)
}

/**
 * Returns the counter of wrong passwords of one account at one LDAP door. It stands alone: such a
 * door knows no address of its users, so no network is charged with what one of them guesses.
 *
 * @param door What tells doors apart.
 */
export function doorCounter(nameHash: string, door: string): Counter {
  return counter('pair', `${nameHash}/${door}`)
}

/** Returns the counters of tests of channels for notices. @param owner A user, or a channel. */
export function testCounters(owner: string): Counter[] {
  return [counter('test', owner), counter('tests', owner)]
}

/** Returns the counter of requests that begin tasks of a kind again. */
export function retryCounter(userId: number, kind: string): Counter {
  return counter('retry', `${kind}/${userId}`)
}

export function counter(limit: LimitName, owner: string): Counter {
  return { limit, key: `${limit}/${owner}` }
}
