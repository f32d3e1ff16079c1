import { type Command, Option } from 'commander'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { changeUser, createUser, type UserRequest } from '../../../users/manage-users.ts'
import type { PermissionChange } from '../../../users/store.ts'
import { basePathSchema, ssoIdSchema } from '../../../accounts/fields.ts'
import { usernameSchema } from '../../../accounts/username.ts'
import { UsageError } from '../../shared/command-error.ts'
import { listClients } from '../../../openid/clients.ts'
import { lookUpUser, USER_ARGUMENT, withNameExplained } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { parsed } from '../../shared/parsed.ts'
import { addPasswordOptions, type PasswordOptions, passwordSource } from './password.ts'
import { parsePermission, PERMISSION_LIST } from '../../shared/permission.ts'
import { ROLES } from '../../shared/role.ts'
import { latchkey, userWord } from '../../shared/printed-command.ts'

const PERMISSIONS = ['Permissions', PERMISSION_LIST] as const

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

const PERMISSION_HELP =
  'the names of all permissions, or +name and -name to add and to remove some; also all, none'

/** @param withoutPermission What follows without `--permission`, for the help. */
function addFieldOptions(command: Command, withoutPermission = ''): Command {
  return command
    .addOption(new Option('--role <role>', 'the role of the user').choices(Object.keys(ROLES)))
    .option('--permission <names>', `${PERMISSION_HELP}${withoutPermission}`, parsePermission)
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
  const add = addPasswordOptions(addFieldOptions(user.command('add'), ' (default: none)'))
  addHelp(add, {
    section: PERMISSIONS,
    examples: [
      'user add alice --generate --permission webdav-read,sftp-read',
      'user add bob --role admin',
    ],
  })
    .argument('<name>', 'the user name', parsed(usernameSchema))
    .description('creates a user')
    .option(
      '--without-password',
      'create the user without a password; the user can not sign in yet',
    )
    .option('--disabled', 'create the user disabled; the user can not sign in until enabled')
    .action((username: string, options: AddOptions) => {
      const { withoutPassword = false, generate = false, passwordStdin = false } = options
      if (withoutPassword && (generate || passwordStdin))
        throw new UsageError(
          `Use either --without-password or ${generate ? '--generate' : '--password-stdin'}, not both.`,
        )
      const readPassword = withoutPassword ? undefined : passwordSource(options)
      return onSite(program, async (site, output) => {
        const given = await readPassword?.(site)
        const { permission, ...fields } = fieldsOf(options)
        const fresh = {
          ...fields,
          permission: typeof permission === 'object' ? permission.set : (permission ?? 0),
          disabled: options.disabled ?? false,
          username,
          ...(given !== undefined && { password: given.password }),
        }
        const id = await withNameExplained(site, username, 0, () =>
          createUser(site, COMMAND_LINE, fresh),
        )
        const isBare = permission === undefined && fields.role === undefined
        const hint = isBare
          ? `, without permissions: ${latchkey('user', 'set', userWord({ id, username }), '--permission', '+sftp-read')}`
          : '.'
        output.done(`Created ${username} (id ${id})${hint}`, { id, username }, given?.shownOnce)
      })
    })
}

/** `latchkey user set` */
export function addUserSetCommand(program: Command, user: Command): void {
  addHelp(addFieldOptions(user.command('set')), {
    section: PERMISSIONS,
    examples: ['user set alice --permission +sftp-write,-remove', 'user set alice --role admin'],
  })
    .argument('<user>', USER_ARGUMENT)
    .description('changes fields of a user')
    .option('--name <name>', 'a new user name', parsed(usernameSchema))
    .action((name: string, { name: newName, ...options }: FieldOptions & { name?: string }) => {
      const fields = fieldsOf(options)
      const change = { ...fields, ...(newName !== undefined && { username: newName }) }
      if (Object.keys(change).length === 0) {
        throw new UsageError('There is nothing to change: name a field, for example --role admin.')
      }
      return onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        await withNameExplained(site, newName ?? username, id, () =>
          changeUser(site, COMMAND_LINE, id, change),
        )
        const now = newName === undefined ? '' : `; the user name is now ${newName}`
        const isRenamed = newName !== undefined && newName !== username
        const programs = isRenamed ? await listClients(site, COMMAND_LINE) : []
        const warning =
          programs.length === 0
            ? ''
            : ` ${programs.map((one) => one.name).join(', ')} will take it for another account.`
        output.done(`Changed ${username}${now}.${warning}`, { id, username: newName ?? username })
      })
    })
}
