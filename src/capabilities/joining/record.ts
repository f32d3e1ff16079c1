import { isoTime } from '../../core/base/time.ts'
import type { MadeLink } from './invitations.ts'
import type { ListedLink } from './link-store.ts'

export function linkRecord(link: ListedLink) {
  return {
    id: link.id,
    kind: link.kind,
    name: link.name,
    username: link.username,
    email: link.email,
    uses: link.uses,
    used: link.used,
    created_by: link.createdByName ?? '',
    created_at: isoTime(link.createdAt),
    ends_at: isoTime(link.endsAt),
    state: link.state,
  }
}

export function madeLinkRecord({ id, link, endsAt }: MadeLink) {
  return { id, link, ends_at: isoTime(endsAt) }
}
