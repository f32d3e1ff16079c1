import { visible } from '../../../core/base/text.ts'
import { Alert } from '../../../web/kit/fields.tsx'
import type { Fields, Problem } from '../../../web/kit/form.ts'
import { StepPage } from '../../sign-in/pages/step-page.tsx'
import { PasskeyButton } from '../../../web/kit/passkey-button.tsx'
import { CodeField, NameAndPassword } from '../../sign-in/pages/fields.tsx'
import type { BegunCeremony, View } from '../../../web/kit/view.ts'
import { siteProviderName } from '../../../web/kit/provider-names.ts'
import type { Step } from './step.ts'

const PATH = '/account/sign-in/sso'

interface FactorProps {
  view: View
  step: Step
  user: { username: string; hasCode: boolean }
  /** `undefined` for a user without a passkey, and where browsers have none. */
  ceremony: BegunCeremony | undefined
  problem?: Problem | undefined
}

/** Asks for the account's own second factor, after the provider has confirmed the user. */
export function FactorPage({ view, step, user, ceremony, problem }: FactorProps) {
  const t = view.t.sso
  const provider = siteProviderName(view, step.identity.platform)
  return (
    <StepPage
      view={view}
      icon="phone"
      title={t.factorTitle}
      lead={t.factorLead(user.username, provider)}
      next=""
    >
      <form method="post" action={`${PATH}/code`}>
        <Alert problem={problem} fields={user.hasCode ? ['code'] : []} />
        {user.hasCode && (
          <>
            <CodeField view={view} problem={problem} />
            <button>{view.t.signIn.codeSubmit}</button>
          </>
        )}
      </form>
      {ceremony !== undefined && (
        <form method="post" action={`${PATH}/passkey`}>
          <PasskeyButton
            view={view}
            ceremony={ceremony}
            use="get"
            label={view.t.signIn.passkey}
            again={`${PATH}/step`}
          />
        </form>
      )}
      {!user.hasCode && (
        <p class="hint" data-without-passkeys>
          {view.t.passkeys.needsScript}
        </p>
      )}
    </StepPage>
  )
}

interface LinkProps {
  view: View
  step: Step
  fields?: Fields | undefined
  /** Asks for the code as well, after a right password. */
  needsCode?: boolean
  problem?: Problem | undefined
}

/** Lets a user link the identity, by one sign-in with name and password. */
export function LinkPage({ view, step, fields, needsCode = false, problem }: LinkProps) {
  const t = view.t.sso
  const { name, subject, platform } = step.identity
  return (
    <StepPage
      view={view}
      icon="sso"
      tone="violet"
      title={t.linkTitle}
      lead={t.linkLead(name || visible(subject), siteProviderName(view, platform))}
      next=""
    >
      <p>{t.linkHint}</p>
      <form method="post" action={`${PATH}/link`}>
        <Alert
          problem={problem}
          fields={['username', 'password', ...(needsCode ? ['code'] : [])]}
        />
        <NameAndPassword view={view} fields={fields} problem={problem} />
        {needsCode && <CodeField view={view} problem={problem} />}
        <button>{t.linkSubmit}</button>
      </form>
    </StepPage>
  )
}
