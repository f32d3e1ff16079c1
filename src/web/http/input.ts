import { createMiddleware } from 'hono/factory'
import * as v from 'valibot'
import { Refusal, type RefusalName } from '../../core/base/refusals.ts'
import type { App, AppContext } from './context.ts'
import { readReason, reason, type Reason, type ReasonCode } from '../../core/base/reasons.ts'

/** No endpoint takes more than two levels; this spares the parser bodies with thousands. */
const MAX_NESTING = 16

/**
 * Reads the body as JSON, regardless of its content type, and checks it.
 *
 * @param refusal Replaces the reason where clients expect one fixed text.
 */
export function jsonBody<Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
  refusal?: RefusalName,
) {
  return checked('json', schema, refusal, async (c) =>
    parseJson(await c.req.arrayBuffer(), isObject, 'jsonObject'),
  )
}

/**
 * Reads a JSON object from a text, such as a field of a form, and checks it.
 *
 * @throws {Refusal} `invalidBody`.
 */
export function validateJson<Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
  json: string,
): v.InferOutput<Schema> {
  return validate(schema, parseJson(new TextEncoder().encode(json), isObject, 'jsonObject'))
}

/** Like `jsonBody`, for a body that is an array. */
export function jsonArrayBody<Schema extends v.GenericSchema<unknown, object[]>>(schema: Schema) {
  return checked('json', schema, undefined, async (c) =>
    parseJson(await c.req.arrayBuffer(), Array.isArray, 'jsonArray'),
  )
}

/** Checks the query string; of a repeated name the first value counts. */
export function query<Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
  refusal?: RefusalName,
) {
  return checked('query', schema, refusal, (c) => c.req.query())
}

/** An integer that fits 64 bits, as OpenList reads one (docs/interface.md, Values). */
export const integer = v.pipe(
  v.string(),
  v.regex(/^[+-]?\d{1,19}$/, reason('integer')),
  v.transform((digits) => BigInt(digits.replace('+', ''))),
  v.check((value) => BigInt.asIntN(64, value) === value, reason('integer')),
  v.transform(Number),
)

/** `id=7` */
export const idQuery = v.object({ id: integer })

/** Keeps the offset an exact integer, which SQLite needs; no list is this long. */
const MAX_PAGE = 1_000_000

/** Missing or empty means 0. */
const pageNumber = v.pipe(
  v.optional(v.string(), '0'),
  v.transform((digits) => digits || '0'),
  integer,
  v.transform((page) => Math.min(page, MAX_PAGE)),
)

/** `page=2&per_page=10` */
export const pageQuery = v.object({ page: pageNumber, per_page: pageNumber })

/** The check of a middleware made by `jsonBody` or `query`. */
interface Input {
  target: 'json' | 'query'
  schema: v.GenericSchema<unknown, object>
  refusal: RefusalName | undefined
}

/**
 * The checks by middleware. The OpenAPI document is generated from them, so it describes the real
 * checks.
 */
export const inputs = new WeakMap<object, Input>()

function checked<Target extends 'json' | 'query', Schema extends v.GenericSchema<unknown, object>>(
  target: Target,
  schema: Schema,
  refusal: RefusalName | undefined,
  read: (c: AppContext) => unknown,
) {
  type Checked = { out: Record<Target, v.InferOutput<Schema>> }
  const middleware = createMiddleware<App, string, Checked>(async function input(c, next) {
    try {
      c.req.addValidatedData(target, validate(schema, await read(c)))
    } catch (error) {
      if (refusal === undefined || !(error instanceof Refusal)) throw error
      throw new Refusal(refusal, { detail: error.message })
    }
    await next()
  })
  inputs.set(middleware, { target, schema, refusal })
  return middleware
}

/** @throws {Refusal} `invalidBody`, with the field that is wrong. */
export function validate<Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const [issue] = result.issues
  const field = v.getDotPath(issue) ?? undefined
  throw new Refusal('invalidBody', { field, reason: reasonOf(issue) })
}

function parseJson(
  body: ArrayBuffer | Uint8Array,
  isRight: (value: unknown) => boolean,
  needed: ReasonCode,
): unknown {
  try {
    // JSON has no byte order mark (RFC 8259 section 8.1), so one stays in the text and the parser refuses it.
    const json = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    if (!isNestedDeeply(json)) {
      const value: unknown = JSON.parse(json)
      if (isRight(value)) return value
    }
  } catch {
    // The parser's message is dropped: it may quote a password.
  }
  throw new Refusal('invalidBody', { reason: { code: needed, values: {} } })
}

function isObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return !Object.hasOwn(value, '__proto__')
}

/** Counts brackets outside strings, before any parser recurses into them. */
function isNestedDeeply(json: string): boolean {
  let depth = 0
  let isInString = false
  for (let i = 0; i < json.length; i++) {
    const character = json.charAt(i)
    if (isInString && character === '\\') i += 1
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > MAX_NESTING) return true
  }
  return false
}

function reasonOf(issue: v.BaseIssue<unknown>): Reason {
  if (v.getDotPath(issue) === null) return readReason(issue.message)
  if (issue.input === undefined || issue.input === null || issue.input === '')
    return { code: 'required', values: {} }
  if (issue.expected === 'Object') return { code: 'jsonObject', values: {} }
  // Valibot's `expected` of a picklist is no sentence, so the picklist's own message is used.
  if (issue.kind === 'schema' && issue.type !== 'picklist')
    return { code: 'expected', values: { expected: issue.expected ?? '' } }
  return readReason(issue.message)
}
