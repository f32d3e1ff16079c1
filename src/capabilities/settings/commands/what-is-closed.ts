import { closedBy, countMadeWithPassword } from '../../../core/access/kept-credentials.ts'
import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { listSettings } from '../manage-settings.ts'
import type { Site } from '../../../programs/site/site.ts'

/**
 * Says what a demand for a second factor has closed, after it changed.
 *
 * @param changed The settings that have changed.
 * @returns An empty sentence and record when nothing is closed.
 */
export async function whatIsClosed(site: Site, changed: readonly string[]) {
  const nothing = { sentence: '', record: {} }
  if (!changed.includes('require_second_factor')) return nothing
  const settings = await listSettings(site, COMMAND_LINE)
  const demand = settings.find(({ key }) => key === 'require_second_factor')?.value
  const { appPasswords, keys } = closedBy(demand, await countMadeWithPassword(site, COMMAND_LINE))
  if (appPasswords + keys === 0) return nothing
  return {
    sentence: `\nApp passwords made with a password alone: ${appPasswords}; SSH keys: ${keys}. They open nothing until their owners keep them at /account/security.`,
    record: { closed: { app_passwords: appPasswords, ssh_keys: keys } },
  }
}
