import type { PageParts } from '../../../web/kit/view.ts'
import { SsoSetup } from './admin/sso-setup.tsx'
import { SsoButton } from './sign-in-way.tsx'

/** The parts of pages of others: a way to sign in, and its setup. */
export const ssoParts: PageParts = { signInWay: SsoButton, settings: SsoSetup }
