import type { Command } from 'commander'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { Refusal } from '../../../base/refusals.ts'
import { removeKeyOf } from '../../../ssh-keys/keys.ts'
import { CommandError } from '../../shared/command-error.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { parseCount } from '../../shared/paging.ts'
import { latchkey, userWord } from '../../shared/printed-command.ts'

/** `latchkey key delete` */
export function addKeyDeleteCommand(program: Command, key: Command): void {
  addHelp(key.command('delete'), { examples: ['key delete alice 7'] })
    .argument('<user>', USER_ARGUMENT)
    .argument('<id>', 'the id of the key, as key list shows it', parseCount)
    .description('deletes a key of a user; new connections with it are refused')
    .action((name: string, keyId: number) =>
      onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        try {
          await removeKeyOf(site, COMMAND_LINE, keyId, id)
        } catch (error) {
          if (!(error instanceof Refusal) || error.refusal !== 'keyNotFound') throw error
          throw new CommandError(
            `${username} has no key ${keyId}, see: ${latchkey('key', 'list', userWord({ id, username }))}`,
          )
        }
        output.done(`Deleted key ${keyId} of ${username}.`, { id: keyId, username })
      }),
    )
}
