import type { InPrograms } from '../../programs/site/in-programs.ts'

export const files: InPrograms = {
  commands: {
    files: {
      about: 'checks the file server behind the site (OpenList), and links users to its users',
      zh: '检查站点后面的文件服务器（OpenList），并把用户与其中的用户关联',
      load: async () => (await import('./commands/files.ts')).filesCommands,
    },
  },
  ofUser: async () => (await import('./commands/of-user.ts')).ofUser,
  async settingsElsewhere(site, isRemote) {
    const [{ findFileServer }, { settingsThere }] = await Promise.all([
      import('../../programs/site/file-server.ts'),
      import('./settings-there.ts'),
    ])
    const server = await findFileServer(isRemote)
    return server && settingsThere(site, server)
  },
  checks: async () => (await import('./commands/checks.ts')).checks,
  async afterCommand(site, place) {
    if (site.meter.rowsWritten === 0) return
    const { writeFileUsersOf } = await import('./commands/after-command.ts')
    await writeFileUsersOf(site, place)
  },
}
