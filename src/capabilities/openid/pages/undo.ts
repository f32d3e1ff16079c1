import { sql } from 'drizzle-orm'
import { openidClients } from '../../../../schema/tables.ts'
import { keptRows, keptValue } from '../../../core/access/undo.ts'
import type { PageUndo } from '../../../web/kit/undo.ts'

/** Operators bring back an app that they deleted, without what it had got of users. */
export const clientUndo: PageUndo = {
  kind: 'client',
  event: 'client_restored',
  isOfSite: true,
  page: '/account/admin/programs',
  done: 'program-restored',
  table: openidClients,
  eventColumns: { detail: keptValue(openidClients.name) },
  fits: () => sql`not exists (
    select 1 from ${openidClients}, ${keptRows(openidClients)}
    where ${openidClients.name} = ${keptValue(openidClients.name)}
  )`,
}
