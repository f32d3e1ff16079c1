import { readFileSync, writeFileSync } from 'node:fs'
import * as v from 'valibot'
import openapi from '../schema/openapi.json' with { type: 'json' }
import type { Guard } from '../src/core/access/field-guards.ts'
import { GUARDED_CHANGES } from '../src/core/access/guarded-changes.ts'
import { type Listed, loadCommands } from '../src/programs/commands.ts'
import { CommandError, runCommand } from '../src/programs/kit/command-error.ts'
import { isOption } from '../src/programs/kit/declaration.ts'

const GUARDED = 'src/core/access/guarded-changes.ts'
const END = '<!-- end -->'
/** For an answer with more members, the list shows their number only. */
const MAX_NAMED_MEMBERS = 12
/** The lowest code of a refusal. */
const FIRST_REFUSAL = 400

/** The part of a JSON Schema that the list of endpoints shows. */
interface Shape {
  type?: string
  const?: unknown
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  oneOf?: Shape[]
  anyOf?: Shape[]
}

const shapeSchema: v.GenericSchema<unknown, Shape> = v.object({
  type: v.exactOptional(v.string()),
  const: v.exactOptional(v.unknown()),
  properties: v.exactOptional(
    v.record(
      v.string(),
      v.lazy(() => shapeSchema),
    ),
  ),
  required: v.exactOptional(v.array(v.string())),
  items: v.exactOptional(v.lazy(() => shapeSchema)),
  oneOf: v.exactOptional(v.array(v.lazy(() => shapeSchema))),
  anyOf: v.exactOptional(v.array(v.lazy(() => shapeSchema))),
})

const exampleSchema = v.object({ value: v.unknown() })
const contentSchema = v.record(
  v.string(),
  v.object({ schema: shapeSchema, examples: v.optional(v.record(v.string(), exampleSchema), {}) }),
)
const operationSchema = v.object({
  tags: v.tuple([v.string()]),
  summary: v.string(),
  description: v.optional(v.string()),
  security: v.array(v.record(v.string(), v.array(v.string()))),
  parameters: v.optional(v.array(v.object({ name: v.string(), required: v.boolean() })), []),
  requestBody: v.optional(v.object({ content: contentSchema })),
  responses: v.record(v.string(), v.object({ content: v.optional(contentSchema, {}) })),
})
const documentSchema = v.object({
  tags: v.array(v.object({ name: v.string() })),
  paths: v.record(v.string(), v.record(v.string(), operationSchema)),
})
const refusalSchema = v.object({
  code: v.pipe(v.number(), v.minValue(FIRST_REFUSAL)),
  message: v.string(),
  data: v.null(),
})

type DocumentedOperation = v.InferOutput<typeof operationSchema>

interface Endpoint extends DocumentedOperation {
  name: string
}

/**
 * `npm run interface`: writes the lists of endpoints and of messages in `docs/interface.md` from
 * the OpenAPI document, the list of changes there that need a fresh session, and the list of
 * commands in `docs/operating.md` from their declarations; with `--check`, fails instead when they
 * are stale.
 */
await runCommand(async () => {
  const lists = [
    { file: 'docs/interface.md', source: 'schema/openapi.json', text: render() },
    { file: 'docs/interface.md', source: GUARDED, text: renderGuarded() },
    {
      file: 'docs/operating.md',
      source: 'src/programs',
      text: renderCommands(await loadCommands()),
    },
  ]
  for (const { file, source, text } of lists) {
    const written = readFileSync(file, 'utf8')
    const begin = `<!-- Generated from ${source} by npm run interface: begin -->\n`
    const [before, after] = [
      written.indexOf(begin) + begin.length,
      written.indexOf(END, written.indexOf(begin)),
    ]
    if (before < begin.length || after < before)
      throw new CommandError(`${file} needs the lines "${begin.trim()}" and "${END}".`)
    const current = `${written.slice(0, before)}\n${text}\n${written.slice(after)}`
    if (!process.argv.includes('--check')) writeFileSync(file, current)
    else if (written !== current) throw new CommandError(`${file} is stale: npm run interface`)
  }
})

/** Lists every field of every change, with what it needs of a session. */
function renderGuarded(): string {
  const rows = Object.entries(GUARDED_CHANGES).flatMap(([change, { fields }]) => {
    const groups = Map.groupBy(Object.entries(fields), ([, { needs, reason }]) =>
      [needsText(needs), reason].join(' | '),
    )
    return [...groups].map(([guard, members]) => {
      const names = members.flatMap(([name]) => (name === '' ? [] : [`\`${name}\``]))
      return `| ${change} | ${names.join(', ')} | ${guard} |`
    })
  })
  return ['| change | fields | fresh session | reason |', '|---|---|---|---|', ...rows, ''].join(
    '\n',
  )
}

function needsText(needs: Guard['needs']): string {
  if (needs === 'always') return 'yes'
  return needs === 'never' ? 'no' : `for ${needs.words}`
}

/** Lists the commands, with what each takes. */
function renderCommands(commands: readonly Listed[]): string {
  const rows = commands
    .filter(({ isGroup }) => !isGroup)
    .map(({ words, takes, about: [english] }) => {
      const usage = [
        ...words,
        ...takes.filter((take) => !isOption(take)).map(({ form }) => form),
        ...takes
          .filter(isOption)
          .map((take) => (take.isRequired === true ? take.form : `[${take.form}]`)),
      ]
      return `| \`${usage.join(' ')}\` | ${english} |`
    })
  return ['| command | what it does |', '|---|---|', ...rows, ''].join('\n')
}

