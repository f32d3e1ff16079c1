import { isoTime, isoTimeOrNull } from '../../core/base/time.ts'
import type { StoredAppPassword } from './store.ts'

/** Returns app passwords in the form that every list shows. */
export function appPasswordRecords(stored: StoredAppPassword[]) {
  return stored.map((row) => ({
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    created_at: isoTime(row.createdAt),
    expires_at: isoTimeOrNull(row.expiresAt),
    last_used_at: isoTimeOrNull(row.lastUsedAt),
    last_network: row.lastNetwork,
    lacks_second_factor: row.isClosed,
  }))
}
