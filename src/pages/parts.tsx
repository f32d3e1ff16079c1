import type { Child, PropsWithChildren } from 'hono/jsx'
import { ICONS } from './assets.ts'
import type { Problem } from './form.ts'
import { LANGUAGE_TAGS } from './language.ts'
import type { Texts } from './texts/en.ts'
import type { View } from './view.ts'

/** The symbols of icons.svg. */
export type IconName =
  | 'overview'
  | 'security'
  | 'keys'
  | 'sessions'
  | 'activity'
  | 'sign-out'
  | 'users'
  | 'settings'
  | 'events'

/** Decoration beside a text that says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${ICONS}#${name}`} />
    </svg>
  )
}

interface FieldProps {
  /** As the decision's request names it. */
  name: string
  /** Tells fields of one name apart, where a page has several forms. */
  form?: string
  label: Child
  problem?: Problem | undefined
  hint?: string
  value?: string
  type?: 'text' | 'password' | 'number' | 'color' | 'search'
  autocomplete?: string
  inputmode?: 'numeric'
  /** Lines; one is an `input`. */
  rows?: number
  /** Makes it a choice: each value, and what it is called. */
  options?: readonly (readonly [value: string, label: string])[]
  focus?: boolean
  optional?: boolean
  spellcheck?: boolean
}

/** An input with its label, its hint, and what was wrong with it, which gets the focus. */
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
    autofocus: isWrong || (props.focus === true && problem === undefined),
    required: props.optional !== true,
    ...(props.spellcheck !== true && { spellcheck: false, autocapitalize: 'off' as const }),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {props.options !== undefined ? (
        <select {...attributes}>
          {props.options.map(([option, words]) => (
            <option value={option} selected={option === value}>
              {words}
            </option>
          ))}
        </select>
      ) : rows > 1 ? (
        <textarea {...attributes} rows={rows}>
          {/* A browser drops the first line end of what stands in a textarea. */}
          {value.startsWith('\n') ? `\n${value}` : value}
        </textarea>
      ) : (
        <input {...attributes} type={type} value={value} inputmode={props.inputmode} />
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

/** What was wrong with the whole of a form, or with a field that it doesn't show. */
export function Alert({ problem, fields }: { problem: Problem | undefined; fields: string[] }) {
  if (problem === undefined || fields.includes(problem.field ?? '')) return <></>
  return (
    <p class="problem alert" role="alert" tabindex={-1} autofocus>
      {problem.message}
    </p>
  )
}

/** A button that asks before it does; its form opens beneath it. */
export function Confirm({
  label,
  question,
  open = false,
  children,
}: PropsWithChildren<{ label: Child; question: string; open?: boolean }>) {
  return (
    <details class="confirm" open={open}>
      <summary>{label}</summary>
      <p>{question}</p>
      {children}
    </details>
  )
}

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/**
 * A time, as the distance from now, exactly on hover; or the other way round. The script puts it
 * into the visitor's zone, which the server doesn't know.
 *
 * @param at Unix time, milliseconds.
 */
export function Time({ view, at, exact = false }: { view: View; at: number; exact?: boolean }) {
  const iso = new Date(at).toISOString()
  const utc = `${iso.slice(0, 16).replace('T', ' ')} +00:00`
  const distance = distanceOf(view, at)
  return (
    <time datetime={iso} title={exact ? distance : utc} data-exact={exact ? '' : undefined}>
      {exact ? utc : distance}
    </time>
  )
}

function distanceOf({ language, now }: View, at: number): string {
  const seconds = Math.round((at - now) / 1000)
  const format = new Intl.RelativeTimeFormat(LANGUAGE_TAGS[language], { numeric: 'auto' })
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit)
  }
  return format.format(0, 'second')
}

/** Where a list will be. */
export function Empty({ icon, title, hint }: { icon: IconName; title: string; hint?: string }) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {hint !== undefined && <p>{hint}</p>}
    </div>
  )
}

interface PagerProps {
  view: View
  page: number
  pages: number
  address: (page: number) => string
  /** What is latest is on the first page, unless this says otherwise. */
  words?: Pick<Texts['activity'], 'newer' | 'older' | 'page'>
}

/** The way through a list that is too long for one page. */
export function Pager({ view, page, pages, address, words = view.t.activity }: PagerProps) {
  if (pages === 1 && page === 1) return <></>
  return (
    <p class="pager">
      {page > 1 ? <a href={address(Math.min(page - 1, pages))}>{words.newer}</a> : <span />}
      <span>{words.page(page, pages)}</span>
      {page < pages ? <a href={address(page + 1)}>{words.older}</a> : <span />}
    </p>
  )
}
