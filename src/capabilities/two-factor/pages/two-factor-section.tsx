import { RECOVERY_CODE_COUNT } from '../recovery.ts'
import { FEW_CODES } from '../../me/protection.ts'
import { Change } from '../../../web/kit/confirm.tsx'
import { Alert, Field } from '../../../web/kit/fields.tsx'
import { type Problem, problemIn } from '../../../web/kit/form.ts'
import { Tile } from '../../../web/kit/icons.tsx'
import { Badge } from '../../../web/kit/parts.tsx'
import type { View } from '../../../web/kit/view.ts'
import type { SecurityProps } from '../../me/pages/security-forms.ts'

export function TwoFactorSection(props: SecurityProps) {
  const { view, account, codesLeft, mustUseFactor, passkeys, refused } = props
  const t = view.t.security
  const isLast = mustUseFactor && passkeys.length === 0
  return (
    <article>
      <header>
        <Tile icon="phone" />
        <h2>
          {t.twoFactorTitle}
          <Badge tone={account.hasTwoFactor ? 'good' : undefined}>
            {account.hasTwoFactor ? t.on : t.off}
          </Badge>
        </h2>
      </header>
      <p>{t.twoFactorLead}</p>
      {account.hasTwoFactor ? (
        <>
          <CodesLeft view={view} left={codesLeft} />
          <div class="decide">
            <a role="button" class="secondary" href="/account/security/phone">
              {t.move}
            </a>
            <CodeForm view={view} form="codes" problem={problemIn(refused, 'codes')} />
            {!isLast && <CodeForm view={view} form="off" problem={problemIn(refused, 'off')} />}
          </div>
          {isLast && <p class="hint">{t.appIsLast}</p>}
        </>
      ) : (
        <>
          <Alert problem={problemIn(refused, 'start')} fields={[]} />
          <div class="decide">
            <form method="post" action="/account/security/start">
              <button>{t.turnOn}</button>
            </form>
          </div>
        </>
      )}
    </article>
  )
}

/** The number of unused recovery codes, with a warning when few are left. */
function CodesLeft({ view, left }: { view: View; left: number }) {
  const t = view.t.security
  const words = left === 0 ? t.noCodes : t.codesLeft(left, RECOVERY_CODE_COUNT)
  if (left > FEW_CODES) return <p>{words}</p>
  return (
    <div class="note warn">
      <strong>{words}</strong>
      <p>{t.fewCodesHint}</p>
    </div>
  )
}

interface FormProps {
  view: View
  form: 'codes' | 'off'
  problem: Problem | undefined
}

/** The form for new recovery codes, or for turning two-step verification off; both take a code. */
function CodeForm({ view, form, problem }: FormProps) {
  const t = view.t.security
  const [label, lead, submit] =
    form === 'codes'
      ? [t.newCodes, t.newCodesLead, t.newCodesSubmit]
      : [t.turnOff, t.turnOffLead, t.turnOff]
  return (
    <Change
      view={view}
      label={label}
      question={lead}
      action={`/account/security/${form}`}
      submit={submit}
      problem={problem}
      fields={['code']}
      confirmedAs={form}
      takesCode={false}
      isHarmless={form === 'codes'}
    >
      <Field
        name="code"
        form={form}
        label={view.t.code}
        hint={view.t.codeHint}
        autocomplete="one-time-code"
        problem={problem}
      />
    </Change>
  )
}
