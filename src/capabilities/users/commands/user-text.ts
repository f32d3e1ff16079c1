import type { Account } from '../../../core/accounts/accounts.ts'
import { isoTime } from '../../../core/base/time.ts'
import type { Stop } from '../../../core/throttle/stops.ts'
import { userRecord } from '../record.ts'
import { permissionText } from '../../../programs/kit/permission.ts'
import { roleName } from '../../../programs/kit/role.ts'

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

/** Returns a block of a user, as JSON. */
export function stopRecord({ kind, network, until }: Stop) {
  return { kind, ...(network !== '' && { network }), until: isoTime(until) }
}

/** The same on a line, such as `pair 192.0.2.1 until 2026-11-28T12:00:00.000+00:00`. */
export function stopText(stop: Stop): string {
  return [stop.kind, stop.network, 'until', isoTime(stop.until)].filter(Boolean).join(' ')
}
