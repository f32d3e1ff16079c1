import { DAY_MILLISECONDS } from '../base/time.ts'

/** How long before the end of an account its user is told. */
export const NEAR_END_MILLISECONDS = 14 * DAY_MILLISECONDS
