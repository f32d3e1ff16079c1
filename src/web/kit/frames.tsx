import type { Child, PropsWithChildren } from 'hono/jsx'
import type { AppContext } from '../http/context.ts'
import { Alert } from './fields.tsx'
import { type Fields, type Problem, problemOf, type Refused, type ShownRefused } from './form.ts'
import { type IconName, Tile, type Tone } from './icons.tsx'
import { AccountPage, SinglePage } from './layout.tsx'
import { Back, Heading } from './parts.tsx'
import { Choices, type ChoicesProps, Rows } from './rows.tsx'
import { showPage, type View } from './view.ts'

/** The form of a page that was refused. */
interface FormProps<Name extends string> {
  refused: ShownRefused<Name> | undefined
  /** Its problem and its values, for a page with one form. */
  problem: Problem | undefined
  fields: Fields | undefined
}

/** Shows a page, one of whose forms may have been refused. */
export function showForm<Props extends { view: View }, Name extends string = string>(
  c: AppContext,
  Page: (props: Props & FormProps<Name>) => Child,
  props: Props,
  refused: Refused<Name> | undefined,
) {
  const problem = refused && problemOf(props.view.t, refused.refusal)
  const shown = refused && problem && { form: refused.form, fields: refused.fields, problem }
  const page = Page({ fields: refused?.fields, ...props, problem, refused: shown })
  return showPage(c, page, refused?.refusal)
}

interface ListPageProps {
  view: View
  title: string
  lead: string
  problem: Problem | undefined
  /** Stands above the list. */
  note?: Child
  /** The page that adds a thing, and the text of the button that leads to it. */
  add: { href: string; label: string }
  rows: Child[]
  /** Shown while there are no rows. */
  none: Child
}

/**
 * A page with a list of things and the button that adds one.
 *
 * @param props `children` stand below the list.
 */
export function ListPage({ children, ...props }: PropsWithChildren<ListPageProps>) {
  const { view, title, lead, problem, note, add, rows, none } = props
  return (
    <AccountPage view={view} title={title}>
      <ListHeader title={title} lead={lead} add={add} />
      <Alert problem={problem} fields={[]} />
      {note}
      <Rows rows={rows} none={none} />
      {children}
    </AccountPage>
  )
}

type ListHeaderProps = PropsWithChildren<Pick<ListPageProps, 'title' | 'lead' | 'add'>>

/**
 * The heading of a list, with the button that adds a thing.
 *
 * @param props `children`: the menu of the list, beside the button.
 */
export function ListHeader({ title, lead, add, children }: ListHeaderProps) {
  return (
    <header class="bar">
      <Heading title={title} lead={lead} />
      <div class="person">
        <a role="button" href={add.href}>
          {add.label}
        </a>
        {children}
      </div>
    </header>
  )
}

interface KindPageProps {
  view: View
  title: string
  problem: Problem | undefined
  /** Asked for while there is no form. */
  choices?: ChoicesProps['choices']
  /** Kinds that few need, folded above the form, and the words that open them. */
  others?: { label: string; choices: ChoicesProps['choices'] }
  /** The list of these things. */
  back: { href: string; label: string }
  /** The form of the chosen kind; `undefined` while none is chosen. */
  form: Child | undefined
}

/** Asks for the kind of a new thing, then for the fields of that kind. */
export function KindPage({ view, title, problem, ...props }: KindPageProps) {
  const { choices = [], others, back, form } = props
  return (
    <AccountPage view={view} title={title}>
      <Back href={back.href}>{back.label}</Back>
      <h1>{title}</h1>
      {others !== undefined && <OtherChoices {...others} />}
      {form ?? (
        <>
          <Alert problem={problem} fields={[]} />
          <Choices choices={choices} />
        </>
      )}
    </AccountPage>
  )
}

/** Choices that few need, folded. */
export function OtherChoices({ label, choices }: ChoicesProps & { label: string }) {
  if (choices.length === 0) return <></>
  return (
    <details class="older">
      <summary>{label}</summary>
      <Choices choices={choices} />
    </details>
  )
}

export interface CardPageProps {
  view: View
  icon: IconName
  tone?: Tone
  title: string
  lead: string
}

/** A page without navigation: one card, with an icon that says what it is about. */
export function CardPage({ children, ...props }: PropsWithChildren<CardPageProps>) {
  const { view, icon, tone, title, lead } = props
  return (
    <SinglePage view={view} title={title}>
      <article>
        <Tile icon={icon} {...(tone !== undefined && { tone })} />
        {lead === '' ? <h1>{title}</h1> : <Heading title={title} lead={lead} />}
        {children}
      </article>
    </SinglePage>
  )
}
