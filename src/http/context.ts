import type { Context } from 'hono'
import type { Deps } from '../deps.ts'
import type { Account } from '../tokens/sessions.ts'
import type { SessionClaims } from '../tokens/token.ts'

/**
 * Who asks: nobody signed in, or the holder of a token whose session D1 has yet to confirm
 * (`actAs`).
 */
export type Caller = { guest: Account } | { session: SessionClaims }

/** What a route finds in its context. */
export interface App {
  Bindings: Env
  Variables: { deps: Deps; caller: Caller }
}

export type AppContext = Context<App>
