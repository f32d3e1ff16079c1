import { FREQUENT_CRON } from '../../../core/base/crons.ts'
import type { SitePlace } from '../../../programs/site/in-programs.ts'
import { askSite } from '../../../programs/site/running-site.ts'
import type { Site } from '../../../programs/site/site.ts'
import { selectWaitingMails } from '../outbox.ts'

/** Messages for sites that this command can't make send the mail. */
const LATER: Record<Exclude<SitePlace, 'running'>, string> = {
  stopped: 'The site is not running. It sends the mail when it runs.',
  deployed: 'The deployed site sends the mail within five minutes.',
}

/** Makes the site send the mails of a command, because only the site knows the mail server. */
export async function sendMailsOf({ db }: Site, place: SitePlace): Promise<void> {
  if (place !== 'running') {
    process.stderr.write(`${LATER[place]}\n`)
    return
  }
  try {
    await askSite({ cron: FREQUENT_CRON })
    if ((await selectWaitingMails(db)).length === 0) return
    process.stderr.write(
      'The site has not sent the mail, and tries again. Look at SMTP_URL, and at what the site prints.\n',
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    process.stderr.write(`The site sends the mail with its next run: ${why}\n`)
  }
}
