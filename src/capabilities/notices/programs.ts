import type { InPrograms } from '../../programs/site/in-programs.ts'

export const notices: InPrograms = {
  commands: {
    notice: {
      about: 'manages where notices are sent: ntfy, Slack, e-mail and others',
      zh: '管理通知的接收方：ntfy、Slack、电子邮件等',
      load: async () => (await import('./commands/notice.ts')).noticeCommands,
    },
  },
  ofUser: async () => (await import('./commands/of-user.ts')).ofUser,
  sealed: async () => (await import('./commands/sealed.ts')).sealedChannels,
}
