import { read } from '../../../../core/access/subject.ts'
import type { AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { accountOfPage, userIdOf } from '../../../../web/kit/admin/user-of-page.ts'
import { action, type Action } from '../../../../web/kit/action.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import { languageOf } from '../../../../web/kit/language.ts'
import { undoable } from '../../../../web/kit/undo.ts'
import { goTo, showPage } from '../../../../web/kit/view.ts'
import { changeDetails } from '../../details.ts'
import { findRemaining } from '../../../me/pages/remaining-access.tsx'
import { endEverything } from '../../../sessions/manage.ts'
import { cancelUserTwoFactor, changeUser, removeUser } from '../../manage-users.ts'
import { unlockUser } from '../../unlock.ts'
import { goToList, listOf, userPageOf } from './user-address.ts'
import { parseDetails } from './user-details.tsx'
import { parseUser, readNewPassword } from './user-fields.tsx'
import type { UserForm } from './user-props.ts'
import { GeneratedPasswordPage } from './users.tsx'

/** The operator of a request, and the user whose page it is. */
function target(c: AppContext) {
  return [c.get('deps'), actorOf(c), userIdOf(c)] as const
}

/** The forms of a user's page, by the last segment of their path. */
export const USER_FORMS: Record<UserForm, Action> = {
  change: action({
    reads: parseUser,
    confirms: true,
    run: (c, user) => changeUser(...target(c), user),
    done: 'user-changed',
  }),
  details: action({
    reads: (fields, c) => parseDetails(userIdOf(c), fields),
    confirms: true,
    run: (c, details) => changeDetails(...target(c), details, languageOf(c)),
    done: 'user-changed',
  }),
  password: action({
    reads: (fields, c) => readNewPassword(c.get('deps'), fields),
    confirms: true,
    async run(c, { password, generated }) {
      // Read first: an admin who changes their own password ends this session.
      const view = await adminView(c)
      const [deps, subject] = accountOfPage(c)
      const { ran, remaining } = await findRemaining(c, subject.userId, (others) =>
        read(deps, subject, others),
      )
      await changeUser(...target(c), { password })
      return { view, user: ran.account, remaining, generated }
    },
    done(c, { generated, ...shown }) {
      if (generated !== undefined)
        return showPage(c, <GeneratedPasswordPage {...shown} password={generated} />)
      const isAll = shown.remaining.length === 0
      return goTo(c, userPageOf(c), isAll ? 'user-password-set' : 'user-password-set-remaining')
    },
  }),
  unlock: action({
    confirms: true,
    run: (c) => unlockUser(...target(c)),
    done: (c) =>
      new URLSearchParams(listOf(c)).get('group') === 'locked'
        ? goToList(c, 'user-unlocked')
        : goTo(c, userPageOf(c), 'user-unlocked'),
  }),
  'cancel-two-factor': action({
    confirms: true,
    run: (c, fields) =>
      cancelUserTwoFactor(...target(c), { withPasskeys: fields['with_passkeys'] === 'true' }),
    done(c) {
      // Cancelling one's own second factor keeps the session.
      const isOwn = userIdOf(c) === actorOf(c).userId
      return goTo(c, userPageOf(c), isOwn ? 'two-factor-off' : 'user-two-factor-off')
    },
  }),
  'end-sessions': action({
    run: (c) => endEverything(...accountOfPage(c)),
    done: 'user-sessions-ended',
  }),
  disable: action({
    confirms: true,
    run: (c) => changeUser(...target(c), { disabled: true }),
    done: 'user-disabled',
  }),
  enable: action({
    confirms: true,
    run: (c) => changeUser(...target(c), { disabled: false }),
    done: 'user-enabled',
  }),
  delete: action({
    confirms: true,
    run: (c) => undoable(c, (slot) => removeUser(...target(c), slot)),
    done: (c, slot) => goToList(c, 'user-deleted', slot),
  }),
}
