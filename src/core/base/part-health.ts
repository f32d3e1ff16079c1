/** The state of one part of the site. The reason of a failure is in the log of that part. */
export interface PartHealth {
  ok: boolean
  milliseconds: number
}

/** How long a part may take. An operator should not wait five seconds for each. */
export const HEALTH_MILLISECONDS = 2000
