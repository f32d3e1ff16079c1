import type { InPrograms } from '../../programs/site/in-programs.ts'

export const users: InPrograms = {
  commands: {
    user: {
      about: 'manages accounts: who may sign in, and what they may do',
      zh: '管理账户：谁可以登录、可以做什么',
      load: async () => (await import('./commands/user.ts')).userCommands,
    },
    'reserved-name': {
      about: 'manages the names that accounts had, which nobody else may get',
      zh: '管理保留的用户名，其他人不能使用',
      load: async () => (await import('./commands/reserved-name.ts')).reservedNameCommands,
    },
  },
}
