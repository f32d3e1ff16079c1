import { echo, type Fields, type Problem } from '../form.ts'
import { SinglePage } from '../layout.tsx'
import { Alert, Field } from '../parts.tsx'
import type { View } from '../view.ts'

interface SignInProps {
  view: View
  fields?: Fields
  /** The page after the sign-in (`next.ts`); empty for the overview. */
  next: string
  problem?: Problem | undefined
}

export function SignInPage({ view, fields, next, problem }: SignInProps) {
  const t = view.t.signIn
  const username = echo(fields, 'username')
  return (
    <SinglePage view={view} title={t.title}>
      <article>
        <h1>{t.title}</h1>
        <form method="post" action="/account/sign-in">
          <Alert problem={problem} fields={['username', 'password']} />
          <NextField next={next} />
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

function NextField({ next }: { next: string }) {
  return next === '' ? <></> : <input type="hidden" name="next" value={next} />
}

/** The second step of a sign-in with two-step verification. */
export function CodePage({
  view,
  username,
  next,
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
          <NextField next={next} />
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
