import { own } from '../../core/base/own.ts'
import { isSsoPlatform, type SsoPlatform } from '../../core/base/sso-platforms.ts'
import type { IconName } from './icons.tsx'
import type { Texts } from './texts.ts'
import type { View } from './view.ts'

/** Returns the usual name of an identity provider. */
export function providerName(t: Texts, platform: string): string {
  return own(t.platforms, platform) ?? platform
}

/** Returns the name of an identity provider; that of the site's own one is a setting. */
export function siteProviderName(
  { t, platform: ofSite, platformName }: Pick<View, 't' | 'platform' | 'platformName'>,
  platform: string,
): string {
  return platform === ofSite && platformName !== '' ? platformName : providerName(t, platform)
}

const ICONS: Record<SsoPlatform, IconName> = {
  Casdoor: 'casdoor',
  Github: 'github',
  Microsoft: 'microsoft',
  Google: 'google',
  Dingtalk: 'dingtalk',
  OIDC: 'openid',
}

/** Returns the mark of an identity provider. */
export function providerIcon(platform: string): IconName {
  return isSsoPlatform(platform) ? ICONS[platform] : 'sso'
}
