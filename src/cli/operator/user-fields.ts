import { type Command, Option } from 'commander'
import { COMMAND_LINE } from '../../access/operators.ts'
import { changeUser, createUser, type UserRequest } from '../../users/manage-users.ts'
import type { PermissionChange } from '../../users/store.ts'
import { basePathSchema, ssoIdSchema } from '../../accounts/fields.ts'
import { ADMIN, GENERAL } from '../../accounts/roles.ts'
import { usernameSchema } from '../../accounts/username.ts'
import { UsageError } from '../command-error.ts'
import { lookUpUser, USER_ARGUMENT } from './find-user.ts'
import { onSite } from './on-site.ts'
import { parsed } from './parsed.ts'
import { addPasswordOptions, type PasswordOptions, passwordSource } from './password.ts'
import { parsePermission, PERMISSION_HELP } from './permission.ts'

const ROLES = { general: GENERAL, admin: ADMIN }

/** The options that name a field, as commander parses them. */
interface FieldOptions {
  role?: keyof typeof ROLES
  permission?: number | PermissionChange
  basePath?: string
  ssoId?: string
}

interface AddOptions extends FieldOptions, PasswordOptions {
  withoutPassword?: boolean
  disabled?: boolean
}

function addFieldOptions(command: Command): Command {
  return command
    .addOption(new Option('--role <role>', 'the role of the user').choices(Object.keys(ROLES)))
    .option('--permission <bits>', 'a number, or names to add and to remove', parsePermission)
    .option(
      '--base-path <path>',
      'the folder that is the root for the user',
      parsed(basePathSchema),
    )
    .option(
      '--sso-id <id>',
      'the id of the user at the single sign-on provider',
      parsed(ssoIdSchema),
    )
}

/** Returns the fields that the options name. */
function fieldsOf({ role, permission, basePath, ssoId }: FieldOptions): UserRequest {
  return {
    ...(role !== undefined && { role: ROLES[role] }),
    ...(permission !== undefined && { permission }),
    ...(basePath !== undefined && { basePath }),
    ...(ssoId !== undefined && { ssoId }),
  }
}

/** `latchkey user add` */
export function addUserAddCommand(program: Command, user: Command): void {
  addPasswordOptions(addFieldOptions(user.command('add')))
    .argument('<name>', 'the user name', parsed(usernameSchema))
    .description('creates a user')
    .option(
      '--without-password',
      'create the user without a password; the user can not sign in yet',
    )
    .option('--disabled', 'create the user disabled; the user can not sign in until enabled')
    .addHelpText(
      'after',
      `${PERMISSION_HELP}\n\nExample:\n  latchkey user add alice --generate --permission +webdav-read,+sftp-read`,
    )
    .action((username: string, options: AddOptions) => {
      const readPassword = options.withoutPassword ? undefined : passwordSource(options)
      return onSite(program, async (site, output) => {
        const given = await readPassword?.(site)
        const { permission, ...fields } = fieldsOf(options)
        const id = await createUser(site, COMMAND_LINE, {
          ...fields,
          permission: typeof permission === 'object' ? permission.set : (permission ?? 0),
          disabled: options.disabled ?? false,
          username,
          ...(given !== undefined && { password: given.password }),
        })
        output.done(`Created ${username} (id ${id}).`, { id, username }, given?.shownOnce)
      })
    })
}

/** `latchkey user set` */
export function addUserSetCommand(program: Command, user: Command): void {
  addFieldOptions(user.command('set'))
    .argument('<user>', USER_ARGUMENT)
    .description('changes fields of a user')
    .option('--name <name>', 'a new user name', parsed(usernameSchema))
    .addHelpText(
      'after',
      `${PERMISSION_HELP}\n\nExample:\n  latchkey user set alice --permission +sftp-write,-remove`,
    )
    .action((name: string, { name: newName, ...options }: FieldOptions & { name?: string }) => {
      const fields = fieldsOf(options)
      const change = { ...fields, ...(newName !== undefined && { username: newName }) }
      if (Object.keys(change).length === 0) {
        throw new UsageError('There is nothing to change: name a field, for example --role admin.')
      }
      return onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        await changeUser(site, COMMAND_LINE, id, change)
        const now = newName === undefined ? '' : `; the user name is now ${newName}`
        output.done(`Changed ${username}${now}.`, { id, username: newName ?? username })
      })
    })
}
