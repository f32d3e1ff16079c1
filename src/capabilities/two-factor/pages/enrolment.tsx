import type { Enrolment } from '../enrolment.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../web/kit/confirm.tsx'
import { Alert, Field, FormButtons } from '../../../web/kit/fields.tsx'
import type { Problem } from '../../../web/kit/form.ts'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { CopyButton } from '../../../web/kit/parts.tsx'
import type { View } from '../../../web/kit/view.ts'

interface EnrolmentProps {
  view: View
  enrolment: Enrolment
  problem: Problem | undefined
  /** The app moves to another phone. */
  isMove?: boolean
}

export function EnrolmentPage({ view, enrolment, problem, isMove = false }: EnrolmentProps) {
  const t = view.t.enrolment
  const { qr, secret, uri } = enrolment
  return (
    <AccountPage view={view} title={isMove ? view.t.phone.title : t.title}>
      <h1>{isMove ? view.t.phone.title : t.title}</h1>
      {isMove && <p class="over">{view.t.phone.halfway}</p>}
      <article>
        <ol class="steps">
          <li>
            <h2>{t.scan}</h2>
            <p class="hint">{t.apps}</p>
            <div class="enrol">
              <img class="qr" src={qr} alt={t.qr} />
              <div>
                <p>{t.onThisPhone}</p>
                <p class="buttons">
                  <a role="button" class="secondary" href={uri}>
                    {t.openApp}
                  </a>
                </p>
                <p>
                  {t.byHand}
                  <code class="secret" id="enrolment-secret" data-text={secret}>
                    {secret.replaceAll(/.{4}(?=.)/g, '$& ')}
                  </code>
                </p>
                <p class="buttons">
                  <CopyButton view={view} from="enrolment-secret" />
                </p>
              </div>
            </div>
          </li>
          <li>
            <h2>{t.confirm}</h2>
            <form method="post" action="/account/security/confirm">
              <Alert problem={problem} fields={['code', ...CONFIRM_FIELDS]} />
              <input type="hidden" name="secret" value={secret} />
              <Field
                name="code"
                label={t.code}
                hint={t.hint}
                inputmode="numeric"
                autocomplete="one-time-code"
                problem={problem}
              />
              <ConfirmFields view={view} form="enrolment" problem={problem} takesCode={false} />
              <FormButtons
                view={view}
                submit={isMove ? view.t.phone.finish : t.submit}
                back="/account/security"
              />
            </form>
          </li>
        </ol>
      </article>
    </AccountPage>
  )
}
