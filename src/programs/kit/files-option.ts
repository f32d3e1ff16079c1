import { InvalidArgumentError } from 'commander'
import { parseFilesOrigin } from '../../core/base/file-server.ts'

/** Parses the address of a file server, for commander. */
export function parseFiles(text: string): string {
  const origin = parseFilesOrigin(text.replace(/\/$/, ''))
  if (origin !== undefined) return origin
  throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:5244.')
}
