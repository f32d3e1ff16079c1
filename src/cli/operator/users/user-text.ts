import type { Account } from '../../../accounts/accounts.ts'
import { userRecord } from '../../../users/record.ts'
import { permissionText } from '../../shared/permission.ts'
import { roleName } from '../../shared/role.ts'

/** Returns a user as JSON shows it: the fields of the API, and what programs know them by. */
export function fullUserRecord(account: Account) {
  return { ...userRecord(account), passkey: account.hasPasskey, sub: account.sub }
}

/** Returns a user as text shows it, with names for role, permission and second factors. */
export function userText(account: Account) {
  const { otp: _, ...record } = userRecord(account)
  return {
    ...record,
    role: roleName(account.role),
    permission: permissionText(account.permission),
    second_factor: secondFactorText(account),
  }
}

function secondFactorText({ hasTwoFactor, hasPasskey }: Account): string {
  const factors = [...(hasTwoFactor ? ['app'] : []), ...(hasPasskey ? ['passkey'] : [])]
  return factors.join(', ') || 'none'
}
