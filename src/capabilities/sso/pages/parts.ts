import type { PageParts } from '../../../web/kit/view.ts'
import { SsoAddresses, SsoCheck } from './admin/sso-setup.tsx'
import { SsoButton } from './sign-in-way.tsx'

/** The parts of pages of others: a way to sign in, and its setup. */
export const ssoParts: PageParts = {
  signInWay: SsoButton,
  aboveSettings: SsoAddresses,
  settings: SsoCheck,
}
