import { Hono } from 'hono'
import * as v from 'valibot'
import { reason } from '../../../core/base/reasons.ts'
import { possiblyEmptyText } from '../../../core/base/text.ts'
import type { App } from '../../../web/http/context.ts'
import { serviceTokenHash } from '../../../web/http/guard.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { checkBind } from '../bind.ts'
import { listEntries } from '../entries.ts'

/** The scopes, one of which an app password must have. */
const SCOPES = ['files:read', 'files:write'] as const

const bindSchema = v.object({
  username: possiblyEmptyText(),
  password: possiblyEmptyText(),
  scope: v.picklist(SCOPES, reason('oneOf', { options: SCOPES.join(', ') })),
})

/**
 * Routes for LDAP doors, under `/api/ldap`. A door has a service token with the scope `ldap`. The
 * HTTP status of an answer equals its code; a success is plain JSON.
 */
export const ldapRoutes = new Hono<App>()
  .get('/entries', async (c) => {
    const known = versionsIn(c.req.header('If-None-Match') ?? '')
    const tokenHash = await serviceTokenHash(c)
    const { version, list } = await listEntries(c.get('deps'), tokenHash, known)
    c.header('ETag', `"${version}"`)
    return list === undefined ? c.body(null, 304) : c.json(list)
  })
  .post('/bind', jsonBody(bindSchema), async (c) => {
    const tokenHash = await serviceTokenHash(c)
    return c.json({ ok: await checkBind(c.get('deps'), tokenHash, c.req.valid('json')) })
  })

/** Returns the versions in a list of entity tags. @see RFC 9110 section 13.1.2 */
function versionsIn(ifNoneMatch: string): string[] {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim())
  return tags.map((tag) => tag.replace(/^(?:W\/)?"(.*)"$/, '$1')).filter(Boolean)
}
