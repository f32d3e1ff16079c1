import type { InPrograms } from '../../programs/site/in-programs.ts'

export const openid: InPrograms = {
  commands: {
    client: {
      about: 'manages the apps that sign users in through this site (OpenID Connect)',
      zh: '管理通过本站登录的应用（OpenID Connect）',
      load: async () => (await import('./commands/client.ts')).clientCommands,
    },
    'signing-key': {
      about: 'manages the keys that sign ID tokens of apps',
      zh: '管理签署 ID 令牌的密钥',
      load: async () => (await import('./commands/signing-key.ts')).signingKeyCommands,
    },
  },
  ofUser: async () => (await import('./commands/of-user.ts')).ofUser,
  readToken: async () => (await import('./introspected.ts')).readProgramToken,
  sealed: async () => (await import('./commands/sealed.ts')).sealedKeys,
  checks: async () => (await import('./commands/checks.ts')).checks,
  async afterCommand(site) {
    if (!site.db.toSend.has('logouts')) return
    const { tellPrograms } = await import('./commands/tell-programs.ts')
    await tellPrograms(site)
  },
}
