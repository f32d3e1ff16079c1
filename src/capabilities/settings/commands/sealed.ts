import { settings } from '../../../../schema/tables.ts'
import { writing } from '../../../core/database/statements.ts'
import type { SealedColumn } from '../../../programs/site/sealed-column.ts'
import { SETTINGS } from '../definitions.ts'
import { settingUse } from '../secret.ts'

const SECRETS = SETTINGS.filter(({ isSecret }) => isSecret).map(({ key }) => key)

/** The values of secret settings. */
export const sealedSettings: SealedColumn = {
  kind: 'key',
  table: settings,
  id: settings.key,
  column: settings.value,
  where: `key in (${SECRETS.map((key) => `'${key}'`).join(', ')}) and value <> ''`,
  useOf: ({ id }) => settingUse(String(id)),
  replace: (db, by, value, which) => writing(db, by).update(settings, { value }, which),
}
