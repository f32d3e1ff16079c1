import { CONFIRM_FIELDS, Change } from '../../../../web/kit/confirm.tsx'
import { Alert } from '../../../../web/kit/fields.tsx'
import { problemIn } from '../../../../web/kit/form.ts'
import { Row, Rows } from '../../../../web/kit/rows.tsx'
import { IdentityFacts } from '../identity-section.tsx'
import { providerIcon } from '../../../../web/kit/provider-names.ts'
import type { UserPage } from '../../../../web/kit/part-of-user.ts'
import type { ListedIdentity } from '../../manage.ts'

/** The linked accounts of a user at identity providers, for an operator. */
export function UserIdentities(props: UserPage & { identities: readonly ListedIdentity[] }) {
  const { view, identities, action, refused } = props
  const t = view.t.sso
  return (
    <>
      <Alert problem={problemIn(refused, 'unlink-identity')} fields={CONFIRM_FIELDS} />
      <Rows
        rows={identities.map((identity) => {
          const { issuer, subject, platform } = identity
          const shown = identity.name || subject
          const warning = identity.isLastWayIn ? ` ${t.lastWayIn}` : ''
          return (
            <Row icon={providerIcon(platform)} tone="violet" title={shown} level={3}>
              <IdentityFacts view={view} identity={identity} ofOther />
              <p class="facts">
                {t.subject} <code>{subject}</code>
              </p>
              <Change
                view={view}
                label={t.unlink}
                question={`${t.unlinkQuestion(shown)}${warning}`}
                action={action('unlink-identity')}
                values={{
                  issuer,
                  subject,
                  ...(identity.isLastWayIn && { last_way_in: 'true' }),
                }}
                submit={t.unlinkSubmit}
                problem={problemIn(refused, 'unlink-identity', { issuer, subject })}
                confirmedAs={`unlink-${subject}`}
              />
            </Row>
          )
        })}
        none={<p class="hint">{t.none}</p>}
      />
    </>
  )
}
