import { Alert, Field, NewPasswordFields } from '../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../web/kit/form.ts'
import { CardPage } from '../../../web/kit/frames.tsx'
import type { IconName, Tone } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import { type ChoicesProps, Choose, Row } from '../../../web/kit/rows.tsx'
import type { View } from '../../../web/kit/view.ts'
import { EMAIL_PATH } from './own-email.tsx'

interface FormProps {
  view: View
  fields?: Fields | undefined
  problem?: Problem | undefined
}

/** Where a visitor chooses how to sign in: with an invitation, or in an open registration. */
export function RegistrationPage({
  view,
  fields,
  problem,
  link = '',
  fixedName = '',
  inviter = '',
  siteKey = '',
}: FormProps & { link?: string; fixedName?: string; inviter?: string; siteKey?: string }) {
  const t = view.t.joining
  const isInvited = link !== ''
  const invitation = inviter === '' ? t.invitationTitle : t.invitationFrom(inviter, view.site.title)
  const title = isInvited ? invitation : t.registerTitle
  const lead = isInvited ? t.invitationLead(view.site.title) : t.registerLead
  const isFixed = fixedName !== ''
  return (
    <CardPage view={view} icon={isInvited ? 'invitations' : 'new-user'} title={title} lead={lead}>
      <form method="post" action={isInvited ? '/account/link' : '/account/register'}>
        <Alert
          problem={problem}
          fields={[...(isFixed ? [] : ['username']), 'password', 'repeat']}
        />
        {isInvited && <input type="hidden" name="link" value={link} />}
        {isFixed ? (
          <p>{t.yourName(fixedName)}</p>
        ) : (
          <Field
            name="username"
            label={t.username}
            value={echo(fields, 'username')}
            autocomplete="username"
            problem={problem}
            focus
          />
        )}
        <NewPasswordFields view={view} label={t.password} repeat={t.repeat} problem={problem} />
        {siteKey !== '' && (
          <>
            <div class="cf-turnstile" data-sitekey={siteKey} data-language={view.language} />
            <script src={TURNSTILE_SCRIPT} async defer />
          </>
        )}
        <button>{t.registerSubmit}</button>
      </form>
      <p class="aside">
        <a href="/account/sign-in">{t.hasAccount}</a>
      </p>
    </CardPage>
  )
}

const TURNSTILE_SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js'

/** Where a user sets a new password with a link. */
export function ResetPage({
  view,
  problem,
  link,
  username,
}: FormProps & { link: string; username: string }) {
  const t = view.t.joining
  return (
    <CardPage
      view={view}
      icon="password"
      tone="amber"
      title={t.resetTitle}
      lead={t.resetLead(username)}
    >
      <form method="post" action="/account/link">
        <Alert problem={problem} fields={['password', 'repeat']} />
        <input type="hidden" name="link" value={link} />
        <NewPasswordFields view={view} label={t.password} repeat={t.repeat} problem={problem} />
        <button>{t.resetSubmit}</button>
      </form>
    </CardPage>
  )
}

/** Where a user confirms an address. The session decides when the form is sent. */
export function EmailPage({
  view,
  problem,
  link,
  address,
}: FormProps & { link: string; address: string }) {
  const t = view.t.joining
  return (
    <CardPage view={view} icon="mail" title={t.emailTitle} lead={t.emailLead(address)}>
      <form method="post" action="/account/link">
        <Alert problem={problem} fields={[]} />
        <input type="hidden" name="link" value={link} />
        <button>{t.emailSubmit}</button>
      </form>
    </CardPage>
  )
}

export function ForgottenPage({ view, fields, problem }: FormProps) {
  const t = view.t.joining
  return (
    <CardPage
      view={view}
      icon="password"
      tone="amber"
      title={t.forgottenTitle}
      lead={t.forgottenLead}
    >
      <form method="post" action="/account/forgotten">
        <Alert problem={problem} fields={['name']} />
        <Field
          name="name"
          label={t.forgottenName}
          value={echo(fields, 'name')}
          autocomplete="username"
          problem={problem}
          focus
        />
        <button>{t.forgottenSubmit}</button>
      </form>
      <p class="aside">
        <a href="/account/sign-in">{view.t.toSignIn}</a>
      </p>
    </CardPage>
  )
}

/** Says what was done, and leads on. */
export function DonePage({ next, words, ...props }: DoneProps) {
  return (
    <CardPage {...props}>
      <p class="buttons">
        <a role="button" href={next}>
          {words}
        </a>
      </p>
    </CardPage>
  )
}

interface DoneProps {
  view: View
  icon: IconName
  tone: Tone
  title: string
  /** Empty where the title says enough. */
  lead: string
  next: string
  words: string
}

interface WelcomeProps {
  view: View
  /** Whether the address is confirmed: of a mailed invitation, or later. */
  hasAddress: boolean
  hasKey: boolean
  hasAppPassword: boolean
}

/** The first page of a new account: what is done, and what can be done next. */
export function WelcomePage({ view, hasAddress, hasKey, hasAppPassword }: WelcomeProps) {
  const t = view.t.joining
  const { account } = view
  const steps: (ChoicesProps['choices'][number] & { isDone: boolean })[] = [
    {
      href: '/account',
      icon: 'new-user',
      title: t.registerLink,
      isDone: true,
    },
    {
      href: '/account/security',
      icon: 'security',
      tone: 'violet',
      title: t.welcomeFactor,
      hint: t.welcomeFactorHint,
      isDone: account?.hasPasskey === true || account?.hasTwoFactor === true,
    },
    {
      href: EMAIL_PATH,
      icon: 'mail',
      title: t.welcomeEmail,
      hint: t.ownHint,
      isDone: hasAddress,
    },
    {
      href: '/account/app-passwords',
      icon: 'app-passwords',
      tone: 'teal',
      title: t.welcomeConnect,
      hint: t.welcomeConnectHint,
      isDone: hasAppPassword,
    },
    {
      href: '/account/keys',
      icon: 'keys',
      title: t.welcomeKeys,
      hint: t.welcomeKeysHint,
      isDone: hasKey,
    },
  ]
  return (
    <AccountPage view={view} title={t.welcomeTitle}>
      <Heading title={t.welcomeTitle} lead={t.welcomeLead} />
      <ul class="rows choices">
        {view.parts.map(({ welcome }) => welcome?.(view))}
        {steps
          .filter(({ href }) => href !== EMAIL_PATH || view.hasMail)
          .toSorted((a, b) => Number(b.isDone) - Number(a.isDone))
          .map((step) => (step.isDone ? <DoneStep view={view} {...step} /> : <Choose {...step} />))}
      </ul>
      <p class="buttons">
        <a role="button" href="/account">
          {t.welcomeOverview}
        </a>
      </p>
    </AccountPage>
  )
}

/** A step that is done: it has no link. */
function DoneStep({ view, title }: { view: View; title: string }) {
  return (
    <Row icon="done" tone="green" title={title}>
      <p class="facts">{view.t.joining.welcomeDone}</p>
    </Row>
  )
}
