import type { PropsWithChildren } from 'hono/jsx'
import { GUEST } from '../../../../core/accounts/roles.ts'
import { Change } from '../../../../web/kit/confirm.tsx'
import { Alert, Choice } from '../../../../web/kit/fields.tsx'
import { problemIn } from '../../../../web/kit/form.ts'
import type { IconName, Tone } from '../../../../web/kit/icons.tsx'
import { ActionLabel } from '../../../../web/kit/rows.tsx'
import { PasswordField } from './user-fields.tsx'
import { userAction, type UserForm, type UserProps } from './user-props.ts'

/** Forms that need a fresh session. */
const FORMS_FOR_FRESH_SESSIONS: readonly UserForm[] = [
  'password',
  'reset-link',
  'cancel-two-factor',
  'enable',
]

/** The forms that help a user to sign in again. The guest has no password. */
export function HelpForms(props: UserProps) {
  const { view, user, passkeys, refused } = props
  const t = view.t.adminUsers
  if (user.role === GUEST) return <></>
  const problem = problemIn(refused, 'password')
  return (
    <section>
      <h2>{t.help}</h2>
      <ul class="rows actions">
        <AccessForm
          {...props}
          form="reset-link"
          icon="mail"
          label={t.resetLink}
          lead={t.resetLinkLead}
          submit={t.resetLinkSubmit}
        >
          {user.hasTwoFactor && <Box name="second_factor" title={t.resetLinkFactor} />}
        </AccessForm>
        <AccessForm
          {...props}
          form="password"
          icon="password"
          label={t.resetPassword}
          lead={t.resetPasswordLead}
        >
          <PasswordField view={view} problem={problem} />
        </AccessForm>
        {user.hasTwoFactor && (
          <AccessForm
            {...props}
            form="cancel-two-factor"
            icon="phone"
            tone="amber"
            label={t.cancelTwoFactor}
            lead={t.cancelTwoFactorLead}
            isDangerous
          >
            {passkeys.length > 0 && (
              <Box name="with_passkeys" title={t.withPasskeys(passkeys.length)} />
            )}
          </AccessForm>
        )}
      </ul>
    </section>
  )
}

/** Adds something to what a form does. */
function Box({ name, title }: { name: string; title: string }) {
  return (
    <div class="field">
      <Choice type="checkbox" name={name} value="true" isChecked={false} title={title} />
    </div>
  )
}

/** The forms that take access away, and the one that gives it back. */
export function EndForms(props: UserProps) {
  const { view, user, isLastAdmin, refused } = props
  const t = view.t.adminUsers
  const isGuest = user.role === GUEST
  return (
    <section>
      <h2>{t.endAccess}</h2>
      {isLastAdmin && (refused?.form === 'disable' || refused?.form === 'delete') && (
        <Alert problem={refused.problem} fields={[]} />
      )}
      <ul class="rows actions">
        {!isGuest && (
          <AccessForm
            {...props}
            form="end-sessions"
            icon="sign-out"
            tone="amber"
            label={t.endSessions}
            lead={t.endSessionsLead}
            isDangerous
          />
        )}
        {isLastAdmin ? <li class="row-note">{t.lastAdmin}</li> : <EnableOrDisable {...props} />}
        {!isGuest && !isLastAdmin && (
          <AccessForm
            {...props}
            form="delete"
            icon="delete"
            tone="red"
            label={t.delete}
            lead={t.deleteLead}
            isDangerous
          />
        )}
      </ul>
    </section>
  )
}

function EnableOrDisable(props: UserProps) {
  const { view, user } = props
  const t = view.t.adminUsers
  if (user.disabled)
    return (
      <AccessForm
        {...props}
        form="enable"
        icon="check"
        tone="green"
        label={t.enable}
        lead={t.enableLead}
      />
    )
  return (
    <AccessForm
      {...props}
      form="disable"
      icon="lock"
      tone="red"
      label={t.disable}
      lead={t.disableLead}
      isDangerous
    />
  )
}

interface AccessFormProps extends UserProps {
  form: UserForm
  icon: IconName
  tone?: Tone
  label: string
  lead: string
  /** On the button; the label by default. */
  submit?: string
  isDangerous?: boolean
}

/** A row that expands to its form. */
function AccessForm(props: PropsWithChildren<AccessFormProps>) {
  const { view, refused, form, icon, tone = 'blue', label, lead, isDangerous = false } = props
  const problem = problemIn(refused, form)
  return (
    <li>
      <Change
        view={view}
        label={<ActionLabel icon={icon} tone={tone} title={label} hint={lead} />}
        action={userAction(props, form)}
        submit={props.submit ?? label}
        problem={problem}
        fields={form === 'password' ? ['password'] : []}
        confirmedAs={FORMS_FOR_FRESH_SESSIONS.includes(form) ? form : undefined}
        isHarmless={!isDangerous}
      >
        {props.children}
      </Change>
    </li>
  )
}
