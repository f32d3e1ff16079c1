import type { Child } from 'hono/jsx'
import { Alert } from '../../../web/kit/fields.tsx'
import type { Fields, Problem } from '../../../web/kit/form.ts'
import { CardPage } from '../../../web/kit/frames.tsx'
import { StepPage } from './step-page.tsx'
import { SinglePage } from '../../../web/kit/layout.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import { NoPasskeysHere, PasskeyButton } from '../../../web/kit/passkey-button.tsx'
import type { AskingProgram, BegunCeremony, View } from '../../../web/kit/view.ts'
import { RECOVERED } from '../../two-factor/pages/new-phone-path.ts'
import { CodeField, NameAndPassword } from './fields.tsx'
import { isFilesPath, signInPath } from './next.ts'

interface SignInProps {
  view: View
  fields?: Fields
  /** The page after the sign-in (`next.ts`); empty for the overview. */
  next: string
  problem?: Problem | undefined
  /** `undefined` where browsers have no passkeys. */
  ceremony: BegunCeremony | undefined
  /** The program that asks for the sign-in. */
  asking?: AskingProgram | undefined
  /** The address of the page of the files that is open without a sign-in. */
  guestPage?: string | undefined
}

/** Each way to sign in is a form of its own on this page. */
export function SignInPage(props: SignInProps) {
  const t = props.view.t.signIn
  const lead = isFilesPath(props.next) ? t.leadToFiles : t.lead
  return (
    <SinglePage view={props.view} title={t.title}>
      <article>
        <Heading
          title={t.to(props.view.site.title)}
          lead={props.asking?.lead ?? lead(props.view.host)}
        />
        <PasswordForm {...props} />
        <OtherWays {...props} />
        {props.guestPage !== undefined && (
          <p class="aside">
            <a href={props.guestPage}>{t.asGuest}</a>
          </p>
        )}
        <details class="lost">
          <summary>{t.lost}</summary>
          <LostPassword view={props.view} />
          <p>{t.lostPhone}</p>
        </details>
        {props.view.parts.map(({ signInAside }) => signInAside?.(props.view))}
      </article>
    </SinglePage>
  )
}

/** Tells a visitor who has failed too often how long to wait, and what works meanwhile. */
export function PausedPage(props: SignInProps & { problem: Problem; waitSeconds?: number }) {
  const { view, problem, waitSeconds } = props
  const t = view.t.signIn
  const way = wayToPassword(view)
  return (
    <CardPage view={view} icon="lock" tone="amber" title={t.paused} lead="">
      <p role="alert">
        {/* The script counts down, which screen readers need not hear. */}
        <span aria-live="off" data-left={waitSeconds} data-phrase={t.pausedFor}>
          {problem.message}
        </span>
      </p>
      <OtherWays {...props} />
      <p>{t.letIn(view.site.title)}</p>
      {way !== undefined && (
        <div class="lost">
          <p>{way}</p>
        </div>
      )}
    </CardPage>
  )
}

/** Tells a user with the right password that an administrator has not approved the account yet. */
export function WaitingPage({ view, next }: SignInProps) {
  const t = view.t.signIn
  return (
    <StepPage
      view={view}
      icon="activity"
      tone="amber"
      title={t.waitingTitle}
      lead={t.waitingLead(view.site.title)}
      next={next}
    />
  )
}

/** The ways to sign in without the password. */
function OtherWays(props: SignInProps) {
  const { view, next, ceremony } = props
  return (
    <div class="others">
      <p class="or">{view.t.signIn.or}</p>
      {ceremony === undefined ? (
        <NoPasskeysHere view={view} />
      ) : (
        <PasskeyForm view={view} next={next} ceremony={ceremony} />
      )}
      {view.parts.map(({ signInWay }) => signInWay?.({ view, next }))}
    </div>
  )
}

/** Leads to a new password, or says who can set one. */
function LostPassword({ view }: { view: View }) {
  return <p>{wayToPassword(view) ?? view.t.signIn.lostPassword(view.site.title)}</p>
}

/** The link to a new password; `undefined` where only an administrator can set one. */
function wayToPassword(view: View): Child | undefined {
  return view.parts.flatMap(({ lostPassword }) => lostPassword?.(view) ?? [])[0]
}

function PasswordForm({ view, fields, next, problem }: SignInProps) {
  return (
    <form method="post" action="/account/sign-in">
      <Alert problem={problem} fields={['username', 'password']} isFocused={false} />
      <NextField next={next} />
      <NameAndPassword
        view={view}
        fields={fields}
        problem={problem}
        autocomplete="username webauthn"
      />
      <button>{view.t.signIn.submit}</button>
    </form>
  )
}

interface PasskeyFormProps {
  view: View
  next: string
  ceremony: BegunCeremony
}

/** Shown by the script, where the browser has passkeys. */
function PasskeyForm({ view, next, ceremony }: PasskeyFormProps) {
  return (
    <form method="post" action="/account/sign-in/passkey">
      <NextField next={next} />
      <PasskeyButton
        view={view}
        ceremony={ceremony}
        use="get"
        label={view.t.signIn.passkey}
        again={signInPath(next)}
        // After a refusal, and beside a code, only a press of the button asks.
        isConditional={view.path === '/account/sign-in'}
      />
    </form>
  )
}

/** Leads people on who have no password any more, or no account yet. */
function NextField({ next }: { next: string }) {
  return next === '' ? <></> : <input type="hidden" name="next" value={next} />
}

/** The second step of a sign-in with two-step verification. */
export function CodePage({ view, username, next, problem, ceremony }: CodePageProps) {
  const t = view.t.signIn
  return (
    <StepPage view={view} icon="phone" title={t.codeTitle} lead={t.codeLead(username)} next={next}>
      <form method="post" action="/account/sign-in/code">
        <Alert problem={problem} fields={['code']} />
        <NextField next={next} />
        <CodeField view={view} problem={problem} />
        <button>{t.codeSubmit}</button>
        <div class="aside">
          <button class="quiet" name={RECOVERED} value="true">
            {t.lostPhoneSubmit}
          </button>
        </div>
      </form>
      <details class="lost" open={problem !== undefined}>
        <summary>{t.noCode}</summary>
        <p>{t.codeLate}</p>
        <p>{t.lostCodes(view.site.title)}</p>
        {ceremony !== undefined && <PasskeyForm view={view} next={next} ceremony={ceremony} />}
      </details>
    </StepPage>
  )
}

type CodePageProps = Omit<SignInProps, 'fields' | 'asking'> & { username: string }
