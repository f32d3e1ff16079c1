import { isoTime, isoTimeOrNull } from '../../core/base/time.ts'
import type { StoredAppPassword } from './store.ts'

/** Returns app passwords in the form that every list shows. */
export function appPasswordRecords(stored: StoredAppPassword[]) {
  return stored.map((one) => ({
    id: one.id,
    name: one.name,
    scopes: one.scopes,
    created_at: isoTime(one.createdAt),
    expires_at: isoTimeOrNull(one.expiresAt),
    last_used_at: isoTimeOrNull(one.lastUsedAt),
    last_network: one.lastNetwork,
    lacks_second_factor: one.isClosed,
  }))
}
