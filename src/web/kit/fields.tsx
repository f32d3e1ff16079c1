import type { Child, PropsWithChildren } from 'hono/jsx'
import type { Problem } from './form.ts'
import type { View } from './view.ts'

type Options = readonly (readonly [value: string, label: string])[]

export interface FieldProps {
  /** Name of the field in the decision's request. */
  name: string
  /** Makes the element id unique when several forms of a page have a field of this name. */
  form?: string
  label: Child
  problem?: Problem | undefined
  hint?: string
  value?: string
  type?: 'text' | 'password' | 'number' | 'color' | 'search' | 'date'
  autocomplete?: string
  inputmode?: 'numeric'
  /** Number of lines; 1 renders an `input`, more a `textarea`. */
  rows?: number
  /** Renders a `select` with these values and labels. */
  options?: Options
  /** More of them, under headings. */
  groups?: readonly (readonly [heading: string, options: Options])[]
  /** Values that the browser suggests. */
  list?: readonly string[]
  /** It gets the focus while no form was refused. */
  focus?: boolean
  /** It gets the focus. */
  isFocused?: boolean
  optional?: boolean
  spellcheck?: boolean
  /** Texts of the button that shows and hides a password. */
  reveal?: { show: string; hide: string }
}

/** An input with its label, hint and problem; an input with a problem gets the focus. */
export function Field(props: PropsWithChildren<FieldProps>) {
  const { name, form, label, problem, hint, value = '', rows = 1, type = 'text' } = props
  const isWrong = problem?.field === name
  const id = form === undefined ? name : `${form}-${name}`
  const [hintId, problemId] = [`${id}-hint`, `${id}-problem`]
  const described = [isWrong && problemId, hint !== undefined && hintId].filter(Boolean).join(' ')
  const attributes = {
    id,
    name,
    autocomplete: props.autocomplete ?? 'off',
    'aria-describedby': described || undefined,
    'aria-invalid': isWrong ? ('true' as const) : undefined,
    autofocus:
      isWrong || props.isFocused === true || (props.focus === true && problem === undefined),
    required: props.optional !== true,
    ...(props.spellcheck !== true && { spellcheck: false, autocapitalize: 'off' as const }),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {props.options !== undefined ? (
        <select {...attributes}>
          <OptionList options={props.options} value={value} />
          {props.groups?.map(([heading, options]) => (
            <optgroup label={heading}>
              <OptionList options={options} value={value} />
            </optgroup>
          ))}
        </select>
      ) : rows > 1 ? (
        <textarea {...attributes} rows={rows}>
          {/* Browsers drop a line end at the start of a textarea. */}
          {value.startsWith('\n') ? `\n${value}` : value}
        </textarea>
      ) : (
        <Revealable id={id} words={props.reveal}>
          <input
            {...attributes}
            type={type}
            value={value}
            inputmode={props.inputmode}
            list={props.list && `${id}-list`}
          />
        </Revealable>
      )}
      {props.list !== undefined && (
        <datalist id={`${id}-list`}>
          {props.list.map((suggested) => (
            <option value={suggested} />
          ))}
        </datalist>
      )}
      {isWrong && (
        <p class="problem" id={problemId}>
          {problem.message}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      {props.children}
    </div>
  )
}

interface ChoiceProps {
  type: 'checkbox' | 'radio'
  name: string
  value?: string
  isChecked: boolean
  title: string
  hint?: string | undefined
}

/** A box or one of several, with its name and what it means. */
export function Choice({ type, name, value, isChecked, title, hint }: ChoiceProps) {
  return (
    <label class="choice">
      <input type={type} name={name} value={value} checked={isChecked} />
      {title}
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  )
}

export function OptionList({ options, value }: { options: Options; value: string }) {
  return (
    <>
      {options.map(([option, words]) => (
        <option value={option} selected={option === value}>
          {words}
        </option>
      ))}
    </>
  )
}

interface OptionsProps {
  name: string
  legend: string
  /** Stands below the options. */
  hint?: string
  options: readonly { value: string; title: string; hint: string }[]
  value: string
}

/** A choice of one, where each option needs a sentence. */
export function OptionCards({ name, legend, hint, options, value }: OptionsProps) {
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      <div class="options">
        {options.map((option) => (
          <Choice type="radio" name={name} isChecked={option.value === value} {...option} />
        ))}
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </fieldset>
  )
}

interface NewPasswordProps {
  view: View
  label: string
  /** The label of the second field. */
  repeat: string
  problem: Problem | undefined
}

/**
 * The fields `password` and `repeat`, where a user chooses a password. `repeat` is missing where
 * the password can be shown.
 */
export function NewPasswordFields({ view, label, repeat, problem }: NewPasswordProps) {
  const field = {
    type: 'password',
    autocomplete: 'new-password',
    problem,
    reveal: view.t.reveal,
  } as const
  return (
    <>
      <Field name="password" label={label} hint={view.t.newPasswordHint} {...field} />
      {/* The script removes it: who can see the password need not type it twice. */}
      <div data-repeat={problem?.field === 'repeat' ? undefined : ''}>
        <Field name="repeat" label={repeat} {...field} />
      </div>
    </>
  )
}

interface FormButtonsProps {
  view: View
  submit: string
  /** The page that Cancel leads to. */
  back: string
}

/** The buttons of a page that creates something. */
export function FormButtons({ view, submit, back }: FormButtonsProps) {
  return (
    <p class="buttons">
      <button>{submit}</button>
      <a role="button" class="secondary" href={back}>
        {view.t.cancel}
      </a>
    </p>
  )
}

interface RevealableProps {
  id: string
  words: FieldProps['reveal']
}

/**
 * Puts a button beside an input that shows and hides the password. Only the script shows the
 * button.
 */
function Revealable({ id, words, children }: PropsWithChildren<RevealableProps>) {
  if (words === undefined) return <>{children}</>
  return (
    <div class="revealable">
      {children}
      <button type="button" class="quiet" data-reveal={id} data-hide={words.hide} hidden>
        {words.show}
      </button>
    </div>
  )
}

interface AlertProps {
  problem: Problem | undefined
  /** Names of the fields that show their own problems. */
  fields: string[]
  /** False where a field has the focus. */
  isFocused?: boolean
}

/** A problem that no field of the form shows. */
export function Alert({ problem, fields, isFocused = true }: AlertProps) {
  if (problem === undefined || fields.includes(problem.field ?? '')) return <></>
  return (
    <p class="problem alert" role="alert" tabindex={-1} autofocus={isFocused}>
      {problem.message}
    </p>
  )
}

interface ConfirmProps {
  label: Child
  /** On the same button while the question is open: a second press closes it. */
  cancel: string
  question: string
  id?: string | undefined
  open?: boolean
  /** Whether it is what the page asks for. */
  isPrimary?: boolean
}

/**
 * A button that opens a question and a form to confirm it. The button keeps its place and becomes
 * the one that cancels; it needs no script. The script closes the question on Escape as well.
 */
export function Confirm(props: PropsWithChildren<ConfirmProps>) {
  const { label, cancel, question, id, open = false, isPrimary = false, children } = props
  return (
    <details id={id} class={isPrimary ? 'confirm primary' : 'confirm'} open={open}>
      <summary>
        <span class="shut">{label}</span>
        <span class="cancel">{cancel}</span>
      </summary>
      <div class="asked">
        {question !== '' && <p>{question}</p>}
        {children}
      </div>
    </details>
  )
}
