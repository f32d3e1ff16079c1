import { passkeyRecord } from '../../passkeys/record.ts'
import { PasskeyFacts } from '../account/passkey-section.tsx'
import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import { Alert, Confirm } from '../parts.tsx'
import type { UserProps } from './user.tsx'

/** The passkeys of a user, for an operator. */
export function UserPasskeys({ view, user, passkeys, refused }: UserProps) {
  const t = view.t.passkeys
  const isRefused = refused?.form === 'delete-passkey'
  return (
    <section>
      <h2>{t.title}</h2>
      {passkeys.length === 0 ? (
        <p class="hint">{t.none}</p>
      ) : (
        <ul class="rows compact acting">
          {passkeys.map((passkey) => {
            const { id } = passkeyRecord(passkey)
            const problem = isRefused && refused.fields['id'] === id ? refused.problem : undefined
            return (
              <li>
                <h3>{passkey.name}</h3>
                <PasskeyFacts view={view} passkey={passkey} />
                <Confirm
                  label={t.delete}
                  question={t.deleteQuestion(passkey.name)}
                  open={problem !== undefined}
                >
                  <form method="post" action={`/account/admin/users/${user.id}/delete-passkey`}>
                    <Alert problem={problem} fields={CONFIRM_FIELDS} />
                    <input type="hidden" name="id" value={id} />
                    <ConfirmFields
                      view={view}
                      form={`delete-${passkey.credentialId}`}
                      problem={problem}
                    />
                    <button class="danger">{t.deleteSubmit}</button>
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
