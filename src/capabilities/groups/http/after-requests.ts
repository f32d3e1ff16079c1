import { createMiddleware } from 'hono/factory'
import { orUnavailable } from '../../../core/database/database.ts'
import { logError } from '../../../core/database/log.ts'
import type { Deps } from '../../../core/deps.ts'
import type { App } from '../../../web/http/context.ts'
import { mayGive, mayStopTasks, mayTakeFromAccounts, mayTakeGroups } from '../taken.ts'

/** An answer waits for a file server that hangs, or has very many tasks, no longer than this. */
const PATIENCE_MILLISECONDS = 30_000
/** A person waits for the sign-in. */
const SIGN_IN_PATIENCE_MILLISECONDS = 5000

/**
 * Writes to the file server what a request may have taken in folders, before it is answered: a
 * sign-in that takes a group, a user who is changed or deleted. What it gives, such as the groups
 * of an invitation, is written after the answer.
 */
export const foldersAfterRequests = createMiddleware<App>(
  async function foldersAfterRequests(c, next) {
    await next()
    const deps = c.get('deps')
    const isOfAccount = mayTakeFromAccounts(deps.meter)
    const isTaking = isOfAccount || mayTakeGroups(deps.meter)
    if (!isTaking && !mayGive(deps.meter)) return
    const taken = take(deps, mayStopTasks(deps.meter))
    deps.defer(taken)
    if (!isTaking) return
    // The next run tries again, and until then the gateway asks D1.
    const patience = isOfAccount ? PATIENCE_MILLISECONDS : SIGN_IN_PATIENCE_MILLISECONDS
    await orUnavailable(taken, patience).catch(noteFailure)
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
