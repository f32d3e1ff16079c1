import type { Account } from '../../accounts/accounts.ts'
import type { Enrolment } from '../../two-factor/enrolment.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import type { Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, Confirm, Field } from '../parts.tsx'
import type { View } from '../view.ts'

/** Names of the forms of the page. */
export type SecurityForm = 'password' | 'codes' | 'off' | 'start'

interface SecurityProps {
  view: View
  account: Account
  /** The form that was refused, and the problem. */
  refused?: { form: SecurityForm; problem: Problem } | undefined
}

export function SecurityPage({ view, account, refused }: SecurityProps) {
  const t = view.t.security
  const problemIn = (form: SecurityForm) => (refused?.form === form ? refused.problem : undefined)
  return (
    <AccountPage view={view} title={t.title}>
      <h1>{t.title}</h1>
      <article>
        <header>
          <h2>{t.twoFactorTitle}</h2>
          <span class={account.hasTwoFactor ? 'badge good' : 'badge'}>
            {account.hasTwoFactor ? t.on : t.off}
          </span>
        </header>
        <p>{t.twoFactorLead}</p>
        {account.hasTwoFactor ? (
          <>
            <CodeForm view={view} form="codes" problem={problemIn('codes')} />
            <CodeForm view={view} form="off" problem={problemIn('off')} />
          </>
        ) : (
          <form method="post" action="/account/security/start">
            <Alert problem={problemIn('start')} fields={[]} />
            <button>{t.turnOn}</button>
          </form>
        )}
      </article>
      <article>
        <h2>{t.passwordTitle}</h2>
        <p>{t.passwordLead}</p>
        <PasswordForm view={view} username={account.username} problem={problemIn('password')} />
      </article>
    </AccountPage>
  )
}

interface FormProps {
  view: View
  problem: Problem | undefined
}

/** The form for new recovery codes, or for turning two-step verification off; both take a code. */
function CodeForm({ view, form, problem }: FormProps & { form: 'codes' | 'off' }) {
  const t = view.t.security
  const [label, lead, submit] =
    form === 'codes'
      ? [t.newCodes, t.newCodesLead, t.newCodesSubmit]
      : [t.turnOff, t.turnOffLead, t.turnOff]
  return (
    <Confirm label={label} question={lead} open={problem !== undefined}>
      <form method="post" action={`/account/security/${form}`}>
        <Alert problem={problem} fields={['code', ...CONFIRM_FIELDS]} />
        <Field
          name="code"
          form={form}
          label={t.code}
          hint={t.codeHint}
          autocomplete="one-time-code"
          problem={problem}
        />
        <ConfirmFields view={view} form={form} problem={problem} takesCode={false} />
        <button class={form === 'off' ? 'danger' : undefined}>{submit}</button>
      </form>
    </Confirm>
  )
}

function PasswordForm({ view, username, problem }: FormProps & { username: string }) {
  const t = view.t.security
  return (
    <form method="post" action="/account/security/password">
      <Alert problem={problem} fields={['old_password', 'password', 'repeat']} />
      <input type="hidden" name="username" autocomplete="username" value={username} />
      <Field
        name="old_password"
        label={t.oldPassword}
        type="password"
        autocomplete="current-password"
        problem={problem}
      />
      <Field
        name="password"
        label={t.newPassword}
        hint={t.newPasswordHint}
        type="password"
        autocomplete="new-password"
        problem={problem}
      />
      <Field
        name="repeat"
        label={t.repeat}
        type="password"
        autocomplete="new-password"
        problem={problem}
      />
      <button>{t.changePassword}</button>
    </form>
  )
}

interface EnrolmentProps {
  view: View
  enrolment: Enrolment
  problem: Problem | undefined
}

export function EnrolmentPage({ view, enrolment, problem }: EnrolmentProps) {
  const t = view.t.enrolment
  return (
    <AccountPage view={view} title={t.title}>
      <h1>{t.title}</h1>
      <article>
        <ol class="steps">
          <li>
            <h2>{t.scan}</h2>
            <img class="qr" src={enrolment.qr} alt={t.qr} />
            <p>
              {t.byHand}
              <code class="secret">{enrolment.secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>
            </p>
          </li>
          <li>
            <h2>{t.confirm}</h2>
            <form method="post" action="/account/security/confirm">
              <Alert problem={problem} fields={['code', ...CONFIRM_FIELDS]} />
              <input type="hidden" name="secret" value={enrolment.secret} />
              <Field
                name="code"
                label={t.code}
                hint={t.hint}
                inputmode="numeric"
                autocomplete="one-time-code"
                problem={problem}
              />
              <ConfirmFields view={view} form="enrolment" problem={problem} takesCode={false} />
              <button>{t.submit}</button>
            </form>
          </li>
        </ol>
      </article>
    </AccountPage>
  )
}

/** Shows the recovery codes once, in the answer to the form that generated them. */
export function RecoveryCodesPage({ view, codes }: { view: View; codes: string[] }) {
  const { t } = view
  return (
    <AccountPage view={view} title={t.recovery.title}>
      <h1>{t.recovery.title}</h1>
      <article>
        <p>{t.recovery.lead}</p>
        <label for="codes">{t.recovery.codes}</label>
        <textarea id="codes" class="codes" readonly rows={codes.length} spellcheck={false}>
          {codes.join('\n')}
        </textarea>
        <p class="buttons">
          <button type="button" class="secondary" data-copy="codes" data-done={t.copied} hidden>
            {t.copy}
          </button>
          <button type="button" class="secondary" data-print hidden>
            {t.print}
          </button>
          <a role="button" href="/account/security">
            {t.recovery.done}
          </a>
        </p>
      </article>
    </AccountPage>
  )
}
