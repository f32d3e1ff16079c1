import { adminSettingRows } from './table/admin-setting.ts'
import { delCacheRows } from './table/admin-user.ts'
import { corsRows } from './table/cors.ts'
import { guestRows } from './table/guest.ts'
import { loginRows } from './table/login.ts'
import { loginBodiesRows } from './table/login-bodies.ts'
import { loginHashRows } from './table/login-hash.ts'
import { loginOtpRows } from './table/login-otp.ts'
import { meRows } from './table/me.ts'
import { publicRows } from './table/public.ts'
import { sshKeysRows } from './table/ssh-keys.ts'
import { sshKeysAddRows } from './table/ssh-keys-add.ts'
import { tokenRows } from './table/token.ts'
import { twoFactorRows } from './table/two-factor.ts'
import type { Row } from './row.ts'

/** What OpenList (Go, 4.x) was recorded to answer, and what we answer to the like of it. */
export const table: Row[] = [
  ...loginRows,
  ...loginBodiesRows,
  ...loginHashRows,
  ...loginOtpRows,
  ...tokenRows,
  ...meRows,
  ...twoFactorRows,
  ...sshKeysAddRows,
  ...sshKeysRows,
  ...guestRows,
  ...publicRows,
  ...corsRows,
  ...delCacheRows,
  ...adminSettingRows,
]
