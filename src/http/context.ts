import type { Context } from 'hono'
import type { Deps, OptionalBindings } from '../deps.ts'
import type { Actor } from '../access/act-as.ts'
import type { Account } from '../accounts/accounts.ts'

/**
 * Who asks: nobody signed in, or the holder of a token whose session D1 has yet to confirm
 * (`actAs`).
 */
type Caller = { guest: Account } | { session: Actor }

/** What a route finds in its context. */
export interface App {
  Bindings: Env & OptionalBindings
  Variables: {
    deps: Deps
    /** Set by `guard`. */
    caller: Caller
    requestId: string
    /** The `code` of the envelope. */
    outcome?: number
  }
}

export type AppContext = Context<App>

/**
 * Whether somebody was refused who is not known to be anybody. They learn nothing of what the
 * answer took or wrote: unknown names must look like known ones.
 */
export function isRefusedStranger(c: AppContext): boolean {
  return c.get('caller') === undefined && c.get('outcome') !== 200
}
