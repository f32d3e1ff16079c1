import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import * as v from 'valibot'
import { generatePassword } from '../login/generated-password.ts'
import { checkPasswordLength } from '../login/password-rules.ts'
import { text } from '../text.ts'
import { CommandError, UsageError } from './command-error.ts'
import type { Site } from './site.ts'

/** Where a new password comes from: never from an argument, which every user of a machine can read. */
export interface PasswordOptions {
  passwordStdin?: boolean
  generate?: boolean
}

interface NewPassword {
  password: string
  /** What the operator has yet to see: a password that was generated. */
  shownOnce: Record<string, string>
}

/** More than the longest password takes in UTF-8. */
const MAX_LINE_BYTES = 8192

export function addPasswordOptions(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from the first line of the standard input')
    .option('--generate', 'make a random password and print it, this once')
}

/** @throws {CommandError} When there is none, or the two that were typed differ. */
export async function readNewPassword(
  site: Pick<Site, 'randomBytes'>,
  { passwordStdin = false, generate = false }: PasswordOptions,
): Promise<NewPassword> {
  if (passwordStdin && generate) {
    throw new UsageError('--password-stdin and --generate exclude each other: choose one.')
  }
  if (generate) {
    const password = generatePassword(site)
    return { password, shownOnce: { password } }
  }
  const password = passwordStdin ? await readLine(process.stdin) : await askTwice()
  if (!v.is(text(), password)) {
    throw new CommandError('The password is empty or not a text of Unicode: nothing was changed.')
  }
  checkPasswordLength(password)
  return { password, shownOnce: {} }
}

/** The first line of a stream, without what ends it; a last line may end with the stream. */
export async function readLine(input: Readable): Promise<string> {
  let bytes = Buffer.of()
  for await (const chunk of input) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)])
    if (bytes.includes('\n') || bytes.length > MAX_LINE_BYTES) break
  }
  const [line = ''] = decodeUtf8(bytes).split(/\r?\n/)
  return line
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CommandError('The password on the standard input is not UTF-8: nothing was changed.')
  }
}

/** Asks on the terminal; what is typed is not shown. */
async function askTwice(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new UsageError(
      'There is no terminal to ask for the password: use --password-stdin or --generate.',
    )
  }
  const password = await ask('New password')
  if (password !== (await ask('The same again'))) {
    throw new CommandError('The two passwords differ: nothing was changed.')
  }
  return password
}

async function ask(message: string): Promise<string> {
  const { default: prompt } = await import('@inquirer/password')
  try {
    // On stderr, so that what is printed for programs stays theirs.
    return await prompt({ message, toggleMask: false }, { output: process.stderr })
  } catch {
    throw new CommandError('Stopped: nothing was changed.')
  }
}
