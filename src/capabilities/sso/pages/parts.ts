import type { PageParts } from '../../../web/kit/view.ts'
import { SsoSetup } from './admin/sso-setup.tsx'
import { SsoButton } from './sign-in-way.tsx'

/** What single sign-on adds to pages of others: a way to sign in, and how to set it up. */
export const ssoParts: PageParts = { signInWay: SsoButton, settings: SsoSetup }
