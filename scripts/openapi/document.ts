import * as v from 'valibot'
import { VERSION } from '../../src/capabilities/settings/defaults.ts'
import { examplesOf } from './examples.ts'
import type { Example, Examples, Operation } from './operation.ts'
import { operationGroups, tagDescriptions } from './operations.ts'
import { jsonSchema } from './json-schema.ts'
import { responsesOf } from './responses.ts'
import { findGaps, readRoutes, type Route } from './routes.ts'

const DESCRIPTION = `The account service of a file-listing site. It has the account interface of OpenList and AList.

Every answer under \`/api\` is HTTP 200 with \`{"code", "message", "data"}\`. \`code\` is the outcome, and \`data\` is null
unless \`code\` is 200. \`/api/sftp\` and \`/api/ldap\` are for servers: there, \`code\` is the HTTP status too. Request bodies are JSON of at
most 64 KiB, whatever the content type is. The summary of an example says what holds before the request.`

/** `x-title` is the heading on the page `/docs`, where two have one type. */
const SECURITY_SCHEMES = {
  token: {
    'x-title': 'Token',
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The token of a sign-in.',
  },
  serviceToken: {
    'x-title': 'Service token',
    type: 'http',
    scheme: 'bearer',
    description: 'For SFTP servers, LDAP doors, file servers and proxies: a service token.',
  },
  client: {
    'x-title': 'Client ID and secret',
    type: 'http',
    scheme: 'basic',
    description: 'The `client_id` and the secret of an app, which may stand in the form instead.',
  },
  accessToken: {
    'x-title': 'Access token',
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of an app.',
  },
  appPassword: {
    'x-title': 'App password',
    type: 'http',
    scheme: 'basic',
    description:
      'The user name and an app password. The app password alone is also accepted as the token.',
  },
}

/**
 * Builds the OpenAPI 3.1 document from the mounted routes and the schemas that they check.
 *
 * @throws {Error} When a mounted route is not described, or a described route is not mounted.
 */
export async function buildDocument() {
  const routes = await readRoutes()
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
    info: {
      title: 'Latchkey',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The site that serves this document' }],
    tags: Object.keys(operationGroups).map((name) => ({
      name,
      description: tagDescriptions[name],
    })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES },
  }
}

function describeOperation(tag: string, name: string, operation: Operation, route: Route) {
  const path = name.split(' ')[1] ?? ''
  const examples = examplesOf(operation, route)
  const json = route.inputs.find(({ target }) => target === 'json')
  return {
    tags: [tag],
    operationId: name.toLowerCase().split(/\W+/).join('_'),
    // Viewers show Markdown in descriptions only.
    summary: operation.summary.replaceAll('`', ''),
    ...(operation.description !== undefined && { description: operation.description }),
    security: securityOf(operation, route),
    ...((operation.requiredHeader !== undefined ||
      operation.headers !== undefined ||
      route.inputs.some(({ target }) => target === 'query')) && {
      parameters: [
        ...headersOf(operation, examples),
        ...route.inputs.flatMap((input) =>
          input.target === 'query' ? parametersOf(input.schema, examples) : [],
        ),
      ],
    }),
    ...(operation.form !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: jsonSchema(operation.form),
            examples: distinctValues(
              acceptedExamples(operation.form, examples, ({ form }) => form),
              ({ form }) => form,
            ),
          },
        },
      },
    }),
    ...(json !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: jsonSchema(json.schema),
            examples: distinctValues(
              acceptedExamples(json.schema, examples, ({ body }) => body),
              ({ body }) => body,
            ),
          },
        },
      },
    }),
    responses: responsesOf(path, operation, examples),
  }
}

function securityOf({ guest, security }: Operation, { needs }: Route) {
  if (security === 'appPassword') return [{ token: [] }, { appPassword: ['files:read'] }]
  if (security !== undefined) return [{ [security]: [] }]
  if (needs === undefined) return []
  return [
    { token: [] },
    // OpenAPI 3.1 allows roles for a scheme that is not OAuth.
    ...(needs === 'session' ? [] : [{ appPassword: [needs] }]),
    ...(guest === undefined ? [{}] : []),
  ]
}

function headersOf({ requiredHeader, headers = [] }: Operation, examples: Examples) {
  const names = requiredHeader === undefined ? headers : [requiredHeader, ...headers]
  return names.map((name) => ({
    name,
    in: 'header',
    required: name === requiredHeader,
    schema: { type: 'string' },
    examples: distinctValues(Object.entries(examples), (example) => example.headers?.[name]),
  }))
}

function parametersOf(schema: v.GenericSchema, examples: Examples) {
  const { properties = {}, required = [] } = jsonSchema(schema)
  const accepted = acceptedExamples(schema, examples, ({ query }) => query ?? {})
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property,
    examples: distinctValues(accepted, ({ query }) => query?.[name]),
  }))
}

/** Selects the examples whose request has the form of the schema: readers copy and send them. */
function acceptedExamples(
  schema: v.GenericSchema,
  examples: Examples,
  inputOf: (example: Example) => unknown,
): [name: string, Example][] {
  return Object.entries(examples).filter(([, example]) => v.is(schema, inputOf(example)))
}

/** Lists the values of examples; of equal values, only the first. */
function distinctValues(
  examples: [name: string, Example][],
  valueOf: (example: Example) => unknown,
) {
  const listed = new Set<string>()
  return Object.fromEntries(
    examples.flatMap(([name, example]) => {
      const value = valueOf(example)
      const text = JSON.stringify(value)
      if (value === undefined || listed.has(text)) return []
      listed.add(text)
      return [[name, { value }]]
    }),
  )
}
