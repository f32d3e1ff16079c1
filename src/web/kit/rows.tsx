import type { Child, PropsWithChildren } from 'hono/jsx'
import { Monogram } from './avatar.tsx'
import { DRAWN, Drawing, Icon, type IconName, Tile, type Tone } from './icons.tsx'

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
  /** Its consequence. */
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

export interface FoldProps {
  /** Where links lead to. */
  id?: string
  icon?: IconName
  tone?: Tone
  title: string
  /** How many things are in it; nothing for a form. */
  count?: number
  /** Its content, in a few words. */
  about?: string
  open?: boolean
}

/** A part of a long page that opens when it is needed. */
export function Fold(props: PropsWithChildren<FoldProps>) {
  const { id, icon, tone = 'blue', title, count, about, open = false, children } = props
  return (
    <details id={id} class="fold" open={open}>
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
  /** Shown while there are no rows. */
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
  /** The name of a user, whose initial stands there too. */
  user?: string | undefined
  title: Child
  /** The level of the title. */
  level?: 2 | 3
}

/** One thing of a list: an icon, its title, its facts, and one action or a menu at the right. */
export function Row(props: PropsWithChildren<RowProps>) {
  const { id, icon, tone = 'blue', program, user, title, level = 2, children } = props
  const name = user ?? program
  return (
    <li class="row" id={id}>
      {name === undefined ? (
        <Tile icon={icon} tone={tone} />
      ) : (
        <Monogram name={name} isUser={user !== undefined} />
      )}
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
      {choices.map((choice) => (
        <Choose {...choice} />
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

interface EmptyProps {
  icon: IconName
  title: string
  hint?: string
}

/** Stands in for a list without entries; the child leads on. */
export function Empty({ icon, title, hint, children }: PropsWithChildren<EmptyProps>) {
  const drawn = DRAWN.find((name) => name === icon)
  return (
    <div class="empty">
      {drawn === undefined ? <Icon name={icon} /> : <Drawing name={drawn} />}
      <h2>{title}</h2>
      {hint !== undefined && <p>{hint}</p>}
      {children}
    </div>
  )
}
