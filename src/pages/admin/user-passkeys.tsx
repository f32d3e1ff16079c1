import { Rows } from '../parts.tsx'
import { passkeyRecord } from '../../passkeys/record.ts'
import { PasskeyFacts } from '../account/passkey-section.tsx'
import { Change } from '../confirm.tsx'
import type { UserProps } from './user.tsx'

/** The passkeys of a user, for an operator. */
export function UserPasskeys({ view, user, passkeys, refused }: UserProps) {
  const t = view.t.passkeys
  const isRefused = refused?.form === 'delete-passkey'
  return (
    <section>
      <h2>{t.title}</h2>
      <Rows
        rows={passkeys.map((passkey) => {
          const { id } = passkeyRecord(passkey)
          const problem = isRefused && refused.fields['id'] === id ? refused.problem : undefined
          return (
            <li>
              <h3>{passkey.name}</h3>
              <PasskeyFacts view={view} passkey={passkey} />
              <Change
                view={view}
                label={t.delete}
                question={t.deleteQuestion(passkey.name)}
                action={`/account/admin/users/${user.id}/delete-passkey`}
                values={{ id }}
                submit={t.deleteSubmit}
                problem={problem}
                confirmedAs={`delete-${passkey.credentialId}`}
              />
            </li>
          )
        })}
        none={<p class="hint">{t.none}</p>}
        actions="small"
      />
    </section>
  )
}
