/** The values of `queue`. */
export const QUEUES = { operators: 0, user: 1, sent: 2 } as const

/** A test that was not sent for so long is given up. */
export const TEST_MILLISECONDS = 10 * 60 * 1000
