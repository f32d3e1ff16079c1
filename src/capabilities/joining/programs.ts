import type { InPrograms } from '../../programs/site/in-programs.ts'

export const joining: InPrograms = {
  commands: {
    invitation: {
      about: 'invites people: links with which they make an account',
      zh: '邀请他人：可用来创建账户的链接',
      load: async () => (await import('./commands.ts')).invitationCommands,
    },
    link: {
      about: 'lists and withdraws invitations and links for new passwords',
      zh: '列出、作废邀请链接和重设密码链接',
      load: async () => (await import('./commands.ts')).linkCommands,
    },
  },
  verbs: {
    user: async () => (await import('./commands.ts')).userVerbs,
  },
}
