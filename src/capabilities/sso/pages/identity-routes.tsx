import * as v from 'valibot'
import { act, own } from '../../../core/access/subject.ts'
import { text } from '../../../core/base/text.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import { OTHERS } from '../../../web/kit/end-others.tsx'
import type { Refused } from '../../../web/kit/form.ts'
import { showSecurity } from '../../me/pages/show-security.tsx'
import { goToProvider } from '../http/go-to-provider.ts'
import { unlinkIdentity } from '../manage.ts'
import { leadTo } from './answers.tsx'

const PATH = '/account/security'

const identitySchema = v.object({ issuer: text(), subject: text() })

/** The forms for linked accounts, under `/account/security/identities`. */
export const identityPages = formsOf(PATH, showIdentities, {
  link: action({
    confirms: true,
    run: async (c) => {
      const { userId, sessionId, issuedAtSeconds } = sessionOf(c)
      await act(c.get('deps'), own(sessionOf(c)), { fresh: true }, () => ({}))
      return goToProvider(c, { kind: 'link', userId, sessionId, issuedAtSeconds })
    },
    done: (c, url) => leadTo(c, url.href),
  }),
  unlink: action({
    reads: identitySchema,
    confirms: true,
    run: (c, identity, fields) => {
      const endsOthers = fields[OTHERS] !== undefined
      return unlinkIdentity(c.get('deps'), own(sessionOf(c)), identity, { endsOthers })
    },
    done: 'identity-unlinked',
  }),
})

function showIdentities(c: AppContext, refused?: Refused<'link' | 'unlink'>) {
  return showSecurity(c, refused && { ...refused, form: `${refused.form}-identity` })
}
