import type { FindAttention } from '../../../../web/kit/capability.ts'
import { Row } from '../../../../web/kit/rows.tsx'
import { selectIsWaiting } from '../../store.ts'
import { FOLDERS_PATH } from './folder-props.ts'

/** Finds out whether a change of rights in folders is not finished. */
export const findWaitingFolders: FindAttention = async (db, batch) => {
  const { waiting } = await batch.add({ waiting: selectIsWaiting(db) })
  return ({ t }) =>
    waiting.length === 0
      ? []
      : [
          <Row
            icon="folders"
            tone="amber"
            level={3}
            title={<a href={FOLDERS_PATH}>{t.folders.attention}</a>}
          >
            <p class="facts">{t.folders.attentionHint}</p>
          </Row>,
        ]
}
