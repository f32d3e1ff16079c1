import { isoTime } from '../../../core/base/time.ts'
import type { OfUser } from '../../../programs/site/in-programs.ts'
import { channelRecord } from '../record.ts'
import { selectChannels, selectOwnChannel } from '../store.ts'

export const ofUser: OfUser = {
  exported: async ({ db }, { id }) => ({
    notices: (await selectChannels(db, id)).map(channelRecord),
  }),
  /** A thief may have set it. */
  async remaining({ db }, { id }) {
    const channels = await selectOwnChannel(db, id)
    return {
      record: { channels: channels.map(({ kind, target }) => `${kind}: ${target}`) },
      title: 'Channel for notices',
      how: 'only the user can delete it',
      columns: ['kind', 'target', 'created_at'],
      content: channels.map(({ kind, target, createdAt }) => ({
        kind,
        target,
        created_at: isoTime(createdAt),
      })),
    }
  },
}
