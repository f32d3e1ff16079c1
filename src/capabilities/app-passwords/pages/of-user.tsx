import { idQuery } from '../../../web/http/input.ts'
import { action } from '../../../web/kit/action.ts'
import { accountOfPage } from '../../../web/kit/admin/user-of-page.ts'
import type { PartOfUser } from '../../../web/kit/part-of-user.ts'
import { deleteAppPassword } from '../app-passwords.ts'
import { selectAppPasswords } from '../store.ts'
import { UserAppPasswords } from './admin/user-app-passwords.tsx'
import { AppPasswordFacts } from './app-passwords.tsx'

export const ofUser: PartOfUser = {
  async remaining({ db }, userId, batch) {
    const { appPasswords } = await batch.add({ appPasswords: selectAppPasswords(db, userId) })
    return {
      title: (t) => t.appPasswords.title,
      page: '/account/app-passwords',
      rows: appPasswords.map((item) => (view) => ({
        name: item.name,
        facts: <AppPasswordFacts view={view} item={item} />,
      })),
    }
  },
  async section({ db }, userId, batch) {
    const { appPasswords } = await batch.add({ appPasswords: selectAppPasswords(db, userId) })
    return (page) => ({
      icon: 'app-passwords',
      tone: 'teal',
      title: page.view.t.appPasswords.title,
      count: appPasswords.length,
      content: <UserAppPasswords {...page} appPasswords={appPasswords} />,
    })
  },
  forms: {
    'delete-app-password': action({
      reads: idQuery,
      run: (c, { id }) => deleteAppPassword(...accountOfPage(c), id),
      done: 'app-password-deleted',
    }),
  },
}
