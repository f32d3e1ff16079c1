import { sql } from 'drizzle-orm'
import { links } from '../../../../schema/tables.ts'
import { keptValue } from '../../../core/access/undo.ts'
import type { PageUndo } from '../../../web/kit/undo.ts'
import { INVITATIONS_PATH } from './admin/invitations.tsx'

/**
 * Operators bring back an invitation that they withdrew. It then rests on them, as a new one would:
 * its maker may have been dismissed since. Whether a fixed name is free is asked when it is used.
 */
export const invitationUndo: PageUndo = {
  kind: 'invitation',
  event: 'link_restored',
  isOfSite: true,
  page: INVITATIONS_PATH,
  done: 'invitation-restored',
  table: links,
  columns: ({ userId }) => ({ createdBy: userId }),
  eventColumns: { detail: keptValue(links.name) },
  fits: () => sql`true`,
}
