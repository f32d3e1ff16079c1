import type { Child } from 'hono/jsx'
import type { Remaining } from './part-of-user.ts'
import { Badge } from './parts.tsx'
import type { View } from './view.ts'

interface RemainingRowsProps {
  view: View
  rows: Remaining['rows']
  /** For an operator: the account is another user's. */
  ofOther: boolean
}

/** Lists what still gives access, of one kind. */
export function RemainingRows({ view, rows, ofOther }: RemainingRowsProps) {
  return (
    <ul class="rows compact">
      {rows.map((row) => {
        const { name, facts } = row(view, ofOther)
        return (
          <li>
            <h3>{name}</h3>
            {facts}
          </li>
        )
      })}
    </ul>
  )
}

interface RemainingKindProps extends Omit<RemainingRowsProps, 'rows'> {
  kind: Remaining
}

/** So many names stand on the page before the list is opened. */
const MAX_NAMES = 3

/** One kind of what still gives access. Of several, the names open the list. */
export function RemainingKind({ view, kind, ofOther }: RemainingKindProps): Child {
  const { rows } = kind
  const title = kind.title(view.t)
  const list = <RemainingRows view={view} rows={rows} ofOther={ofOther} />
  if (rows.length === 1)
    return (
      <>
        <h2>{title}</h2>
        {list}
      </>
    )
  const names = rows.slice(0, MAX_NAMES).map((row) => row(view, ofOther).name)
  const more = rows.length - names.length
  const text = names.join(view.t.listSeparator)
  return (
    <>
      <h2>
        {title}
        <Badge>{rows.length}</Badge>
      </h2>
      <details class="older">
        <summary>{more > 0 ? view.t.remaining.andMore(text, more) : text}</summary>
        {list}
      </details>
    </>
  )
}
