import type { Command } from 'commander'
import { COMMAND_LINE } from '../../access/operators.ts'
import { isoTime } from '../../base/time.ts'
import { rotateKey, selectKeys } from '../../openid/keys.ts'
import { confirm, needTerminal } from './confirm.ts'
import { addHelp } from './help.ts'
import { onSite } from './on-site.ts'
import type { Site } from '../site.ts'

const ROTATE_NOTES = `Programs read the new key before it signs. The old key is shown for a day, until its last token has ended.
While a new key waits, the command asks before it makes another one.`

/** `latchkey signing-key list|rotate`: the keys that sign ID tokens. */
export function addSigningKeyCommands(program: Command, signingKey: Command): void {
  addHelp(signingKey.command('list'), { examples: ['signing-key list'] })
    .description('lists the public keys that programs read')
    .action(() =>
      onSite(program, async (site, output) => {
        const keys = await selectKeys(site.db, site.now())
        const content = keys.map((key) => ({ kid: key.id, active_from: isoTime(key.activeFrom) }))
        const page = { content, total: content.length }
        output.list(['kid', 'active_from'], page, 'There are no signing keys.')
      }),
    )
  addHelp(signingKey.command('rotate'), { notes: ROTATE_NOTES, examples: ['signing-key rotate'] })
    .description('makes a new signing key, which signs after a quarter of an hour')
    .option('--now', 'sign with it at once, because the old key is lost or stolen')
    .option('--yes', 'do not ask')
    .action(({ now = false, yes = false }: { now?: boolean; yes?: boolean }) =>
      onSite(program, async (site, output) => {
        if (!now && !yes) await askAboutWaiting(site)
        const made = await rotateKey(site, COMMAND_LINE, now)
        const [from, until] = [isoTime(made.activeFrom), isoTime(made.oldShownUntil)]
        const start = now ? 'It signs now' : `It signs from ${from}`
        output.done(
          `Made the signing key ${made.kid}.\n${start}; the key before it is shown until ${until}.`,
          { kid: made.kid, active_from: from, old_key_shown_until: until },
        )
      }),
    )
}

/** Asks before a second new key when one waits already: programs would read both. */
async function askAboutWaiting(site: Site): Promise<void> {
  const now = site.now()
  const waiting = (await selectKeys(site.db, now)).find(({ activeFrom }) => activeFrom > now)
  if (waiting === undefined) return
  const { id, activeFrom } = waiting
  console.error(`The new key ${id} waits already: it signs from ${isoTime(activeFrom)}.`)
  needTerminal()
  await confirm('Make another one?')
}
