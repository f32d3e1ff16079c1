import type { SettingsElsewhere } from '../../../core/base/settings-elsewhere.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { loadAll } from '../../../web/kit/capability.ts'

/** Finds the settings of the site that another server has; `undefined` where all are here. */
export async function settingsElsewhere(c: AppContext): Promise<SettingsElsewhere | undefined> {
  const loads = c.get('capabilities').flatMap(({ settingsElsewhere: load = [] }) => load)
  const found = (await loadAll(loads)).map((find) => find(c.get('deps')))
  return found.find((elsewhere) => elsewhere !== undefined)
}
