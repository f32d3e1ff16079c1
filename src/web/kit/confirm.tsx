import type { Child, PropsWithChildren } from 'hono/jsx'
import type { Method } from '../../core/access/sign-in-methods.ts'
import type { AppContext } from '../http/context.ts'
import { Alert, Confirm, Field } from './fields.tsx'
import type { Fields, Problem } from './form.ts'
import { Named } from './named.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { pageSourceOf, type View } from './view.ts'

/** Names of the fields that `ConfirmFields` renders. */
export const CONFIRM_FIELDS = ['confirm_password', 'confirm_code']

/**
 * Makes the session fresh with the password, the code or the passkey of a form (`PageSource`). The
 * form contains none while the session is fresh. The next decision checks whether it is.
 *
 * @throws {Refusal} The refusals of `confirmSession`.
 */
export function confirmWith(c: AppContext, fields: Fields): Promise<void> {
  return pageSourceOf(c).confirm(c, fields)
}

/**
 * Proves as much as a sign-in does, with a form in which `ConfirmFields` asks for everything.
 *
 * @returns What was shown.
 * @throws {Refusal} `confirmationNeeded` for an empty form, and the refusals of `proveAgain`.
 */
export function proveAgainWith(c: AppContext, fields: Fields): Promise<Method[]> {
  return pageSourceOf(c).proveAgain(c, fields)
}

interface ConfirmFieldsProps {
  view: View
  /** Name of the form, unique on the page. */
  form: string
  problem: Problem | undefined
  /** Offers a code instead of the password. It is false in forms with a code field of their own. */
  takesCode?: boolean
  /** Asks for the password and the code of users who have both. */
  needsAll?: boolean
  /** Shows the fields only after a refusal. It is for forms with changes that don't need them. */
  onlyWhenAsked?: boolean
}

/**
 * Renders the fields that make the session fresh, or nothing while it is fresh.
 *
 * @param props `children` stand between the fields and the button for a passkey.
 */
export function ConfirmFields({ children, ...props }: PropsWithChildren<ConfirmFieldsProps>) {
  const { view, form, problem, takesCode = true, needsAll = false, onlyWhenAsked = false } = props
  const isAsked = CONFIRM_FIELDS.includes(problem?.field ?? '')
  if (!isAsked && (view.isFresh || onlyWhenAsked)) return <>{children}</>
  const t = view.t.confirm
  const hasCode = takesCode && view.account?.hasTwoFactor === true
  const fields = (
    <>
      <Field
        name="confirm_password"
        form={form}
        label={t.password}
        type="password"
        autocomplete="current-password"
        problem={problem}
        optional={hasCode && !needsAll}
        reveal={view.t.reveal}
      />
      {hasCode && (
        <Field
          name="confirm_code"
          form={form}
          label={needsAll ? view.t.code : t.code}
          hint={view.t.codeHint}
          autocomplete="one-time-code"
          problem={problem}
          optional={!needsAll}
        />
      )}
      {children}
    </>
  )
  const { ceremony } = view
  const passkey = ceremony !== undefined && (
    <PasskeyButton
      view={view}
      ceremony={ceremony}
      use="get"
      label={t.passkey}
      isPreferred={!needsAll}
    />
  )
  return (
    <div class="proof" role="group" aria-label={t.title}>
      {!needsAll && <p class="hint">{hasCode ? t.hintOrCode : t.hint}</p>}
      {passkey === false || needsAll ? (
        <>
          {fields}
          {passkey}
        </>
      ) : (
        <>
          {passkey}
          {/* The script closes it where the browser has passkeys. */}
          <details class="another" open data-another={isAsked ? undefined : ''}>
            <summary>{t.another}</summary>
            {fields}
          </details>
        </>
      )}
    </div>
  )
}

interface ChangeProps {
  view: View
  /** On the button that opens the question. */
  label: Child
  /** Empty when the fields say enough. */
  question?: string
  action: string
  submit: string
  /** Hidden fields of the form: their values by their names. */
  values?: Record<string, string | number>
  /** What is changed, for the notice that follows (`named.ts`). */
  named?: string
  /** Of the last attempt. Then the question is open. */
  problem?: Problem | undefined
  /** The fields in `children`. */
  fields?: string[]
  /** Name of the form, unique on the page, for a change that only a fresh session may make. */
  confirmedAs?: string | undefined
  takesCode?: boolean
  /** Where links lead to. */
  id?: string
  /** Whether it is open before anybody presses it. */
  isOpen?: boolean
  /** Takes nothing away that can't be had back. */
  isHarmless?: boolean
  /** Whether it is what the page asks for. */
  isPrimary?: boolean
}

/** One change of one thing: a button, a question, fields, what makes the session fresh. */
export function Change({ children, ...props }: PropsWithChildren<ChangeProps>) {
  const { view, label, question = '', action, submit, values = {}, named, problem } = props
  const {
    fields = [],
    confirmedAs,
    takesCode = true,
    id,
    isOpen = false,
    isHarmless = false,
    isPrimary = false,
  } = props
  return (
    <Confirm
      label={label}
      cancel={view.t.cancel}
      question={question}
      id={id}
      open={isOpen || problem !== undefined}
      isPrimary={isPrimary}
    >
      <form method="post" action={action}>
        <Alert
          problem={problem}
          fields={confirmedAs === undefined ? fields : [...fields, ...CONFIRM_FIELDS]}
        />
        <HiddenFields values={values} />
        <Named name={named} />
        {children}
        {confirmedAs !== undefined && (
          <ConfirmFields view={view} form={confirmedAs} problem={problem} takesCode={takesCode} />
        )}
        <button class={isHarmless ? undefined : 'danger'}>{submit}</button>
      </form>
    </Confirm>
  )
}

function HiddenFields({ values }: Required<Pick<ChangeProps, 'values'>>) {
  return (
    <>
      {Object.entries(values).map(([name, value]) => (
        <input type="hidden" name={name} value={String(value)} />
      ))}
    </>
  )
}

type PressProps = Pick<
  ChangeProps,
  'view' | 'action' | 'problem' | 'values' | 'named' | 'isPrimary'
> & {
  label: string
  /** As in `Change`. */
  confirmedAs: string
}

/** A change that takes nothing away: one press while the session is fresh, else it asks for that. */
export function Press({ label, ...props }: PressProps) {
  const { view, action, problem, values = {}, named, isPrimary = false } = props
  if (!view.isFresh || problem !== undefined)
    return <Change {...props} label={label} submit={label} isHarmless />
  return (
    <form method="post" action={action}>
      <HiddenFields values={values} />
      <Named name={named} />
      <button class={isPrimary ? undefined : 'secondary'}>{label}</button>
    </form>
  )
}
