import type { listAppPasswordsOf } from '../../app-passwords/app-passwords.ts'
import { AppPasswordFacts, DeleteAppPassword } from '../account/app-passwords.tsx'
import type { Problem } from '../form.ts'
import { Alert, Rows } from '../parts.tsx'
import type { View } from '../view.ts'

interface UserAppPasswordsProps {
  view: View
  userId: number
  appPasswords: Awaited<ReturnType<typeof listAppPasswordsOf>>
  problem: Problem | undefined
}

/** The app passwords of a user, for an operator. */
export function UserAppPasswords({ view, userId, appPasswords, problem }: UserAppPasswordsProps) {
  const t = view.t.appPasswords
  const action = `/account/admin/users/${userId}/delete-app-password`
  return (
    <section>
      <h2>{t.title}</h2>
      <Alert problem={problem} fields={[]} />
      <Rows
        rows={appPasswords.map((one) => (
          <li>
            <h3>{one.name}</h3>
            <AppPasswordFacts view={view} item={one} />
            <DeleteAppPassword view={view} item={one} action={action} />
          </li>
        ))}
        none={<p class="hint">{t.noneOf}</p>}
        actions="small"
      />
    </section>
  )
}
