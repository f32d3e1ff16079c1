import type { PropsWithChildren } from 'hono/jsx'
import { ADMIN, GUEST } from '../../../../core/accounts/roles.ts'
import { Change } from '../../../../web/kit/confirm.tsx'
import { Alert, Choice } from '../../../../web/kit/fields.tsx'
import { problemIn } from '../../../../web/kit/form.ts'
import type { IconName, Tone } from '../../../../web/kit/icons.tsx'
import type { UserPage } from '../../../../web/kit/part-of-user.ts'
import { ActionLabel } from '../../../../web/kit/rows.tsx'
import { PasswordField } from './user-fields.tsx'
import { pageFor, type UserProps } from './user-props.ts'

/** The forms that help a user to sign in again. The guest has no password. */
export function HelpForms(props: UserProps) {
  const { view, user, passkeys, parts, refused } = props
  const t = view.t.adminUsers
  const page = pageFor(props)
  if (user.role === GUEST) return <></>
  const problem = problemIn(refused, 'password')
  return (
    <section>
      <h2>{t.help}</h2>
      <ul class="rows actions">
        {parts.map(({ help }) => help?.(page))}
        <FormRow
          page={page}
          form="password"
          icon="password"
          label={t.resetPassword}
          lead={t.resetPasswordLead}
          fields={['password']}
          confirms
        >
          <PasswordField view={view} problem={problem} />
        </FormRow>
        {user.hasTwoFactor && (
          <FormRow
            page={page}
            form="cancel-two-factor"
            icon="phone"
            tone="amber"
            label={t.cancelTwoFactor}
            lead={t.cancelTwoFactorLead}
            confirms
            isDangerous
          >
            {passkeys.length > 0 && (
              <Box name="with_passkeys" title={t.withPasskeys(passkeys.length)} />
            )}
          </FormRow>
        )}
      </ul>
    </section>
  )
}

/** Adds something to what a form does. */
export function Box({ name, title }: { name: string; title: string }) {
  return (
    <div class="field">
      <Choice type="checkbox" name={name} value="true" isChecked={false} title={title} />
    </div>
  )
}

/** The forms that take access away. */
export function EndForms(props: UserProps) {
  const { view, user, isLastAdmin, refused } = props
  const t = view.t.adminUsers
  const page = pageFor(props)
  const isGuest = user.role === GUEST
  if (isGuest && user.disabled) return <></>
  return (
    <section>
      <h2>{isGuest ? t.disable : t.endAccess}</h2>
      {isLastAdmin && (refused?.form === 'disable' || refused?.form === 'delete') && (
        <Alert problem={refused.problem} fields={[]} />
      )}
      <ul class="rows actions">
        {!isGuest && !user.disabled && (
          <FormRow
            page={page}
            form="end-sessions"
            icon="sign-out"
            tone="amber"
            label={t.endSessions}
            lead={t.endSessionsLead}
            isDangerous
          />
        )}
        {isLastAdmin ? (
          <li class="row-note">{t.lastAdmin}</li>
        ) : (
          !user.disabled && <Disable {...props} />
        )}
        {!isGuest && !isLastAdmin && (
          <FormRow
            page={page}
            form="delete"
            icon="delete"
            tone="red"
            label={t.delete}
            lead={t.deleteLead}
            confirms
            isDangerous
          />
        )}
      </ul>
    </section>
  )
}

function Disable(props: UserProps) {
  const { view, user } = props
  const t = view.t.adminUsers
  const page = pageFor(props)
  return (
    <FormRow
      page={page}
      form="disable"
      icon="lock"
      tone="red"
      label={t.disable}
      lead={t.disableLead}
      confirms={user.role === ADMIN}
      isDangerous
    />
  )
}

interface FormRowProps {
  page: UserPage
  /** The last segment of its address. */
  form: string
  icon: IconName
  tone?: Tone
  label: string
  lead: string
  /** On the button; the label by default. */
  submit?: string
  /** The names of its fields that show their own problems. */
  fields?: string[]
  isDangerous?: boolean
  /** Whether it needs a fresh session. */
  confirms?: boolean
}

/** A row that expands to its form. */
export function FormRow(props: PropsWithChildren<FormRowProps>) {
  const { page, form, icon, tone = 'blue', label, lead, submit = label, fields = [] } = props
  const { view, user, action, refused } = page
  return (
    <li>
      <Change
        view={view}
        label={<ActionLabel icon={icon} tone={tone} title={label} hint={lead} />}
        action={action(form)}
        named={user.username}
        submit={submit}
        problem={problemIn(refused, form)}
        fields={fields}
        confirmedAs={props.confirms === true ? form : undefined}
        isHarmless={props.isDangerous !== true}
      >
        {props.children}
      </Change>
    </li>
  )
}
