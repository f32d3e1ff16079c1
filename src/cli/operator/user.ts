import type { Command } from 'commander'
import { unlockUser } from '../../users/unlock.ts'
import { listKeysOf, removeKeysOf } from '../../ssh-keys/keys.ts'
import { keyRecords } from '../../ssh-keys/record.ts'
import { COMMAND_LINE } from '../../access/operators.ts'
import { changeUser, listUsers, removeUser } from '../../users/manage-users.ts'
import { userRecord } from '../../users/record.ts'
import { agrees, confirm, needTerminal } from './confirm.ts'
import { lookUpUser, USER_ARGUMENT } from './find-user.ts'
import type { GlobalOptions } from '../global-options.ts'
import { onSite } from './on-site.ts'
import type { Output } from './output.ts'
import { addPageOptions, type PageOptions } from './paging.ts'
import { addPasswordOptions, type PasswordOptions, passwordSource } from './password.ts'
import type { Site } from '../site.ts'
import { addUserAddCommand, addUserSetCommand } from './user-fields.ts'
import { addUserShowCommand } from './user-show.ts'

const COLUMNS = ['id', 'username', 'role', 'permission', 'base_path', 'otp', 'disabled']

/** `latchkey user …`: manages accounts. */
export function addUserCommands(program: Command, user: Command): void {
  addListCommand(program, user)
  addUserShowCommand(program, user)
  addUserAddCommand(program, user)
  addUserSetCommand(program, user)
  addPasswordCommand(program, user)
  addAbilityCommands(program, user)
  addUnlockCommand(program, user)
  addDeleteCommand(program, user)
}

function addListCommand(program: Command, user: Command): void {
  addPageOptions(user.command('list'))
    .description('lists all users')
    .addHelpText('after', '\nExample:\n  latchkey user list --limit 20')
    .action(({ page, limit }: PageOptions) =>
      onSite(program, async (site, output) => {
        const { users, total } = await listUsers(site, COMMAND_LINE, page, limit)
        output.list(
          COLUMNS,
          { content: users.map(userRecord), total },
          'There are no users on this page.',
        )
      }),
    )
}

function addPasswordCommand(program: Command, user: Command): void {
  addPasswordOptions(user.command('password'))
    .argument('<user>', USER_ARGUMENT)
    .description('sets a new password, and ends all sessions of the user')
    .option('--delete-keys', 'also delete the SSH keys of the user')
    .addHelpText(
      'after',
      '\nWithout an option, the command asks for the password and does not show it. SSH keys still work with a\nnew password: the command lists them, and on a terminal it asks whether to delete them.\n\nExample:\n  latchkey user password alice --generate',
    )
    .action((name: string, options: PasswordOptions & { deleteKeys?: boolean }) => {
      const readPassword = passwordSource(options)
      return onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const { password, shownOnce } = await readPassword(site)
        await changeUser(site, COMMAND_LINE, id, { password })
        const deleted = options.deleteKeys ? await removeKeysOf(site, COMMAND_LINE, id) : 0
        const { keys } = await listKeysOf(site, COMMAND_LINE, id)
        const record = {
          id,
          username,
          deleted_keys: deleted,
          keys: keys.map((key) => String(key.id)),
        }
        const gone = deleted === 0 ? '' : ` Deleted ${countOf(deleted)}.`
        const done = `Set a new password for ${username}; all sessions have ended.${gone}`
        output.done(done, record, shownOnce)
        if (keys.length > 0 && !program.opts<GlobalOptions>().json)
          await offerToDelete(site, output, { id, username }, keys)
      })
    })
}

const KEY_COLUMNS = ['id', 'title', 'fingerprint', 'added_time']

/** Lists the keys that still work after a new password, and deletes them if the operator agrees. */
async function offerToDelete(
  site: Site,
  output: Output,
  { id, username }: { id: number; username: string },
  keys: Awaited<ReturnType<typeof listKeysOf>>['keys'],
): Promise<void> {
  console.error(`\n${countOf(keys.length)} of ${username} still give access to the files:`)
  output.list(KEY_COLUMNS, { content: keyRecords(keys), total: keys.length }, '')
  if (!process.stdin.isTTY)
    return console.error(`Delete one with: latchkey key delete ${username} ${keys[0]?.id}`)
  if (!(await agrees(`Delete ${countOf(keys.length)}?`))) return
  const deleted = await removeKeysOf(site, COMMAND_LINE, id)
  output.done(`Deleted ${countOf(deleted)} of ${username}.`, { id, username })
}

function countOf(keys: number): string {
  return keys === 1 ? '1 SSH key' : `${keys} SSH keys`
}

function addAbilityCommands(program: Command, user: Command): void {
  for (const [verb, disabled, what] of [
    ['disable', true, 'disables a user, and ends all sessions of the user'],
    ['enable', false, 'enables a user who was disabled'],
  ] as const) {
    user
      .command(`${verb} <user>`)
      .description(what)
      .addHelpText('after', `\nExample:\n  latchkey user ${verb} alice`)
      .action((name: string) =>
        onSite(program, async (site, output) => {
          const { id, username } = await lookUpUser(site, name)
          await changeUser(site, COMMAND_LINE, id, { disabled })
          const done = disabled ? `Disabled ${username}; all sessions have ended.` : undefined
          output.done(done ?? `Enabled ${username}.`, { id, username, disabled })
        }),
      )
  }
}

function addUnlockCommand(program: Command, user: Command): void {
  user
    .command('unlock')
    .argument('<user>', USER_ARGUMENT)
    .description('forgets the failed sign-ins of a user, so that the user can try again at once')
    .addHelpText(
      'after',
      '\nA network with failed sign-ins to many accounts stays blocked for its five minutes.\n\nExample:\n  latchkey user unlock alice',
    )
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const counters = await unlockUser(site, COMMAND_LINE, id)
        const done =
          counters === 0 ? `${username} had no failed sign-ins.` : `Unlocked ${username}.`
        output.done(done, { id, username, counters })
      }),
    )
}

function addDeleteCommand(program: Command, user: Command): void {
  user
    .command('delete')
    .argument('<user>', USER_ARGUMENT)
    .description('deletes a user with all keys and sessions; this can not be undone')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  latchkey user delete alice --yes')
    .action((name: string, { yes = false }: { yes?: boolean }) => {
      if (!yes) needTerminal()
      return onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        if (!yes) await confirm(`Delete ${username} (id ${id}) with all keys and sessions?`)
        await removeUser(site, COMMAND_LINE, id)
        output.done(`Deleted ${username} (id ${id}).`, { id, username })
      })
    })
}
