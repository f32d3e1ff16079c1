import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { ok } from '../../../web/http/envelope.ts'
import { jsonBody, query } from '../../../web/http/input.ts'
import { serviceTokenHash } from '../../../web/http/guard.ts'
import { possiblyEmptyText, text } from '../../../core/base/text.ts'
import {
  authenticateExternally,
  authorizedKeys,
  reportKeyUse,
  reportSftpgoSignIn,
} from '../sftp.ts'
import { sftpgoUser } from '../sftpgo.ts'

const keysQuery = v.object({ username: text(), fingerprint: v.optional(text()) })

const useSchema = v.object({
  username: text(),
  fingerprint: text(),
  address: v.nullish(possiblyEmptyText(), ''),
})

/** The fields of SFTPGo's request that Latchkey reads. */
const externalSchema = v.object({
  username: v.nullish(possiblyEmptyText(), ''),
  password: v.nullish(possiblyEmptyText(), ''),
  public_key: v.nullish(possiblyEmptyText(), ''),
  ip: v.nullish(possiblyEmptyText(), ''),
  protocol: v.nullish(possiblyEmptyText(), ''),
})

const signedInQuery = v.object({
  login_method: v.optional(possiblyEmptyText(), ''),
  status: v.optional(possiblyEmptyText(), ''),
  ip: v.optional(possiblyEmptyText(), ''),
})

/** The fields of SFTPGo's user that identify the key that signed in. */
const signedInSchema = v.object({
  username: text(),
  public_keys: v.nullish(v.array(possiblyEmptyText()), []),
  filters: v.nullish(v.object({ external_auth_cache_time: v.nullish(v.number(), 0) }), {}),
})

/**
 * Routes for servers, under `/api/sftp`. A server has its own credential. The HTTP status of an
 * answer equals its code.
 */
export const sftpRoutes = new Hono<App>()
  .get('/authorized_keys', query(keysQuery), async (c) => {
    const { username, fingerprint } = c.req.valid('query')
    const tokenHash = await serviceTokenHash(c)
    const lines = await authorizedKeys(c.get('deps'), tokenHash, username, fingerprint)
    return c.text(lines.map((line) => `${line}\n`).join(''))
  })
  .post('/used', jsonBody(useSchema), async (c) => {
    const { username, fingerprint, address } = c.req.valid('json')
    const use = { username, fingerprint, address, userAgent: 'sftp' } as const
    await reportKeyUse(c.get('deps'), await serviceTokenHash(c), use)
    return ok(c, null)
  })
  .post('/external_auth', jsonBody(externalSchema), async (c) => {
    const { username, password, public_key: publicKey, ip: address, protocol } = c.req.valid('json')
    const attempt = { username, password, publicKey, address, protocol }
    const tokenHash = await serviceTokenHash(c)
    const admission = await authenticateExternally(c.get('deps'), tokenHash, attempt)
    return c.json(admission === undefined ? { username: '' } : sftpgoUser(username, admission))
  })
  .post('/post_login', query(signedInQuery), jsonBody(signedInSchema), async (c) => {
    const { login_method: loginMethod, status, ip: address } = c.req.valid('query')
    const { username, public_keys: publicKeys, filters } = c.req.valid('json')
    const rememberedSeconds = filters.external_auth_cache_time ?? 0
    const signedIn = { username, address, loginMethod, status, publicKeys, rememberedSeconds }
    await reportSftpgoSignIn(c.get('deps'), await serviceTokenHash(c), signedIn)
    return ok(c, null)
  })
