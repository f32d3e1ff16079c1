import type { Child, PropsWithChildren } from 'hono/jsx'
import { echo, type Fields, type Problem } from '../form.ts'
import { AccountPage, SinglePage } from '../layout.tsx'
import { Alert, Choices, Field, Heading } from '../parts.tsx'
import type { View } from '../view.ts'
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
  siteKey = '',
}: FormProps & { link?: string; fixedName?: string; siteKey?: string }) {
  const t = view.t.joining
  const isInvited = link !== ''
  const title = isInvited ? t.invitationTitle : t.registerTitle
  const lead = isInvited ? t.invitationLead(view.site.title) : t.registerLead
  const isFixed = fixedName !== ''
  return (
    <SinglePage view={view} title={title}>
      <article>
        <Heading title={title} lead={lead} />
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
          <NewPassword view={view} problem={problem} />
          {siteKey !== '' && (
            <>
              <div class="cf-turnstile" data-sitekey={siteKey} data-language={view.language} />
              <script src={TURNSTILE_SCRIPT} async defer />
            </>
          )}
          <button>{t.registerSubmit}</button>
        </form>
      </article>
    </SinglePage>
  )
}

const TURNSTILE_SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js'

function NewPassword({ view, problem }: FormProps) {
  const t = view.t.joining
  return (
    <>
      <Field
        name="password"
        label={t.password}
        type="password"
        autocomplete="new-password"
        hint={t.passwordHint}
        problem={problem}
        reveal={view.t.reveal}
      />
      <Field
        name="repeat"
        label={t.repeat}
        type="password"
        autocomplete="new-password"
        problem={problem}
      />
    </>
  )
}

/** Where a user sets a new password with a link. */
export function ResetPage({
  view,
  problem,
  link,
  username,
}: FormProps & { link: string; username: string }) {
  const t = view.t.joining
  return (
    <SinglePage view={view} title={t.resetTitle}>
      <article>
        <Heading title={t.resetTitle} lead={t.resetLead(username)} />
        <form method="post" action="/account/link">
          <Alert problem={problem} fields={['password', 'repeat']} />
          <input type="hidden" name="link" value={link} />
          <NewPassword view={view} problem={problem} />
          <button>{t.resetSubmit}</button>
        </form>
      </article>
    </SinglePage>
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
    <SinglePage view={view} title={t.emailTitle}>
      <article>
        <Heading title={t.emailTitle} lead={t.emailLead(address)} />
        <form method="post" action="/account/link">
          <Alert problem={problem} fields={[]} />
          <input type="hidden" name="link" value={link} />
          <button>{t.emailSubmit}</button>
        </form>
      </article>
    </SinglePage>
  )
}

export function ForgottenPage({ view, fields, problem }: FormProps) {
  const t = view.t.joining
  return (
    <SinglePage view={view} title={t.forgottenTitle}>
      <article>
        <Heading title={t.forgottenTitle} lead={t.forgottenLead} />
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
      </article>
    </SinglePage>
  )
}

/** Says what was done, and leads on. */
export function DonePage({
  view,
  title,
  lead,
  next,
  words,
}: {
  view: View
  title: string
  lead: string
  next: string
  words: string
}) {
  return (
    <SinglePage view={view} title={title}>
      <article>
        <h1>{title}</h1>
        {lead !== '' && <p>{lead}</p>}
        <Buttons>
          <a role="button" href={next}>
            {words}
          </a>
        </Buttons>
      </article>
    </SinglePage>
  )
}

function Buttons({ children }: PropsWithChildren<{ children?: Child }>) {
  return <p class="buttons">{children}</p>
}

/**
 * The first page of a new account.
 *
 * @param hasAddress Whether the invitation was mailed, so that the address is confirmed.
 */
export function WelcomePage({ view, hasAddress }: { view: View; hasAddress: boolean }) {
  const t = view.t.joining
  return (
    <AccountPage view={view} title={t.welcomeTitle}>
      <Heading title={t.welcomeTitle} lead={t.welcomeLead} />
      <Choices
        choices={[
          { href: '/account/security', icon: 'security', title: t.welcomeFactor },
          ...(view.hasMail && !hasAddress
            ? [{ href: EMAIL_PATH, icon: 'mail', title: t.welcomeEmail } as const]
            : []),
          { href: '/account/app-passwords', icon: 'app-passwords', title: t.welcomeConnect },
          { href: '/account/keys', icon: 'keys', title: t.welcomeKeys },
        ]}
      />
      <Buttons>
        <a role="button" href="/account">
          {t.welcomeOverview}
        </a>
      </Buttons>
    </AccountPage>
  )
}
