import type { SharedBatch } from '../database/shared-batch.ts'
import type { Deps } from '../deps.ts'

/** The answer about a token (RFC 7662 section 2.2). */
export type TokenRecord = Record<string, string | number | boolean | readonly string[]>

/**
 * Reads a token of another kind.
 *
 * @returns `undefined` for a text that is none. The function adds its statements to a batch, and
 *   returns the answer about the token (RFC 7662 section 2.2), `undefined` when it is not in
 *   force.
 */
export type ReadToken = (
  deps: Pick<Deps, 'db'>,
  token: string,
  now: number,
) => Promise<((batch: SharedBatch) => Promise<TokenRecord | undefined>) | undefined>
