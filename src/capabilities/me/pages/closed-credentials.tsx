import type { Child } from 'hono/jsx'
import { Change } from '../../../web/kit/confirm.tsx'
import type { Problem } from '../../../web/kit/form.ts'
import type { View } from '../../../web/kit/view.ts'

/** The rows of `selectClosed`. */
export interface Closed {
  closedAppPasswords: { id: number }[]
  closedKeys: { id: number }[]
}

interface ClosedNoteProps extends Closed {
  view: View
  problem?: Problem | undefined
}

/**
 * Says what the demand for a second factor has closed, and keeps it; nothing when nothing is
 * closed.
 */
export function ClosedNote({
  view,
  closedAppPasswords,
  closedKeys,
  problem,
}: ClosedNoteProps): Child {
  const t = view.t.security
  const [appPasswords, keys] = [closedAppPasswords.length, closedKeys.length]
  if (appPasswords + keys === 0) return null
  return (
    <div class="note warn">
      <strong>{t.closed(appPasswords, keys)}</strong>
      <p>{t.closedLead}</p>
      <Change
        view={view}
        label={t.keep}
        question={t.keepQuestion}
        action="/account/security/keep"
        submit={t.keep}
        confirmedAs="keep"
        problem={problem}
        isHarmless
      />
    </div>
  )
}

/** Marks a credential that is closed. */
export function ClosedBadge({ view, isClosed }: { view: View; isClosed: boolean }): Child {
  return isClosed && <span class="problem">{view.t.security.closedBadge}</span>
}
