import { InvalidArgumentError } from 'commander'
import * as v from 'valibot'
import { readReason, wordsOf } from '../../core/base/reasons.ts'

/** Makes a parser for commander from the schema that the endpoints use. */
export function parsed<Output>(schema: v.GenericSchema<string, Output>) {
  return (text: string): Output => {
    const result = v.safeParse(schema, text)
    if (result.success) return result.output
    throw new InvalidArgumentError(`It ${wordsOf(readReason(result.issues[0].message))}.`)
  }
}
