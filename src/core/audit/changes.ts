import * as v from 'valibot'

/**
 * The fields of a user's record that an event can contain. The names are those of the API, and no
 * field is secret. `invitation` is true when the user became a member of a group with one.
 */
export type ChangedField =
  | 'username'
  | 'role'
  | 'permission'
  | 'base_path'
  | 'disabled'
  | 'sso_id'
  | 'otp'
  | 'ends_at'
  | 'email'
  | 'invitation'

type Value = string | number | boolean | null

/**
 * The value of a field before and after a change. `from` is null when the record is new, and `to`
 * is null when it was deleted.
 */
export interface Change {
  field: string
  from: Value
  to: Value
}

/** Fields that SQLite stores as 0 or 1, because it has no booleans. */
const BOOLEANS: readonly string[] = ['disabled', 'otp'] satisfies ChangedField[]

const valueSchema = v.union([v.string(), v.number(), v.boolean(), v.null()])
const changesSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ field: v.string(), from: valueSchema, to: valueSchema })),
)

/** Reads the column `changes`. The result is empty for a format that this version does not know. */
export function changesIn(json: unknown): Change[] {
  const changes = v.safeParse(changesSchema, json)
  return changes.success ? changes.output.map(withBooleans) : []
}

function withBooleans({ field, from, to }: Change): Change {
  if (!BOOLEANS.includes(field)) return { field, from, to }
  return { field, from: toBoolean(from), to: toBoolean(to) }
}

function toBoolean(value: Value): Value {
  return value === null ? null : Boolean(value)
}
