import { AppPasswordRow } from '../app-passwords.tsx'
import { Alert } from '../../../../web/kit/fields.tsx'
import { problemIn } from '../../../../web/kit/form.ts'
import { Rows } from '../../../../web/kit/rows.tsx'
import type { UserPage } from '../../../../web/kit/part-of-user.ts'
import type { StoredAppPassword } from '../../store.ts'

interface Props extends UserPage {
  appPasswords: readonly StoredAppPassword[]
}

/** The app passwords of a user, for an operator. */
export function UserAppPasswords({ view, appPasswords, action, refused }: Props) {
  return (
    <>
      <Alert problem={problemIn(refused, 'delete-app-password')} fields={[]} />
      <Rows
        rows={appPasswords.map((appPassword) => (
          <AppPasswordRow
            view={view}
            item={appPassword}
            action={action('delete-app-password')}
            level={3}
          />
        ))}
        none={<p class="hint">{view.t.appPasswords.noneOf}</p>}
      />
    </>
  )
}
