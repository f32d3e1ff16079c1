import { LOGO } from '../../../../.build/assets.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { openAnnouncement } from '../../../web/kit/announcement.tsx'
import type { SiteFacts } from '../../../web/kit/view.ts'
import { DEFAULT_SETTINGS, type Settings } from '../defaults.ts'
import { readSettings } from '../copy.ts'
import { themeOf } from './theme.ts'

/** Reads what every page shows of the settings; the defaults when they can't be read. */
export async function readSiteFacts(c: AppContext): Promise<Omit<SiteFacts, 'hasMail'>> {
  const { values: settings, providerName } = await readSettings(c.get('deps')).catch(
    (): { values: Settings; providerName: string } => ({
      values: DEFAULT_SETTINGS,
      providerName: '',
    }),
  )
  return {
    site: await siteOf(c, settings),
    platform: platformOf(settings),
    platformName: providerName,
    isRegistrationOpen: settings.allow_register === 'true',
  }
}

/** Returns the platform of single sign-on; `undefined` while it is off or not set up. */
function platformOf(settings: Record<'sso_login_enabled' | 'sso_login_platform', string>) {
  const isOn = settings.sso_login_enabled === 'true' && settings.sso_login_platform !== ''
  return isOn ? settings.sso_login_platform : undefined
}

async function siteOf(c: AppContext, settings: Settings): Promise<SiteFacts['site']> {
  const [light = '', dark = light] = logosIn(settings.logo)
  return {
    title: settings.site_title || DEFAULT_SETTINGS.site_title,
    announcement: await openAnnouncement(c, settings.announcement),
    logo: { light: localImage(light), dark: localImage(dark) },
    theme: (await themeOf(settings.main_color)).path,
  }
}

/** Returns the addresses of the setting: the logo, and that of dark pages. */
export function logosIn(setting: string): string[] {
  return setting.split('\n').map((line) => line.trim())
}

/** Replaces an image on another host by the default logo, because a page contacts no other host. */
export function localImage(address: string): string {
  return isLocalImage(address) && address !== DEFAULT_SETTINGS.logo ? address : LOGO
}

/** Tells whether an image is one of this site, which alone its pages show. */
export function isLocalImage(address: string): boolean {
  return /^\/(?![/\\])[^\s\p{Cc}\\]*$/u.test(address)
}
