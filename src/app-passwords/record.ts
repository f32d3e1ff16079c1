import { isoTime } from '../base/time.ts'
import type { StoredAppPassword } from './store.ts'

/** Returns app passwords in the form that every list shows. */
export function appPasswordRecords(stored: StoredAppPassword[]) {
  return stored.map((one) => ({
    id: one.id,
    name: one.name,
    scopes: one.scopes,
    created_at: isoTime(one.createdAt),
    expires_at: orNull(one.expiresAt),
    last_used_at: orNull(one.lastUsedAt),
    last_network: one.lastNetwork,
  }))
}

function orNull(time: number | null): string | null {
  return time === null ? null : isoTime(time)
}
