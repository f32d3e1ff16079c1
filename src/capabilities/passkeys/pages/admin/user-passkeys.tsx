import { passkeyRecord } from '../../record.ts'
import { PasskeyFacts } from '../passkey-section.tsx'
import { Change } from '../../../../web/kit/confirm.tsx'
import { Row, Rows } from '../../../../web/kit/rows.tsx'
import { userAction, type UserProps } from '../../../users/pages/admin/user-props.ts'

/** The passkeys of a user, for an operator. */
export function UserPasskeys(props: UserProps) {
  const { view, passkeys, refused } = props
  const t = view.t.passkeys
  const isRefused = refused?.form === 'delete-passkey'
  return (
    <Rows
      rows={passkeys.map((passkey) => {
        const { id } = passkeyRecord(passkey)
        const problem = isRefused && refused.fields['id'] === id ? refused.problem : undefined
        return (
          <Row icon="passkeys" tone="green" title={passkey.name} level={3}>
            <PasskeyFacts view={view} passkey={passkey} />
            <Change
              view={view}
              label={t.delete}
              question={t.deleteQuestion(passkey.name)}
              action={userAction(props, 'delete-passkey')}
              values={{ id }}
              submit={t.deleteSubmit}
              problem={problem}
              confirmedAs={`delete-${passkey.credentialId}`}
            />
          </Row>
        )
      })}
      none={<p class="hint">{t.none}</p>}
    />
  )
}
