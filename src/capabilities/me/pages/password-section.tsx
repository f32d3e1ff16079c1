import { Alert, Confirm, Field, NewPasswordFields } from '../../../web/kit/fields.tsx'
import { type Problem, problemIn } from '../../../web/kit/form.ts'
import { Tile } from '../../../web/kit/icons.tsx'
import type { View } from '../../../web/kit/view.ts'
import type { SecurityProps } from './security-forms.ts'

export function PasswordSection({ view, refused }: SecurityProps) {
  const t = view.t.security
  const problem = problemIn(refused, 'password')
  return (
    <article>
      <header>
        <Tile icon="password" tone="amber" />
        <h2>{t.passwordTitle}</h2>
      </header>
      <p>{t.passwordLead}</p>
      <div class="decide">
        <Confirm
          label={t.changePassword}
          cancel={view.t.cancel}
          question=""
          open={problem !== undefined}
        >
          <PasswordForm view={view} action="/account/security/password" problem={problem} />
        </Confirm>
      </div>
    </article>
  )
}

interface PasswordFormProps {
  view: View
  action: string
  problem: Problem | undefined
}

/** Asks for the present password and the new one. */
export function PasswordForm({ view, action, problem }: PasswordFormProps) {
  const t = view.t.security
  return (
    <form method="post" action={action}>
      <Alert problem={problem} fields={['old_password', 'password', 'repeat']} />
      <input
        type="hidden"
        name="username"
        autocomplete="username"
        value={view.account?.username ?? ''}
      />
      <Field
        name="old_password"
        label={t.oldPassword}
        type="password"
        autocomplete="current-password"
        problem={problem}
        reveal={view.t.reveal}
      />
      <NewPasswordFields view={view} label={t.newPassword} repeat={t.repeat} problem={problem} />
      <button>{t.changePassword}</button>
    </form>
  )
}
