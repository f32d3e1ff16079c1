import type { Declared, Taken } from './kit/declaration.ts'
import type { Text } from './kit/help.ts'

/** A command, or a group of commands by their names. */
type Loaded = Declared | Readonly<Record<string, Declared>>

interface Group {
  about: string
  /** The same in Chinese. */
  zh: string
  load: () => Promise<Loaded>
}

/**
 * The commands, most of them groups. Each is loaded when it is used, because loading D1's tools
 * takes a second.
 */
export const COMMANDS: Readonly<Record<string, Group>> = {
  user: {
    about: 'manages accounts: who may sign in, and what they may do',
    zh: '管理账户：谁可以登录、可以做什么',
    load: async () => (await import('../capabilities/users/commands/user.ts')).userCommands,
  },
  invitation: {
    about: 'invites people: links with which they make an account',
    zh: '邀请他人：可用来创建账户的链接',
    load: async () => (await import('../capabilities/joining/commands.ts')).invitationCommands,
  },
  link: {
    about: 'lists and withdraws invitations and links for new passwords',
    zh: '列出、作废邀请链接和重设密码链接',
    load: async () => (await import('../capabilities/joining/commands.ts')).linkCommands,
  },
  '2fa': {
    about: 'manages two-step verification',
    zh: '管理两步验证',
    load: async () => (await import('../capabilities/two-factor/commands.ts')).twoFactorCommands,
  },
  session: {
    about: 'lists and ends the sessions of users',
    zh: '列出、退出用户的登录设备',
    load: async () => (await import('../capabilities/sessions/commands.ts')).sessionCommands,
  },
  key: {
    about: 'lists, adds and deletes the SSH keys of users',
    zh: '列出、添加、删除用户的 SSH 公钥',
    load: async () => (await import('../capabilities/ssh-keys/commands.ts')).keyCommands,
  },
  passkey: {
    about: 'lists and deletes the passkeys of users',
    zh: '列出、删除用户的通行密钥',
    load: async () => (await import('../capabilities/passkeys/commands.ts')).passkeyCommands,
  },
  identity: {
    about: 'lists and unlinks the accounts of users at identity providers',
    zh: '列出、取消用户在登录平台上的关联账户',
    load: async () => (await import('../capabilities/sso/commands/identity.ts')).identityCommands,
  },
  setting: {
    about: 'shows and changes the settings of the site: title, appearance, features',
    zh: '查看、修改站点设置：标题、外观、功能',
    load: async () =>
      (await import('../capabilities/settings/commands/setting.ts')).settingCommands,
  },
  sso: {
    about: 'tests single sign-on with an identity provider',
    zh: '测试与登录平台的单点登录',
    load: async () => (await import('../capabilities/sso/commands/sso.ts')).ssoCommands,
  },
  token: {
    about: 'manages app passwords, with which programs of users sign in',
    zh: '管理应用专用密码，供用户的程序登录',
    load: async () =>
      (await import('../capabilities/app-passwords/commands/token.ts')).tokenCommands,
  },
  'service-token': {
    about: 'manages the tokens with which servers ask about users',
    zh: '管理服务器查询用户所用的令牌',
    load: async () =>
      (await import('../capabilities/app-passwords/commands/service-token.ts'))
        .serviceTokenCommands,
  },
  client: {
    about: 'manages the programs that sign users in through this site (OpenID Connect)',
    zh: '管理通过本站登录的程序（OpenID Connect）',
    load: async () => (await import('../capabilities/openid/commands/client.ts')).clientCommands,
  },
  ldap: {
    about: 'answers LDAP for programs that ask it who a user is',
    zh: '通过 LDAP 告诉其他程序用户是谁',
    load: async () => (await import('./ldap-door/command.ts')).ldapCommand,
  },
  'signing-key': {
    about: 'manages the keys that sign ID tokens of programs',
    zh: '管理签署 ID 令牌的密钥',
    load: async () =>
      (await import('../capabilities/openid/commands/signing-key.ts')).signingKeyCommands,
  },
  secrets: {
    about: 'ends a rotation of SECRET_KEYS: seals everything with the new entry',
    zh: '完成 SECRET_KEYS 的轮换：用新条目重新加密所有内容',
    load: async () => (await import('./secrets/secrets.ts')).secretsCommands,
  },
  files: {
    about: 'checks the file server behind the site (OpenList), and links users to its users',
    zh: '检查站点后面的文件服务器（OpenList），并把用户与其中的用户关联',
    load: async () => (await import('../capabilities/files/commands/files.ts')).filesCommands,
  },
  'reserved-name': {
    about: 'manages the names that accounts had, which nobody else may get',
    zh: '管理保留的用户名，其他人不能使用',
    load: async () =>
      (await import('../capabilities/users/commands/reserved-name.ts')).reservedNameCommands,
  },
  notice: {
    about: 'manages where notices are sent: ntfy, Slack, e-mail and others',
    zh: '管理通知的接收方：ntfy、Slack、电子邮件等',
    load: async () => (await import('../capabilities/notices/commands.ts')).noticeCommands,
  },
  event: {
    about: 'lists and exports events',
    zh: '列出和导出事件',
    load: async () => (await import('../capabilities/activity/commands/event.ts')).eventCommands,
  },
  doctor: {
    about: 'checks everything that a site needs; says how to fix what is wrong',
    zh: '检查站点所需的一切，并说明如何修复',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  backup: {
    about: 'copies all data of the local site into one file; the site may be running',
    zh: '将本地站点的全部数据备份到一个文件，站点可以正在运行',
    load: async () => (await import('./backup/backup.ts')).backupCommand,
  },
  restore: {
    about: 'creates a local site from a backup',
    zh: '用备份恢复本地站点',
    load: async () => (await import('./backup/restore.ts')).restoreCommand,
  },
  import: {
    about:
      'imports a site from OpenList, AList, OpenList-Worker or Latchkey: a database, or a backup in JSON',
    zh: '从 OpenList、AList、OpenList-Worker 或 Latchkey 导入：数据库或 JSON 备份',
    load: async () => (await import('./import/command.ts')).importCommand,
  },
}

/** Tells one command from a group. */
export function isCommand(loaded: Loaded): loaded is Declared {
  return typeof loaded.run === 'function'
}

/** A command or a group of commands, for lists of all. */
export interface Listed {
  /** The words that lead to the command, without the program: `user`, `add`. */
  words: readonly string[]
  about: Text
  /** Nothing for a group. */
  takes: readonly Taken<unknown>[]
  isGroup: boolean
}

/** Lists all commands and groups, for documents and tests. */
export async function loadCommands(): Promise<Listed[]> {
  const listed: Listed[] = []
  for (const [name, { about, zh, load }] of Object.entries(COMMANDS)) {
    const loaded = await load()
    if (isCommand(loaded)) listed.push({ ...describe([name], loaded), about: [about, zh] })
    else {
      listed.push({ words: [name], about: [about, zh], takes: [], isGroup: true })
      for (const [verb, one] of Object.entries(loaded)) listed.push(describe([name, verb], one))
    }
  }
  return listed
}

function describe(words: readonly string[], { about = '', zh = '', takes = {} }: Declared): Listed {
  return { words, about: [about, zh], takes: Object.values<Taken<unknown>>(takes), isGroup: false }
}
