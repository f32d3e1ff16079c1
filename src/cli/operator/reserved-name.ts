import type { Command } from 'commander'
import { COMMAND_LINE } from '../../access/operators.ts'
import { Refusal } from '../../base/refusals.ts'
import { isoTime } from '../../base/time.ts'
import { listReservedNames, releaseName } from '../../users/reserved-names.ts'
import { CommandError } from '../command-error.ts'
import { addHelp } from './help.ts'
import { onSite } from './on-site.ts'

const NOTES = `Programs know users by their names. While a program is registered, nobody else gets the name of a deleted
or renamed account until it is released.`

/** `latchkey reserved-name list|release`: the names that accounts had. */
export function addReservedNameCommands(program: Command, reservedName: Command): void {
  addHelp(reservedName.command('list'), { notes: NOTES, examples: ['reserved-name list'] })
    .description('lists the names that deleted and renamed accounts had')
    .action(() =>
      onSite(program, async (site, output) => {
        const content = (await listReservedNames(site, COMMAND_LINE)).map((one) => ({
          username: one.username,
          user_id: one.userId,
          reserved_time: isoTime(one.reservedAt),
        }))
        const page = { content, total: content.length }
        output.list(['username', 'user_id', 'reserved_time'], page, 'There are no reserved names.')
      }),
    )
  addHelp(reservedName.command('release'), { examples: ['reserved-name release alice'] })
    .argument('<name>', 'the name that reserved-name list shows')
    .description('lets any account get a name that another account had')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        await releaseName(site, COMMAND_LINE, name).catch((error: unknown) => {
          if (!(error instanceof Refusal) || error.refusal !== 'userNotFound') throw error
          throw new CommandError(
            `The name "${name}" is not reserved: see latchkey reserved-name list.`,
          )
        })
        output.done(`Released the name ${name}.`, { username: name })
      }),
    )
}
