import type { InPrograms } from '../../programs/site/in-programs.ts'

export const activity: InPrograms = {
  commands: {
    event: {
      about: 'lists and exports events',
      zh: '列出和导出事件',
      load: async () => (await import('./commands/event.ts')).eventCommands,
    },
  },
  ofUser: async () => (await import('./commands/of-user.ts')).ofUser,
}
