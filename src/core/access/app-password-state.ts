import * as v from 'valibot'
import { accountReaders } from '../accounts/account-readers.ts'
import { HOUR_MILLISECONDS } from '../base/time.ts'
import { type AppPasswordScope, parseScopes } from './scopes.ts'

/** The time of the last use is this exact, so that many requests cost one write. */
export const USE_MILLISECONDS = HOUR_MILLISECONDS

/** The state of an app password when a request shows it. */
export interface AppPasswordState {
  id: number
  name: string
  scopes: AppPasswordScope[]
  createdAt: number
  /** Unix time, milliseconds; null for never. */
  expiresAt: number | null
  lastUsedAt: number | null
  /** Whether the owner is not known from the network of the request, and no event reports it yet. */
  isElsewhere: boolean
}

const time = v.nullable(v.number())
const stateSchema = v.tuple([
  v.number(),
  v.string(),
  v.string(),
  v.number(),
  time,
  time,
  v.number(),
])

/** Reads the column of `appPasswordState`. */
export function readAppPasswordState(json: unknown): AppPasswordState {
  const [id, name, scopes, createdAt, expiresAt, lastUsedAt, isElsewhere] = v.parse(
    stateSchema,
    JSON.parse(String(json)),
  )
  return {
    id,
    name,
    scopes: parseScopes(scopes),
    createdAt,
    expiresAt,
    lastUsedAt,
    isElsewhere: Boolean(isElsewhere),
  }
}

/** Convert the columns of an account with an app password, as `accountReaders` do. */
export const appPasswordReaders = { ...accountReaders, appPassword: readAppPasswordState }

/** Tells whether the present use of an app password need not be recorded. */
export function isUseNoted({ lastUsedAt, isElsewhere }: AppPasswordState, now: number): boolean {
  return lastUsedAt !== null && lastUsedAt > now - USE_MILLISECONDS && !isElsewhere
}