function render(): string {
  const { tags, paths } = v.parse(documentSchema, openapi)
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Endpoint => {
      return { ...operation, name: `${method.toUpperCase()} ${path}` }
    }),
  )
  const groups = tags.map(({ name }) => {
    const rows = endpoints.filter(({ tags: [tag] }) => tag === name).map(renderEndpoint)
    const head = '| endpoint | what it does | needs | takes | gives | refusals |'
    return [`### ${name}\n`, head, '|---|---|---|---|---|---|', ...rows].join('\n')
  })
  return [...groups, renderMessages(endpoints)].join('\n\n')
}

function renderEndpoint(endpoint: Endpoint): string {
  const { name, summary, description } = endpoint
  const cells = [
    `\`${name}\``,
    description === undefined ? `${summary}.` : `${summary}. ${description}`,
    credentialOf(endpoint),
    inputOf(endpoint),
    outputOf(endpoint),
    codesOf(endpoint).join(' '),
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
}

function credentialOf(endpoint: Endpoint): string {
  const { security } = endpoint
  if (security.some((scheme) => 'serviceToken' in scheme)) return 'service token'
  if (!security.some((scheme) => 'token' in scheme)) return ''
  const scopes = security.flatMap((scheme) => scheme['appPassword'] ?? [])
  const or = scopes.map((scope) => `, or \`${scope}\``).join('')
  if (security.some((scheme) => Object.keys(scheme).length === 0)) return `token${or}, or guest`
  return scopes.includes('admin') ? `token of an admin${or}` : `token${or}`
}

function inputOf({ parameters, requestBody }: Endpoint): string {
  const query = parameters.map(({ name, required }) => `\`?${name}=\`${required ? '' : '?'}`)
  const body = requestBody?.content['application/json']?.schema
  const item = body?.items ?? body
  const fields = item === undefined ? [] : membersOf(item)
  const text = [...query, ...fields].join(', ')
  return body?.items === undefined ? text : `a list of ${text}`
}

function outputOf({ responses }: Endpoint): string {
  const [status, content] = successOf(responses)
  if (content === undefined) return status === '302' ? 'a redirect' : ''
  const [type, { schema }] = content
  if (type === 'text/plain') return status === '302' ? 'a redirect' : 'plain text'
  const alternatives = schema.oneOf ?? [schema]
  const success = alternatives.find(({ properties }) => properties?.['code']?.const === 200)
  return success === undefined ? 'plain JSON' : describeShape(success.properties?.['data'] ?? {})
}

function successOf(responses: DocumentedOperation['responses']) {
  const status = Object.keys(responses).find((code) => code === '200' || code === '302') ?? ''
  return [status, Object.entries(responses[status]?.content ?? {})[0]] as const
}

function describeShape({ type, properties, items, anyOf }: Shape): string {
  if (anyOf !== undefined) return anyOf.map(describeShape).join(', or ')
  if (items !== undefined) {
    const members = membersOf(items)
    return members.length === 0 ? 'a list' : `a list of ${members.join(', ')}`
  }
  if (properties === undefined) return type ?? ''
  if (Object.keys(properties).length > MAX_NAMED_MEMBERS)
    return `${Object.keys(properties).length} members`
  return Object.entries(properties)
    .map(([name, property]) => {
      const isNested = property.items !== undefined && membersOf(property.items).length > 0
      return isNested ? `\`${name}\`: ${describeShape(property)}; ` : `\`${name}\`, `
    })
    .join('')
    .replace(/[;,] $/, '')
}

/** Returns the members of an object; an optional member has a question mark. */
function membersOf({ properties = {}, required = [] }: Shape): string[] {
  return Object.keys(properties).map((name) => `\`${name}\`${required.includes(name) ? '' : '?'}`)
}

/** Returns the codes of an endpoint's refusals; for servers and files, HTTP statuses too. */
function codesOf(endpoint: Endpoint): number[] {
  const statuses = Object.keys(endpoint.responses).map(Number)
  const codes = refusalsOf(endpoint).map(({ code }) => code)
  return [...new Set([...statuses, ...codes])]
    .filter((code) => code >= FIRST_REFUSAL)
    .toSorted((a, b) => a - b)
}

/** Returns every refusal in the examples of an endpoint. */
function refusalsOf({ responses }: Endpoint) {
  return Object.values(responses)
    .flatMap(({ content }) => Object.values(content))
    .flatMap(({ examples }) => Object.values(examples))
    .flatMap(({ value }) => (v.is(refusalSchema, value) ? [value] : []))
}

function renderMessages(endpoints: Endpoint[]): string {
  const messages = new Map<number, Set<string>>()
  for (const { code, message } of endpoints.flatMap(refusalsOf))
    messages.set(code, (messages.get(code) ?? new Set()).add(message))
  const rows = [...messages]
    .toSorted(([a], [b]) => a - b)
    .map(([code, texts]) => `| ${code} | ${[...texts].map((text) => `\`${text}\``).join(' · ')} |`)
  return ['### Messages\n', '| code | messages, by example |', '|---|---|', ...rows, ''].join('\n')
}
