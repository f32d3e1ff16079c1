import { Change } from '../../../web/kit/confirm.tsx'
import type { View } from '../../../web/kit/view.ts'

/** The button for a user whose account may be in other hands. */
export function EndEverything({ view }: { view: View }) {
  const t = view.t.sessions
  return (
    <Change
      view={view}
      label={t.endEverything}
      question={t.endEverythingQuestion}
      action="/account/sessions/end-everything"
      submit={t.endEverything}
    />
  )
}
