import type { Command } from 'commander'
import { COMMAND_LINE } from '../../access/operators.ts'
import { isoTime } from '../../base/time.ts'
import { rotateKey, selectKeys } from '../../openid/keys.ts'
import { addHelp } from './help.ts'
import { onSite } from './on-site.ts'

const ROTATE_NOTES = `Programs read the new key before it signs. The old key is shown for a day, until its last token has ended.`

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
    .action(({ now = false }: { now?: boolean }) =>
      onSite(program, async (site, output) => {
        const kid = await rotateKey(site, COMMAND_LINE, now)
        output.done(`Made the signing key ${kid}.`, { kid })
      }),
    )
}
