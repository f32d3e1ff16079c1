import type { Account } from '../../core/accounts/accounts.ts'

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
