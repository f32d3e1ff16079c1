/**
 * The number of failures that a counter allows, and the period that it counts, from its first
 * failure.
 */
export interface Limit {
  failures: number
  seconds: number
  /** Seconds for which a spent counter blocks after its latest failure. */
  blockSeconds: number
}

export const LIMITS = {
  /** One account from one network: a guesser, or a user who has forgotten the password. */
  pair: { failures: 5, seconds: 5 * 60, blockSeconds: 5 * 60 },
  /** One network over all accounts: a client that tries a list of names. */
  network: { failures: 30, seconds: 5 * 60, blockSeconds: 5 * 60 },
  /**
   * All networks of one IPv6 /48, which may belong to one customer. The limit is twice that of one
   * network, so that a day of attempts at this limit costs less than a day's free rows. When it is
   * spent, the user's known networks may still try, so that a neighbour can't lock the user out.
   */
  site: { failures: 60, seconds: 5 * 60, blockSeconds: 5 * 60 },
  /**
   * One account from any network: a botnet. When it is spent, the user's known networks may still
   * try. It ends after one hour and has no further block, because otherwise a user's own failures
   * at home would lock the user out on every other network.
   */
  account: { failures: 50, seconds: 60 * 60, blockSeconds: 0 },
  /**
   * Sign-ins at an identity provider, from one network, of people who have no account here or a
   * disabled one. They prove who they are, so they guess nothing: the limit bounds the rows that
   * they write, apart from the counters of passwords.
   */
  stranger: { failures: 60, seconds: 60 * 60, blockSeconds: 0 },
  /** The same from all networks of one IPv6 /48. */
  strangers: { failures: 120, seconds: 60 * 60, blockSeconds: 0 },
  /**
   * Wrong app passwords of one network. Nobody guesses 190 random bits, so the counter blocks
   * nothing: it bounds the rows that they write. All users of a proxy may have its network.
   */
  appPassword: { failures: 30, seconds: 60 * 60, blockSeconds: 0 },
  /** The same from all networks of one IPv6 /48. */
  appPasswords: { failures: 60, seconds: 60 * 60, blockSeconds: 0 },
  /** Codes or old passwords of one user, whose password or session may be stolen. */
  proof: { failures: 10, seconds: 15 * 60, blockSeconds: 15 * 60 },
  /**
   * Tests of a channel for notices, delivered or not: they go to an address of a user's choice. A
   * receiver has 8 seconds, so there is one test at a time.
   */
  test: { failures: 1, seconds: 15, blockSeconds: 0 },
  /** The same in a day: they may be mails. */
  tests: { failures: 50, seconds: 24 * 60 * 60, blockSeconds: 0 },
  /** Registrations from one network, also those whose name is taken: each hashes a password. */
  register: { failures: 10, seconds: 60 * 60, blockSeconds: 0 },
  /** The same from all networks of one IPv6 /48. */
  registers: { failures: 20, seconds: 60 * 60, blockSeconds: 0 },
  /** Requests of a network for mails about forgotten passwords. */
  forgotten: { failures: 20, seconds: 15 * 60, blockSeconds: 0 },
  /** The same from all networks of one IPv6 /48. */
  forgottens: { failures: 40, seconds: 15 * 60, blockSeconds: 0 },
  /** Mails about a forgotten password to one account. The link of the first still works. */
  resetMail: { failures: 1, seconds: 10 * 60, blockSeconds: 0 },
  /**
   * The same in a day, for the user's known networks and for others apart: a stranger can't use up
   * the user's own.
   */
  resetMails: { failures: 8, seconds: 24 * 60 * 60, blockSeconds: 0 },
  /** Mails that confirm an address, of one account. */
  confirmMail: { failures: 1, seconds: 60, blockSeconds: 0 },
  confirmMails: { failures: 5, seconds: 24 * 60 * 60, blockSeconds: 0 },
  /** The same to one address, over all accounts: it may be a stranger's. */
  confirmMailsTo: { failures: 5, seconds: 24 * 60 * 60, blockSeconds: 0 },
  /** Requests of a user that begin tasks of the file server again, of one kind. */
  retry: { failures: 1, seconds: 10, blockSeconds: 0 },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS
