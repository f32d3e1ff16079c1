import type { Details } from '../../joining/details.ts'
import type { LiveLink } from '../../joining/link-store.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import { echo, type Fields, type Problem } from '../form.ts'
import { AccountPage, SinglePage } from '../layout.tsx'
import { Alert, Field, Heading } from '../parts.tsx'
import type { View } from '../view.ts'

/** The forms of links post here; the secret is in a hidden field. */
const LINK_PATH = '/account/link'
export const FORGOTTEN_PATH = '/account/forgotten'
export const EMAIL_PATH = '/account/email'

interface FormProps {
  view: View
  fields?: Fields | undefined
  problem?: Problem | undefined
}

/** Asks for a mail with a link for a new password. */
export function ForgottenPage({ view, fields, problem }: FormProps) {
  const t = view.t.joining
  return (
    <SinglePage view={view} title={t.forgottenTitle}>
      <article>
        <Heading title={t.forgottenTitle} lead={t.forgottenLead} />
        <form method="post" action={FORGOTTEN_PATH}>
          <Alert problem={problem} fields={['name']} />
          <Field
            name="name"
            label={t.name}
            value={echo(fields, 'name')}
            autocomplete="username"
            problem={problem}
            focus
          />
          <button>{t.forgottenSubmit}</button>
        </form>
        <p class="aside">
          <a href="/account/sign-in">{t.backToSignIn}</a>
        </p>
      </article>
    </SinglePage>
  )
}

interface LinkProps extends FormProps {
  link: LiveLink
  secret: string
}

/** Chooses a new password with a link. */
export function ResetPage({ view, link, secret, problem }: LinkProps) {
  const t = view.t.joining
  return (
    <SinglePage view={view} title={t.resetTitle}>
      <article>
        <Heading title={t.resetTitle} lead={t.resetLead(link.ownerName)} />
        {link.secondFactor && <p>{t.resetFactorOff}</p>}
        <form method="post" action={LINK_PATH}>
          <Alert problem={problem} fields={['password', 'repeat']} />
          <input type="hidden" name="link" value={secret} />
          <input type="hidden" name="username" autocomplete="username" value={link.ownerName} />
          <Field
            name="password"
            label={view.t.security.newPassword}
            hint={view.t.security.newPasswordHint}
            type="password"
            autocomplete="new-password"
            problem={problem}
            reveal={view.t.reveal}
            focus
          />
          <Field
            name="repeat"
            label={view.t.security.repeat}
            type="password"
            autocomplete="new-password"
            problem={problem}
            reveal={view.t.reveal}
          />
          <button>{t.resetSubmit}</button>
        </form>
      </article>
    </SinglePage>
  )
}

/** Confirms an address with the link that was mailed there. */
export function ConfirmEmailPage({ view, link, secret, problem }: LinkProps) {
  const t = view.t.joining
  return (
    <SinglePage view={view} title={t.confirmTitle}>
      <article>
        <Heading title={t.confirmTitle} lead={t.confirmLead(link.email)} />
        <form method="post" action={LINK_PATH}>
          <Alert problem={problem} fields={[]} />
          <input type="hidden" name="link" value={secret} />
          <button>{t.confirmSubmit}</button>
        </form>
        {problem !== undefined && (
          <p class="aside">
            <a href="/account/sign-in" target="_blank" rel="noopener">
              {t.signIn}
            </a>
          </p>
        )}
      </article>
    </SinglePage>
  )
}

/** Says that a link is not valid, whatever the reason is. */
export function DeadLinkPage({ view }: { view: View }) {
  const t = view.t.joining
  return (
    <SinglePage view={view} title={t.deadTitle}>
      <article>
        <Heading title={t.deadTitle} lead={t.deadLead} />
        <p class="buttons">
          <a role="button" href="/account">
            {view.t.problems.home}
          </a>
        </p>
      </article>
    </SinglePage>
  )
}

interface EmailProps extends FormProps {
  details: Details
  /** Whether this site sends mail. */
  hasMail: boolean
}

/** The e-mail address of a user. */
export function EmailPage({ view, details, hasMail, fields, problem }: EmailProps) {
  const t = view.t.joining
  const { email, emailVerified } = details
  return (
    <AccountPage view={view} title={t.emailTitle}>
      <Heading title={t.emailTitle} lead={t.emailLead} />
      <article>
        <dl>
          <dt>{email === '' ? t.noEmail : email}</dt>
          {email !== '' && <dd>{emailVerified ? t.isVerified : t.isUnverified}</dd>}
        </dl>
        {hasMail && email !== '' && !emailVerified && (
          <form method="post" action={`${EMAIL_PATH}/send`}>
            <button class="secondary">{t.send}</button>
          </form>
        )}
      </article>
      {hasMail ? (
        <article>
          <form method="post" action={EMAIL_PATH}>
            <Alert problem={problem} fields={['email', ...CONFIRM_FIELDS]} />
            <Field
              name="email"
              label={t.email}
              hint={t.emailHint}
              value={fields === undefined ? email : echo(fields, 'email')}
              autocomplete="email"
              problem={problem}
              optional
            />
            <ConfirmFields view={view} form="email" problem={problem} />
            <button>{t.emailSubmit}</button>
          </form>
        </article>
      ) : (
        <p>{t.noMail}</p>
      )}
    </AccountPage>
  )
}
