import { Command, CommanderError } from 'commander'
import { VERSION } from '../settings/defaults.ts'
import { runCommand } from './command-error.ts'
import { addGlobalOptions } from './global-options.ts'

type AddCommands = (program: Command, group: Command) => void

/**
 * The commands, most of them groups; each is loaded when it is asked for, because D1's tools take a
 * second.
 */
const groups: Record<string, { description: string; load: () => Promise<AddCommands> }> = {
  user: {
    description: 'accounts: who may sign in, and what they may do',
    load: async () => (await import('./operator/user.ts')).addUserCommands,
  },
  '2fa': {
    description: 'two-step verification',
    load: async () => (await import('./operator/two-factor.ts')).addTwoFactorCommands,
  },
  session: {
    description: 'where users are signed in',
    load: async () => (await import('./operator/session.ts')).addSessionCommands,
  },
  key: {
    description: 'SSH keys of users',
    load: async () => (await import('./operator/key.ts')).addKeyCommands,
  },
  setting: {
    description: 'what the site is called, how it looks, what it allows',
    load: async () => (await import('./operator/setting.ts')).addSettingCommands,
  },
  'service-token': {
    description: 'credentials with which SFTP servers ask for keys',
    load: async () => (await import('./operator/service-token.ts')).addServiceTokenCommands,
  },
  event: {
    description: 'what happened; kept for 90 days',
    load: async () => (await import('./operator/event.ts')).addEventCommands,
  },
  doctor: {
    description: 'looks at everything a site needs; one line each, with what mends it',
    load: async () => (await import('./operator/doctor.ts')).addDoctorCommand,
  },
  backup: {
    description: 'copies all data of the local site into one file, while it runs or not',
    load: async () => (await import('./operator/backup.ts')).addBackupCommand,
  },
  restore: {
    description: 'makes a local site from such a copy',
    load: async () => (await import('./operator/restore.ts')).addRestoreCommand,
  },
  import: {
    description: 'moves a site in from OpenList or AList: data.db, or a backup in JSON',
    load: async () => (await import('./import/command.ts')).addImportCommand,
  },
}

/** `npm run latchkey -- <command>`: for whoever runs the site. */
function createProgram(): Command {
  const program = new Command('latchkey')
    .description('Runs a Latchkey site from the command line.')
    // No -V: it would take the id of a session that begins so for itself.
    .version(VERSION, '--version')
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()
    .addHelpText('after', '\nExample:\n  npm run latchkey -- user add alice --generate')
    .hook('preSubcommand', async (_, group) => {
      const add = await groups[group.name()]?.load()
      add?.(program, group)
    })
  addGlobalOptions(program)
  for (const [name, { description }] of Object.entries(groups)) {
    program.command(name).description(description)
  }
  return program
}

export async function runProgram(argv: readonly string[]): Promise<void> {
  await runCommand(async () => {
    try {
      await createProgram().parseAsync(argv)
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      // Commander has said already what is wrong with the command line.
      if (error.exitCode !== 0) process.exitCode = 2
    }
  })
}
