import type { Command } from 'commander'
import { listKeysOf } from '../../../ssh-keys/keys.ts'
import { keyRecords } from '../../../ssh-keys/record.ts'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { addKeyAddCommand } from './key-add.ts'
import { addKeyDeleteCommand } from './key-delete.ts'
import { onSite } from '../../site/on-site.ts'

const COLUMNS = ['id', 'title', 'fingerprint', 'added_time', 'last_used_time']

/** `latchkey key list|add|delete`: the SSH keys of users. */
export function addKeyCommands(program: Command, key: Command): void {
  addListCommand(program, key)
  addKeyAddCommand(program, key)
  addKeyDeleteCommand(program, key)
}

function addListCommand(program: Command, key: Command): void {
  addHelp(key.command('list'), { examples: ['key list alice'] })
    .argument('<user>', USER_ARGUMENT)
    .description('lists the keys of a user')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const { keys, total } = await listKeysOf(site, COMMAND_LINE, id)
        output.list(COLUMNS, { content: keyRecords(keys), total }, `${username} has no SSH keys.`)
      }),
    )
}
