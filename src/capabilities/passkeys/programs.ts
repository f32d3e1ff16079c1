import type { InPrograms } from '../../programs/site/in-programs.ts'

export const passkeys: InPrograms = {
  commands: {
    passkey: {
      about: 'lists and deletes the passkeys of users',
      zh: '列出、删除用户的通行密钥',
      load: async () => (await import('./commands/passkey.ts')).passkeyCommands,
    },
  },
  ofUser: async () => (await import('./commands/of-user.ts')).ofUser,
  checks: async () => (await import('./commands/checks.ts')).checks,
}
