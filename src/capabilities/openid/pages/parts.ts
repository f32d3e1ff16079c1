import { isRequestPath } from '../../../web/kit/local-path.ts'
import type { PageParts } from '../../../web/kit/view.ts'

/** The parts of pages of others: the program that waits for the sign-in. */
export const openidParts: PageParts = {
  async asking(c, path) {
    if (!isRequestPath(path)) return undefined
    const { findAsking } = await import('./asking.ts')
    return findAsking(c, path)
  },
}
