import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { readReason, wordsOf } from '../../src/core/base/reasons.ts'

/** Converts the input of a schema; a check that JSON Schema can't express becomes a description. */
export function jsonSchema(schema: v.GenericSchema) {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    typeMode: 'input',
    target: 'draft-2020-12',
    errorMode: 'ignore',
    overrideAction: ({ valibotAction, jsonSchema: before }) => {
      if (valibotAction.type !== 'check' || !('message' in valibotAction)) return undefined
      const { message } = valibotAction
      const said = [
        before.description,
        typeof message === 'string' ? wordsOf(readReason(message)) : undefined,
      ]
      return { ...before, description: said.filter((text) => text !== undefined).join('; ') }
    },
  })
  return rest
}
