import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import * as v from 'valibot'
import { ok } from '../http/envelope.ts'
import { jsonBody, query } from '../http/input.ts'
import { serviceTokenHash } from '../http/guard.ts'
import { possiblyEmptyText, text } from '../text.ts'
import { authenticateExternally, authorizedKeys, reportKeyUse } from './sftp.ts'

const keysQuery = v.object({ username: text(), fingerprint: v.optional(text()) })

const useSchema = v.object({
  username: text(),
  fingerprint: text(),
  address: v.nullish(possiblyEmptyText(), ''),
})

/** What SFTPGo sends; it sends more than is needed here. */
const externalSchema = v.object({
  username: v.nullish(possiblyEmptyText(), ''),
  password: v.nullish(possiblyEmptyText(), ''),
  public_key: v.nullish(possiblyEmptyText(), ''),
  ip: v.nullish(possiblyEmptyText(), ''),
  protocol: v.nullish(possiblyEmptyText(), ''),
})

const SFTPGO_PERMISSIONS = { none: [], read: ['list', 'download'], write: ['*'] }

/**
 * For servers, not for browsers, under `/api/sftp`: their own credential, and the code as HTTP
 * status too.
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
    const use = { username, fingerprint, address }
    await reportKeyUse(c.get('deps'), await serviceTokenHash(c), use)
    return ok(c, null)
  })
  .post('/external_auth', jsonBody(externalSchema), async (c) => {
    const { username, password, public_key: publicKey, ip: address, protocol } = c.req.valid('json')
    const attempt = { username, password, publicKey, address, protocol }
    const access = await authenticateExternally(c.get('deps'), await serviceTokenHash(c), attempt)
    if (access === 'none') return c.json({ username: '' })
    return c.json({ status: 1, username, permissions: { '/': SFTPGO_PERMISSIONS[access] } })
  })
