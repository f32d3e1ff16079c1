import { isoTime, isoTimeOrNull } from '../../core/base/time.ts'
import type { ListedIdentity } from './manage.ts'
import type { StoredIdentity } from './store.ts'

/** Returns an identity in the form that every list shows. */
export function identityRecord(identity: StoredIdentity) {
  const { issuer, subject, platform, name, linkedAt, linkedBy, lastUsedAt } = identity
  return {
    issuer,
    subject,
    platform,
    name,
    linked_at: isoTime(linkedAt),
    linked_by: linkedBy,
    last_used_at: isoTimeOrNull(lastUsedAt),
  }
}

/** Returns an identity in the form that operators list. */
export function operatorIdentityRecord(identity: ListedIdentity) {
  return { ...identityRecord(identity), last_way_in: identity.isLastWayIn }
}
