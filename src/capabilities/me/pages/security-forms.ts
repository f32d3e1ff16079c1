import type { Child } from 'hono/jsx'
import type { Account } from '../../../core/accounts/accounts.ts'
import type { StoredPasskey } from '../../passkeys/store.ts'
import type { SecurityPart } from '../../../web/kit/part-of-user.ts'
import type { ShownRefused } from '../../../web/kit/form.ts'
import type { View } from '../../../web/kit/view.ts'
import type { Closed } from './closed-credentials.tsx'

export interface SecurityProps extends Closed {
  view: View
  account: Account
  /** Number of unused recovery codes. */
  codesLeft: number
  /** Whether the user has signed in with a recovery code a moment ago. */
  isRecovered: boolean
  /** Whether the site demands a second factor of the user. */
  mustUseFactor: boolean
  passkeys: StoredPasskey[]
  /** Names of passkeys whose answers were refused because a copy may have given them, and when. */
  clones: { detail: string; at: number }[]
  /** Those of capabilities that the page does not know. */
  sections: ((page: SecurityPart) => Child)[]
  refused: ShownRefused | undefined
}
