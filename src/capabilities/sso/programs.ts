import type { InPrograms } from '../../programs/site/in-programs.ts'

export const sso: InPrograms = {
  commands: {
    identity: {
      about: 'lists and unlinks the accounts of users at identity providers',
      zh: '列出、取消用户在登录平台上的关联账户',
      load: async () => (await import('./commands/identity.ts')).identityCommands,
    },
    sso: {
      about: 'tests single sign-on with an identity provider',
      zh: '测试与登录平台的单点登录',
      load: async () => (await import('./commands/sso.ts')).ssoCommands,
    },
  },
  ofUser: async () => (await import('./commands/of-user.ts')).ofUser,
  checks: async () => (await import('./commands/checks.ts')).checks,
}
