import type { Command } from 'commander'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { isoTime } from '../../../base/time.ts'
import { KEY_NOTICE_SECONDS, rotateKey, selectKeys, SPREAD_SECONDS } from '../../../openid/keys.ts'
import type { GlobalOptions } from '../../shared/global-options.ts'
import { confirm, needTerminal } from '../../shared/confirm.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import type { Site } from '../../site/site.ts'

const ROTATE_NOTES = `Programs read the new key before it signs. The old key is shown for a day, until its last token has ended.
--stolen: a thief can sign as this site until the old key is gone. Programs refuse its ID tokens as soon
as they read the keys again. On Cloudflare every place shows the new key set after two minutes.
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
    .option('--now', 'sign with it as soon as every place shows it, because the old key is lost')
    .option('--stolen', 'sign with it at once, and delete all older keys')
    .option('--yes', 'do not ask')
    .action(({ now = false, stolen = false, yes = false }: RotateOptions) =>
      onSite(program, async (site, output) => {
        if (!now && !stolen && !yes) await askAboutWaiting(site)
        // The local site has one isolate, and it looks again.
        const spreadSeconds = program.opts<GlobalOptions>().remote ? SPREAD_SECONDS : 0
        const noticeSeconds = now ? spreadSeconds : KEY_NOTICE_SECONDS
        const rotation = { noticeSeconds: stolen ? 0 : noticeSeconds, dropsOthers: stolen }
        const made = await rotateKey(site, COMMAND_LINE, rotation)
        const [from, until] = [isoTime(made.activeFrom), isoTime(made.oldShownUntil)]
        const start = rotation.noticeSeconds === 0 ? 'It signs now' : `It signs from ${from}`
        const old = stolen
          ? 'all older keys are deleted'
          : `the key before it is shown until ${until}`
        output.done(`Made the signing key ${made.kid}.\n${start}; ${old}.`, {
          kid: made.kid,
          active_from: from,
          old_key_shown_until: until,
        })
      }),
    )
}

interface RotateOptions {
  now?: boolean
  stolen?: boolean
  yes?: boolean
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
