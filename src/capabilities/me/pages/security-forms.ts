import type { Account } from '../../../core/accounts/accounts.ts'
import type { StoredPasskey } from '../../passkeys/store.ts'
import type { StoredIdentity } from '../../sso/store.ts'
import type { ShownRefused } from '../../../web/kit/form.ts'
import type { View } from '../../../web/kit/view.ts'
import type { Closed } from './closed-credentials.tsx'

/** Names of the forms of the page. */
export type SecurityForm =
  | 'password'
  | 'codes'
  | 'off'
  | 'start'
  | 'factor'
  | 'phone'
  | 'confirm'
  | 'rename-passkey'
  | 'delete-passkey'
  | 'link-identity'
  | 'unlink-identity'
  | 'keep'

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
  identities: StoredIdentity[]
  refused: ShownRefused<SecurityForm> | undefined
}
