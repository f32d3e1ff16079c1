import type { InPrograms } from '../../programs/site/in-programs.ts'

export const mail: InPrograms = {
  sealed: async () => (await import('./commands/sealed.ts')).sealedMails,
  checks: async () => (await import('./commands/checks.ts')).checks,
  async afterCommand(site, place) {
    if (!site.db.toSend.has('mails')) return
    const { sendMailsOf } = await import('./commands/send-mails.ts')
    await sendMailsOf(site, place)
  },
}
