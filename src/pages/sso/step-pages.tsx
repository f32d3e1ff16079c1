import { visible } from '../../base/text.ts'
import { echo, type Fields, type Problem } from '../form.ts'
import { SinglePage } from '../layout.tsx'
import { Alert, Field } from '../parts.tsx'
import { type Ceremony, PasskeyButton } from '../passkey.tsx'
import { signInPath } from '../sign-in/next.ts'
import type { View } from '../view.ts'
import { providerName } from './names.ts'
import type { Step } from './step.ts'

const PATH = '/account/sign-in/sso'

interface FactorProps {
  view: View
  step: Step
  user: { username: string; hasCode: boolean }
  /** `undefined` for a user without a passkey, and where browsers have none. */
  ceremony: Ceremony | undefined
  problem?: Problem | undefined
}

/** Asks for the account's own second factor, after the provider has confirmed the user. */
export function FactorPage({ view, step, user, ceremony, problem }: FactorProps) {
  const t = view.t.sso
  const provider = providerName(view.t, step.identity.platform)
  return (
    <SinglePage view={view} title={t.factorTitle}>
      <article>
        <hgroup>
          <h1>{t.factorTitle}</h1>
          <p>{t.factorLead(user.username, provider)}</p>
        </hgroup>
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
        <StartOver view={view} />
      </article>
    </SinglePage>
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
  const words = view.t.signIn
  return (
    <SinglePage view={view} title={t.linkTitle}>
      <article>
        <hgroup>
          <h1>{t.linkTitle}</h1>
          <p>{t.linkLead(name || visible(subject), providerName(view.t, platform))}</p>
        </hgroup>
        <p>{t.linkHint}</p>
        <form method="post" action={`${PATH}/link`}>
          <Alert
            problem={problem}
            fields={['username', 'password', ...(needsCode ? ['code'] : [])]}
          />
          <Field
            name="username"
            label={words.username}
            value={echo(fields, 'username')}
            autocomplete="username"
            problem={problem}
            focus
          />
          <Field
            name="password"
            label={words.password}
            type="password"
            autocomplete="current-password"
            problem={problem}
            reveal={view.t.reveal}
          />
          {needsCode && <CodeField view={view} problem={problem} />}
          <button>{t.linkSubmit}</button>
        </form>
        <StartOver view={view} />
      </article>
    </SinglePage>
  )
}

function CodeField({ view, problem }: { view: View; problem: Problem | undefined }) {
  const t = view.t.signIn
  return (
    <Field
      name="code"
      label={t.code}
      hint={t.codeHint}
      autocomplete="one-time-code"
      problem={problem}
      focus
    />
  )
}

function StartOver({ view }: { view: View }) {
  return (
    <p class="aside">
      <a href={signInPath('')}>{view.t.signIn.startOver}</a>
    </p>
  )
}
