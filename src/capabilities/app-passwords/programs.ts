import type { InPrograms } from '../../programs/site/in-programs.ts'

export const appPasswords: InPrograms = {
  commands: {
    token: {
      about: 'manages app passwords, with which apps of users sign in',
      zh: '管理应用专用密码，供用户的应用登录',
      load: async () => (await import('./commands/token.ts')).tokenCommands,
    },
    'service-token': {
      about: 'manages the tokens with which servers ask about users',
      zh: '管理服务器查询用户所用的令牌',
      load: async () => (await import('./commands/service-token.ts')).serviceTokenCommands,
    },
  },
  ofUser: async () => (await import('./commands/of-user.ts')).ofUser,
  checks: async () => (await import('./commands/checks.ts')).checks,
}
