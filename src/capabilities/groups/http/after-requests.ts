import { createMiddleware } from 'hono/factory'
import type { Deps } from '../../../core/deps.ts'
import type { App } from '../../../web/http/context.ts'

/** The changes that can take a right in folders and have no operator whose answer waits for it. */
const TAKING = ['group_members', 'users', 'users.role', 'users.disabled', 'users.endsAt']

/** Writes folders to the file server after requests that may have taken a right in them. */
export const foldersAfterRequests = createMiddleware<App>(
  async function foldersAfterRequests(c, next) {
    await next()
    const deps = c.get('deps')
    const { rowsWritten, changes } = deps.meter
    if (rowsWritten > 0 && TAKING.some((name) => changes.has(name)))
      deps.defer(writeLater({ ...deps, db: deps.backgroundDb }))
  },
)

async function writeLater(deps: Deps): Promise<void> {
  const files = deps.fileServer()
  if (files === undefined || files.problem !== undefined) return
  const { writeWaiting } = await import('../writer.ts')
  await writeWaiting(deps, files)
}
