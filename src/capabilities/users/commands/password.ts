import * as v from 'valibot'
import { generatePassword } from '../../../core/passwords/generated-password.ts'
import { checkPasswordLength } from '../../../core/passwords/password-rules.ts'
import { text } from '../../../core/base/text.ts'
import { CommandError, UsageError } from '../../../programs/kit/command-error.ts'
import { type Given, takes } from '../../../programs/kit/declaration.ts'
import type { Site } from '../../../programs/site/site.ts'
import { readLine } from '../../../programs/kit/standard-input.ts'

/**
 * The source of a new password. It is never an argument, because every user of the machine can read
 * those.
 */
export const PASSWORD_OPTIONS = {
  passwordStdin: takes(
    '--password-stdin',
    'read the password from the first line of the standard input',
    '从标准输入的第一行读取密码',
  ),
  generate: takes(
    '--generate',
    'generate a random password and print it, only once',
    '生成随机密码，只显示一次',
  ),
}

/** Advice about an option that the commands with these options do not have. */
export const NO_PASSWORD_ARGUMENT = {
  '--password':
    'A password is no argument: every user of this machine could read it. Use --generate, or --password-stdin.',
} as const

interface NewPassword {
  password: string
  /** The password, if it was generated and must be shown. */
  shownOnce: Record<string, string>
}

/**
 * Chooses the source of a new password, and checks that this source is available.
 *
 * @returns A function that reads the password; it throws `CommandError` when the password is empty,
 *   or the two that were typed differ.
 * @throws {UsageError} When there is no terminal, or two sources are named.
 */
export function passwordSource({ passwordStdin, generate }: Given<typeof PASSWORD_OPTIONS>) {
  if (passwordStdin && generate) {
    throw new UsageError('Use either --password-stdin or --generate, not both.')
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
    throw new CommandError('The password is empty or not valid Unicode: nothing was changed.')
  }
  checkPasswordLength(password)
  return { password, shownOnce: {} }
}

/** Asks twice on the terminal, without showing the password. */
async function askTwice(): Promise<string> {
  const password = await ask('New password')
  if (password !== (await ask('Repeat the password'))) {
    throw new CommandError('The two passwords differ: nothing was changed.')
  }
  return password
}

async function ask(message: string): Promise<string> {
  const { default: prompt } = await import('@inquirer/password')
  try {
    // On stderr, because programs read standard output.
    return await prompt({ message, toggleMask: false }, { output: process.stderr })
  } catch {
    throw new CommandError('Cancelled: nothing was changed.')
  }
}
