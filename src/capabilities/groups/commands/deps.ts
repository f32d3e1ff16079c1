import { reasonIn } from '../../../programs/kit/command-error.ts'
import { findFileServer } from '../../../programs/site/file-server.ts'
import type { Site } from '../../../programs/site/site.ts'
import type { RuleDeps } from '../folder-rules.ts'

/** A command ends no later than this after what it has said. */
const LOOKING_MILLISECONDS = 10_000

/** Gives decisions the file server of the site that a command works on. */
export async function withFileServer(site: Site, isRemote: boolean): Promise<RuleDeps> {
  const files = await findFileServer(isRemote)
  let isTold = false
  const tellFailure = (error: unknown) => {
    // What waits is tried again after the answer.
    if (isTold) return
    isTold = true
    process.stderr.write(`OpenList does not have all of this yet: ${reasonIn(error)}.\n`)
  }
  const own = { fileServer: () => files, tellFailure, lookingMilliseconds: LOOKING_MILLISECONDS }
  return { ...site, backgroundDb: site.db, ...own }
}
