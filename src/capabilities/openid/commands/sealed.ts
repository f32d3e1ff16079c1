import { openidKeys } from '../../../../schema/tables.ts'
import { writing } from '../../../core/database/statements.ts'
import type { SealedColumn } from '../../../programs/site/sealed-column.ts'
import { signingKeyUse } from '../keys.ts'

/** The keys that sign ID tokens. */
export const sealedKeys: SealedColumn = {
  kind: "'signing key'",
  table: openidKeys,
  id: openidKeys.id,
  column: openidKeys.sealed,
  where: 'true',
  useOf: ({ id }) => signingKeyUse(String(id)),
  replace: (db, by, sealed, which) => writing(db, by).update(openidKeys, { sealed }, which),
}
