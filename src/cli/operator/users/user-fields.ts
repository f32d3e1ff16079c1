import { COMMAND_LINE } from '../../../access/operators.ts'
import { changeUser, createUser, type UserRequest } from '../../../users/manage-users.ts'
import { basePathSchema, ssoIdSchema } from '../../../accounts/fields.ts'
import { usernameSchema } from '../../../accounts/username.ts'
import { UsageError } from '../../shared/command-error.ts'
import { listClients } from '../../../openid/clients.ts'
import { USER, withNameExplained } from '../../site/find-user.ts'
import { choice, type Given, takes } from '../../shared/declaration.ts'
import type { Text } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { parsed } from '../../shared/parsed.ts'
import { PASSWORD_OPTIONS, passwordSource } from './password.ts'
import { parsePermission, PERMISSION_LIST } from '../../shared/permission.ts'
import { ROLES } from '../../shared/role.ts'
import { latchkey, userWord } from '../../shared/printed-command.ts'

const SECTION = [['Permissions:', '权限：'], PERMISSION_LIST] as const

const PERMISSION_TEXT: Text = [
  'the names of all permissions, or +name and -name to add and to remove some; also all, none',
  '全部权限的名称；或用 +名称、-名称 增加、去除个别权限；也可以是 all（全部）、none（无）',
]

/** The options that name a field. */
const FIELDS = {
  role: choice('--role <role>', 'the role of the user', '用户的角色', ['general', 'admin']),
  permission: takes('--permission <names>', ...PERMISSION_TEXT, parsePermission),
  basePath: takes(
    '--base-path <path>',
    'the folder that is the root for the user',
    '用户的根文件夹',
    parsed(basePathSchema),
  ),
  ssoId: takes(
    '--sso-id <id>',
    'the id of the user at the single sign-on provider',
    '用户在单点登录服务中的 id',
    parsed(ssoIdSchema),
  ),
}

/** Returns the fields that the options name. */
function fieldsOf({ role, permission, basePath, ssoId }: Given<typeof FIELDS>): UserRequest {
  return {
    ...(role !== undefined && { role: ROLES[role] }),
    ...(permission !== undefined && { permission }),
    ...(basePath !== undefined && { basePath }),
    ...(ssoId !== undefined && { ssoId }),
  }
}

/** `latchkey user add` */
export const addUser = onSite({
  about: 'creates a user',
  zh: '新建用户',
  takes: {
    username: takes('<name>', 'the user name', '用户名', parsed(usernameSchema)),
    ...FIELDS,
    permission: takes(
      '--permission <names>',
      `${PERMISSION_TEXT[0]} (default: none)`,
      `${PERMISSION_TEXT[1]}；默认无权限`,
      parsePermission,
    ),
    ...PASSWORD_OPTIONS,
    withoutPassword: takes(
      '--without-password',
      'create the user without a password; the user can not sign in yet',
      '不设密码，用户暂时无法登录',
    ),
    disabled: takes(
      '--disabled',
      'create the user disabled; the user can not sign in until enabled',
      '新建后先停用，启用之前用户无法登录',
    ),
  },
  section: SECTION,
  examples: [
    'user add alice --generate --permission webdav-read,sftp-read',
    'user add bob --role admin',
  ],
  before({ withoutPassword, generate, passwordStdin }) {
    if (withoutPassword && (generate || passwordStdin))
      throw new UsageError(
        `Use either --without-password or ${generate ? '--generate' : '--password-stdin'}, not both.`,
      )
    return withoutPassword ? undefined : passwordSource({ generate, passwordStdin })
  },
  async run(site, { username, disabled, ...options }, { output }, readPassword) {
    const given = await readPassword?.(site)
    const { permission, ...fields } = fieldsOf(options)
    const fresh = {
      ...fields,
      permission: typeof permission === 'object' ? permission.set : (permission ?? 0),
      disabled,
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
  },
})

/** `latchkey user set` */
export const setUser = onSite({
  about: 'changes fields of a user',
  zh: '修改用户的资料',
  takes: {
    user: USER,
    ...FIELDS,
    newName: takes('--name <name>', 'a new user name', '新的用户名', parsed(usernameSchema)),
  },
  section: SECTION,
  examples: ['user set alice --permission +sftp-write,-remove', 'user set alice --role admin'],
  before({ newName, ...options }) {
    const change = { ...fieldsOf(options), ...(newName !== undefined && { username: newName }) }
    if (Object.keys(change).length > 0) return change
    throw new UsageError('There is nothing to change: name a field, for example --role admin.')
  },
  async run(site, { user: { id, username }, newName }, { output }, change) {
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
  },
})
