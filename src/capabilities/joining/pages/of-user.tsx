import { selectVerifiedAddress } from '../../../core/accounts/store.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { actorOf } from '../../../web/http/guard.ts'
import { action } from '../../../web/kit/action.ts'
import { userIdOf } from '../../../web/kit/admin/user-of-page.ts'
import { adminView } from '../../../web/kit/admin/view.ts'
import type { PartOfUser } from '../../../web/kit/part-of-user.ts'
import { goTo, showPage } from '../../../web/kit/view.ts'
import { signInPath } from '../../sign-in/pages/next.ts'
import { getUser } from '../../users/find-users.ts'
import { goToList, listOf, userPageOf } from '../../users/pages/admin/user-address.ts'
import { linkPlaceOf } from '../http/link-place.ts'
import { createResetLink } from '../reset-links.ts'
import { approveUser, rejectUser } from '../waiting.ts'
import { selectInvitationOf } from '../link-store.ts'
import { INVITATIONS_PATH } from './admin/invitations.tsx'
import { EMAIL_PATH } from './own-email.tsx'
import { Decisions, ResetLinkForm, ResetLinkPage } from './admin/user-forms.tsx'

/** The operator of a request, and the user whose page it is. */
function target(c: AppContext) {
  return [c.get('deps'), actorOf(c), userIdOf(c)] as const
}

export const ofUser: PartOfUser = {
  /** The verified address, to which a link for a new password can be mailed. */
  async remaining({ db }, userId, batch) {
    const { addresses } = await batch.add({ addresses: selectVerifiedAddress(db, userId) })
    return {
      title: (t) => t.joining.ownTitle,
      isByMail: true,
      page: EMAIL_PATH,
      rows: addresses.map(({ email }) => ({ t }, ofOther) => ({
        name: email,
        facts: (
          <p class="facts">
            <span>{t.remaining.address}</span>
            {!ofOther && (
              <span>
                <a href={signInPath(EMAIL_PATH)}>{t.joining.manage}</a>
              </span>
            )}
          </p>
        ),
      })),
    }
  },
  async fact({ db }, userId, batch) {
    const { invitations } = await batch.add({ invitations: selectInvitationOf(db, userId) })
    return ({ t }) =>
      invitations.map(({ name }) => (
        <a href={INVITATIONS_PATH}>
          {name ? t.adminInvitations.joinedWith(name) : t.adminInvitations.joinedWithAny}
        </a>
      ))
  },
  help: (page) => <ResetLinkForm page={page} />,
  decisions: (page) => <Decisions {...page} />,
  selected: {
    approve: {
      label: (t) => t.adminJoining.approve,
      fits: ({ waiting }) => waiting,
      run: (c, userId) => approveUser(c.get('deps'), actorOf(c), userId),
    },
  },
  forms: {
    approve: action({
      confirms: true,
      run: (c) => approveUser(...target(c)),
      done: (c) =>
        listOf(c) === '' ? goTo(c, userPageOf(c), 'user-approved') : goToList(c, 'user-approved'),
    }),
    reject: action({
      confirms: true,
      run: (c) => rejectUser(...target(c)),
      done: (c) => goToList(c, 'user-rejected'),
    }),
    'reset-link': action({
      confirms: true,
      async run(c, fields) {
        const user = await getUser(...target(c))
        const secondFactor = fields['second_factor'] === 'true'
        const request = { userId: user.id, secondFactor, endsAt: undefined }
        const made = await createResetLink(c.get('deps'), actorOf(c), request, linkPlaceOf(c))
        return { user, made }
      },
      done: async (c, shown) =>
        showPage(c, <ResetLinkPage view={await adminView(c)} {...shown} next={userPageOf(c)} />),
    }),
  },
}
