import { describe, expect, test } from 'vitest'
import written from '../../../schema/openapi.json' with { type: 'json' }
import { createWholeApp } from '../../../src/app/app.ts'
import { createDeps } from '../../../src/core/deps.ts'
import { buildDocument } from '../../../scripts/openapi/document.ts'
import { operations } from '../../../scripts/openapi/operations.ts'
import { findGaps, readRoutes } from '../../../scripts/openapi/routes.ts'
import { fits } from '../../support/json-schema.ts'

describe('schema/openapi.json', () => {
  test('is what the routes say; otherwise: npm run openapi', async () => {
    expect(JSON.parse(JSON.stringify(await buildDocument()))).toEqual(written)
  })

  test('names every route of the interface, and no other', async () => {
    expect(findGaps((await readRoutes()).keys(), Object.keys(operations))).toEqual([])
    const { routes } = await createWholeApp(createDeps)
    const served = routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path}`)
    expect(served.length).toBeGreaterThan(20)
    expect(findGaps(served, operationsUnderApi())).toEqual([])
  })

  test('knows every parameter that an example sends', async () => {
    const routes = await readRoutes()
    for (const [name, { examples }] of Object.entries(operations)) {
      const queries = routes.get(name)?.inputs.filter(({ target }) => target === 'query') ?? []
      const known = queries.flatMap(({ schema }) => Object.keys(Object(schema).entries))
      const sent = Object.values(examples).flatMap(({ query = {} }) => Object.keys(query))
      expect(known, name).toEqual(expect.arrayContaining(sent))
    }
  })

  test('has summaries without Markdown, which viewers would show as it is written', () => {
    const summaries = Object.values(written.paths).flatMap((methods) =>
      Object.values(methods).map(({ summary }) => summary),
    )
    expect(summaries).toHaveLength(Object.keys(operations).length)
    expect(summaries.filter((summary) => summary.includes('`'))).toEqual([])
  })

  test('says administrator, the word of pages', () => {
    expect(JSON.stringify(written).match(/[^"]*\boperators?\b[^"]*/gi)).toBeNull()
  })

  test('has request examples that have the form of the schema, each once', () => {
    const { examples } =
      written.paths['/api/auth/login'].post.requestBody.content['application/json']
    expect(Object.keys(examples)).toEqual(['success', 'with a code', 'a wrong password'])
  })

  test('would name a route that nobody has described, and a description of none', () => {
    expect(findGaps(['GET /a', 'GET /b'], ['GET /b', 'POST /c'])).toEqual([
      'GET /a is not documented',
      'POST /c does not exist',
    ])
  })
})

describe('the schema check of these tests', () => {
  test('says no to what a schema does not allow', () => {
    const schema = {
      type: 'object',
      properties: { code: { const: 200 }, list: { type: 'array', items: { type: 'integer' } } },
      required: ['code'],
      additionalProperties: false,
    }
    expect(fits({ code: 200, list: [1] }, schema)).toBe(true)
    for (const wrong of [
      {},
      { code: 201 },
      { code: 200, list: ['1'] },
      { code: 200, more: 1 },
      7,
    ]) {
      expect(fits(wrong, schema)).toBe(false)
    }
    expect(fits(1, { oneOf: [{ type: 'integer' }, { type: 'number' }] })).toBe(false)
    expect(() => fits(1, { multipleOf: 2 })).toThrow('multipleOf')
  })
})

function operationsUnderApi(): string[] {
  return Object.keys(operations).filter((name) => name.includes(' /api/'))
}
