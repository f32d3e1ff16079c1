import type { Details } from '../../users/details.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../web/kit/confirm.tsx'
import { Alert, Field } from '../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../web/kit/form.ts'
import { Tile } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Back, Badge, Heading } from '../../../web/kit/parts.tsx'
import type { View } from '../../../web/kit/view.ts'

export const EMAIL_PATH = '/account/email'

interface OwnEmailProps {
  view: View
  fields?: Fields | undefined
  problem?: Problem | undefined
  details: Details
  /** Whether this site sends mail. */
  hasMail: boolean
}

/** The e-mail address of a user. */
export function OwnEmailPage({ view, details, hasMail, fields, problem }: OwnEmailProps) {
  const t = view.t.joining
  const { email, emailVerified } = details
  return (
    <AccountPage view={view} title={t.ownTitle}>
      {!view.isChecking && <Back href="/account">{view.t.nav.overview}</Back>}
      <Heading title={t.ownTitle} lead={t.ownLead} />
      {email !== '' && (
        <article>
          <header>
            <Tile icon="mail" tone={emailVerified ? 'green' : 'amber'} />
            <h2>
              {email}
              <Badge tone={emailVerified ? 'good' : 'warn'}>
                {emailVerified ? t.isVerified : t.isUnverified}
              </Badge>
            </h2>
          </header>
          {hasMail && !emailVerified && (
            <form method="post" action={`${EMAIL_PATH}/send`}>
              <p>{t.unverifiedHint}</p>
              <button class="secondary">{t.send}</button>
            </form>
          )}
        </article>
      )}
      {hasMail ? (
        <article>
          <form method="post" action={EMAIL_PATH}>
            <Alert problem={problem} fields={['email', ...CONFIRM_FIELDS]} />
            <Field
              name="email"
              label={email === '' ? t.email : t.otherEmail}
              hint={email === '' ? t.emailNewHint : t.emailHint}
              value={fields === undefined ? email : echo(fields, 'email')}
              autocomplete="email"
              problem={problem}
              optional
            />
            <ConfirmFields view={view} form="email" problem={problem} />
            <button>{t.ownSubmit}</button>
          </form>
        </article>
      ) : (
        <p>{t.noMail}</p>
      )}
    </AccountPage>
  )
}
