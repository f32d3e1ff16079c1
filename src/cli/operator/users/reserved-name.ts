import type { Command } from 'commander'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { Refusal } from '../../../base/refusals.ts'
import { isoTime } from '../../../base/time.ts'
import { listReservedNames, releaseName } from '../../../users/reserved-names.ts'
import { CommandError } from '../../shared/command-error.ts'
import { keepNames } from '../../import/keep-names.ts'
import { readSource } from '../../import/source.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { latchkey } from '../../shared/printed-command.ts'

const NOTES = `Programs know users by their names. While a program is registered, nobody else gets the name of a deleted
or renamed account until it is released.`

const KEEP_NOTES = `A restore takes the site back, but not its programs: they still know accounts that were made since.
The database of before the restore says which; of a deployed site, wrangler d1 export and sqlite3 make one.`

/** `latchkey reserved-name list|release|keep`: the names that accounts had. */
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
            `The name "${name}" is not reserved: see ${latchkey('reserved-name', 'list')}`,
          )
        })
        output.done(`Released the name ${name}.`, { username: name })
      }),
    )
  addHelp(reservedName.command('keep'), {
    notes: KEEP_NOTES,
    examples: ['reserved-name keep old.sqlite'],
  })
    .argument('<file>', 'the database of this site that a backup has replaced')
    .description('reserves the names of an old database that no account has here')
    .action(async (file: string) => {
      const source = await readSource(file)
      return onSite(program, async (site, output) => {
        const names = await keepNames(site, source)
        const total = names.length === 1 ? '1 name' : `${names.length} names`
        output.done(`Reserved ${total} of ${file}.`, { file, usernames: names })
      })
    })
}
