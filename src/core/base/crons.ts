/**
 * The cron trigger of the run every five minutes (`wrangler.toml`). Every other trigger is that of
 * the nightly run.
 */
export const FREQUENT_CRON = '*/5 * * * *'

/** Longer than the deadline of a request: nobody waits for a run in time. */
export const RUN_DEADLINE_MILLISECONDS = 60_000
