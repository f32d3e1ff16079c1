import type { PropsWithChildren } from 'hono/jsx'
import { GUEST } from '../../accounts/roles.ts'
import { Change } from '../confirm.tsx'
import { Alert } from '../parts.tsx'
import type { UserForm } from './user-actions.ts'
import { PasswordField } from './user-fields.tsx'
import { userAction, type UserProps } from './user-props.ts'

/** Forms that need a fresh session. */
const FORMS_FOR_FRESH_SESSIONS: readonly UserForm[] = [
  'password',
  'reset-link',
  'cancel-two-factor',
]

/** The forms that grant or take away access: password, lock, second factor, sessions, account. */
export function AccessForms(props: UserProps) {
  const { view, user, isLastAdmin, refused } = props
  const t = view.t.adminUsers
  const enableOrDisable = isLastAdmin ? (
    <></>
  ) : user.disabled ? (
    <AccessForm {...props} form="enable" label={t.enable} lead="" />
  ) : (
    <AccessForm {...props} form="disable" label={t.disable} lead={t.disableLead} isDangerous />
  )
  return (
    <section>
      <h2>{t.access}</h2>
      {isLastAdmin && (refused?.form === 'disable' || refused?.form === 'delete') && (
        <Alert problem={refused.problem} fields={[]} />
      )}
      <ul class="rows actions">
        {user.role === GUEST ? (
          enableOrDisable
        ) : (
          <PersonForms {...props}>{enableOrDisable}</PersonForms>
        )}
      </ul>
    </section>
  )
}

/** The forms that the guest lacks: the guest has no password and can't be deleted. */
function PersonForms({ children, ...props }: PropsWithChildren<UserProps>) {
  const { view, user, passkeys, refused, isLastAdmin } = props
  const t = view.t.adminUsers
  const problem = refused?.form === 'password' ? refused.problem : undefined
  return (
    <>
      <AccessForm {...props} form="password" label={t.resetPassword} lead={t.resetPasswordLead}>
        <PasswordField view={view} problem={problem} />
      </AccessForm>
      <AccessForm {...props} form="reset-link" label={t.resetLink} lead={t.resetLinkLead}>
        {user.hasTwoFactor && (
          <div class="field">
            <label>
              <input type="checkbox" name="second_factor" value="true" />
              {t.resetLinkFactor}
            </label>
          </div>
        )}
      </AccessForm>
      {user.hasTwoFactor && (
        <AccessForm
          {...props}
          form="cancel-two-factor"
          label={t.cancelTwoFactor}
          lead={t.cancelTwoFactorLead}
          isDangerous
        >
          {passkeys.length > 0 && (
            <div class="field">
              <label>
                <input type="checkbox" name="with_passkeys" value="true" />
                {t.withPasskeys(passkeys.length)}
              </label>
            </div>
          )}
        </AccessForm>
      )}
      <AccessForm
        {...props}
        form="end-sessions"
        label={t.endSessions}
        lead={t.endSessionsLead}
        isDangerous
      />
      {children}
      {isLastAdmin ? (
        <li class="row-note">{t.lastAdmin}</li>
      ) : (
        <AccessForm {...props} form="delete" label={t.delete} lead={t.deleteLead} isDangerous />
      )}
    </>
  )
}

interface AccessFormProps extends UserProps {
  form: UserForm
  label: string
  lead: string
  isDangerous?: boolean
}

/** A row that expands to its form. */
function AccessForm(props: PropsWithChildren<AccessFormProps>) {
  const { view, refused, form, label, lead, isDangerous = false } = props
  const problem = refused?.form === form ? refused.problem : undefined
  return (
    <li>
      <Change
        view={view}
        label={label}
        question={lead}
        action={userAction(props, form)}
        submit={label}
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
