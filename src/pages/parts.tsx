import type { Child, PropsWithChildren } from 'hono/jsx'
import { ICONS } from '../../.build/assets.ts'
import type { Problem } from './form.ts'
import { LANGUAGE_TAGS } from './language.ts'
import type { Texts } from './texts/en.ts'
import type { View } from './view.ts'

/** The symbols of icons.svg. */
export type IconName =
  | 'overview'
  | 'security'
  | 'unprotected'
  | 'keys'
  | 'sessions'
  | 'activity'
  | 'sign-out'
  | 'users'
  | 'settings'
  | 'events'
  | 'app-passwords'
  | 'passkeys'
  | 'programs'
  | 'sso'
  | 'notices'
  | 'github'
  | 'google'
  | 'microsoft'
  | 'openid'
  | 'dingtalk'
  | 'casdoor'
  | 'channels'

/** The title of a page, and a sentence about it. */
export function Heading({ title, lead }: { title: string; lead: string }) {
  return (
    <hgroup>
      <h1>{title}</h1>
      <p>{lead}</p>
    </hgroup>
  )
}

/** A decorative icon beside a text; screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${ICONS}#${name}`} />
    </svg>
  )
}

interface FieldProps {
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
  options?: readonly (readonly [value: string, label: string])[]
  focus?: boolean
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
          {/* Browsers drop a line end at the start of a textarea. */}
          {value.startsWith('\n') ? `\n${value}` : value}
        </textarea>
      ) : (
        <Revealable id={id} words={props.reveal}>
          <input {...attributes} type={type} value={value} inputmode={props.inputmode} />
        </Revealable>
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

/**
 * A problem that no field of the form shows.
 *
 * @param fields Names of the fields that show their own problems.
 */
export function Alert({ problem, fields }: { problem: Problem | undefined; fields: string[] }) {
  if (problem === undefined || fields.includes(problem.field ?? '')) return <></>
  return (
    <p class="problem alert" role="alert" tabindex={-1} autofocus>
      {problem.message}
    </p>
  )
}

/** A button that opens a question and a form to confirm it; it needs no script. */
export function Confirm({
  label,
  question,
  open = false,
  children,
}: PropsWithChildren<{ label: Child; question: string; open?: boolean }>) {
  return (
    <details class="confirm" open={open}>
      <summary>{label}</summary>
      {question !== '' && <p>{question}</p>}
      {children}
    </details>
  )
}

/** Where a row has its actions: one beside its name, or several below; small inside of a part. */
const ROWS = { beside: 'rows acting', below: 'rows', small: 'rows compact acting' }

interface RowsProps {
  rows: Child[]
  /** What stands there while there are no rows. */
  none: Child
  actions?: keyof typeof ROWS
}

/** A list of things with their actions. */
export function Rows({ rows, none, actions = 'beside' }: RowsProps) {
  return rows.length === 0 ? <>{none}</> : <ul class={ROWS[actions]}>{rows}</ul>
}

/**
 * A button that copies an element's `data-text`, or else its value or text. Only the script shows
 * it.
 *
 * @param from Id of the element.
 */
export function CopyButton({ view: { t }, from }: { view: View; from: string }) {
  return (
    <button type="button" class="secondary" data-copy={from} data-done={t.copied} hidden>
      {t.copy}
    </button>
  )
}

interface ShownOnceProps {
  view: View
  /** Id of the text on the page. */
  id: string
  label: string
  secret: string
  rows: number
  /** The page that follows, and the text of the link to it. */
  next: string
  done: string
}

/** A secret that no other page shows, to be copied. */
export function ShownOnce({ view, id, label, secret, rows, next, done }: ShownOnceProps) {
  return (
    <>
      <label for={id}>{label}</label>
      <textarea id={id} class="codes" readonly rows={rows} spellcheck={false}>
        {secret}
      </textarea>
      <p class="buttons">
        <CopyButton view={view} from={id} />
        <a role="button" href={next}>
          {done}
        </a>
      </p>
    </>
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
 * A time relative to now (“3 days ago”), with the exact time as its tooltip. The script converts
 * the exact time to the visitor's time zone, which the server does not know.
 *
 * @param at Unix time, milliseconds.
 * @param exact Shows the exact time, with the relative one as the tooltip.
 * @param phrase Puts the relative time into a sentence, such as “Added 3 days ago”.
 */
export function Time({ view, at, exact = false, phrase = (when) => when }: TimeProps) {
  const iso = new Date(at).toISOString()
  const utc = `${iso.slice(0, 16).replace('T', ' ')} +00:00`
  const distance = phrase(distanceOf(view, at))
  return (
    <time datetime={iso} title={exact ? distance : utc} data-exact={exact ? '' : undefined}>
      {exact ? utc : distance}
    </time>
  )
}

interface TimeProps {
  view: View
  at: number
  exact?: boolean
  phrase?: (when: string) => string
}

function distanceOf({ t, language, now }: View, at: number): string {
  const seconds = Math.round((at - now) / 1000)
  const { numeric, written, justNow, soon } = t.distance
  const format = new Intl.RelativeTimeFormat(LANGUAGE_TAGS[language], { numeric })
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return written(format.format(Math.round(seconds / size), unit))
  }
  return seconds > 0 ? soon : justNow
}

/** Stands in for a list without entries. */
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
  /** Texts of the links; “Newer” and “Older” by default. */
  words?: Pick<Texts['activity'], 'newer' | 'older' | 'page'>
}

/** Links to the previous and the next page of a list; nothing when there is one page. */
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

interface NumberedPagesProps {
  label: string
  page: number
  pages: number
  address: (page: number) => string
  words: { previous: string; next: string; goTo: (page: number) => string }
}

/** Links to the first, the last and the neighbouring pages; nothing when there is one page. */
export function NumberedPages({ label, page, pages, address, words }: NumberedPagesProps) {
  if (pages === 1) return <></>
  const numbers = [...new Set([1, page - 1, page, page + 1, pages])].filter(
    (number) => number >= 1 && number <= pages,
  )
  return (
    <div class="pages" role="navigation" aria-label={label}>
      {page > 1 && (
        <a href={address(page - 1)} aria-label={words.previous} rel="prev">
          ‹
        </a>
      )}
      {numbers.map((number, place) => (
        <>
          {number - (numbers[place - 1] ?? 0) > 1 && <span aria-hidden="true">…</span>}
          <a
            href={address(number)}
            aria-label={words.goTo(number)}
            aria-current={number === page ? 'page' : undefined}
          >
            {number}
          </a>
        </>
      ))}
      {page < pages && (
        <a href={address(page + 1)} aria-label={words.next} rel="next">
          ›
        </a>
      )}
    </div>
  )
}
