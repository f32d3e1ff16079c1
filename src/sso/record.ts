import { isoTime } from '../base/time.ts'
import type { ListedIdentity } from './manage.ts'

/** Returns an identity in the form that operators list. */
export function identityRecord(identity: ListedIdentity) {
  const { issuer, subject, platform, name, linkedAt, linkedBy, lastUsedAt, isLastWayIn } = identity
  return {
    issuer,
    subject,
    platform,
    name,
    linked_at: isoTime(linkedAt),
    linked_by: linkedBy,
    last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
    last_way_in: isLastWayIn,
  }
}
