import { MAX_NAME_CHARACTERS } from '../session-text.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../web/kit/confirm.tsx'
import { Alert, Field, FormButtons } from '../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../web/kit/form.ts'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import { PasskeyButton } from '../../../web/kit/passkey-button.tsx'
import { describeUserAgent } from '../../../web/kit/user-agent.ts'
import type { BegunCeremony, View } from '../../../web/kit/view.ts'
import { browserOf } from '../../sessions/pages/device.ts'

const SECURITY_PATH = '/account/security'

interface NewPasskeyProps {
  view: View
  /** `undefined` while the session is not fresh, and when no passkey can be added. */
  ceremony: BegunCeremony | undefined
  /** True when no passkey can be added. */
  isStopped: boolean
  userAgent: string
  fields?: Fields | undefined
  problem?: Problem | undefined
}

export function NewPasskeyPage(props: NewPasskeyProps) {
  const { view, ceremony, isStopped, problem } = props
  const t = view.t.passkeys
  return (
    <AccountPage view={view} title={t.addTitle}>
      <Heading title={t.addTitle} lead={t.lead} />
      <article>
        {ceremony !== undefined ? (
          <CreateForm {...props} ceremony={ceremony} />
        ) : isStopped ? (
          <>
            <Alert problem={problem} fields={[]} />
            <p class="buttons">
              <a role="button" class="secondary" href={SECURITY_PATH}>
                {t.back}
              </a>
            </p>
          </>
        ) : (
          <form method="post" action="/account/security/passkeys/confirm">
            <Alert problem={problem} fields={CONFIRM_FIELDS} />
            <ConfirmFields view={view} form="add" problem={problem} />
            <FormButtons view={view} submit={t.continue} back={SECURITY_PATH} />
          </form>
        )}
      </article>
    </AccountPage>
  )
}

function CreateForm(props: NewPasskeyProps & { ceremony: BegunCeremony }) {
  const { view, ceremony, userAgent, fields, problem } = props
  const t = view.t.passkeys
  return (
    <form method="post" action="/account/security/passkeys/add">
      <Alert problem={problem} fields={['name']} />
      <Field
        name="name"
        label={t.name}
        hint={t.nameHint}
        value={echo(fields, 'name') || firstName(view, userAgent)}
        problem={problem}
        spellcheck
      />
      <div class="buttons">
        <PasskeyButton
          view={view}
          ceremony={ceremony}
          use="create"
          label={t.create}
          again="/account/security/passkeys/add"
        />
        <a role="button" class="secondary" href={SECURITY_PATH}>
          {view.t.cancel}
        </a>
      </div>
      <p class="hint" data-without-passkeys>
        {t.needsScript}
      </p>
    </form>
  )
}

/** The first guess of a name, such as “Firefox on Linux”; empty when the browser is unknown. */
function firstName(view: View, userAgent: string): string {
  const { program, system } = describeUserAgent(userAgent)
  if (program === undefined && system === undefined) return ''
  return browserOf(view, userAgent).slice(0, MAX_NAME_CHARACTERS)
}
