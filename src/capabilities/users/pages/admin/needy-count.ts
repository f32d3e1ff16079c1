import type { NavigationCount } from '../../../../web/kit/capability.ts'
import { countNeedy, MAX_COUNTED } from '../../list-store.ts'

/** Users who wait for an administrator, beside Users in the navigation. */
export const needyCount: NavigationCount = {
  address: '/account/admin/users',
  count: (db, now) => countNeedy(db, MAX_COUNTED, now),
  text: countText,
}

/** Says that a count may have ended at its limit. */
export function countText(total: number): string {
  return total < MAX_COUNTED ? String(total) : `${MAX_COUNTED - 1}+`
}
