import type { SQL, SQLWrapper } from 'drizzle-orm'

/**
 * The owner of an app password. Statements find the id themselves, because the batch that checks
 * the app password is the first to read it. `found` is set when that batch has run, for the log.
 */
export class OwnerId implements SQLWrapper {
  found: number | undefined
  readonly #query: () => SQL

  /** @param query Makes a scalar subquery, in parentheses. */
  constructor(query: () => SQL) {
    this.#query = query
  }

  getSQL(): SQL {
    return this.#query()
  }
}

/** No user has this id: it stands for somebody who has no account, or none yet. */
export const NOBODY = 0

/** The id of a user in a statement. */
export type UserId = number | OwnerId

/** Returns the id for the log; `undefined` when no batch has found the owner. */
export function knownId(id: UserId | undefined): number | undefined {
  return id instanceof OwnerId ? id.found : id
}
