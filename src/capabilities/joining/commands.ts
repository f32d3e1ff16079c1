import { COMMAND_LINE } from '../../core/access/operators.ts'
import { basePathSchema } from '../../core/accounts/fields.ts'
import { usernameSchema } from '../../core/accounts/username.ts'
import { createInvitation, listLinks, type MadeLink, withdrawLink } from './invitations.ts'
import { MAX_ACCOUNT_DAYS, MAX_USES } from './fields.ts'
import { LINK_KINDS } from './links.ts'
import { linkRecord, madeLinkRecord } from './record.ts'
import { createResetLink } from './reset-links.ts'
import { approveUser, rejectUser } from './waiting.ts'
import { explained } from '../../programs/kit/command-error.ts'
import { daysUpTo } from '../../programs/kit/days.ts'
import { choice, repeated, takes } from '../../programs/kit/declaration.ts'
import type { Output } from '../../programs/kit/output.ts'
import { countUpTo, PAGE, parseId } from '../../programs/kit/paging.ts'
import { parseAddress } from '../../programs/kit/email.ts'
import { parsed } from '../../programs/kit/parsed.ts'
import { BASE_PATH_TEXT } from '../../programs/kit/base-path.ts'
import { parsePermission } from '../../programs/kit/permission.ts'
import { USER } from '../../programs/site/find-user.ts'
import { findFileServer } from '../../programs/site/file-server.ts'
import { readMailSite, whyNoMail } from '../../programs/site/mail-site.ts'
import { onSite } from '../../programs/site/on-site.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** The site has smaller limits, for each kind of link its own. */
const MAX_DAYS = 9999
const COLUMNS = ['id', 'kind', 'state', 'name', 'username', 'email', 'uses', 'used', 'ends_at']

/** The option that names the site in a link. */
const SITE = takes(
  '--site <url>',
  'the address of the site in the link (default: SITE_ADDRESS, ISSUER, or that of npm start)',
  '链接中的站点地址（默认：SITE_ADDRESS、ISSUER 或 npm start 的地址）',
)

/** The option for when a link ends, in days. */
const EXPIRES = takes(
  '--expires <days>',
  'when the link ends, such as 7d',
  '链接何时失效，例如 7d',
  daysUpTo(MAX_DAYS, '7d'),
)

/** @returns Unix time, milliseconds; `undefined` for the default. */
function endAfter(days: number | undefined, now: number): number | undefined {
  return days === undefined ? undefined : now + days * DAY_MILLISECONDS
}

/** Prints the link alone, so that a script can use the output. The note goes to stderr. */
function showLink(output: Output, made: MadeLink, note: string | undefined, email = ''): void {
  const record = madeLinkRecord(made)
  const isMailed = made.link === ''
  output.done(isMailed ? `The invitation goes to ${email} by mail.` : made.link, record)
  if (note !== undefined && !isMailed) console.error(note)
}

const create = onSite({
  about: 'makes a link with which somebody makes an account, and prints it',
  zh: '生成可用来创建账户的邀请链接并输出',
  takes: {
    note: takes('--name <note>', 'a note, which you see in lists', '备注，显示在列表中'),
    username: takes(
      '--username <name>',
      'the name of the account; without it, the user chooses one',
      '账户名；不写则由对方选择',
      parsed(usernameSchema),
    ),
    email: takes(
      '--email <address>',
      'mail the link to this address; the account has it confirmed',
      '把链接发到此邮箱；账户的邮箱即为已确认',
      parseAddress,
    ),
    permission: takes(
      '--permission <names>',
      'the permissions of the account: a level such as read, or names, as in user add --help (default: none)',
      '账户的权限：级别，例如 read（只读），或权限名称，见 user add --help（默认：无）',
      parsePermission,
    ),
    basePath: takes('--base-path <path>', ...BASE_PATH_TEXT, parsed(basePathSchema)),
    uses: takes(
      '--uses <number>',
      'for how many accounts (default: 1)',
      '可创建多少个账户（默认：1）',
      countUpTo(MAX_USES),
    ),
    days: EXPIRES,
    accountDays: takes(
      '--account-days <number>',
      'end each account after so many days',
      '账户在多少天后到期',
      countUpTo(MAX_ACCOUNT_DAYS),
    ),
    groups: repeated(
      '--group <name>',
      'put the account into this group; can be repeated',
      '让账户加入此用户组；可以写多次',
      (name) => name,
    ),
    address: SITE,
  },
  examples: [
    'invitation create --permission webdav-read',
    'invitation create --group family --uses 5',
    "invitation create --name family --uses 5 --base-path '/homes/{username}'",
  ],
  async run(
    site,
    { note, username, email, permission, basePath, uses, days, accountDays, groups, address },
    call,
  ) {
    const { mail, address: place, note: hint } = await readMailSite(call.remote, address)
    const request = {
      name: note ?? '',
      username: username ?? '',
      email: email ?? '',
      permission: typeof permission === 'object' ? permission.set : (permission ?? 0),
      basePath,
      uses,
      endsAt: endAfter(days, site.now()),
      accountEndsAt: undefined,
      accountDays,
      groups: groups ?? [],
    }
    const where = { site: place, language: 'en' } as const
    const files = await findFileServer(call.remote)
    const deps = { ...site, ...mail, fileServer: () => files }
    const made = await explained(createInvitation(deps, COMMAND_LINE, request, where), {
      mailOff: whyNoMail(mail),
    })
    showLink(call.output, made, hint, email)
    if (made.hidden.length > 0)
      console.error(
        `Note: the base path ${made.basePath} of its accounts hides ${made.hidden.join(', ')}. For another one, delete this link and use --base-path.`,
      )
  },
})

