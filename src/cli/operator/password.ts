import type { Command } from 'commander'
import * as v from 'valibot'
import { generatePassword } from '../../passwords/generated-password.ts'
import { checkPasswordLength } from '../../passwords/password-rules.ts'
import { text } from '../../base/text.ts'
import { CommandError, UsageError } from '../command-error.ts'
import type { Site } from '../site.ts'
import { readLine } from '../standard-input.ts'

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

export function addPasswordOptions(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from the first line of the standard input')
    .option('--generate', 'make a random password and print it, this once')
}

/**
 * Chooses where a new password comes from, and checks at once that it can come from there.
 *
 * @returns Reads it; throws `CommandError` when there is none, or the two that were typed differ.
 * @throws {UsageError} When nobody can be asked, or two ways are named.
 */
export function passwordSource({ passwordStdin = false, generate = false }: PasswordOptions) {
  if (passwordStdin && generate) {
    throw new UsageError('--password-stdin and --generate exclude each other: choose one.')
  }
  if (generate) return generateNewPassword
  if (!passwordStdin && !process.stdin.isTTY) {
    throw new UsageError(
      'There is no terminal to ask for the password: use --password-stdin or --generate.',
    )
  }
  return async () => check(passwordStdin ? await readLine(process.stdin) : await askTwice())
}

async function generateNewPassword(site: Pick<Site, 'randomBytes'>): Promise<NewPassword> {
  const password = generatePassword(site)
  return { password, shownOnce: { password } }
}

function check(password: string): NewPassword {
  if (!v.is(text(), password)) {
    throw new CommandError('The password is empty or not a text of Unicode: nothing was changed.')
  }
  checkPasswordLength(password)
  return { password, shownOnce: {} }
}

/** Asks on the terminal; what is typed is not shown. */
async function askTwice(): Promise<string> {
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
