import { Alert, Field } from '../../../web/kit/fields.tsx'
import { problemIn } from '../../../web/kit/form.ts'
import { PasskeyButton } from '../../../web/kit/passkey-button.tsx'
import type { SecurityProps } from '../../me/pages/security-forms.ts'

/** For a session without the second factor that its user has and must use: asks for it. */
export function FactorSection({ view, account, refused }: SecurityProps) {
  const t = view.t.security
  const problem = problemIn(refused, 'factor')
  return (
    <article>
      <h2>{t.factorTitle}</h2>
      <p>{t.factorLead}</p>
      <form method="post" action="/account/security/factor">
        <Alert problem={problem} fields={account.hasTwoFactor ? ['confirm_code'] : []} />
        {account.hasTwoFactor && (
          <>
            <Field
              name="confirm_code"
              label={view.t.code}
              hint={view.t.codeHint}
              autocomplete="one-time-code"
              problem={problem}
            />
            <button>{t.factorSubmit}</button>
          </>
        )}
        {view.ceremony !== undefined && (
          <PasskeyButton
            view={view}
            ceremony={view.ceremony}
            use="get"
            label={view.t.confirm.passkey}
            again="/account/security"
          />
        )}
      </form>
      {!account.hasTwoFactor && (
        <p class="hint" data-without-passkeys>
          {view.t.passkeys.needsScript}
        </p>
      )}
    </article>
  )
}
