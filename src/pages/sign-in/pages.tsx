import { echo, type Fields, type Problem } from '../form.ts'
import { SinglePage } from '../layout.tsx'
import { Alert, Field } from '../parts.tsx'
import type { View } from '../view.ts'

interface SignInProps {
  view: View
  fields?: Fields
  problem?: Problem | undefined
}

export function SignInPage({ view, fields, problem }: SignInProps) {
  const t = view.t.signIn
  const username = echo(fields, 'username')
  return (
    <SinglePage view={view} title={t.title}>
      <article>
        <h1>{t.title}</h1>
        <form method="post" action="/account/sign-in">
          <Alert problem={problem} fields={['username', 'password']} />
          <Field
            name="username"
            label={t.username}
            value={username}
            autocomplete="username"
            problem={problem}
            focus={username === ''}
          />
          <Field
            name="password"
            label={t.password}
            type="password"
            autocomplete="current-password"
            problem={problem}
          />
          <button>{t.submit}</button>
        </form>
      </article>
    </SinglePage>
  )
}

/** The second step, for who has switched two-step verification on. */
export function CodePage({
  view,
  username,
  problem,
}: Omit<SignInProps, 'fields'> & { username: string }) {
  const t = view.t.signIn
  return (
    <SinglePage view={view} title={t.codeTitle}>
      <article>
        <hgroup>
          <h1>{t.codeTitle}</h1>
          <p>{t.codeLead(username)}</p>
        </hgroup>
        <form method="post" action="/account/sign-in/code">
          <Alert problem={problem} fields={['code']} />
          <Field
            name="code"
            label={t.code}
            hint={t.codeHint}
            autocomplete="one-time-code"
            problem={problem}
            focus
          />
          <button>{t.codeSubmit}</button>
        </form>
        <p class="aside">
          <a href="/account/sign-in">{t.startOver}</a>
        </p>
      </article>
    </SinglePage>
  )
}
