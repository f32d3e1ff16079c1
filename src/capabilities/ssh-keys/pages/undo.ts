import { sql } from 'drizzle-orm'
import { sshKeys } from '../../../../schema/tables.ts'
import { keptRows, keptValue } from '../../../core/access/undo.ts'
import type { PageUndo } from '../../../web/kit/undo.ts'
import { countKeys, MAX_KEYS_PER_USER } from '../store.ts'

const KEPT = keptRows(sshKeys)

/** Users bring back their own keys, all that were deleted at once, or none. */
export const keyUndo: PageUndo = {
  kind: 'ssh_key',
  event: 'key_restored',
  isOfSite: false,
  page: '/account/keys',
  done: 'keys-restored',
  table: sshKeys,
  eventColumns: { detail: keptValue(sshKeys.title) },
  fits: (db, { userId }) => sql`(
    not exists (
      select 1 from ${sshKeys}, ${KEPT} where ${sshKeys.userId} = ${userId}
      and (${sshKeys.title} = ${keptValue(sshKeys.title)} or ${sshKeys.fingerprint} = ${keptValue(sshKeys.fingerprint)})
    )
    and not exists (select 1 from ${KEPT} where ${keptValue(sshKeys.userId)} <> ${userId})
    and (${countKeys(db, userId)}) + (select count(*) from ${KEPT}) <= ${MAX_KEYS_PER_USER}
  )`,
}
