import type { SitePlace } from '../../../programs/site/in-programs.ts'
import type { Site } from '../../../programs/site/site.ts'
import { hasFolders } from '../meta-store.ts'
import { mayGive, mayStopTasks, mayTakeFromAccounts } from '../taken.ts'
import { takeInTime } from '../write-in-time.ts'
import { withFileServer } from './deps.ts'

/**
 * Writes to the file server what a command has taken from accounts, or given, before it ends. The
 * commands of groups and rules do so themselves.
 */
export async function takeAfterCommand(site: Site, place: SitePlace): Promise<void> {
  const mayChange = mayTakeFromAccounts(site.meter) || mayGive(site.meter)
  if (!mayChange || !(await hasFolders(site.db))) return
  const deferred: Promise<unknown>[] = []
  const deps = await withFileServer(site, place === 'deployed')
  const files = deps.fileServer()
  if (files === undefined || files.problem !== undefined) return
  const defer = (work: Promise<unknown>) => void deferred.push(work)
  await takeInTime({ ...deps, defer }, files, mayStopTasks(site.meter))
  await Promise.all(deferred)
}
