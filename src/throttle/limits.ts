import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'

/** How many failures a counter allows, and how long after the first it counts them. */
interface Limit {
  failures: number
  seconds: number
  /** How long a spent counter blocks after its latest failure. */
  blockSeconds: number
}

export const LIMITS = {
  /** One account from one network: somebody guesses, or has forgotten the password. */
  pair: { failures: 5, seconds: 5 * 60, blockSeconds: 5 * 60 },
  /** One network over all accounts: somebody tries a list. */
  network: { failures: 30, seconds: 5 * 60, blockSeconds: 5 * 60 },
  /**
   * All networks of one IPv6 /48, which one customer may have. It is twice the limit of one
   * network, so that a day at this limit costs less than a day's free rows. When it is spent,
   * networks that the user is known from may still try, so that a neighbour keeps nobody out at
   * home.
   */
  site: { failures: 60, seconds: 5 * 60, blockSeconds: 5 * 60 },
  /**
   * One account from anywhere: a botnet. When it is spent, networks that its user is known from may
   * still try. It ends after one hour and blocks no longer, or the failures of a user at home would
   * keep the user out everywhere else.
   */
  account: { failures: 50, seconds: 60 * 60, blockSeconds: 0 },
  /** Codes or old passwords of one user, whose password or session somebody else may have. */
  proof: { failures: 10, seconds: 15 * 60, blockSeconds: 15 * 60 },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS

/** A row of `throttle_counters`, or a counter in `parts` of one: its key begins with its limit. */
interface Figures {
  key: SQLWrapper
  failures: SQLWrapper
  expiresAt: SQLWrapper
  chargedAt: SQLWrapper
}

/** The figures of a part: `[failures, expires at, charged at]`. */
export function figuresOf(key: SQLWrapper, part: SQLWrapper): Figures {
  const figure = (index: number) => sql`(${part} ->> ${sql.raw(String(index))})`
  return { key, failures: figure(0), expiresAt: figure(1), chargedAt: figure(2) }
}

export function isSpent({ key, failures }: Figures): SQL {
  return sql`${failures} >= ${byLimit(key, (limit) => limit.failures)}`
}

/** When a counter begins anew; null for a counter without a row. */
export function endOf(counter: Figures): SQL {
  const { key, expiresAt, chargedAt } = counter
  const blockMilliseconds = byLimit(key, ({ blockSeconds }) => blockSeconds * 1000)
  return sql`iif(${isSpent(counter)}, max(${expiresAt}, ${chargedAt} + ${blockMilliseconds}), ${expiresAt})`
}

/** The end of a counter's block; 0 when it isn't spent. */
export function blockOf(counter: Figures): SQL {
  return sql`iif(${isSpent(counter)}, ${endOf(counter)}, 0)`
}

/** A figure of the limit of a counter, as a number in the statement: D1 takes a hundred parameters. */
function byLimit(key: SQLWrapper, figure: (limit: Limit) => number): SQL {
  const cases = Object.entries(LIMITS).map(
    ([name, limit]) => sql`when ${sql.raw(`'${name}'`)} then ${sql.raw(String(figure(limit)))}`,
  )
  return sql`case substr(${key}, 1, instr(${key}, '/') - 1) ${sql.join(cases, sql` `)} end`
}
