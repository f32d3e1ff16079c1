import type { FindAttention } from '../../../../web/kit/capability.ts'
import { Row } from '../../../../web/kit/rows.tsx'
import { TimeFact } from '../../../../web/kit/time.tsx'
import { selectChannels } from '../../store.ts'

/** Finds the channels of the site whose last notice was not delivered. */
export const findFailingChannels: FindAttention = async (db, batch) => {
  const { channels } = await batch.add({ channels: selectChannels(db, null) })
  return (view) =>
    channels.flatMap(({ name, kind, target, lastFailedAt, lastSentAt }) =>
      lastFailedAt === null || lastFailedAt <= (lastSentAt ?? 0)
        ? []
        : [
            <Row icon="channels" tone="red" level={3} title={name || view.t.channels.kinds[kind]}>
              <p class="facts">
                <span>{target}</span>
                <TimeFact view={view} at={lastFailedAt} phrase={view.t.channels.failing} />
              </p>
              <a role="button" class="secondary" href="/account/admin/notices">
                {view.t.channels.look}
              </a>
            </Row>,
          ],
    )
}
