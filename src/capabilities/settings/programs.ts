import type { InPrograms } from '../../programs/site/in-programs.ts'

export const settings: InPrograms = {
  commands: {
    setting: {
      about: 'shows and changes the settings of the site: title, appearance, features',
      zh: '查看、修改站点设置：标题、外观、功能',
      load: async () => (await import('./commands/setting.ts')).settingCommands,
    },
  },
  sealed: async () => (await import('./commands/sealed.ts')).sealedSettings,
}
