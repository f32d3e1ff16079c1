import type { PageParts } from '../../../web/kit/view.ts'

/** What programs that sign users in add to pages of others: who waits for the sign-in. */
export const openidParts: PageParts = {
  async asking(...of) {
    const { findAsking } = await import('./asking.ts')
    return findAsking(...of)
  },
}
