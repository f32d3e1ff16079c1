import { VERSION } from '../../src/settings/defaults.ts'
import { examplesOf } from './examples.ts'
import type { Examples, Operation } from './operation.ts'
import { operationGroups } from './operations.ts'
import { jsonSchema } from './json-schema.ts'
import { responsesOf } from './responses.ts'
import { findGaps, readRoutes, type Route } from './routes.ts'

const DESCRIPTION = `The account service of a file-listing site. It has the account interface of OpenList and AList.

Every answer under \`/api\` is HTTP 200 with \`{"code", "message", "data"}\`. \`code\` is the outcome, and \`data\` is null
unless \`code\` is 200. \`/api/sftp\` is for servers: there, \`code\` is the HTTP status too. Request bodies are JSON of at
most 64 KiB, whatever the content type is. The summary of an example says what holds before the request.`

/**
 * Builds the OpenAPI 3.1 document from the mounted routes and the schemas that they check.
 *
 * @throws {Error} When a mounted route is not described, or a described route is not mounted.
 */
export function buildDocument() {
  const routes = readRoutes()
  const all = Object.values(operationGroups).flatMap((operations) => Object.keys(operations))
  const gaps = findGaps(routes.keys(), all)
  if (gaps.length > 0) throw new Error(`scripts/openapi/operations: ${gaps.join('; ')}`)

  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {}
  for (const [tag, operations] of Object.entries(operationGroups)) {
    for (const [name, operation] of Object.entries(operations)) {
      const [method = '', path = ''] = name.split(' ')
      const route = routes.get(name)
      if (route !== undefined)
        (paths[path] ??= {})[method.toLowerCase()] = describeOperation(tag, name, operation, route)
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Latchkey', version: VERSION, description: DESCRIPTION },
    tags: Object.keys(operationGroups).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization' },
        serviceToken: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

function describeOperation(tag: string, name: string, operation: Operation, route: Route) {
  const path = name.split(' ')[1] ?? ''
  const examples = examplesOf(operation, route)
  const json = route.inputs.find(({ target }) => target === 'json')
  return {
    tags: [tag],
    operationId: name.toLowerCase().split(/\W+/).join('_'),
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    security: securityOf(operation, route),
    ...(route.inputs.some(({ target }) => target === 'query') && {
      parameters: route.inputs.flatMap((input) =>
        input.target === 'query' ? parametersOf(jsonSchema(input.schema), examples) : [],
      ),
    }),
    ...(json !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: jsonSchema(json.schema),
            examples: mapExamples(examples, ({ body }) => body),
          },
        },
      },
    }),
    responses: responsesOf(path, operation, examples),
  }
}

function securityOf({ guest, security }: Operation, { isGuarded }: Route) {
  if (security !== undefined) return [{ [security]: [] }]
  if (!isGuarded) return []
  return guest === undefined ? [{ token: [] }, {}] : [{ token: [] }]
}

function parametersOf(schema: ReturnType<typeof jsonSchema>, examples: Examples) {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) === true,
    schema: property,
    examples: mapExamples(examples, ({ query }) => query?.[name]),
  }))
}

function mapExamples<Value>(examples: Examples, valueOf: (example: Examples[string]) => Value) {
  return Object.fromEntries(
    Object.entries(examples).flatMap(([name, example]) => {
      const value = valueOf(example)
      return value === undefined ? [] : [[name, { value }]]
    }),
  )
}
