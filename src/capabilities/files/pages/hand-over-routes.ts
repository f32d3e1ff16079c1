import { Hono } from 'hono'
import { readAccountAs } from '../../../core/access/read-account.ts'
import { filesOriginFrom } from '../../../core/base/file-server.ts'
import { Refusal, refusalIn } from '../../../core/base/refusals.ts'
import type { App } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { sessionToken } from '../../../web/http/session-cookie.ts'
import { parseClientPath } from '../../../web/kit/local-path.ts'
import { lacksSecondFactor } from '../../../web/kit/session-over.ts'
import { keepFilesPath } from '../../sign-in/pages/files-path.ts'
import { handOverCode, isChallenge } from '../hand-over.ts'
import { ARRIVAL_PATH } from '../http/client-sign-in.ts'

/**
 * Hands the session over to the host of the files, under `/account/files`. The code stands behind
 * the `#`, which browsers send to no server.
 */
export const handOverPages = new Hono<App>().get('/', async (c) => {
  const deps = c.get('deps')
  const files = deps.fileServer()
  const origin = files && filesOriginFrom(files, new URL(c.req.url))
  if (origin === undefined) throw new Refusal('unknownPath')
  const { challenge = '', next: wanted = '' } = c.req.query()
  if (!isChallenge(challenge)) throw new Refusal('requestInvalid')
  const next = parseClientPath(wanted) || '/'
  await readAccountAs(deps, sessionOf(c)).catch((error: unknown) => {
    if (lacksSecondFactor(refusalIn(error))) keepFilesPath(c, next)
    throw error
  })
  const code = await handOverCode.seal(deps, { token: sessionToken(c), challenge, next })
  return c.redirect(`${origin}${ARRIVAL_PATH}#code=${code}`, 303)
})
