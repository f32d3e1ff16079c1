import type { Command } from 'commander'
import { CommandError, UsageError } from '../shared/command-error.ts'
import { addHelp } from '../shared/help.ts'
import { DoorError, runDoor } from './door.ts'
import { OptionError, OPTIONS, readOptions, type WrittenOptions } from './options.ts'

/** `latchkey ldap`: answers LDAP for programs beside this machine's file server. */
export function addLdapCommand(_program: Command, ldap: Command): void {
  for (const [flags, description] of OPTIONS) {
    if (flags.startsWith('--listen')) ldap.option(flags, description, collect)
    else ldap.option(flags, description)
  }
  addHelp(ldap, {
    examples: ['ldap --site https://accounts.example.org --token-file /etc/latchkey-ldap.token'],
  }).action(async (options: WrittenOptions) => {
    try {
      await runDoor(readOptions(options, process.env))
    } catch (error) {
      if (error instanceof OptionError) throw new UsageError(error.message, { cause: error })
      if (error instanceof DoorError) throw new CommandError(error.message, { cause: error })
      throw error
    }
  })
}

function collect(value: string, others: string[] = []): string[] {
  return [...others, value]
}
