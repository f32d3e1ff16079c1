import { Field } from '../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../web/kit/form.ts'
import type { View } from '../../../web/kit/view.ts'
import { signInPath } from './next.ts'

interface FieldsProps {
  view: View
  fields?: Fields | undefined
  problem?: Problem | undefined
}

/** The fields `username` and `password`. */
export function NameAndPassword({
  view,
  fields,
  problem,
  autocomplete = 'username',
}: FieldsProps & { autocomplete?: string }) {
  const t = view.t.signIn
  const username = echo(fields, 'username')
  // A problem of no field is most often a wrong password.
  const ofField = problem?.field === undefined ? undefined : problem
  return (
    <>
      <Field
        name="username"
        label={t.username}
        value={username}
        autocomplete={autocomplete}
        problem={ofField}
        focus={username === ''}
      />
      <Field
        name="password"
        label={t.password}
        type="password"
        autocomplete="current-password"
        problem={ofField}
        focus={username !== ''}
        reveal={view.t.reveal}
      />
    </>
  )
}

/** The field `code` of a second step. */
export function CodeField({ view, problem }: Omit<FieldsProps, 'fields'>) {
  const t = view.t.signIn
  return (
    <Field
      name="code"
      label={t.code}
      hint={t.codeHint}
      autocomplete="one-time-code"
      problem={problem}
      focus
    />
  )
}

/** @param props `next` is the page after the sign-in (`next.ts`). */
export function StartOver({ view, next }: { view: View; next: string }) {
  return (
    <p class="aside">
      <a href={signInPath(next)}>{view.t.signIn.startOver}</a>
    </p>
  )
}
