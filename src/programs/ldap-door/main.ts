import { parseArgs } from 'node:util'
import { DoorError, runDoor } from './door.ts'
import { OptionError, OPTIONS, readOptions } from './options.ts'

/** The door as one file, without the other commands (`npm run build:ldap`). */
try {
  const { values } = parseArgs({ options: optionTypes(), strict: true })
  if (values['help'] === true) console.log(help())
  else await runDoor(readOptions(toCamel(values), process.env))
} catch (error) {
  const isUsage = error instanceof OptionError || isParseError(error)
  if (!isUsage && !(error instanceof DoorError)) throw error
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = isUsage ? 2 : 1
}

function optionTypes() {
  const types = OPTIONS.map(([flags]) => {
    const name = nameOf(flags)
    const type = flags.includes('<') ? ('string' as const) : ('boolean' as const)
    return [name, { type, multiple: name === 'listen' }] as const
  })
  return Object.fromEntries([...types, ['help', { type: 'boolean' as const, multiple: false }]])
}

function nameOf(flags: string): string {
  return flags.replace(/^--/, '').replace(/ .*$/, '')
}

function toCamel(values: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}

function isParseError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE')
}

function help(): string {
  const lines = OPTIONS.map(([flags, description]) => `  ${flags.padEnd(26)}${description}`)
  return ['Usage: node latchkey-ldap.mjs --site <url> [options]', '', ...lines].join('\n')
}
