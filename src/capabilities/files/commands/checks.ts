import { warning } from '../../../programs/kit/findings.ts'
import { PRODUCTION_FILE } from '../../../programs/site/dev-vars.ts'
import { findFileServer } from '../../../programs/site/file-server.ts'
import type { Checks } from '../../../programs/site/in-programs.ts'
import { judgeFileServer, judgeHosts, judgeLinks, judgeShares, readStateOf } from './judge.ts'

export const checks: Checks = {
  /** Nothing is checked where no file server is set. */
  async ofSetup(site, { isRemote, variable }) {
    const server = await findFileServer(isRemote)
    if (server === undefined) return []
    // Only the Worker has the secrets; they can't be read back.
    if (isRemote && server.problem !== undefined)
      return [
        warning(
          'file server',
          `not checked: ${server.problem}`,
          `put FILES_TOKEN and FILES_HEADERS into ${PRODUCTION_FILE}`,
        ),
      ]
    const state = await readStateOf(site, server)
    const found = judgeFileServer(server, state)
    const hosts = judgeHosts(server, isRemote, {
      SITE_ADDRESS: variable('SITE_ADDRESS'),
      ISSUER: variable('ISSUER'),
    })
    if (found.status === 'fail') return [found, ...hosts]
    return [found, judgeLinks(state), ...(await judgeShares(site, server)), ...hosts]
  },
}
