import { AppPasswordRow } from '../app-passwords.tsx'
import { Alert } from '../../../../web/kit/fields.tsx'
import { problemIn } from '../../../../web/kit/form.ts'
import { Rows } from '../../../../web/kit/rows.tsx'
import { userAction, type UserProps } from '../../../users/pages/admin/user-props.ts'

/** The app passwords of a user, for an operator. */
export function UserAppPasswords(props: UserProps) {
  const { view, appPasswords, refused } = props
  return (
    <>
      <Alert problem={problemIn(refused, 'delete-app-password')} fields={[]} />
      <Rows
        rows={appPasswords.map((appPassword) => (
          <AppPasswordRow
            view={view}
            item={appPassword}
            action={userAction(props, 'delete-app-password')}
            level={3}
          />
        ))}
        none={<p class="hint">{view.t.appPasswords.noneOf}</p>}
      />
    </>
  )
}
