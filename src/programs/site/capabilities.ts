import { activity } from '../../capabilities/activity/programs.ts'
import { appPasswords } from '../../capabilities/app-passwords/programs.ts'
import { files } from '../../capabilities/files/programs.ts'
import { groups } from '../../capabilities/groups/programs.ts'
import { joining } from '../../capabilities/joining/programs.ts'
import { mail } from '../../capabilities/mail/programs.ts'
import { notices } from '../../capabilities/notices/programs.ts'
import { openid } from '../../capabilities/openid/programs.ts'
import { passkeys } from '../../capabilities/passkeys/programs.ts'
import { sessions } from '../../capabilities/sessions/programs.ts'
import { settings } from '../../capabilities/settings/programs.ts'
import { sshKeys } from '../../capabilities/ssh-keys/programs.ts'
import { sso } from '../../capabilities/sso/programs.ts'
import { twoFactor } from '../../capabilities/two-factor/programs.ts'
import { users } from '../../capabilities/users/programs.ts'
import type { Checks, InPrograms } from './in-programs.ts'

/**
 * The parts of capabilities for programs, in the order of the help. The programs also run without a
 * line here and its folder.
 */
export const CAPABILITIES: readonly InPrograms[] = [
  users,
  groups,
  joining,
  twoFactor,
  sessions,
  sshKeys,
  passkeys,
  sso,
  appPasswords,
  openid,
  notices,
  mail,
  settings,
  files,
  activity,
]

/** Loads what each capability checks. */
export function loadChecks(): Promise<Checks[]> {
  return Promise.all(CAPABILITIES.map(async ({ checks }) => (await checks?.()) ?? {}))
}
