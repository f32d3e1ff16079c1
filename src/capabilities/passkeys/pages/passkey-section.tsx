import * as base64url from 'jose/base64url'
import { passkeyRecord } from '../record.ts'
import type { StoredPasskey } from '../store.ts'
import { userHandleOf } from '../user-handle.ts'
import { Change } from '../../../web/kit/confirm.tsx'
import { EndOthers } from '../../../web/kit/end-others.tsx'
import { Alert, Field } from '../../../web/kit/fields.tsx'
import { problemIn } from '../../../web/kit/form.ts'
import { Tile } from '../../../web/kit/icons.tsx'
import { Badge } from '../../../web/kit/parts.tsx'
import { NoPasskeysHere, PasskeyScript } from '../../../web/kit/passkey-button.tsx'
import { Menu, Row, Rows } from '../../../web/kit/rows.tsx'
import { Time, TimeFact } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'
import type { SecurityProps } from '../../me/pages/security-forms.ts'

const PATH = '/account/security/passkeys'

export function PasskeySection(props: SecurityProps) {
  const { view, passkeys, clones, refused } = props
  const t = view.t.passkeys
  const isRefusedElsewhere = passkeys.every(
    (passkey) => passkeyRecord(passkey).id !== refused?.fields['id'],
  )
  const isOwnForm = refused?.form === 'rename-passkey' || refused?.form === 'delete-passkey'
  return (
    <article>
      <header>
        <Tile icon="passkeys" tone="green" />
        <h2>
          {t.title}
          {passkeys.length > 0 && <Badge tone="good">{passkeys.length}</Badge>}
        </h2>
      </header>
      <p>{t.lead}</p>
      {isOwnForm && isRefusedElsewhere && <Alert problem={refused.problem} fields={[]} />}
      <div data-accepted={passkeys.length > 0 ? acceptedIn(props) : undefined}>
        <Rows
          rows={passkeys
            .toSorted((a, b) => b.createdAt - a.createdAt)
            .map((passkey) => (
              <PasskeyRow
                {...props}
                passkey={passkey}
                clone={clones.find(({ detail }) => detail === passkey.name)}
              />
            ))}
          none={<></>}
        />
      </div>
      {view.rpId === undefined ? (
        <NoPasskeysHere view={view} />
      ) : (
        <div class="decide">
          <a role="button" class="secondary" href={`${PATH}/add`}>
            {t.add}
          </a>
        </div>
      )}
      {passkeys.length > 0 && <p class="hint">{t.survive}</p>}
      <PasskeyScript />
    </article>
  )
}

/**
 * Returns the argument of `PublicKeyCredential.signalAllAcceptedCredentials`, as JSON.
 *
 * @see https://www.w3.org/TR/webauthn-3/#sctn-signalAllAcceptedCredentials
 */
function acceptedIn({ view: { rpId }, account, passkeys }: SecurityProps): string | undefined {
  if (rpId === undefined) return undefined
  const here = passkeys.filter((passkey) => passkey.rpId === rpId)
  return JSON.stringify({
    rpId,
    userId: base64url.encode(userHandleOf(account.id)),
    allAcceptedCredentialIds: here.map(({ credentialId }) => credentialId),
  })
}

interface RowProps extends SecurityProps {
  passkey: StoredPasskey
  /** The latest answer that a copy of it may have given. */
  clone: { at: number } | undefined
}

function PasskeyRow(props: RowProps) {
  const { view, passkey, clone, refused } = props
  const isLast = props.mustUseFactor && !props.account.hasTwoFactor && props.passkeys.length === 1
  const isOpen = refused?.fields['id'] === passkeyRecord(passkey).id
  return (
    <Row icon="passkeys" tone={clone ? 'red' : 'green'} title={passkey.name} level={3}>
      <PasskeyFacts view={view} passkey={passkey} />
      {isLast && <p class="hint">{view.t.passkeys.isLast}</p>}
      {clone !== undefined && (
        <p class="note warn">
          <Time view={view} at={clone.at} phrase={view.t.passkeys.cloned} />
        </p>
      )}
      <Menu label={view.t.actionsFor(passkey.name)} open={isOpen}>
        <RenameForm {...props} />
        {!isLast && <DeleteForm {...props} />}
      </Menu>
    </Row>
  )
}

/** The facts of a passkey in lists, beside its name. */
export function PasskeyFacts({ view, passkey }: { view: View; passkey: StoredPasskey }) {
  const t = view.t.passkeys
  const { createdAt, lastUsedAt, backedUp, backupEligible, rpId } = passkey
  return (
    <p class="facts">
      <TimeFact view={view} at={createdAt} phrase={t.added} isMinor={lastUsedAt !== null} />
      <TimeFact view={view} at={lastUsedAt} phrase={t.lastUsed} none={t.neverUsed} />
      {/* Unknown for an imported passkey that has not been used here. */}
      {backupEligible !== null && <span>{backedUp ? t.synced : t.thisDevice}</span>}
      {view.rpId !== undefined && rpId !== view.rpId && <span>{t.onlyAt(rpId)}</span>}
    </p>
  )
}

function RenameForm({ view, passkey, refused }: RowProps) {
  const t = view.t.passkeys
  const { id } = passkeyRecord(passkey)
  const problem = problemIn(refused, 'rename-passkey', { id })
  return (
    <Change
      view={view}
      label={t.rename}
      action={`${PATH}/rename`}
      values={{ id }}
      submit={t.renameSubmit}
      problem={problem}
      fields={['name']}
      isHarmless
    >
      <Field
        name="name"
        form={`rename-${passkey.credentialId}`}
        label={t.name}
        value={passkey.name}
        problem={problem}
        spellcheck
      />
    </Change>
  )
}

function DeleteForm({ view, account, passkeys, passkey, refused }: RowProps) {
  const t = view.t.passkeys
  const { id } = passkeyRecord(passkey)
  const problem = problemIn(refused, 'delete-passkey', { id })
  const isLast = passkeys.length === 1
  const left = isLast ? (account.hasTwoFactor ? t.codesLeft : t.passwordLeft) : ''
  return (
    <Change
      view={view}
      label={t.delete}
      question={`${t.deleteQuestion(passkey.name)}${left}`}
      action={`${PATH}/delete`}
      values={{ id }}
      named={passkey.name}
      submit={t.deleteSubmit}
      problem={problem}
      confirmedAs={`delete-${passkey.credentialId}`}
    >
      <EndOthers view={view} />
    </Change>
  )
}
