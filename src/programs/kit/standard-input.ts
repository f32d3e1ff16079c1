import type { Readable } from 'node:stream'
import { CommandError } from './command-error.ts'

/** More than any password or file of settings takes. */
const MAX_BYTES = 1024 * 1024

/** Reads the first line of a stream, without its line end. */
export async function readLine(input: Readable): Promise<string> {
  const [line = ''] = (await read(input, '\n')).split(/\r?\n/)
  return line
}

/** Reads a stream to its end. */
export function readAll(input: Readable): Promise<string> {
  return read(input)
}

async function read(input: Readable, end?: string): Promise<string> {
  let bytes = Buffer.of()
  for await (const chunk of input) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)])
    if (bytes.length > MAX_BYTES) throw new CommandError('The standard input is larger than 1 MiB.')
    if (end !== undefined && bytes.includes(end)) break
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CommandError('The standard input is not UTF-8: nothing was changed.')
  }
}
