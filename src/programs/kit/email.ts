import { InvalidArgumentError } from 'commander'
import { parseEmail } from '../../core/base/email.ts'

/** Reads an e-mail address. */
export function parseAddress(text: string): string {
  const address = parseEmail(text)
  if (address !== undefined) return address
  throw new InvalidArgumentError('It must be an e-mail address.')
}
