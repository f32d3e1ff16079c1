import { noticeChannels } from '../../../../schema/tables.ts'
import { writing } from '../../../core/database/statements.ts'
import type { SealedColumn } from '../../../programs/site/sealed-column.ts'
import { channelUse } from '../sealed-config.ts'

/** The addresses and tokens of channels. */
export const sealedChannels: SealedColumn = {
  kind: "'channel'",
  table: noticeChannels,
  id: noticeChannels.id,
  column: noticeChannels.config,
  owner: { kind: noticeChannels.kind, id: noticeChannels.userId },
  where: 'true',
  useOf: ({ kind, ownerId }) => channelUse(kind, ownerId),
  replace: (db, by, config, which) => writing(db, by).update(noticeChannels, { config }, which),
}
