/** The keywords of JSON Schema 2020-12 that our document uses; any other is an error, not ignored. */
type Check = (value: unknown, keyword: unknown, schema: Schema) => boolean

type Schema = Record<string, unknown>

const annotations: Check = () => true

const checks: Record<string, Check> = {
  title: annotations,
  description: annotations,
  default: annotations,
  type: (value, type) => typesOf(value).includes(String(type)),
  const: (value, constant) => value === constant,
  enum: (value, values) => listOf(values).includes(value),
  oneOf: (value, schemas) => listOf(schemas).filter((schema) => fits(value, schema)).length === 1,
  anyOf: (value, schemas) => listOf(schemas).some((schema) => fits(value, schema)),
  minLength: (value, limit) => !isText(value) || Array.from(value).length >= Number(limit),
  pattern: (value, pattern) => !isText(value) || new RegExp(String(pattern), 'u').test(value),
  minimum: (value, limit) => typeof value !== 'number' || value >= Number(limit),
  maximum: (value, limit) => typeof value !== 'number' || value <= Number(limit),
  minItems: (value, limit) => !Array.isArray(value) || value.length >= Number(limit),
  maxItems: (value, limit) => !Array.isArray(value) || value.length <= Number(limit),
  items: (value, schema) => !Array.isArray(value) || value.every((item) => fits(item, schema)),
  required: (value, names) =>
    !isObject(value) || listOf(names).every((name) => Object.hasOwn(value, String(name))),
  properties: (value, schemas) =>
    !isObject(value) ||
    !isObject(schemas) ||
    Object.entries(schemas).every(([name, one]) => !(name in value) || fits(value[name], one)),
  additionalProperties: (value, allowed, { properties }) =>
    allowed !== false ||
    !isObject(value) ||
    Object.keys(value).every((name) => isObject(properties) && Object.hasOwn(properties, name)),
}

/** Whether a value is what a schema describes. @throws For a keyword that nothing here checks. */
export function fits(value: unknown, schema: unknown): boolean {
  if (!isObject(schema)) throw new Error(`no schema: ${JSON.stringify(schema)}`)
  return Object.entries(schema).every(([name, keyword]) => {
    const check = checks[name]
    if (check === undefined) throw new Error(`nothing checks the keyword ${name}`)
    return check(value, keyword, schema)
  })
}

function typesOf(value: unknown): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value]
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error(`no list: ${JSON.stringify(value)}`)
  return value
}
