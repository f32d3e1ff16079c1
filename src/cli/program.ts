import { Command, CommanderError } from 'commander'
import { VERSION } from '../settings/defaults.ts'
import { terminalJson, visibleLines } from '../base/text.ts'
import { isJson, runCommand } from './shared/command-error.ts'
import { addHelp, HELP_CONFIGURATION } from './shared/help.ts'
import { addGlobalOptions } from './shared/global-options.ts'

type AddCommands = (program: Command, group: Command) => void

/**
 * The commands, most of them groups. Each is loaded when it is used, because loading D1's tools
 * takes a second.
 */
const groups: Record<string, { description: string; load: () => Promise<AddCommands> }> = {
  user: {
    description: 'manages accounts: who may sign in, and what they may do',
    load: async () => (await import('./operator/users/user.ts')).addUserCommands,
  },
  '2fa': {
    description: 'manages two-step verification',
    load: async () => (await import('./operator/two-factor/two-factor.ts')).addTwoFactorCommands,
  },
  session: {
    description: 'lists and ends the sessions of users',
    load: async () => (await import('./operator/sessions/session.ts')).addSessionCommands,
  },
  key: {
    description: 'lists, adds and deletes the SSH keys of users',
    load: async () => (await import('./operator/ssh-keys/key.ts')).addKeyCommands,
  },
  passkey: {
    description: 'lists and deletes the passkeys of users',
    load: async () => (await import('./operator/passkeys/passkey.ts')).addPasskeyCommands,
  },
  identity: {
    description: 'lists and unlinks the accounts of users at identity providers',
    load: async () => (await import('./operator/sso/identity.ts')).addIdentityCommands,
  },
  setting: {
    description: 'shows and changes the settings of the site: title, appearance, features',
    load: async () => (await import('./operator/settings/setting.ts')).addSettingCommands,
  },
  sso: {
    description: 'tests single sign-on with an identity provider',
    load: async () => (await import('./operator/sso/sso.ts')).addSsoCommands,
  },
  token: {
    description: 'manages app passwords, with which programs of users sign in',
    load: async () => (await import('./operator/app-passwords/token.ts')).addTokenCommands,
  },
  'service-token': {
    description: 'manages the tokens with which servers ask about users',
    load: async () =>
      (await import('./operator/app-passwords/service-token.ts')).addServiceTokenCommands,
  },
  client: {
    description: 'manages the programs that sign users in through this site (OpenID Connect)',
    load: async () => (await import('./operator/openid/client.ts')).addClientCommands,
  },
  ldap: {
    description: 'answers LDAP for programs that ask it who a user is',
    load: async () => (await import('./ldap/command.ts')).addLdapCommand,
  },
  'signing-key': {
    description: 'manages the keys that sign ID tokens of programs',
    load: async () => (await import('./operator/openid/signing-key.ts')).addSigningKeyCommands,
  },
  files: {
    description: 'checks the file server behind the site (OpenList), and links users to its users',
    load: async () => (await import('./operator/files/files.ts')).addFilesCommands,
  },
  'reserved-name': {
    description: 'manages the names that accounts had, which nobody else may get',
    load: async () => (await import('./operator/users/reserved-name.ts')).addReservedNameCommands,
  },
  notice: {
    description: 'manages where notices are sent: ntfy, Slack, e-mail and others',
    load: async () => (await import('./operator/notices/notice.ts')).addNoticeCommands,
  },
  event: {
    description: 'lists and exports events',
    load: async () => (await import('./operator/activity/event.ts')).addEventCommands,
  },
  doctor: {
    description: 'checks everything that a site needs; says how to fix what is wrong',
    load: async () => (await import('./operator/doctor/doctor.ts')).addDoctorCommand,
  },
  backup: {
    description: 'copies all data of the local site into one file; the site may be running',
    load: async () => (await import('./operator/backup/backup.ts')).addBackupCommand,
  },
  restore: {
    description: 'creates a local site from a backup',
    load: async () => (await import('./operator/backup/restore.ts')).addRestoreCommand,
  },
  import: {
    description:
      'imports a site from OpenList, AList, OpenList-Worker or Latchkey: a database, or a backup in JSON',
    load: async () => (await import('./import/command.ts')).addImportCommand,
  },
  completion: {
    description: 'prints a script with which bash, zsh or fish completes commands',
    load: async () => (await import('./operator/completion/completion.ts')).addCompletionCommand,
  },
}

/** Creates the program with all commands loaded, for shells that complete them. */
export async function createWholeProgram(): Promise<Command> {
  const program = createProgram()
  for (const group of program.commands) await loadGroup(program, group)
  return program
}

async function loadGroup(program: Command, group: Command): Promise<void> {
  const add = await groups[group.name()]?.load()
  add?.(program, group)
}

/** What is wrong with the command line, as text or as JSON. */
function explained(error: string): string {
  const text = error.trimEnd()
  return isJson() ? terminalJson({ error: text.replace(/^error: /, '') }) : visibleLines(text)
}

/** `npm run latchkey -- <command>`: the commands for operators. */
function createProgram(): Command {
  const program = new Command('latchkey')
    .description('Manages a Latchkey site from the command line.')
    // No -V: the id of a session can begin with it.
    .version(VERSION, '--version')
    .configureHelp(HELP_CONFIGURATION)
    .helpCommand(false)
    .showHelpAfterError(isJson() ? false : '(--help lists the commands and options)')
    .configureOutput({ outputError: (text, write) => write(`${explained(text)}\n`) })
    .exitOverride()
  addHelp(program, { examples: ['user add alice --generate', 'doctor'] })
  addGlobalOptions(program)
  for (const [name, { description }] of Object.entries(groups)) {
    program.command(name).description(description)
  }
  return program
}

export async function runProgram(argv: readonly string[]): Promise<void> {
  await runCommand(async () => {
    try {
      const program = createProgram()
      await program.hook('preSubcommand', loadGroup).parseAsync(argv)
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      // Commander has already printed what is wrong with the command line.
      if (error.exitCode !== 0) process.exitCode = 2
    }
  })
}
