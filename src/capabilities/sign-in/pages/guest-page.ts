import type { AppContext } from '../../../web/http/context.ts'
import { findGuest } from '../../../core/accounts/store.ts'

/** Tells whether visitors may read files without a sign-in. */
export async function isGuestEnabled(c: AppContext): Promise<boolean> {
  const guest = await findGuest(c.get('deps').db)
  return guest !== undefined && !guest.disabled
}
