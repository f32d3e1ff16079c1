import type { InPrograms } from '../../programs/site/in-programs.ts'

export const sessions: InPrograms = {
  commands: {
    session: {
      about: 'lists and ends the sessions of users',
      zh: '列出、退出用户的登录设备',
      load: async () => (await import('./commands.ts')).sessionCommands,
    },
  },
  ofUser: async () => (await import('./commands.ts')).ofUser,
}
