import { Change, Press } from '../../../../web/kit/confirm.tsx'
import { problemIn } from '../../../../web/kit/form.ts'
import type { UserPage } from '../../../../web/kit/part-of-user.ts'
import type { View } from '../../../../web/kit/view.ts'
import { Box, FormRow } from '../../../users/pages/admin/user-access.tsx'
import type { MadeLink } from '../../invitations.ts'
import { MadeLinkPage } from './invitations.tsx'

/** The forms that approve and reject a registration. */
export function Decisions({ view, user: { id, username }, action, refused }: UserPage) {
  const t = view.t.adminJoining
  return (
    <div class="decide">
      <Press
        view={view}
        label={t.approve}
        action={action('approve')}
        named={username}
        problem={problemIn(refused, 'approve')}
        confirmedAs={`approve-${id}`}
        isPrimary
      />
      <Change
        view={view}
        label={t.reject}
        question={t.rejectQuestion(username)}
        action={action('reject')}
        named={username}
        submit={t.reject}
        problem={problemIn(refused, 'reject')}
        confirmedAs={`reject-${id}`}
      />
    </div>
  )
}

/** The form that makes a link for a new password. */
export function ResetLinkForm({ page }: { page: UserPage }) {
  const t = page.view.t.adminJoining
  return (
    <FormRow
      page={page}
      form="reset-link"
      icon="mail"
      label={t.resetLink}
      lead={t.resetLinkLead}
      submit={t.resetLinkSubmit}
      confirms
    >
      {page.user.hasTwoFactor && <Box name="second_factor" title={t.resetLinkFactor} />}
    </FormRow>
  )
}

interface ResetLinkProps {
  view: View
  user: { username: string }
  made: MadeLink
  next: string
}

/** Shows a link for a new password once, in the answer to the form that made it. */
export function ResetLinkPage({ view, user, made, next }: ResetLinkProps) {
  const t = view.t.adminJoining
  return (
    <MadeLinkPage
      view={view}
      title={t.resetLink}
      lead={t.resetLinkMade}
      label={t.resetLinkLabel(user.username)}
      made={made}
      next={next}
      done={view.t.adminUsers.generatedDone}
    />
  )
}
