import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import { echo, type Fields, type Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, Field, FormButtons } from '../parts.tsx'
import type { View } from '../view.ts'

interface NewKeyProps {
  view: View
  /** The values of a refused form. */
  fields?: Fields | undefined
  problem?: Problem | undefined
}

export function NewKeyPage({ view, fields, problem }: NewKeyProps) {
  const t = view.t.keys
  return (
    <AccountPage view={view} title={t.addTitle}>
      <h1>{t.addTitle}</h1>
      <article>
        <form method="post" action="/account/keys/add">
          <Alert problem={problem} fields={['title', 'key', ...CONFIRM_FIELDS]} />
          <Field
            name="title"
            label={t.keyTitle}
            hint={t.keyTitleHint}
            value={echo(fields, 'title')}
            problem={problem}
            focus
            spellcheck
          />
          <Field
            name="key"
            label={t.key}
            hint={t.keyHint}
            value={echo(fields, 'key')}
            problem={problem}
            rows={4}
          />
          <ConfirmFields view={view} form="add" problem={problem} />
          <FormButtons view={view} submit={t.submit} back="/account/keys" />
        </form>
      </article>
    </AccountPage>
  )
}
