import { describe, expect, test } from 'vitest'
import * as v from 'valibot'
import document from '../../../schema/openapi.json' with { type: 'json' }
import { writtenAnswer } from '../../../scripts/openapi/answers.ts'
import { examplesOf } from '../../../scripts/openapi/examples.ts'
import type { Given, Operation } from '../../../scripts/openapi/operation.ts'
import { operations } from '../../../scripts/openapi/operations.ts'
import { readRoutes, type Route } from '../../../scripts/openapi/routes.ts'
import { fits } from '../../support/json-schema.ts'
import { type Asked, givens, switchPasskeysOn } from './givens.ts'

const content = v.record(v.string(), v.object({ schema: v.unknown() }))
const operationSchema = v.object({
  security: v.array(v.unknown()),
  responses: v.record(v.string(), v.object({ content: v.optional(content, {}) })),
})
const { paths } = v.parse(
  v.object({ paths: v.record(v.string(), v.record(v.string(), operationSchema)) }),
  document,
)
const routes = await readRoutes()

/** An example of an endpoint: what is asked, and what the document says the answer is. */
interface Replay {
  name: string
  given: Given
  query: Record<string, string>
  body: unknown
  form: unknown
  headers: Record<string, string>
  status: number
  type: string
  schema: unknown
  answer: unknown
}

const FORM = 'application/x-www-form-urlencoded'

/** What is random, or signed with what is; the schema says what it looks like. */
const UNFORESEEABLE = [
  'token',
  'qr',
  'secret',
  'recovery_codes',
  'milliseconds',
  'link',
  'challenge',
  'session',
  'sub',
  'keys',
  'access_token',
  'id_token',
]

describe.each(Object.entries(operations))('%s', (endpoint, operation) => {
  const [method = '', path = ''] = endpoint.split(' ')
  const replays = replaysOf(method, path, operation)

  async function arrange({ given }: Replay): Promise<Asked> {
    const asked = await givens[given]()
    if (path.startsWith('/api/authn/') && given !== 'passkeys are off')
      await switchPasskeysOn(asked.site)
    return asked
  }

  test.each(replays)('answers as documented: $name', async (replay) => {
    const asked = await arrange(replay)
    const response = await ask(method, path, replay, asked)
    expect(response.status).toBe(replay.status)
    if (replay.status === operation.redirects) return
    expect(response.headers.get('Content-Type')).toContain(replay.type)
    // A page has more than a document can show.
    if (replay.type === 'text/html') return
    const isJson = replay.type === 'application/json'
    const answer: unknown = isJson ? await response.json() : await response.text()
    expect(fits(answer, replay.schema), JSON.stringify(answer)).toBe(true)
    expect(fits(replay.answer, replay.schema), 'the example itself').toBe(true)
    expect(comparable(answer)).toEqual(comparable(replay.answer))
  })

  if (method !== 'GET') return
  const successes = replays.filter(({ name }) => name === 'success')
  test.each(successes)('HEAD writes no row and sets no cookie', async (replay) => {
    const asked = await arrange(replay)
    const { headers } = await ask('HEAD', path, replay, asked)
    expect(asked.site.meter.rowsWritten).toBe(0)
    // The bookmark tells how fresh the data was that this request has read.
    expect(headers.getSetCookie().filter((cookie) => !cookie.includes('bookmark'))).toEqual([])
  })
})

/** Reads the source of the document, because the document leaves requests of a wrong form out. */
function replaysOf(method: string, path: string, operation: Operation): Replay[] {
  const described = paths[path]?.[method.toLowerCase()]
  const route: Route = routes.get(`${method} ${path}`) ?? { needs: undefined, inputs: [] }
  const usual = described?.security.length === 0 ? 'nobody is signed in' : 'alice is signed in'
  return Object.entries(examplesOf(operation, route)).map(([name, example]) => {
    const { given = usual, query = {}, headers = {}, form, body } = example
    const { status, type, body: answer } = writtenAnswer(path, operation, example)
    const schema = described?.responses[status]?.content[type]?.schema
    return { name, given, query, headers, form, body, status, type, schema, answer }
  })
}

/** Asks as the example says, with what no document can know filled in. */
function ask(method: string, path: string, replay: Replay, asked: Asked) {
  const { query, headers } = replay
  const fields = isObject(replay.form)
    ? { ...replay.form, ...pick(asked.form, replay.form) }
    : undefined
  const body = fields === undefined ? replay.body : new URLSearchParams(fields).toString()
  const search = new URLSearchParams({ ...query, ...pick(asked.query, query) })
  const url = search.size > 0 ? `${path}?${search.toString()}` : path
  const filled =
    isObject(body) && !Array.isArray(body) ? { ...body, ...pick(asked.body, body) } : body
  const needsOther = path.startsWith('/api/me/') && method === 'POST'
  const token = (needsOther ? asked.otherToken : undefined) ?? asked.token
  return asked.site.fetch(method, url, {
    ...(token !== undefined && { token }),
    headers: {
      ...headers,
      ...asked.headers,
      ...(fields !== undefined && { 'Content-Type': FORM }),
    },
    ...((asked.rawBody ?? filled) !== undefined && { body: asked.rawBody ?? filled }),
  })
}

/** Only what the example itself has is filled in, and nothing that is meant to be wrong. */
function pick<Value>(values: Record<string, Value> = {}, said: object): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, text]) => {
      const value = values[name]
      return value === undefined || ['000000', 'unknown', ''].includes(String(text))
        ? []
        : [[name, value]]
    }),
  )
}

function comparable(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => {
      if (UNFORESEEABLE.includes(key)) return key
      // The ids of sessions and passkeys are random.
      return key === 'id' && typeof value === 'string' ? 'id' : value
    }),
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