const list = onSite({
  about:
    'lists invitations, links for new passwords and links that confirm addresses, newest first',
  zh: '列出邀请链接、重设密码链接和确认邮箱的链接，最新的在前',
  takes: {
    ...PAGE,
    kind: choice('--kind <kind>', 'only links of this kind', '只列出此类链接', LINK_KINDS),
  },
  examples: ['link list', 'link list --kind invitation'],
  async run(site, { page, limit, kind }, { output }) {
    const { links, total } = await listLinks(site, COMMAND_LINE, kind, page, limit)
    output.list(COLUMNS, { content: links.map(linkRecord), total }, 'There are no links.')
  },
})

const remove = onSite({
  about: 'withdraws a link: nobody can use it any more',
  zh: '作废一个链接，之后无人可用',
  takes: { id: takes('<id>', 'the id of the link, from the list', '列表中的链接 id', parseId) },
  examples: ['link delete 7'],
  async run(site, { id }, { output }) {
    await withdrawLink(site, COMMAND_LINE, id)
    output.done(`Link ${id} is withdrawn.`, { id })
  },
})

const resetLink = onSite({
  about: 'makes a link with which a user sets a new password, and prints it',
  zh: '生成用户可用来设置新密码的链接并输出',
  takes: {
    user: USER,
    secondFactor: takes(
      '--second-factor',
      'the link also turns off two-step verification, for a lost phone',
      '同时关闭双重验证，用于手机丢失',
    ),
    days: EXPIRES,
    address: SITE,
  },
  notes: [
    'The user and all administrators are told of the link. It ends after 24 hours, unless --expires says otherwise.',
    '用户和全部管理员都会收到通知。链接在 24 小时后失效，除非用 --expires 另行指定。',
  ],
  examples: ['user reset-link alice', 'user reset-link alice --second-factor'],
  async run(site, { user, secondFactor, days, address }, call) {
    const { mail, address: place, note } = await readMailSite(call.remote, address)
    const request = { userId: user.id, secondFactor, endsAt: endAfter(days, site.now()) }
    const where = { site: place, language: 'en' } as const
    const made = await createResetLink({ ...site, ...mail }, COMMAND_LINE, request, where)
    showLink(call.output, made, note)
  },
})

const approve = onSite({
  about: 'approves a registration: the user can sign in',
  zh: '批准注册，用户即可登录',
  takes: { user: USER },
  examples: ['user approve bob'],
  async run(site, { user: { id, username } }, { output }) {
    await approveUser(site, COMMAND_LINE, id)
    output.done(`Approved ${username}.`, { id, username })
  },
})

const reject = onSite({
  about: 'rejects a registration: the account is deleted',
  zh: '拒绝注册，账户会被删除',
  takes: { user: USER },
  examples: ['user reject bob'],
  async run(site, { user: { id, username } }, { output }) {
    await rejectUser(site, COMMAND_LINE, id)
    output.done(`Rejected ${username}.`, { id, username })
  },
})

/** `latchkey invitation …` */
export const invitationCommands = { create }

/** `latchkey link …` */
export const linkCommands = { list, delete: remove }

/** Commands of the group `user`. */
export const userVerbs = { 'reset-link': resetLink, approve, reject }
