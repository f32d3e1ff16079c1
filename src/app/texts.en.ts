import { signInEn } from '../capabilities/sign-in/texts.en.ts'
import { joiningEn } from '../capabilities/joining/texts.en.ts'
import { ssoEn } from '../capabilities/sso/texts.en.ts'
import { meEn } from '../capabilities/me/texts.en.ts'
import { usersEn } from '../capabilities/users/texts.en.ts'
import { twoFactorEn } from '../capabilities/two-factor/texts.en.ts'
import { sshKeysEn } from '../capabilities/ssh-keys/texts.en.ts'
import { sessionsEn } from '../capabilities/sessions/texts.en.ts'
import { noticesEn } from '../capabilities/notices/texts.en.ts'
import { appPasswordsEn } from '../capabilities/app-passwords/texts.en.ts'
import { passkeysEn } from '../capabilities/passkeys/texts.en.ts'
import { activityEn } from '../capabilities/activity/texts.en.ts'
import { healthEn } from '../capabilities/health/texts.en.ts'
import { settingsEn } from '../capabilities/settings/texts.en.ts'
import { filesEn } from '../capabilities/files/texts.en.ts'
import { groupsEn } from '../capabilities/groups/texts.en.ts'
import { undoEn } from '../capabilities/undo/texts.en.ts'
import { openidEn } from '../capabilities/openid/texts.en.ts'
import { kitEn } from '../web/kit/texts/en.ts'
import type { Texts } from '../web/kit/texts.ts'

/** The texts of all pages in English. */
export const en: Texts = {
  ...kitEn,
  ...signInEn,
  ...joiningEn,
  ...ssoEn,
  ...meEn,
  ...usersEn,
  ...twoFactorEn,
  ...sshKeysEn,
  ...sessionsEn,
  ...noticesEn,
  ...appPasswordsEn,
  ...passkeysEn,
  ...activityEn,
  ...healthEn,
  ...settingsEn,
  ...groupsEn,
  ...openidEn,
  ...undoEn,
  ...filesEn,
}
