import { problemIn } from '../../../web/kit/form.ts'
import { Heading } from '../../../web/kit/parts.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { ClosedNote } from './closed-credentials.tsx'
import { FactorSection } from '../../two-factor/pages/factor-section.tsx'
import { LostPhone } from '../../two-factor/pages/new-phone.tsx'
import { PasskeySection } from '../../passkeys/pages/passkey-section.tsx'
import { PasswordSection } from './password-section.tsx'
import type { SecurityProps } from './security-forms.ts'
import { TwoFactorSection } from '../../two-factor/pages/two-factor-section.tsx'

/** Each section is a card for one way to prove who the user is. */
export function SecurityPage(props: SecurityProps) {
  const t = props.view.t.security
  return (
    <AccountPage view={props.view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      <Sections {...props} />
    </AccountPage>
  )
}

/** Without the second factor that the site requires, a session may only show or add one. */
function Sections(props: SecurityProps) {
  const { factorState } = props.view.account ?? {}
  if (factorState === 'unused') return <FactorSection {...props} />
  if (factorState === 'missing')
    return (
      <>
        <div class="note warn">
          <strong>{props.view.t.security.missingTitle}</strong>
          <p>{props.view.t.security.missingLead}</p>
        </div>
        <PasskeySection {...props} />
        <TwoFactorSection {...props} />
      </>
    )
  return (
    <>
      <ClosedNote {...props} problem={problemIn(props.refused, 'keep')} />
      {props.isRecovered && props.account.hasTwoFactor && <LostPhone view={props.view} />}
      <PasskeySection {...props} />
      <TwoFactorSection {...props} />
      <PasswordSection {...props} />
      {props.sections.map((show) => show(props))}
    </>
  )
}
