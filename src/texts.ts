import { signInEn } from './capabilities/sign-in/texts.en.ts'
import { signInZh } from './capabilities/sign-in/texts.zh.ts'
import { joiningEn } from './capabilities/joining/texts.en.ts'
import { joiningZh } from './capabilities/joining/texts.zh.ts'
import { ssoEn } from './capabilities/sso/texts.en.ts'
import { ssoZh } from './capabilities/sso/texts.zh.ts'
import { meEn } from './capabilities/me/texts.en.ts'
import { meZh } from './capabilities/me/texts.zh.ts'
import { usersEn } from './capabilities/users/texts.en.ts'
import { usersZh } from './capabilities/users/texts.zh.ts'
import { twoFactorEn } from './capabilities/two-factor/texts.en.ts'
import { twoFactorZh } from './capabilities/two-factor/texts.zh.ts'
import { sshKeysEn } from './capabilities/ssh-keys/texts.en.ts'
import { sshKeysZh } from './capabilities/ssh-keys/texts.zh.ts'
import { sessionsEn } from './capabilities/sessions/texts.en.ts'
import { sessionsZh } from './capabilities/sessions/texts.zh.ts'
import { noticesEn } from './capabilities/notices/texts.en.ts'
import { noticesZh } from './capabilities/notices/texts.zh.ts'
import { appPasswordsEn } from './capabilities/app-passwords/texts.en.ts'
import { appPasswordsZh } from './capabilities/app-passwords/texts.zh.ts'
import { passkeysEn } from './capabilities/passkeys/texts.en.ts'
import { passkeysZh } from './capabilities/passkeys/texts.zh.ts'
import { activityEn } from './capabilities/activity/texts.en.ts'
import { activityZh } from './capabilities/activity/texts.zh.ts'
import { healthEn } from './capabilities/health/texts.en.ts'
import { healthZh } from './capabilities/health/texts.zh.ts'
import { settingsEn } from './capabilities/settings/texts.en.ts'
import { settingsZh } from './capabilities/settings/texts.zh.ts'
import { filesEn } from './capabilities/files/texts.en.ts'
import { filesZh } from './capabilities/files/texts.zh.ts'
import { openidEn } from './capabilities/openid/texts.en.ts'
import { openidZh } from './capabilities/openid/texts.zh.ts'
import type { Language } from './core/base/language.ts'
import type { Texts } from './web/kit/texts.ts'
import { kitEn } from './web/kit/texts/en.ts'
import { kitZh } from './web/kit/texts/zh.ts'

/** The texts of all pages. */
export const TEXTS: Record<Language, Texts> = {
  en: {
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
    ...openidEn,
    ...filesEn,
  },
  zh: {
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
    ...openidZh,
    ...filesZh,
  },
}
