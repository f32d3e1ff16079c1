import { Hono } from 'hono'
import * as v from 'valibot'
import type { App } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { validate } from '../../../web/http/input.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { text } from '../../../core/base/text.ts'
import { actFreshAs } from '../../../core/access/act-as.ts'
import { unlinkIdentity } from '../manage.ts'
import { showSecurity } from '../../me/pages/show-security.tsx'
import { confirmWith } from '../../../web/kit/confirm.tsx'
import { OTHERS } from '../../../web/kit/end-others.tsx'
import { attempt, readForm } from '../../../web/kit/form.ts'
import { backTo, goTo } from '../../../web/kit/view.ts'
import { leadTo } from './answers.tsx'
import { goToProvider } from '../http/go-to-provider.ts'

const PATH = '/account/security'

const identitySchema = v.object({ issuer: text(), subject: text() })

/** The forms for linked accounts, under `/account/security/identities`. */
export const identityPages = new Hono<App>()
  .post('/link', async (c) => {
    const fields = await readForm(c)
    const deps = c.get('deps')
    const url = await attempt(async () => {
      await confirmWith(c, fields)
      const { userId, sessionId, issuedAtSeconds } = sessionOf(c)
      await actFreshAs(deps, sessionOf(c), deps.now(), {})
      return goToProvider(c, { kind: 'link', userId, sessionId, issuedAtSeconds })
    })
    if (url instanceof Refusal) return showSecurity(c, { form: 'link-identity', refusal: url })
    return leadTo(c, url.href)
  })
  .post('/unlink', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const identity = validate(identitySchema, fields)
      await confirmWith(c, fields)
      const endsOthers = fields[OTHERS] !== undefined
      await unlinkIdentity(c.get('deps'), sessionOf(c), identity, { endsOthers })
    })
    if (refusal instanceof Refusal)
      return showSecurity(c, { form: 'unlink-identity', refusal, identity: fields['subject'] })
    return goTo(c, PATH, 'identity-unlinked')
  })
  .get('/:form', backTo(PATH))
