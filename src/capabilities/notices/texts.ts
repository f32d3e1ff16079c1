import type { EventKind } from '../../core/audit/kinds.ts'
import type { NoticeLanguage } from './channels.ts'
import type { NoticeTopic } from '../../core/audit/topics.ts'
import { chinese } from '../../core/base/chinese.ts'

/** The values that a sentence can name. */
interface Named {
  user: string
  /** The title of a key or the name of an app password; empty for none. */
  what: string
  network: string
  /** The number of refused sign-ins. */
  count: string
}

type Sentence = (named: Named) => string

interface NoticeTexts {
  /** The title of a notice by its topic, or by the kind of its event where that says more. */
  titles: Partial<Record<NoticeTopic | EventKind, Sentence>> & { test: Sentence }
  otherTitle: Sentence
  withMore: (title: string, more: number) => string
  testHint: string
  account: string
  by: string
  commandLine: string
  network: string
  country: string
  time: string
  link: string
}

const quoted = (what: string, open = '“', close = '”') =>
  what === '' ? '' : `${open}${what}${close}`

const en: NoticeTexts = {
  titles: {
    test: () => 'This is a test notification',
    new_network: ({ user }) => `${user} signed in from a new network`,
    new_country: ({ user }) => `${user} signed in from a new country`,
    token_used_elsewhere: ({ user, what }) =>
      `An app password of ${user} was used from a new network: ${quoted(what)}`,
    account_locked: ({ user }) => `Too many sign-ins to the account of ${user} were refused`,
    network_locked: ({ network }) => `Too many sign-ins from ${network} were refused`,
    two_factor_off: ({ user }) => `Two-step verification of ${user} is off`,
    two_factor_moved: ({ user }) => `${user} moved two-step verification to a new phone`,
    two_factor_cancelled: ({ user }) =>
      `An administrator turned off two-step verification of ${user}`,
    new_admin: ({ user }) => `${user} is now an administrator`,
    password_changed: ({ user }) => `The password of ${user} was changed`,
    password_reset: ({ user }) => `An administrator set the password of ${user}`,
    key_added: ({ user, what }) => `${user} has a new SSH key: ${quoted(what)}`,
    passkey_added: ({ user, what }) => `${user} has a new passkey: ${quoted(what)}`,
    token_created: ({ user, what }) => `${user} has a new app password: ${quoted(what)}`,
    identity_linked: ({ user }) => `An account at an identity provider was linked to ${user}`,
    service_token_made: ({ what }) => `A service token was created: ${quoted(what)}`,
    passkey_cloned: ({ user }) => `A passkey of ${user} may have been copied`,
    access_replayed: ({ user, what }) =>
      `A code or token of ${user} for an app was used twice, so it may be stolen: ${quoted(what)}`,
    client_added: ({ what }) => `An app was registered: ${quoted(what)}`,
    client_changed: ({ what }) => `An app was changed: ${quoted(what)}`,
    client_secret_made: ({ what }) => `An app has a new secret: ${quoted(what)}`,
    many_refusals: ({ count }) => `${count} sign-ins were refused in the last hour`,
    registered: ({ user }) => `${user} registered`,
    reset_link_made: ({ user }) => `A link for a new password of ${user} was made`,
    password_reset_by_link: ({ user }) => `The password of ${user} was set with a link`,
    end_near: ({ user, what }) => `The account of ${user} ends on ${what}`,
    group_created: ({ what }) => `A group was created: ${quoted(what)}`,
    group_changed: ({ what }) => `A group was changed: ${quoted(what)}`,
    group_deleted: ({ what }) => `A group was deleted: ${quoted(what)}`,
    group_member_added: ({ user, what }) => `${user} was added to the group ${quoted(what)}`,
    group_member_removed: ({ user, what }) => `${user} was removed from the group ${quoted(what)}`,
    groups_claim_unreadable: ({ user, what }) =>
      `The groups of ${user} at ${what} could not be read`,
    folder_rule_created: ({ what }) => `A folder rule was created: ${quoted(what)}`,
    folder_rule_changed: ({ what }) => `A folder rule was changed: ${quoted(what)}`,
    folder_rule_deleted: ({ what }) => `A folder rule was deleted: ${quoted(what)}`,
    folder_rights_restored: ({ what }) =>
      `The rights of a folder were changed at the file server, and restored: ${quoted(what)}`,
    folder_missing: ({ what }) =>
      `A folder with rules is not at the file server; if it was renamed, its files are open: ${quoted(what)}`,
    folder_found: ({ what }) => `A folder with rules is at the file server again: ${quoted(what)}`,
    share_disabled: ({ user, what }) => `A share of ${user} was disabled: ${quoted(what)}`,
  },
  otherTitle: ({ user }) => `The account of ${user} was changed`,
  withMore: (title, more) => `${title}, and ${more} more`,
  testHint: 'Notifications reach this channel.',
  account: 'Account',
  by: 'By',
  commandLine: 'command line',
  network: 'Network',
  country: 'Country',
  time: 'Time',
  link: 'Check',
}

