import { findFileServer } from '../../../programs/site/file-server.ts'
import type { Site } from '../../../programs/site/site.ts'
import type { RuleDeps } from '../folder-rules.ts'

/** Gives decisions the file server of the site that a command works on. */
export async function withFileServer(site: Site, isRemote: boolean): Promise<RuleDeps> {
  const files = await findFileServer(isRemote)
  return { ...site, backgroundDb: site.db, fileServer: () => files }
}
