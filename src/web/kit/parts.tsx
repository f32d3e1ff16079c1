import type { Child, PropsWithChildren } from 'hono/jsx'
import type { View } from './view.ts'

/** Leads back to the page above. */
export function Back({ href, children }: PropsWithChildren<{ href: string }>) {
  return (
    <p class="back">
      <a href={href}>‹ {children}</a>
    </p>
  )
}

interface BadgeProps {
  tone?: 'good' | 'warn' | undefined
  children: Child
}

/** A badge behind the words of a title. The line may break before it. */
export function Badge({ tone, children }: BadgeProps) {
  return (
    <>
      {'\u2002'}
      <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>
    </>
  )
}

/** The title of a page, and a sentence about it. */
export function Heading({ title, lead }: { title: string; lead: string }) {
  return (
    <hgroup>
      <h1>{title}</h1>
      <p>{lead}</p>
    </hgroup>
  )
}

interface CopyButtonProps {
  view: View
  from: string
  /** Whether copying is what the page is for. */
  isPrimary?: boolean
  /** “Copy”, when it is not given. */
  label?: string
}

/**
 * A button that copies an element's `data-text`, or else its value or text. Only the script shows
 * it.
 *
 * @param from Id of the element.
 */
export function CopyButton({ view: { t }, ...props }: CopyButtonProps) {
  const { from, isPrimary = false, label = t.copy } = props
  return (
    <button
      type="button"
      class={isPrimary ? undefined : 'secondary'}
      data-copy={from}
      data-done={t.copied}
      hidden
    >
      {label}
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
  /** It has the width of the page. */
  isLink?: boolean
}

/** A secret that no other page shows, to be copied. */
export function ShownOnce(props: ShownOnceProps) {
  const { view, id, label, secret, rows, next, done, isLink = false } = props
  return (
    <>
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class={isLink ? 'codes wide' : 'codes'}
        readonly
        rows={rows}
        spellcheck={false}
      >
        {secret}
      </textarea>
      <p class="buttons">
        <CopyButton view={view} from={id} isPrimary />
        <a role="button" class="secondary" href={next}>
          {done}
        </a>
      </p>
    </>
  )
}

/**
 * A meter like the pins of a lock, each set or not. The text beside it says the same, so screen
 * readers skip it.
 */
export function Pins({ states }: { states: boolean[] }) {
  return (
    <span class="pins" aria-hidden="true">
      {states
        .toSorted((a, b) => Number(b) - Number(a))
        .map((isSet) => (
          <span class={isSet ? 'set' : undefined} />
        ))}
    </span>
  )
}

/** A name that is an address breaks at its signs first. */
export function Breakable({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=[@.])/).map((part, place) => (
        <>
          {place > 0 && <wbr />}
          {part}
        </>
      ))}
    </>
  )
}
