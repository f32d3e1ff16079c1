import type { Child, PropsWithChildren } from 'hono/jsx'
import { DRAWINGS, ICONS } from '../../.build/assets.ts'
import { Monogram } from './avatar.tsx'
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
  | 'invitations'
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
  | 'admin'
  | 'registered'
  | 'laptop'
  | 'phone'
  | 'terminal'
  | 'more'
  | 'check'
  | 'lock'
  | 'mail'
  | 'chat'
  | 'recovery'
  | 'password'
  | 'new-user'
  | 'database'
  | 'turned'
  | 'done'
  | 'missing'
  | 'delete'

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

/** The tints of icons in style.css, `t0` and so on. */
const TONES = { blue: 0, green: 1, amber: 2, red: 3, violet: 4, teal: 5 } as const

export type Tone = keyof typeof TONES

/** An icon on a tinted ground, at the left of a row. */
export function Tile({ icon, tone = 'blue' }: { icon: IconName; tone?: Tone }) {
  return (
    <span class={`tile tint t${TONES[tone]}`}>
      <Icon name={icon} />
    </span>
  )
}

type Options = readonly (readonly [value: string, label: string])[]

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
  options?: Options
  /** More of them, under headings. */
  groups?: readonly (readonly [heading: string, options: Options])[]
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

