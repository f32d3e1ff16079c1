import { createMiddleware } from 'hono/factory'
import { orUnavailable } from '../../../core/database/database.ts'
import { logError } from '../../../core/database/log.ts'
import type { Deps } from '../../../core/deps.ts'
import type { App } from '../../../web/http/context.ts'

/** The changes by which the version of the rules may be another one. */
const TAKING = ['group_members', 'users', 'users.role']

/** The changes that leave the lists of folders as they are, and forbid what waits in a queue. */
const STOPPING = ['users.disabled', 'users.endsAt', 'users.basePath', 'users.permission']

/** An answer waits for a file server that hangs no longer than this. */
const PATIENCE_MILLISECONDS = 5000

/**
 * Writes to the file server what a request may have taken in folders, before it is answered: a
 * sign-in that takes a group, a user who is changed or deleted.
 */
export const foldersAfterRequests = createMiddleware<App>(
  async function foldersAfterRequests(c, next) {
    await next()
    const deps = c.get('deps')
    const { rowsWritten, changes } = deps.meter
    if (rowsWritten === 0) return
    const isStopping = STOPPING.some((name) => changes.has(name))
    if (!isStopping && !TAKING.some((name) => changes.has(name))) return
    const taken = take(deps, isStopping)
    deps.defer(taken)
    // The next run tries again, and until then the gateway asks D1.
    await orUnavailable(taken, PATIENCE_MILLISECONDS).catch(noteFailure)
  },
)

async function take(deps: Deps, isStopping: boolean): Promise<void> {
  const files = deps.fileServer()
  if (files === undefined || files.problem !== undefined) return
  const { takeInTime } = await import('../write-in-time.ts')
  await takeInTime(deps, files, isStopping).catch(noteFailure)
}

function noteFailure(error: unknown): void {
  logError(error, { during: 'what a change takes in folders' })
}
