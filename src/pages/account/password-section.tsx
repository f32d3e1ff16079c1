import { Alert, Field, Tile } from '../parts.tsx'
import { problemIn, type SecurityProps } from './security-forms.ts'

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
      <form method="post" action="/account/security/password">
        <Alert problem={problem} fields={['old_password', 'password', 'repeat']} />
        <input type="hidden" name="username" autocomplete="username" value={account.username} />
        <Field
          name="old_password"
          label={t.oldPassword}
          type="password"
          autocomplete="current-password"
          problem={problem}
          reveal={view.t.reveal}
        />
        <Field
          name="password"
          label={t.newPassword}
          hint={t.newPasswordHint}
          type="password"
          autocomplete="new-password"
          problem={problem}
          reveal={view.t.reveal}
        />
        <Field
          name="repeat"
          label={t.repeat}
          type="password"
          autocomplete="new-password"
          problem={problem}
          reveal={view.t.reveal}
        />
        <button>{t.changePassword}</button>
      </form>
    </article>
  )
}
