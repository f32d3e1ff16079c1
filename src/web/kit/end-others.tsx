import { Choice } from './fields.tsx'
import type { View } from './view.ts'

/** The field of a form that takes a credential away and ends the other sessions too. */
export const OTHERS = 'others'

/** Offers to end every other session together with a credential. */
export function EndOthers({ view }: { view: View }) {
  const { title, hint } = view.t.endOthers
  return <Choice type="checkbox" name={OTHERS} isChecked title={title} hint={hint} />
}
