import type { SQL } from 'drizzle-orm'
import type { Client } from '../base/network.ts'
import type { AppPasswordScope } from './scopes.ts'
import type { SessionClaims } from './token.ts'

/** The credential that a request needs: a session, or an app password with this scope. */
export type Needs = AppPasswordScope | 'session'

/** A session and the client that uses it. */
export type SessionActor = SessionClaims & Client

/** An app password with a right checksum and the client that uses it. D1 knows whether it exists. */
export interface AppPasswordActor extends Client {
  /** SHA-256, hexadecimal. */
  tokenHash: string
  /** The user name beside it in basic authentication, which must be the owner's. */
  username: string | undefined
  /** The scope that this request needs. `session`: no app password may make this request. */
  needs: Needs
  /** A subquery, because the batch that checks the app password is the first to read its owner. */
  userId: SQL<number>
  bookmark?: undefined
}

/** A session or an app password, and the client that uses it. */
export type Actor = SessionActor | AppPasswordActor

/** Tells whether the actor is a session, not an app password. */
export function isSessionActor(actor: Actor): actor is SessionActor {
  return 'sessionId' in actor
}

/** Returns the credential of an actor, which copies of the actor share. */
export function credentialOf(actor: Actor): string {
  return isSessionActor(actor) ? actor.sessionId : actor.tokenHash
}
