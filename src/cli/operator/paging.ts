import { type Command, InvalidArgumentError } from 'commander'

/** Which part of a long list to show. */
export interface PageOptions {
  /** From 1. */
  page: number
  limit: number
}

const DEFAULT_LIMIT = 100
const MAX_NUMBER = 1_000_000

export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <n>', 'how many to show', parseCount, DEFAULT_LIMIT)
    .option('--page <n>', 'which of the pages that this makes', parseCount, 1)
}

/** A number from 1 on. */
export function parseCount(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= MAX_NUMBER) return number
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_NUMBER}.`)
}
