import type { Context } from 'hono'
import type { Deps, OptionalBindings } from '../../core/deps.ts'
import { type Actor, isSessionActor } from '../../core/access/actor.ts'
import type { SiteArea } from '../../core/base/site-areas.ts'
import type { Account } from '../../core/accounts/accounts.ts'

/**
 * The caller: the guest, or the holder of a signed token or of an app password with a right
 * checksum; `actAs` confirms both in D1.
 */
export type Caller = { guest: Account } | { actor: Actor }

/** The part of the file server that a request asks for. */
export interface FileTarget {
  area: SiteArea
  /** The path, decoded once. */
  path: string
  url: URL
}

/** The types of Hono's context. */
export interface App {
  Bindings: Env & OptionalBindings
  Variables: Variables
}

/**
 * The variables of a request, from its first middleware on. The kit of the pages adds some.
 *
 * @public
 */
export interface Variables {
  deps: Deps
  /** Set by `anyCaller` and `signedIn`. */
  caller: Caller
  /** Set by `signedIn`, and by `requireSession` of the pages. */
  actor?: Actor
  requestId: string
  /** Set where a page of the web client means the session in the cookie (`session-cookie.ts`). */
  isByMarker?: boolean
  /** Set by `fileRules` for what the file server answers. */
  fileTarget?: FileTarget
  /** The `code` of the envelope. */
  outcome?: number
}

export type AppContext = Context<App>

/**
 * Tells whether a caller was refused who has no valid token. The answer must then not reveal its
 * cost or its writes, so that unknown user names look like known ones.
 */
export function isRefusedStranger(c: AppContext): boolean {
  const outcome = c.get('outcome')
  return outcome !== 200 && (c.get('caller') === undefined || hasDeadAppPassword(c))
}

/** Tells whether a caller was refused because no such app password is in force. */
export function hasDeadAppPassword(c: AppContext): boolean {
  const caller = c.get('caller')
  const isAppPassword = caller !== undefined && 'actor' in caller && !isSessionActor(caller.actor)
  return isAppPassword && c.get('outcome') === 401
}
