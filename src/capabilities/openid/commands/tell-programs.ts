import { CommandError, reasonIn } from '../../../programs/kit/command-error.ts'
import type { Site } from '../../../programs/site/site.ts'
import { sendLogouts } from '../back-channel.ts'

/**
 * Tells programs of the sessions that a command has ended. What can't be sent from here, the site
 * sends with its next run.
 */
export async function tellPrograms(site: Site): Promise<void> {
  try {
    await sendLogouts(site)
  } catch (error) {
    const why = error instanceof CommandError ? error.message : reasonIn(error)
    process.stderr.write(`The site, not this command, tells the apps of it: ${why}\n`)
  }
}
