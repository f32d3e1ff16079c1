/**
 * The cron trigger of the run every five minutes (`wrangler.toml`). Every other trigger is that of
 * the nightly run.
 */
export const FREQUENT_CRON = '*/5 * * * *'
