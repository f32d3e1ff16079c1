import type { InPrograms } from '../../programs/site/in-programs.ts'

export const groups: InPrograms = {
  commands: {
    group: {
      about: 'lists, creates and deletes groups, and who is in them',
      zh: '列出、创建、删除用户组，管理其成员',
      load: async () => (await import('./commands/group.ts')).groupCommands,
    },
    'folder-rule': {
      about: 'says who may read and write which folders',
      zh: '设置谁可以读写哪些文件夹',
      load: async () => (await import('./commands/folder-rule.ts')).folderRuleCommands,
    },
  },
  checks: async () => (await import('./commands/checks.ts')).checks,
  ofUser: async () => (await import('./commands/of-user.ts')).ofUser,
  async afterCommand(site, place) {
    if (site.meter.rowsWritten === 0) return
    const { takeAfterCommand } = await import('./commands/after-command.ts')
    await takeAfterCommand(site, place)
  },
}
