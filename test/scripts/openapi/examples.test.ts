import { describe, expect, test } from 'vitest'
import * as v from 'valibot'
import document from '../../../schema/openapi.json' with { type: 'json' }
import { fits } from '../../support/json-schema.ts'
import { type Asked, givens } from './givens.ts'

const exampleSchema = v.object({ summary: v.optional(v.string()), value: v.unknown() })
const content = v.record(
  v.string(),
  v.object({ schema: v.unknown(), examples: v.record(v.string(), exampleSchema) }),
)
const operation = v.object({
  security: v.array(v.unknown()),
  parameters: v.optional(
    v.array(v.object({ name: v.string(), examples: v.record(v.string(), exampleSchema) })),
    [],
  ),
  requestBody: v.optional(v.object({ content })),
  responses: v.record(v.string(), v.object({ content: v.optional(content, {}) })),
})
const parsed = v.parse(
  v.object({ paths: v.record(v.string(), v.record(v.string(), operation)) }),
  document,
)

/** An example of the document: what is asked, and what it says the answer is. */
interface Replay {
  name: string
  given: keyof typeof givens
  query: Record<string, string>
  body: unknown
  status: number
  type: string
  schema: unknown
  answer: unknown
}

/** What is random, or signed with what is; the schema says what it looks like. */
const UNFORESEEABLE = ['token', 'qr', 'secret', 'recovery_codes', 'milliseconds']

describe.each(Object.entries(parsed.paths))('%s', (path, methods) => {
  const replays = Object.entries(methods).flatMap(([method, one]) =>
    replaysOf(one).map((replay) => ({ ...replay, method: method.toUpperCase() })),
  )

  test.each(replays)('$method answers as documented: $name', async (replay) => {
    const asked = await givens[replay.given]()
    const response = await ask(replay.method, path, replay, asked)
    expect(response.status).toBe(replay.status)
    if (replay.type === '') return
    expect(response.headers.get('Content-Type')).toContain(replay.type)
    const isJson = replay.type === 'application/json'
    const answer: unknown = isJson ? await response.json() : await response.text()
    expect(fits(answer, replay.schema), JSON.stringify(answer)).toBe(true)
    expect(fits(replay.answer, replay.schema), 'the example itself').toBe(true)
    expect(comparable(answer)).toEqual(comparable(replay.answer))
  })
})

function replaysOf({
  security,
  parameters,
  requestBody,
  responses,
}: v.InferOutput<typeof operation>) {
  const usual = security.length > 0 ? 'alice is signed in' : 'nobody is signed in'
  return Object.entries(responses).flatMap(([status, response]) =>
    Object.entries(response.content).flatMap(([type, { schema, examples }]) =>
      Object.entries(examples).map(([name, { summary = usual, value }]): Replay => {
        if (!isGiven(summary)) throw new Error(`${summary} is no set-up`)
        const query = parameters.flatMap((one) => {
          const said = one.examples[name]?.value
          return typeof said === 'string' ? [[one.name, said]] : []
        })
        const body = requestBody?.content['application/json']?.examples[name]?.value
        return {
          name,
          given: summary,
          query: Object.fromEntries(query),
          body,
          status: Number(status),
          type,
          schema,
          answer: value,
        }
      }),
    ),
  )
}

/** Asks as the example says, with what no document can know filled in. */
function ask(method: string, path: string, { query, body }: Replay, asked: Asked) {
  const search = new URLSearchParams({ ...query, ...pick(asked.query, query) })
  const url = search.size > 0 ? `${path}?${search.toString()}` : path
  const filled =
    isObject(body) && !Array.isArray(body) ? { ...body, ...pick(asked.body, body) } : body
  return asked.site.fetch(method, url, {
    ...(asked.token !== undefined && { token: asked.token }),
    ...((asked.rawBody ?? filled) !== undefined && { body: asked.rawBody ?? filled }),
  })
}

/** Only what the example itself has is filled in, and nothing that is meant to be wrong. */
function pick(values: Record<string, string> = {}, said: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, text]) => {
      const value = values[name]
      return value === undefined || text === '000000' || text === 'unknown' ? [] : [[name, value]]
    }),
  )
}

function comparable(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => {
      if (UNFORESEEABLE.includes(key)) return key
      // Sessions are the only things whose id is a text.
      return key === 'id' && typeof value === 'string' ? 'id' : value
    }),
  )
}

function isGiven(text: string): text is keyof typeof givens {
  return Object.hasOwn(givens, text)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
