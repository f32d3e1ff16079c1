import type { PartOfUser, Remaining } from '../../../web/kit/part-of-user.ts'
import { RemainingRows } from '../../../web/kit/remaining-rows.tsx'
import { TimeFact } from '../../../web/kit/time.tsx'
import { signInPath } from '../../sign-in/pages/next.ts'
import { type OwnChannel, selectOwnChannel } from '../store.ts'
import { OWN_NOTICES_PATH } from './notices.tsx'

export const ofUser: PartOfUser = {
  /** A thief may have set it. */
  async remaining({ db }, userId, batch) {
    const { channels } = await batch.add({ channels: selectOwnChannel(db, userId) })
    return {
      title: (t) => t.channels.title,
      page: OWN_NOTICES_PATH,
      rows: rowsOf(channels),
    }
  },
  async section({ db }, userId, batch) {
    const { channels } = await batch.add({ channels: selectOwnChannel(db, userId) })
    return ({ view }) =>
      channels.length === 0
        ? undefined
        : {
            icon: 'notices',
            title: view.t.channels.title,
            count: channels.length,
            content: <RemainingRows view={view} rows={rowsOf(channels)} ofOther />,
          }
  },
}

function rowsOf(channels: readonly OwnChannel[]): Remaining['rows'] {
  return channels.map(({ kind, target, createdAt }) => (view, ofOther) => ({
    name: `${view.t.channels.kinds[kind]} · ${target}`,
    facts: (
      <p class="facts">
        <TimeFact view={view} at={createdAt} phrase={view.t.keys.added} />
        {ofOther ? (
          <span>{view.t.remaining.channelOfOther}</span>
        ) : (
          <span>
            <a href={signInPath(OWN_NOTICES_PATH)}>{view.t.channels.deleteSubmit}</a>
          </span>
        )}
      </p>
    ),
  }))
}
