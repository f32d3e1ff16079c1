import * as v from 'valibot'
import { text } from '../../../core/base/text.ts'
import { accountOfPage } from '../../../web/kit/admin/user-of-page.ts'
import { action } from '../../../web/kit/action.ts'
import type { PartOfUser } from '../../../web/kit/part-of-user.ts'
import { listedIdentitiesIn, selectListed, unlinkIdentity } from '../manage.ts'
import { selectIdentities } from '../store.ts'
import { UserIdentities } from './admin/user-identities.tsx'
import { IdentityFacts, IdentitySection } from './identity-section.tsx'

const identitySchema = v.object({
  issuer: text(),
  subject: text(),
  last_way_in: v.optional(v.string()),
})

export const ofUser: PartOfUser = {
  async remaining({ db }, userId, batch) {
    const { identities } = await batch.add({ identities: selectIdentities(db, userId) })
    return {
      title: (t) => t.sso.title,
      page: '/account/security',
      rows: identities.map((identity) => (view, ofOther) => ({
        name: identity.name || view.t.sso.unnamed,
        facts: <IdentityFacts view={view} identity={identity} ofOther={ofOther} />,
      })),
    }
  },
  async section({ db }, userId, batch) {
    const identities = listedIdentitiesIn(await batch.add(selectListed(db, userId)))
    return (page) => {
      const { view } = page
      if (identities.length === 0 && view.platform === undefined) return undefined
      return {
        icon: 'sso',
        tone: 'violet',
        title: view.t.sso.title,
        count: identities.length,
        content: <UserIdentities {...page} identities={identities} />,
      }
    }
  },
  forms: {
    'unlink-identity': action({
      reads: identitySchema,
      confirms: true,
      run: (c, { last_way_in: last, ...identity }) =>
        unlinkIdentity(...accountOfPage(c), identity, { mayBeLast: last === 'true' }),
      done: 'identity-unlinked',
    }),
  },
  async security({ db }, userId, batch) {
    const { identities } = await batch.add({ identities: selectIdentities(db, userId) })
    return (page) => <IdentitySection {...page} identities={identities} />
  },
}
