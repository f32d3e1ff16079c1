import type { SQL } from 'drizzle-orm'

/** No user has this id: it stands for somebody who has no account, or none yet. */
export const NOBODY = 0

/** The id of a user in a statement. The owner of an app password is a subquery. */
export type UserId = number | SQL<number>
