import { createMiddleware } from 'hono/factory'
import type { Deps } from '../../../core/deps.ts'
import type { App } from '../../../web/http/context.ts'

/** The changes that can take a right in folders and have no operator whose answer waits for it. */
const TAKING = ['group_members', 'users', 'users.role', 'users.disabled', 'users.endsAt']

/** The changes that leave the lists of folders as they are, and forbid what waits in a queue. */
const STOPPING = ['users.disabled', 'users.endsAt', 'users.basePath']

/** Writes folders to the file server after requests that may have taken a right in them. */
export const foldersAfterRequests = createMiddleware<App>(
  async function foldersAfterRequests(c, next) {
    await next()
    const deps = c.get('deps')
    const { rowsWritten, changes } = deps.meter
    if (rowsWritten === 0) return
    const later = { ...deps, db: deps.backgroundDb }
    const isStopping = STOPPING.some((name) => changes.has(name))
    if (isStopping || TAKING.some((name) => changes.has(name)))
      deps.defer(writeLater(later, isStopping))
  },
)

async function writeLater(deps: Deps, isStopping: boolean): Promise<void> {
  const files = deps.fileServer()
  if (files === undefined || files.problem !== undefined) return
  const { cancelTasksInTime, writeWaiting } = await import('../writer.ts')
  await writeWaiting(deps, files)
  if (isStopping) await cancelTasksInTime(deps, files)
}
