import { signInZh } from '../capabilities/sign-in/texts.zh.ts'
import { joiningZh } from '../capabilities/joining/texts.zh.ts'
import { ssoZh } from '../capabilities/sso/texts.zh.ts'
import { meZh } from '../capabilities/me/texts.zh.ts'
import { usersZh } from '../capabilities/users/texts.zh.ts'
import { twoFactorZh } from '../capabilities/two-factor/texts.zh.ts'
import { sshKeysZh } from '../capabilities/ssh-keys/texts.zh.ts'
import { sessionsZh } from '../capabilities/sessions/texts.zh.ts'
import { noticesZh } from '../capabilities/notices/texts.zh.ts'
import { appPasswordsZh } from '../capabilities/app-passwords/texts.zh.ts'
import { passkeysZh } from '../capabilities/passkeys/texts.zh.ts'
import { activityZh } from '../capabilities/activity/texts.zh.ts'
import { healthZh } from '../capabilities/health/texts.zh.ts'
import { settingsZh } from '../capabilities/settings/texts.zh.ts'
import { filesZh } from '../capabilities/files/texts.zh.ts'
import { groupsZh } from '../capabilities/groups/texts.zh.ts'
import { undoZh } from '../capabilities/undo/texts.zh.ts'
import { openidZh } from '../capabilities/openid/texts.zh.ts'
import { kitZh } from '../web/kit/texts/zh.ts'
import type { Texts } from '../web/kit/texts.ts'

/** The texts of all pages in Chinese. */
export const zh: Texts = {
  ...kitZh,
  ...signInZh,
  ...joiningZh,
  ...ssoZh,
  ...meZh,
  ...usersZh,
  ...twoFactorZh,
  ...sshKeysZh,
  ...sessionsZh,
  ...noticesZh,
  ...appPasswordsZh,
  ...passkeysZh,
  ...activityZh,
  ...healthZh,
  ...settingsZh,
  ...groupsZh,
  ...openidZh,
  ...undoZh,
  ...filesZh,
}
