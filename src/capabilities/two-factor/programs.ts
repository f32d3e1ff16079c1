import type { InPrograms } from '../../programs/site/in-programs.ts'

export const twoFactor: InPrograms = {
  commands: {
    '2fa': {
      about: 'manages two-step verification',
      zh: '管理双重验证',
      load: async () => (await import('./commands/two-factor.ts')).twoFactorCommands,
    },
  },
  sealed: async () => (await import('./commands/sealed.ts')).sealedSeeds,
}
