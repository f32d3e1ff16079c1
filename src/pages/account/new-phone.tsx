import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import type { Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, Field, FormButtons, Heading } from '../parts.tsx'
import type { View } from '../view.ts'

/** The first step of a user who moves the authenticator app to a new phone. */
export function NewPhonePage({ view, problem }: { view: View; problem?: Problem | undefined }) {
  const { phone: t, security } = view.t
  return (
    <AccountPage view={view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      <article>
        <ol class="steps plain">
          <li>
            <p>{t.first}</p>
            <form method="post" action="/account/security/phone">
              <Alert problem={problem} fields={['code', ...CONFIRM_FIELDS]} />
              <Field
                name="code"
                label={security.code}
                hint={security.codeHint}
                autocomplete="one-time-code"
                problem={problem}
                focus
              />
              <ConfirmFields view={view} form="phone" problem={problem} takesCode={false} />
              <FormButtons view={view} submit={t.submit} back="/account/security" />
            </form>
          </li>
          <li>{t.second}</li>
          <li>{t.third}</li>
        </ol>
      </article>
    </AccountPage>
  )
}
