import type { Remaining } from './part-of-user.ts'
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
