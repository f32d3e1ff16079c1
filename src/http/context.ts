import type { Context } from 'hono'
import type { Deps, OptionalBindings } from '../deps.ts'
import type { Actor } from '../access/act-as.ts'
import type { Account } from '../accounts/accounts.ts'

/** The caller: the guest, or the holder of a signed token; `actAs` confirms its session in D1. */
export type Caller = { guest: Account } | { session: Actor }

/** The types of Hono's context. */
export interface App {
  Bindings: Env & OptionalBindings
  Variables: {
    deps: Deps
    /** Set by `anyCaller` and `signedIn`. */
    caller: Caller
    /** Set by `signedIn`, and by `requireSession` of the pages. */
    actor?: Actor
    requestId: string
    /** The `code` of the envelope. */
    outcome?: number
  }
}

export type AppContext = Context<App>

/**
 * Tells whether a caller was refused who has no valid token. The answer must then not reveal its
 * cost or its writes, so that unknown user names look like known ones.
 */
export function isRefusedStranger(c: AppContext): boolean {
  return c.get('caller') === undefined && c.get('outcome') !== 200
}
