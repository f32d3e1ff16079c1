import * as v from 'valibot'
import { text } from '../../../core/base/text.ts'
import { action } from '../../../web/kit/action.ts'
import { accountOfPage } from '../../../web/kit/admin/user-of-page.ts'
import type { PartOfUser } from '../../../web/kit/part-of-user.ts'
import { removePasskey } from '../manage.ts'
import { selectPasskeys } from '../store.ts'
import { UserPasskeys } from './admin/user-passkeys.tsx'
import { PasskeyFacts } from './passkey-section.tsx'

export const ofUser: PartOfUser = {
  async remaining({ db }, userId, batch) {
    const { passkeys } = await batch.add({ passkeys: selectPasskeys(db, userId) })
    return {
      title: (t) => t.passkeys.title,
      page: '/account/security',
      rows: passkeys.map((passkey) => (view) => ({
        name: passkey.name,
        facts: <PasskeyFacts view={view} passkey={passkey} />,
      })),
    }
  },
  async section({ db }, userId, batch) {
    const { passkeys } = await batch.add({ passkeys: selectPasskeys(db, userId) })
    return (page) => ({
      icon: 'passkeys',
      tone: 'green',
      title: page.view.t.passkeys.title,
      count: passkeys.length,
      content: <UserPasskeys {...page} passkeys={passkeys} />,
    })
  },
  forms: {
    'delete-passkey': action({
      reads: v.object({ id: text() }),
      confirms: true,
      run: (c, { id }) => removePasskey(...accountOfPage(c), id),
      done: 'passkey-deleted',
    }),
  },
}
