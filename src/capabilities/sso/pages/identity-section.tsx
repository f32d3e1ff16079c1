import { own } from '../../../core/base/own.ts'
import type { StoredIdentity } from '../store.ts'
import type { SecurityPart } from '../../../web/kit/part-of-user.ts'
import { Change } from '../../../web/kit/confirm.tsx'
import { EndOthers } from '../../../web/kit/end-others.tsx'
import { problemIn } from '../../../web/kit/form.ts'
import { Icon, Tile } from '../../../web/kit/icons.tsx'
import { Row, Rows } from '../../../web/kit/rows.tsx'
import { TimeFact } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'
import { providerIcon, siteProviderName } from '../../../web/kit/provider-names.ts'

const PATH = '/account/security/identities'

interface SectionProps extends SecurityPart {
  identities: readonly StoredIdentity[]
}

/** The linked accounts at identity providers. Nothing is shown where there are and can be none. */
export function IdentitySection(props: SectionProps) {
  const { view, identities, refused } = props
  const t = view.t.sso
  const { platform } = view
  if (identities.length === 0 && platform === undefined) return <></>
  const problem = problemIn(refused, 'link-identity')
  return (
    <article>
      <header>
        <Tile icon="sso" tone="violet" />
        <h2>{t.title}</h2>
      </header>
      <p>{t.lead}</p>
      <Rows
        rows={identities.map((identity) => (
          <IdentityRow {...props} identity={identity} />
        ))}
        none={<p class="hint">{t.none}</p>}
      />
      {platform !== undefined && (
        <div class="decide">
          <Change
            view={view}
            label={
              <span class="mark">
                <Icon name={providerIcon(platform)} />{' '}
                {(identities.length === 0 ? t.link : t.linkAnother)(
                  siteProviderName(view, platform),
                )}
              </span>
            }
            question={t.linkQuestion}
            action={`${PATH}/link`}
            submit={t.linkContinue}
            problem={problem}
            confirmedAs="link-identity"
            isHarmless
          />
        </div>
      )}
    </article>
  )
}

function IdentityRow(props: SecurityPart & { identity: StoredIdentity }) {
  const { view, identity, refused } = props
  const t = view.t.sso
  const { issuer, subject, platform, name } = identity
  const shown = name || t.unnamed
  return (
    <Row icon={providerIcon(platform)} tone="violet" title={shown} level={3}>
      <IdentityFacts view={view} identity={identity} />
      <Change
        view={view}
        label={t.unlink}
        question={t.unlinkQuestion(shown)}
        action={`${PATH}/unlink`}
        values={{ issuer, subject }}
        submit={t.unlinkSubmit}
        problem={problemIn(refused, 'unlink-identity', { issuer, subject })}
        confirmedAs={`unlink-${subject}`}
      >
        <EndOthers view={view} />
      </Change>
    </Row>
  )
}

interface IdentityFactsProps {
  view: View
  identity: Pick<StoredIdentity, 'platform' | 'linkedAt' | 'linkedBy' | 'lastUsedAt'>
  /** For an operator: the identity is another user's. */
  ofOther?: boolean
}

/** The facts of an identity in lists, beside its name. */
export function IdentityFacts({ view, identity, ofOther = false }: IdentityFactsProps) {
  const { platform, linkedAt, linkedBy, lastUsedAt } = identity
  const t = view.t.sso
  const phrases = ofOther ? { ...t.linkedBy, user: t.linkedByOwner } : t.linkedBy
  return (
    <p class="facts">
      <span>{siteProviderName(view, platform)}</span>
      <TimeFact
        view={view}
        at={linkedAt}
        phrase={own(phrases, linkedBy) ?? phrases.user}
        isMinor={lastUsedAt !== null}
      />
      <TimeFact
        view={view}
        at={lastUsedAt}
        phrase={view.t.passkeys.lastUsed}
        none={view.t.passkeys.neverUsed}
      />
    </p>
  )
}
