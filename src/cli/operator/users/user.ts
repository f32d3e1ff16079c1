import type { Command } from 'commander'
import { unlockUser } from '../../../users/unlock.ts'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { changeUser, listUsers, removeUser } from '../../../users/manage-users.ts'
import type { UserGroup } from '../../../users/store.ts'
import { confirm, needTerminal } from '../../shared/confirm.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { addPageOptions, type PageOptions } from '../../shared/paging.ts'
import { addUserAddCommand, addUserSetCommand } from './user-fields.ts'
import { addUserExportCommand, whatStays } from './user-export.ts'
import { addUserPasswordCommand } from './user-password.ts'
import { addUserShowCommand } from './user-show.ts'
import { fullUserRecord, userText } from './user-text.ts'

const COLUMNS = ['id', 'username', 'role', 'permission', 'base_path', 'second_factor', 'disabled']

/** `latchkey user …`: manages accounts. */
export function addUserCommands(program: Command, user: Command): void {
  addListCommand(program, user)
  addUserShowCommand(program, user)
  addUserAddCommand(program, user)
  addUserSetCommand(program, user)
  addUserPasswordCommand(program, user)
  addAbilityCommands(program, user)
  addUnlockCommand(program, user)
  addUserExportCommand(program, user)
  addDeleteCommand(program, user)
}

interface ListOptions extends PageOptions {
  search?: string
  admins?: boolean
  disabled?: boolean
  /** `--without-2fa` */
  without2fa?: boolean
}

function addListCommand(program: Command, user: Command): void {
  const list = addPageOptions(user.command('list'))
    .description('lists users; several conditions together narrow the list')
    .option('--search <text>', 'only users whose name contains this, in upper or lower case')
    .option('--admins', 'only admins')
    .option('--disabled', 'only disabled users')
    .option('--without-2fa', 'only users without a second factor: authenticator app or passkey')
    .action(({ page, limit, search, admins, disabled, without2fa }: ListOptions) =>
      onSite(program, async (site, output) => {
        const groups: UserGroup[] = [
          ...(admins ? (['admins'] as const) : []),
          ...(disabled ? (['disabled'] as const) : []),
          ...(without2fa ? (['without-two-factor'] as const) : []),
        ]
        const filter = { ...(search !== undefined && { search }), groups }
        const { users, total } = await listUsers(site, COMMAND_LINE, page, limit, filter)
        output.list(
          COLUMNS,
          { content: users.map(fullUserRecord), total },
          'No users found.',
          users.map(userText),
        )
      }),
    )
  addHelp(list, {
    examples: ['user list --search ali', 'user list --admins --without-2fa'],
  })
}

function addAbilityCommands(program: Command, user: Command): void {
  for (const [verb, disabled, what] of [
    ['disable', true, 'disables a user, and ends all sessions of the user'],
    ['enable', false, 'enables a user who was disabled'],
  ] as const) {
    addHelp(user.command(verb), { examples: [`user ${verb} alice`] })
      .argument('<user>', USER_ARGUMENT)
      .description(what)
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
  addHelp(user.command('unlock'), {
    notes: 'A network with failed sign-ins to many accounts stays blocked for its five minutes.',
    examples: ['user unlock alice'],
  })
    .argument('<user>', USER_ARGUMENT)
    .description('forgets the failed sign-ins of a user, so that the user can try again at once')
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
  addHelp(user.command('delete'), { examples: ['user delete alice', 'user delete alice --yes'] })
    .argument('<user>', USER_ARGUMENT)
    .description('deletes a user with all keys and sessions; this can not be undone')
    .option('--yes', 'do not ask')
    .action((name: string, { yes = false }: { yes?: boolean }) => {
      if (!yes) needTerminal()
      return onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const stays = await whatStays(site)
        if (!yes)
          await confirm(
            `${stays.sentence}\nDelete ${username} (id ${id}) with all keys and sessions?`,
          )
        await removeUser(site, COMMAND_LINE, id)
        const done = `Deleted ${username} (id ${id}). ${stays.sentence}`
        output.done(done, { id, username, events_kept_days: stays.days })
      })
    })
}
