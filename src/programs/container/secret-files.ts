import { readFileSync } from 'node:fs'
import { codeOf, CommandError } from '../kit/command-error.ts'

const SECRETS = ['SECRET_KEYS', 'ADMIN_PASSWORD', 'FILES_TOKEN', 'FILES_HEADERS', 'SMTP_URL']

/**
 * Puts secrets that stand in files (`FILES_TOKEN_FILE=/run/secrets/token`) into the environment of
 * this process, without the line end of the file.
 *
 * @throws {CommandError} When both are set, or a file can't be read or is empty.
 */
export function readSecretFiles(env: Record<string, string | undefined>): void {
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    if (env[name])
      throw new CommandError(`${name} and ${name}_FILE are both set: keep one of them.`)
    const text = readText(file, name).replace(/\r?\n$/, '')
    if (text === '') throw new CommandError(`${name}_FILE names an empty file: ${file}.`)
    env[name] = text
  }
}

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(
      `Can't read ${file} (${name}_FILE) as the user ${process.getuid?.() ?? ''}: ${codeOf(error)}.`,
    )
  }
}
