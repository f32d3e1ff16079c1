import type { Account } from '../../core/accounts/accounts.ts'
import { isoTimeOrNull } from '../../core/base/time.ts'
import type { Details } from './details.ts'

/** Returns the nine fields of a user (docs/interface.md, Values). `password` is always empty. */
export function userRecord(account: Account) {
  return {
    id: account.id,
    username: account.username,
    password: '',
    base_path: account.basePath,
    role: account.role,
    disabled: account.disabled,
    permission: account.permission,
    sso_id: account.ssoId,
    otp: account.hasTwoFactor,
  }
}

export function detailsRecord(details: Details) {
  const { id, username, email, emailVerified, endsAt, waiting } = details
  return {
    id,
    username,
    email,
    email_verified: emailVerified,
    ends_at: isoTimeOrNull(endsAt),
    waiting,
  }
}
