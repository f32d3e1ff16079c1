import type { Command } from 'commander'
import { listKeysOf, removeKeyOf } from '../../ssh-keys/keys.ts'
import { keyRecords } from '../../ssh-keys/record.ts'
import { COMMAND_LINE } from '../../access/operators.ts'
import { lookUpUser, USER_ARGUMENT } from './find-user.ts'
import { onSite } from './on-site.ts'
import { parseCount } from './paging.ts'

const COLUMNS = ['id', 'title', 'fingerprint', 'added_time', 'last_used_time']

/** `latchkey key list|delete`: the SSH keys of users. */
export function addKeyCommands(program: Command, key: Command): void {
  key
    .command('list')
    .argument('<user>', USER_ARGUMENT)
    .description('lists the keys of a user')
    .addHelpText('after', '\nExample:\n  latchkey key list alice')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const { keys, total } = await listKeysOf(site, COMMAND_LINE, id)
        output.list(COLUMNS, { content: keyRecords(keys), total }, `${username} has no SSH keys.`)
      }),
    )
  key
    .command('delete')
    .argument('<user>', USER_ARGUMENT)
    .argument('<id>', 'the id of the key, as key list shows it', parseCount)
    .description('deletes a key of a user; new connections with it are refused')
    .addHelpText('after', '\nExample:\n  latchkey key delete alice 7')
    .action((name: string, keyId: number) =>
      onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        await removeKeyOf(site, COMMAND_LINE, keyId, id)
        output.done(`Deleted key ${keyId} of ${username}.`, { id: keyId, username })
      }),
    )
}
