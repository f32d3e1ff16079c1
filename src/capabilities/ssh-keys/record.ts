import { isoTime } from '../../core/base/time.ts'
import type { StoredKey } from './store.ts'

/** Returns keys in the form that every list shows. */
export function keyRecords(keys: StoredKey[]) {
  return keys.map((key) => ({
    id: key.id,
    title: key.title,
    fingerprint: key.fingerprint,
    added_time: isoTime(key.addedAt),
    last_used_time: isoTime(key.lastUsedAt),
  }))
}
