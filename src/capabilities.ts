import { activity } from './capabilities/activity/capability.ts'
import { appPasswords } from './capabilities/app-passwords/capability.ts'
import { files } from './capabilities/files/capability.ts'
import { groups } from './capabilities/groups/capability.ts'
import { health } from './capabilities/health/capability.ts'
import { joining } from './capabilities/joining/capability.ts'
import { ldap } from './capabilities/ldap/capability.ts'
import { mail } from './capabilities/mail/capability.ts'
import { me } from './capabilities/me/capability.ts'
import { notices } from './capabilities/notices/capability.ts'
import { openid } from './capabilities/openid/capability.ts'
import { passkeys } from './capabilities/passkeys/capability.ts'
import { sessions } from './capabilities/sessions/capability.ts'
import { settings } from './capabilities/settings/capability.ts'
import { signIn } from './capabilities/sign-in/capability.ts'
import { sshKeys } from './capabilities/ssh-keys/capability.ts'
import { sso } from './capabilities/sso/capability.ts'
import { undo } from './capabilities/undo/capability.ts'
import { twoFactor } from './capabilities/two-factor/capability.ts'
import { users } from './capabilities/users/capability.ts'
import type { Capability } from './web/kit/capability.ts'

/**
 * The capabilities, in the order of the navigation. The site also runs without a line here and its
 * folder.
 */
export const CAPABILITIES: readonly Capability[] = [
  sso,
  signIn,
  twoFactor,
  me,
  passkeys,
  health,
  users,
  groups,
  joining,
  sshKeys,
  appPasswords,
  openid,
  settings,
  sessions,
  activity,
  notices,
  mail,
  ldap,
  files,
  undo,
]
