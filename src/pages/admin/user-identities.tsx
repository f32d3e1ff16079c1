import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import { Alert, Confirm, Icon } from '../parts.tsx'
import { IdentityFacts } from '../sso/identity-section.tsx'
import { providerIcon } from '../sso/names.ts'
import type { UserProps } from './user.tsx'

/** The linked accounts of a user at identity providers, for an operator. */
export function UserIdentities({ view, user, identities, refused }: UserProps) {
  const t = view.t.sso
  if (identities.length === 0 && view.platform === undefined) return <></>
  return (
    <section>
      <h2>{t.title}</h2>
      <Alert
        problem={refused?.form === 'unlink-identity' ? refused.problem : undefined}
        fields={CONFIRM_FIELDS}
      />
      {identities.length === 0 ? (
        <p class="hint">{t.none}</p>
      ) : (
        <ul class="rows compact acting">
          {identities.map((identity) => {
            const { issuer, subject, platform } = identity
            const shown = identity.name || subject
            const isRefused =
              refused?.form === 'unlink-identity' &&
              refused.fields['issuer'] === issuer &&
              refused.fields['subject'] === subject
            const warning = identity.isLastWayIn ? ` ${t.lastWayIn}` : ''
            return (
              <li>
                <h3 class="mark">
                  <Icon name={providerIcon(platform)} /> {shown}
                </h3>
                <IdentityFacts view={view} identity={identity} ofOther />
                <p class="facts">
                  {t.subject} <code>{subject}</code>
                </p>
                <Confirm
                  label={t.unlink}
                  question={`${t.unlinkQuestion(shown)}${warning}`}
                  open={isRefused}
                >
                  <form method="post" action={`/account/admin/users/${user.id}/unlink-identity`}>
                    <input type="hidden" name="issuer" value={issuer} />
                    <input type="hidden" name="subject" value={subject} />
                    {identity.isLastWayIn && (
                      <input type="hidden" name="last_way_in" value="true" />
                    )}
                    <ConfirmFields
                      view={view}
                      form={`unlink-${subject}`}
                      problem={isRefused ? refused.problem : undefined}
                    />
                    <button class="danger">{t.unlinkSubmit}</button>
                  </form>
                </Confirm>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
