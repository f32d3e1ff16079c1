import { isOfNobody } from '../../../../core/accounts/groups.ts'
import { Field } from '../../../../web/kit/fields.tsx'
import type { Problem } from '../../../../web/kit/form.ts'
import type { View } from '../../../../web/kit/view.ts'
import { ACCESS, type Decided } from '../../decision.ts'
import type { ListedRule } from '../../rule-store.ts'

/** What a decision allows, in a colour. */
export function AccessBadge({ view, access }: { view: View; access: Decided }) {
  const look = { none: 'bad', read: '', write: 'good', open: '' }[access]
  return (
    <span class={look === '' ? 'badge' : `badge ${look}`}>{view.t.folders.decided[access]}</span>
  )
}

/** Names the users of a rule. */
export function whoIn({ t }: View, { group, userId, username }: ListedRule): string {
  if (group === 'user') return t.folders.allUsers
  if (group === 'guest') return t.folders.guests
  if (group !== null) return t.folders.group(group)
  if (isOfNobody(userId)) return t.folders.nobody
  return username ?? t.folders.deletedUser(userId ?? 0)
}

interface AccessFieldProps {
  view: View
  form: string
  value: string
  problem: Problem | undefined
  hint?: string
}

export function AccessField({ view: { t }, form, value, problem, hint }: AccessFieldProps) {
  const options = ACCESS.map((access) => [access, t.folders.decided[access]] as const)
  return (
    <Field
      name="access"
      form={form}
      label={t.folders.rightLabel}
      options={options}
      value={value}
      problem={problem}
      {...(hint !== undefined && { hint })}
    />
  )
}