const zh: NoticeTexts = {
  titles: {
    test: () => '这是一条测试通知',
    new_network: ({ user }) => chinese`${user} 从新的网络登录`,
    new_country: ({ user }) => chinese`${user} 从新的国家或地区登录`,
    token_used_elsewhere: ({ user, what }) =>
      chinese`${user} 的应用专用密码在新的网络使用过：${quoted(what)}`,
    account_locked: ({ user }) => chinese`账户 ${user} 登录失败次数过多`,
    network_locked: ({ network }) => `来自 ${network} 的登录失败次数过多`,
    two_factor_off: ({ user }) => chinese`${user} 的双重验证已关闭`,
    two_factor_moved: ({ user }) => chinese`${user} 的双重验证已换到新手机`,
    two_factor_cancelled: ({ user }) => chinese`管理员关闭了 ${user} 的双重验证`,
    new_admin: ({ user }) => chinese`${user} 现在是管理员`,
    password_changed: ({ user }) => chinese`${user} 的密码已更改`,
    password_reset: ({ user }) => chinese`管理员设置了 ${user} 的密码`,
    key_added: ({ user, what }) => chinese`${user} 添加了 SSH 密钥：${quoted(what)}`,
    passkey_added: ({ user, what }) => chinese`${user} 添加了通行密钥：${quoted(what)}`,
    token_created: ({ user, what }) => chinese`${user} 创建了应用专用密码：${quoted(what)}`,
    identity_linked: ({ user }) => chinese`${user} 关联了单点登录账户`,
    service_token_made: ({ what }) => `创建了服务令牌：${quoted(what)}`,
    passkey_cloned: ({ user }) => chinese`${user} 的通行密钥可能被复制`,
    access_replayed: ({ user, what }) =>
      chinese`${user} 的授权码或令牌被重复使用，可能已被盗：${quoted(what)}`,
    client_added: ({ what }) => `接入了应用：${quoted(what)}`,
    client_changed: ({ what }) => `修改了应用：${quoted(what)}`,
    client_secret_made: ({ what }) => `应用有了新密钥：${quoted(what)}`,
    many_refusals: ({ count }) => `最近一小时有 ${count} 次登录被拒绝`,
    registered: ({ user }) => chinese`${user} 注册了账户`,
    reset_link_made: ({ user }) => chinese`有人为 ${user} 创建了重设密码的链接`,
    password_reset_by_link: ({ user }) => chinese`${user} 的密码已通过链接重设`,
    end_near: ({ user, what }) => chinese`${user} 的账户将于 ${what} 到期`,
    group_created: ({ what }) => `创建了用户组：${quoted(what)}`,
    group_changed: ({ what }) => `修改了用户组：${quoted(what)}`,
    group_deleted: ({ what }) => `删除了用户组：${quoted(what)}`,
    group_member_added: ({ user, what }) => chinese`${user} 加入了用户组：${quoted(what)}`,
    group_member_removed: ({ user, what }) => chinese`${user} 被移出了用户组：${quoted(what)}`,
    groups_claim_unreadable: ({ user, what }) => chinese`无法读取 ${user} 在 ${what} 的用户组`,
    folder_rule_created: ({ what }) => `创建了文件夹规则：${quoted(what)}`,
    folder_rule_changed: ({ what }) => `修改了文件夹规则：${quoted(what)}`,
    folder_rule_deleted: ({ what }) => `删除了文件夹规则：${quoted(what)}`,
    folder_rights_restored: ({ what }) =>
      `文件夹的权限在文件服务器上被修改，现已恢复：${quoted(what)}`,
    folder_missing: ({ what }) =>
      `有规则的文件夹不在文件服务器上；如果它被改名，其文件是公开的：${quoted(what)}`,
    folder_found: ({ what }) => `有规则的文件夹已恢复在文件服务器上：${quoted(what)}`,
    share_disabled: ({ user, what }) => chinese`${user} 的分享已停用：${quoted(what)}`,
  },
  otherTitle: ({ user }) => chinese`账户 ${user} 已更改`,
  withMore: (title, more) => `${title}，另有 ${more} 条`,
  testHint: '此渠道可以收到通知。',
  account: '账户',
  by: '操作者',
  commandLine: '命令行',
  network: '网络',
  country: '国家或地区',
  time: '时间',
  link: '查看',
}

export const NOTICE_TEXTS: Record<NoticeLanguage, NoticeTexts> = { en, zh }
