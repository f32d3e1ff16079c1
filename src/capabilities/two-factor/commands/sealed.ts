import { users } from '../../../../schema/tables.ts'
import { writing } from '../../../core/database/statements.ts'
import type { SealedColumn } from '../../../programs/site/sealed-column.ts'
import { seedUse } from '../sealed.ts'

/** The seeds of authenticator apps, but for those that wait ten minutes for their first code. */
export const sealedSeeds: SealedColumn = {
  kind: "'seed'",
  table: users,
  id: users.id,
  column: users.totpSeed,
  where: 'totp_seed is not null',
  useOf: ({ id }) => seedUse(Number(id)),
  replace: (db, by, totpSeed, which) => writing(db, by).update(users, { totpSeed }, which),
}
