import { Change } from '../../../web/kit/confirm.tsx'
import { Field, NewPasswordFields } from '../../../web/kit/fields.tsx'
import { problemIn } from '../../../web/kit/form.ts'
import { Tile } from '../../../web/kit/icons.tsx'
import type { SecurityProps } from './security-forms.ts'

export function PasswordSection({ view, account, refused }: SecurityProps) {
  const t = view.t.security
  const problem = problemIn(refused, 'password')
  return (
    <article>
      <header>
        <Tile icon="password" tone="amber" />
        <h2>{t.passwordTitle}</h2>
      </header>
      <p>{t.passwordLead}</p>
      <Change
        view={view}
        label={t.changePassword}
        action="/account/security/password"
        submit={t.changePassword}
        problem={problem}
        fields={['old_password', 'password', 'repeat']}
        isHarmless
      >
        <input type="hidden" name="username" autocomplete="username" value={account.username} />
        <Field
          name="old_password"
          label={t.oldPassword}
          type="password"
          autocomplete="current-password"
          problem={problem}
          reveal={view.t.reveal}
        />
        <NewPasswordFields view={view} label={t.newPassword} repeat={t.repeat} problem={problem} />
      </Change>
    </article>
  )
}