interface ChoiceProps {
  type: 'checkbox' | 'radio'
  name: string
  value?: string
  isChecked: boolean
  title: string
  hint?: string
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

function OptionList({ options, value }: { options: Options; value: string }) {
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

/** Leads back from a page that asks what to create. */
export function CancelLink({ view, back }: { view: View; back: string }) {
  return (
    <p class="buttons">
      <a role="button" class="secondary" href={back}>
        {view.t.cancel}
      </a>
    </p>
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
  open?: boolean
}

/**
 * A button that opens a question and a form to confirm it. The button keeps its place and becomes
 * the one that cancels; it needs no script. The script closes the question on Escape as well.
 */
export function Confirm(props: PropsWithChildren<ConfirmProps>) {
  const { label, cancel, question, open = false, children } = props
  return (
    <details class="confirm" open={open}>
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

/** The button “…” of a row that has several actions; it opens them below the row. */
export function Menu({ label, open = false, children }: PropsWithChildren<MenuProps>) {
  return (
    <details class="menu" open={open}>
      <summary aria-label={label}>
        <Icon name="more" />
      </summary>
      <div class="actions">{children}</div>
    </details>
  )
}

interface MenuProps {
  /** Names the thing, because the button shows three dots. */
  label: string
  open?: boolean
}

interface ActionLabelProps {
  icon: IconName
  tone: Tone
  title: string
  /** What follows from it. */
  hint: string
}

/** On a row that opens: what it does, before anybody opens it. */
export function ActionLabel({ icon, tone, title, hint }: ActionLabelProps) {
  return (
    <span class="action">
      <Tile icon={icon} tone={tone} />
      <span>
        <b>{title}</b>
        <span class="hint">{hint}</span>
      </span>
    </span>
  )
}

interface FoldProps {
  icon?: IconName
  tone?: Tone
  title: string
  /** How many things are in it; nothing for a form. */
  count?: number
  /** What it holds, in a few words. */
  about?: string
  open?: boolean
}

/** A part of a long page that opens when it is needed. */
export function Fold(props: PropsWithChildren<FoldProps>) {
  const { icon, tone = 'blue', title, count, about, open = false, children } = props
  return (
    <details class="fold" open={open}>
      <summary>
        {icon !== undefined && <Tile icon={icon} tone={tone} />}
        <h2>{title}</h2>
        {count !== undefined && <span class="badge">{count}</span>}
        {about !== undefined && <span class="about">{about}</span>}
      </summary>
      <div class="folded">{children}</div>
    </details>
  )
}

interface RowsProps {
  rows: Child[]
  /** What stands there while there are no rows. */
  none: Child
}

/** A list of things with their actions. */
export function Rows({ rows, none }: RowsProps) {
  return rows.length === 0 ? <>{none}</> : <ul class="rows">{rows}</ul>
}

/** Id of the newest row; an address that ends in `#newest` marks it. */
export const NEWEST = 'newest'

interface RowProps {
  id?: string | undefined
  icon: IconName
  tone?: Tone | undefined
  /** The name of a program, whose initial stands in place of the icon. */
  program?: string | undefined
  title: Child
  /** The level of the title. */
  level?: 2 | 3
}

/** One thing of a list: an icon, its title, its facts, and one action or a menu at the right. */
export function Row(props: PropsWithChildren<RowProps>) {
  const { id, icon, tone = 'blue', program, title, level = 2, children } = props
  return (
    <li class="row" id={id}>
      {program === undefined ? <Tile icon={icon} tone={tone} /> : <Monogram name={program} />}
      {level === 2 ? <h2>{title}</h2> : <h3>{title}</h3>}
      {children}
    </li>
  )
}

export interface ChoicesProps {
  choices: {
    href: string
    icon: IconName
    tone?: Tone
    /** The name of a program, whose initial stands in place of the icon. */
    program?: string | undefined
    title: string
    hint?: string
  }[]
}

/** The kinds of a thing to create; each leads to the form of its own fields. */
export function Choices({ choices }: ChoicesProps) {
  return (
    <ul class="rows choices">
      {choices.map((one) => (
        <Choose {...one} />
      ))}
    </ul>
  )
}

/** A row that leads on as a whole. */
export function Choose(choice: ChoicesProps['choices'][number]) {
  const { href, icon, tone, program, title, hint } = choice
  return (
    <Row icon={icon} tone={tone} program={program} title={<a href={href}>{title}</a>}>
      {hint !== undefined && <p class="facts">{hint}</p>}
    </Row>
  )
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
 * @param isClock The same, without the day: it is the heading.
 * @param phrase Puts the relative time into a sentence, such as “Added 3 days ago”.
 */
export function Time({ view, at, phrase = (when) => when, ...shown }: TimeProps) {
  const { isClock = false, exact = isClock } = shown
  const iso = new Date(at).toISOString()
  const utc = `${iso.slice(0, 16).replace('T', ' ')} +00:00`
  const distance = phrase(distanceOf(view, at))
  return (
    <time
      datetime={iso}
      title={exact ? distance : utc}
      data-exact={exact ? (isClock ? 'clock' : '') : undefined}
    >
      {isClock ? `${utc.slice(11, 16)} UTC` : exact ? utc : distance}
    </time>
  )
}

interface TimeProps {
  view: View
  at: number
  exact?: boolean
  isClock?: boolean
  phrase?: (when: string) => string
}

/** A time relative to now, such as “3 days ago”. */
function distanceOf({ t, language, now }: View, at: number): string {
  const seconds = Math.round((at - now) / 1000)
  const { numeric, written, justNow, soon } = t.distance
  const format = new Intl.RelativeTimeFormat(LANGUAGE_TAGS[language], { numeric })
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return written(format.format(Math.round(seconds / size), unit))
  }
  return seconds > 0 ? soon : justNow
}

/**
 * A meter like the pins of a lock, each set or not. The text beside it says the same, so screen
 * readers skip it.
 */
export function Pins({ states }: { states: boolean[] }) {
  return (
    <span class="pins" aria-hidden="true">
      {states
        .toSorted((one, other) => Number(other) - Number(one))
        .map((isSet) => (
          <span class={isSet ? 'set' : undefined} />
        ))}
    </span>
  )
}

type Figure = [address: string, icon: IconName, label: string, figure: number | string]

/** Figures that lead to their pages. */
export function Tiles({ tiles }: { tiles: Figure[] }) {
  return (
    <ul class="tiles">
      {tiles.map(([address, icon, label, figure]) => (
        <li>
          <a href={address}>
            <Icon name={icon} />
            <b>{figure}</b>
            <span>{label}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The symbols of drawings.svg with the name of an icon; a list of another kind has its icon. */
const DRAWN = ['keys', 'app-passwords', 'programs', 'channels', 'users', 'activity'] as const

/** @param name A symbol of drawings.svg. */
export function Drawing({ name }: { name: (typeof DRAWN)[number] | 'door' }) {
  return (
    <svg class="drawing" aria-hidden="true">
      <use href={`${DRAWINGS}#${name}`} />
    </svg>
  )
}

/** Stands in for a list without entries. */
export function Empty({ icon, title, hint }: { icon: IconName; title: string; hint?: string }) {
  const drawn = DRAWN.find((name) => name === icon)
  return (
    <div class="empty">
      {drawn === undefined ? <Icon name={icon} /> : <Drawing name={drawn} />}
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
