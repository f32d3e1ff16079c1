import * as v from 'valibot'

// How settings name groups.

/** Reads a list of names, separated by commas. No name has a comma. */
export function namesInList(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/**
 * Reads the groups of values of a claim: `{"staff": "finance"}`.
 *
 * @returns `undefined` for a text that is no JSON object of names.
 */
export function readGroupMap(json: string): ReadonlyMap<string, string> | undefined {
  const read = v.safeParse(mapSchema, json)
  return read.success ? new Map(Object.entries(read.output)) : undefined
}

const mapSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.record(v.string(), v.pipe(v.string(), v.trim(), v.minLength(1))),
)
