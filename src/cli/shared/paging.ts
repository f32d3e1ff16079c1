import { type Command, InvalidArgumentError } from 'commander'

/** The part of a long list to show. */
export interface PageOptions {
  /** From 1. */
  page: number
  limit: number
}

const DEFAULT_LIMIT = 100
const MAX_NUMBER = 1_000_000

export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <n>', 'the number of rows to show', parseCount, DEFAULT_LIMIT)
    .option('--page <n>', 'the number of the page, from 1', parseCount, 1)
}

/** Parses a whole number from 1. */
export function parseCount(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= MAX_NUMBER) return number
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_NUMBER}.`)
}
