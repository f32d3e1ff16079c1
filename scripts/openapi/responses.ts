import type { Example, Examples, Operation } from './operation.ts'
import { envelopeSchema, pathKindOf, NULL, refusalSchemas, writtenAnswer } from './answers.ts'
import { jsonSchema } from './json-schema.ts'

/** One kind of answer of an endpoint. */
interface Outcome {
  status: number
  type: string
  schema: object
}

/** Returns the answers by HTTP status; under `/api` the status is 200, with one schema per code. */
export function responsesOf(path: string, operation: Operation, examples: Examples) {
  const byStatus = Map.groupBy(outcomesOf(path, operation, examples), ({ status }) => status)
  const bodiless = {
    ...operation.otherStatus,
    ...(operation.redirects && { [operation.redirects]: '`Location` holds the address.' }),
  }
  return {
    ...Object.fromEntries(
      Array.from(byStatus, ([status, outcomes]) => [
        status,
        {
          description: status === 200 ? 'The outcome.' : 'The request is refused.',
          content: Object.fromEntries(
            Array.from(
              Map.groupBy(outcomes, ({ type }) => type),
              ([type, ofType]) => [
                type,
                {
                  schema: oneOf(ofType.map(({ schema }) => schema)),
                  examples: Object.fromEntries(
                    Object.entries(examples).flatMap(([name, example]) =>
                      writtenExample(path, operation, name, example, { status, type }),
                    ),
                  ),
                },
              ],
            ),
          ),
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(bodiless).map(([status, description]) => [status, { description }]),
    ),
  }
}

function outcomesOf(path: string, operation: Operation, examples: Examples): Outcome[] {
  const names = Object.values(examples).flatMap(({ answer }) =>
    'refusal' in answer ? answer.refusal : [],
  )
  const kind = pathKindOf(path)
  const refusals = Array.from(refusalSchemas(names), ([code, schema]) =>
    kind === 'site'
      ? { status: code, type: 'text/plain', schema: { type: 'string' } }
      : { status: kind === 'api' ? 200 : code, type: 'application/json', schema },
  )
  if (operation.redirects !== undefined) return refusals
  const type = operation.plain ?? 'application/json'
  const others = Object.values(examples).flatMap(({ answer }) =>
    'raw' in answer && answer.status !== undefined
      ? [{ status: answer.status, type, schema: { type: 'object' } }]
      : [],
  )
  return [{ status: 200, type, schema: successSchema(operation) }, ...others, ...refusals]
}

function writtenExample(
  path: string,
  operation: Operation,
  name: string,
  example: Example,
  { status, type }: Pick<Outcome, 'status' | 'type'>,
) {
  const answer = writtenAnswer(path, operation, example)
  if (answer.status !== status || answer.type !== type) return []
  const summary = example.given !== undefined && { summary: example.given }
  return [[name, { ...summary, value: answer.body }] as const]
}

function successSchema({ schema, plain }: Operation): object {
  const data = jsonSchema(schema)
  if (plain !== undefined) return data
  return envelopeSchema(200, { const: 'success' }, data.type === 'null' ? NULL : data)
}

function oneOf(schemas: object[]): object {
  const [only, ...others] = schemas
  return only !== undefined && others.length === 0 ? only : { oneOf: schemas }
}
