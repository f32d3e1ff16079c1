import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { sessionOf, signedIn } from '../../../web/http/guard.ts'
import { idQuery, jsonBody, query } from '../../../web/http/input.ts'
import { own } from '../../../core/access/subject.ts'
import { createAppPassword, deleteAppPassword, listAppPasswords } from '../app-passwords.ts'
import { newAppPasswordSchema } from '../fields.ts'
import { appPasswordRecords } from '../record.ts'

/** Routes for the user's own app passwords, under `/api/me/tokens`. */
export const appPasswordRoutes = new Hono<App>()
  .get('/', signedIn('guestTokens', 'session'), async (c) => {
    const appPasswords = await listAppPasswords(c.get('deps'), own(sessionOf(c)))
    return ok(c, { content: appPasswordRecords(appPasswords), total: appPasswords.length })
  })
  .post(
    '/create',
    signedIn('guestTokens', 'session'),
    jsonBody(newAppPasswordSchema),
    async (c) => {
      const { name, scopes, expires_at: expiresAt } = c.req.valid('json')
      const request = { name, scopes, expiresAt }
      const { id, token } = await createAppPassword(c.get('deps'), own(sessionOf(c)), request)
      return ok(c, { id, token })
    },
  )
  .post(
    '/delete',
    signedIn('guestTokens', 'session'),
    query(idQuery, 'idFormatInvalid'),
    async (c) => {
      await deleteAppPassword(c.get('deps'), own(sessionOf(c)), c.req.valid('query').id)
      return ok(c, null)
    },
  )
