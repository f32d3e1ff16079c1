import type { OfUser } from '../../../programs/site/in-programs.ts'
import { findLink } from '../store.ts'

export const ofUser: OfUser = {
  /** The user of OpenList; null when there is none. */
  async exported({ db, now }, { id }) {
    const link = await findLink(db, id, now())
    return {
      file_server:
        link === undefined ? null : { openlist_id: link.remoteId, openlist_name: link.remoteName },
    }
  },
}
