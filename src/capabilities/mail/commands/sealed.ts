import { mails } from '../../../../schema/tables.ts'
import { writing } from '../../../core/database/statements.ts'
import type { SealedColumn } from '../../../programs/site/sealed-column.ts'
import { MAIL_SECRET_USE } from '../sealed-secret.ts'

/** The secrets of links in mails that wait. */
export const sealedMails: SealedColumn = {
  kind: "'waiting mail'",
  table: mails,
  id: mails.id,
  column: mails.sealed,
  where: "sealed <> ''",
  useOf: () => MAIL_SECRET_USE,
  replace: (db, by, sealed, which) => writing(db, by).update(mails, { sealed }, which),
}
