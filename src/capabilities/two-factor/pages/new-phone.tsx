import { CONFIRM_FIELDS, ConfirmFields } from '../../../web/kit/confirm.tsx'
import { Alert, Field, FormButtons } from '../../../web/kit/fields.tsx'
import type { Problem } from '../../../web/kit/form.ts'
import { Icon } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import type { View } from '../../../web/kit/view.ts'
import { NEW_PHONE_PATH, RECOVERED } from './new-phone-path.ts'

interface NewPhoneProps {
  view: View
  problem?: Problem | undefined
  /** Whether the user has signed in with a recovery code a moment ago. */
  isRecovered: boolean
}

/** The first step of a user who moves the authenticator app to a new phone. */
export function NewPhonePage({ view, problem, isRecovered }: NewPhoneProps) {
  const t = view.t.phone
  return (
    <AccountPage view={view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      <article>
        <ol class="steps">
          <li>
            <h2>{t.first}</h2>
            <p>{isRecovered ? t.firstRecovered : t.firstCode}</p>
            <form method="post" action={NEW_PHONE_PATH}>
              <Alert
                problem={problem}
                fields={[...(isRecovered ? [] : ['code']), ...CONFIRM_FIELDS]}
              />
              {isRecovered ? (
                <input type="hidden" name={RECOVERED} value="true" />
              ) : (
                <Field
                  name="code"
                  label={view.t.code}
                  hint={view.t.codeHint}
                  autocomplete="one-time-code"
                  problem={problem}
                  focus
                />
              )}
              <ConfirmFields view={view} form="phone" problem={problem} takesCode={false} />
              <FormButtons view={view} submit={t.submit} back="/account/security" />
            </form>
          </li>
          <li>
            <h2>{t.second}</h2>
          </li>
          <li>
            <h2>{t.third}</h2>
          </li>
        </ol>
      </article>
    </AccountPage>
  )
}

/** Leads a user who has just signed in with a recovery code to a new phone, without another code. */
export function LostPhone({ view }: { view: View }) {
  const t = view.t.phone
  return (
    <article class="status warn">
      <Icon name="phone" />
      <div>
        <h2>{t.lostTitle}</h2>
        <p>{t.lost}</p>
      </div>
      <form method="post" action={NEW_PHONE_PATH}>
        <input type="hidden" name={RECOVERED} value="true" />
        <ConfirmFields view={view} form="phone" problem={undefined} takesCode={false} />
        <button>{t.lostSubmit}</button>
      </form>
    </article>
  )
}
