import type { InPrograms } from '../../programs/site/in-programs.ts'

export const sshKeys: InPrograms = {
  commands: {
    key: {
      about: 'lists, adds and deletes the SSH keys of users',
      zh: '列出、添加、删除用户的 SSH 公钥',
      load: async () => (await import('./commands.ts')).keyCommands,
    },
  },
  ofUser: async () => (await import('./commands.ts')).ofUser,
}
