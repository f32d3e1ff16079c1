import { CONFIRM_FIELDS, ConfirmFields } from '../../../web/kit/confirm.tsx'
import { Alert, Field, FormButtons } from '../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../web/kit/form.ts'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { CopyButton, Heading } from '../../../web/kit/parts.tsx'
import { Fold } from '../../../web/kit/rows.tsx'
import type { View } from '../../../web/kit/view.ts'

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
      <Heading title={t.addTitle} lead={t.addLead} />
      <article>
        <form class="wide" method="post" action="/account/keys/add">
          <Alert problem={problem} fields={['title', 'key', ...CONFIRM_FIELDS]} />
          <Field
            name="key"
            label={t.key}
            hint={t.keyHint}
            value={echo(fields, 'key')}
            problem={problem}
            rows={4}
            focus
          >
            <FileButton view={view} into="key" />
          </Field>
          <Field
            name="title"
            label={t.keyTitle}
            hint={t.keyTitleHint}
            value={echo(fields, 'title')}
            problem={problem}
            spellcheck
            optional
          />
          <ConfirmFields view={view} form="add" problem={problem} />
          <FormButtons view={view} submit={t.submit} back="/account/keys" />
        </form>
      </article>
      <NoKeyYet view={view} />
    </AccountPage>
  )
}

/** Reads a file into a field of the form. Only the script shows it, and refuses a private key. */
function FileButton({ view, into }: { view: View; into: string }) {
  const t = view.t.keys
  return (
    <>
      <p class="buttons">
        <button type="button" class="secondary" data-file={into} hidden>
          {t.chooseFile}
        </button>
      </p>
      <p class="problem" id={`${into}-private`} role="alert" hidden>
        {t.fileIsPrivate}
      </p>
    </>
  )
}

const MAKE_KEY = 'ssh-keygen -t ed25519'

/** How to make a key, for a user who has none. */
function NoKeyYet({ view }: { view: View }) {
  const t = view.t.keys
  return (
    <Fold title={t.noKeyYet} about={t.noKeyYetAbout}>
      <ol class="steps">
        <li>
          <p>{t.makeKey}</p>
          <div class="command">
            <code id="make-key">{MAKE_KEY}</code>
            <CopyButton view={view} from="make-key" />
          </div>
        </li>
        <li>{t.makeKeyFile}</li>
      </ol>
    </Fold>
  )
}
