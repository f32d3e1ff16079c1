import { Confirm } from '../parts.tsx'
import type { View } from '../view.ts'

/** The button for a user whose account may be in other hands. */
export function EndEverything({ view }: { view: View }) {
  const t = view.t.sessions
  return (
    <Confirm label={t.endEverything} question={t.endEverythingQuestion}>
      <form method="post" action="/account/sessions/end-everything">
        <button class="danger">{t.endEverything}</button>
      </form>
    </Confirm>
  )
}
