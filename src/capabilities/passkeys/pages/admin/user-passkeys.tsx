import { passkeyRecord } from '../../record.ts'
import { PasskeyFacts } from '../passkey-section.tsx'
import { Change } from '../../../../web/kit/confirm.tsx'
import { Row, Rows } from '../../../../web/kit/rows.tsx'
import type { UserPage } from '../../../../web/kit/part-of-user.ts'
import type { StoredPasskey } from '../../store.ts'

/** The passkeys of a user, for an operator. */
export function UserPasskeys(props: UserPage & { passkeys: readonly StoredPasskey[] }) {
  const { view, passkeys, action, refused } = props
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
              action={action('delete-passkey')}
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
