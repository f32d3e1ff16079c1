import type { SettingsElsewhere } from '../../../core/base/settings-elsewhere.ts'
import { CAPABILITIES } from '../../../programs/site/capabilities.ts'
import type { Site, SiteOptions } from '../../../programs/site/site.ts'

/** Finds the settings of a site that another server has; `undefined` where all are here. */
export async function settingsElsewhere(
  site: Site,
  { remote = false }: SiteOptions,
): Promise<SettingsElsewhere | undefined> {
  const finders = CAPABILITIES.flatMap(({ settingsElsewhere: find = [] }) => find)
  const found = await Promise.all(finders.map((find) => find(site, remote)))
  return found.find((elsewhere) => elsewhere !== undefined)
}
