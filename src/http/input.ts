import { createMiddleware } from 'hono/factory'
import * as v from 'valibot'
import { Refusal, type RefusalName } from '../base/refusals.ts'
import type { App, AppContext } from './context.ts'
import { REASONS } from '../base/reasons.ts'

/** No endpoint takes more than two levels; nobody needs a parser to walk thousands. */
const MAX_NESTING = 16

const OBJECT_NEEDED = 'request body must be a JSON object'
const ARRAY_NEEDED = 'request body must be a JSON array'

/**
 * Reads the body as JSON, whatever its content type says, and checks it.
 *
 * @param refusal Takes the place of the reason, where clients expect one fixed text.
 */
export function jsonBody<Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
  refusal?: RefusalName,
) {
  return checked('json', schema, refusal, async (c) =>
    parseJson(await c.req.arrayBuffer(), isObject, OBJECT_NEEDED),
  )
}

/** As `jsonBody`, for the endpoint whose body is a list. */
export function jsonArrayBody<Schema extends v.GenericSchema<unknown, object[]>>(schema: Schema) {
  return checked('json', schema, undefined, async (c) =>
    parseJson(await c.req.arrayBuffer(), Array.isArray, ARRAY_NEEDED),
  )
}

/** Checks the query string; of several equal names the first counts. */
export function query<Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
  refusal?: RefusalName,
) {
  return checked('query', schema, refusal, (c) => c.req.query())
}

/** An integer that fits 64 bits, as OpenList reads one (docs/interface.md, Values). */
export const integer = v.pipe(
  v.string(),
  v.regex(/^[+-]?\d{1,19}$/, REASONS.integer),
  v.transform((digits) => BigInt(digits.replace('+', ''))),
  v.check((value) => BigInt.asIntN(64, value) === value, REASONS.integer),
  v.transform(Number),
)

/** `id=7` */
export const idQuery = v.object({ id: integer })

/** No list is longer; SQLite wants its offsets to be exact. */
const MAX_PAGE = 1_000_000

/** Missing or empty is 0. */
const pageNumber = v.pipe(
  v.optional(v.string(), '0'),
  v.transform((digits) => digits || '0'),
  integer,
  v.transform((page) => Math.min(page, MAX_PAGE)),
)

/** `page=2&per_page=10` */
export const pageQuery = v.object({ page: pageNumber, per_page: pageNumber })

/** What a middleware of `jsonBody` or `query` checks. */
interface Input {
  target: 'json' | 'query'
  schema: v.GenericSchema<unknown, object>
  refusal: RefusalName | undefined
}

/** By middleware; the API document is made from it, so that it describes what is really checked. */
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

/** @throws {Refusal} `invalidBody`, with the field that it is about. */
export function validate<Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const [issue] = result.issues
  const field = v.getDotPath(issue) ?? undefined
  throw new Refusal('invalidBody', { fill: reasonOf(issue), field })
}

function parseJson(
  body: ArrayBuffer,
  isRight: (value: unknown) => boolean,
  needed: string,
): unknown {
  try {
    // JSON has no byte order mark (RFC 8259 section 8.1), so one stays in the text and the parser refuses it.
    const json = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    if (!isNestedDeeply(json)) {
      const value: unknown = JSON.parse(json)
      if (isRight(value)) return value
    }
  } catch {
    // What the parser says is for programmers, and it may quote a password.
  }
  throw new Refusal('invalidBody', { fill: needed })
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

function reasonOf(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue)
  if (field === null) return `request body ${issue.message}`
  if (issue.input === undefined || issue.input === null || issue.input === '')
    return `${field} ${REASONS.required}`
  if (issue.expected === 'Object') return `${field} must be a JSON object`
  // What a choice expects is the library's notation; it has a message of its own.
  if (issue.kind === 'schema' && issue.type !== 'picklist')
    return `${field} must be a ${issue.expected}`
  return `${field} ${issue.message}`
}
