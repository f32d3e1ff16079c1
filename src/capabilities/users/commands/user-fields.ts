import { InvalidArgumentError } from 'commander'
import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { changeUser, createUser, type UserRequest } from '../manage-users.ts'
import { parseDay } from '../../../core/base/calendar.ts'
import { parseTime } from '../../../core/base/time.ts'
import { changeDetails } from '../details.ts'
import { basePathSchema, ssoIdSchema } from '../../../core/accounts/fields.ts'
import { usualFolder } from '../../../core/accounts/usual-folder.ts'
import { ADMIN } from '../../../core/accounts/roles.ts'
import { usernameSchema } from '../../../core/accounts/username.ts'
import { BASE_PATH_TEXT } from '../../../programs/kit/base-path.ts'
import { UsageError } from '../../../programs/kit/command-error.ts'
import { loadPartsOfUser } from './parts-of-user.ts'
import { USER, withNameExplained } from '../../../programs/site/find-user.ts'
import { choice, type Given, takes } from '../../../programs/kit/declaration.ts'
import type { Text } from '../../../programs/kit/help.ts'
import { findFileServer } from '../../../programs/site/file-server.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import { parseAddress } from '../../../programs/kit/email.ts'
import { readMail } from '../../../programs/site/mail-site.ts'
import { parsed } from '../../../programs/kit/parsed.ts'
import { NO_PASSWORD_ARGUMENT, PASSWORD_OPTIONS, passwordSource } from './password.ts'
import { parsePermission, PERMISSION_LIST } from '../../../programs/kit/permission.ts'
import { ROLES } from '../../../programs/kit/role.ts'
import { latchkey, userWord } from '../../../programs/kit/printed-command.ts'

const SECTION = [['Permissions:', '权限：'], PERMISSION_LIST] as const

const PERMISSION_TEXT: Text = [
  'a level such as write, the names of all permissions, or +name and -name to add and to remove some; also all, none',
  '级别，例如 write（读写）；全部权限的名称；或用 +名称、-名称 增加、去除个别权限；也可以是 all（全部）、none（无）',
]

/** The options that name a field. */
const FIELDS = {
  role: choice('--role <role>', 'the role of the user', '用户的角色', ['general', 'admin']),
  permission: takes('--permission <names>', ...PERMISSION_TEXT, parsePermission),
  basePath: takes(
    '--base-path <path>',
    'the folder that is the root for the user; {username} becomes the name',
    '用户的根文件夹；{username} 会换成账户名',
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
    basePath: takes('--base-path <path>', ...BASE_PATH_TEXT, parsed(basePathSchema)),
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
  instead: NO_PASSWORD_ARGUMENT,
  examples: ['user add alice --generate --permission write', 'user add bob --role admin'],
  before({ withoutPassword, generate, passwordStdin }) {
    if (withoutPassword && (generate || passwordStdin))
      throw new UsageError(
        `Use either --without-password or ${generate ? '--generate' : '--password-stdin'}, not both.`,
      )
    return withoutPassword ? undefined : passwordSource({ generate, passwordStdin })
  },
  async run(site, { username, disabled, ...options }, { output, remote }, readPassword) {
    const given = await readPassword?.(site)
    const { permission, ...fields } = fieldsOf(options)
    const fresh = {
      ...fields,
      basePath: fields.basePath ?? (await folderOfNew(remote, fields.role)),
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

/** Returns the base path of a new user where the command names none: an admin sees everything. */
async function folderOfNew(isRemote: boolean, role: number | undefined): Promise<string> {
  if (role === ADMIN) return '/'
  const files = await findFileServer(isRemote)
  return usualFolder({ fileServer: () => files })
}

/** @returns Unix time, milliseconds, or `never`: commander would replace null. */
function parseEnd(text: string): number | 'never' {
  if (text === 'never') return text
  const time = parseDay(text) ?? parseTime(text)
  if (time !== undefined) return time
  throw new InvalidArgumentError(
    'It must be a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or never.',
  )
}

/** `latchkey user set` */
export const setUser = onSite({
  about: 'changes fields of a user',
  zh: '修改用户的资料',
  takes: {
    user: USER,
    ...FIELDS,
    newName: takes('--name <name>', 'a new user name', '新的用户名', parsed(usernameSchema)),
    email: takes(
      '--email <address>',
      'the e-mail address, which only the user can confirm; none removes it',
      '邮箱地址，只有用户自己可以确认；none 表示删除',
      (text: string) => (text === 'none' ? '' : parseAddress(text)),
    ),
    ends: takes(
      '--ends <date>',
      'when the account ends: a date such as 2027-01-31 (0:00 UTC), a time such as 2027-01-31T12:00:00Z, or never',
      '账户何时到期：日期，例如 2027-01-31（0:00 UTC）；时间，例如 2027-01-31T12:00:00Z；或 never（永不）',
      parseEnd,
    ),
  },
  section: SECTION,
  examples: [
    'user set alice --permission +sftp-write,-remove',
    'user set alice --role admin',
    "user set alice --base-path '/homes/{username}'",
    'user set alice --email alice@example.org --ends 2027-01-31',
  ],
  before({ newName, email, ends, ...options }) {
    const change = { ...fieldsOf(options), ...(newName !== undefined && { username: newName }) }
    const details = {
      ...(email !== undefined && { email }),
      ...(ends !== undefined && { endsAt: ends === 'never' ? null : ends }),
    }
    if (Object.keys({ ...change, ...details }).length > 0) return { change, details }
    throw new UsageError('There is nothing to change: name a field, for example --role admin.')
  },
  async run(site, { user: { id, username }, newName }, { remote, output }, { change, details }) {
    // First: who becomes an admin must have no end.
    if (Object.keys(details).length > 0) {
      const deps = { ...site, ...(await readMail(remote)) }
      await changeDetails(deps, COMMAND_LINE, id, details, 'en')
    }
    if (Object.keys(change).length > 0)
      await withNameExplained(site, newName ?? username, id, () =>
        changeUser(site, COMMAND_LINE, id, change),
      )
    const now = newName === undefined ? '' : `; the user name is now ${newName}`
    const isRenamed = newName !== undefined && newName !== username
    const parts = isRenamed ? await loadPartsOfUser() : []
    const known = await Promise.all(
      parts.map(async ({ programs }) => (await programs?.(site)) ?? []),
    )
    const programs = known.flat()
    const warning =
      programs.length === 0 ? '' : ` ${programs.join(', ')} will take it for another account.`
    output.done(`Changed ${username}${now}.${warning}`, { id, username: newName ?? username })
  },
})
