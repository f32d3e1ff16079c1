import * as v from 'valibot'

/** What of a user's record an event tells: the names are those of the API, none is a secret. */
export type ChangedField =
  'username' | 'role' | 'permission' | 'base_path' | 'disabled' | 'sso_id' | 'otp'

type Value = string | number | boolean | null

/** One field before and after; null where there was no record before, or is none after. */
export interface Change {
  field: string
  from: Value
  to: Value
}

/** SQLite knows no booleans. */
const BOOLEANS: readonly string[] = ['disabled', 'otp'] satisfies ChangedField[]

const valueSchema = v.union([v.string(), v.number(), v.boolean(), v.null()])
const changesSchema = v.array(v.object({ field: v.string(), from: valueSchema, to: valueSchema }))

/** Reads the column `changes`; what another version wrote in another way is nothing. */
export function changesIn(json: unknown): Change[] {
  const changes = v.safeParse(changesSchema, parseJson(json))
  return changes.success ? changes.output.map(withBooleans) : []
}

function withBooleans({ field, from, to }: Change): Change {
  if (!BOOLEANS.includes(field)) return { field, from, to }
  return { field, from: toBoolean(from), to: toBoolean(to) }
}

function toBoolean(value: Value): Value {
  return value === null ? null : Boolean(value)
}

function parseJson(json: unknown): unknown {
  try {
    return typeof json === 'string' ? JSON.parse(json) : undefined
  } catch {
    return undefined
  }
}
