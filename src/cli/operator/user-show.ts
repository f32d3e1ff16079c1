import type { Command } from 'commander'
import { listKeysOf } from '../../ssh-keys/keys.ts'
import { COMMAND_LINE } from '../../access/operators.ts'
import { listSessionsOf } from '../../sessions/operator-sessions.ts'
import { userRecord } from '../../users/record.ts'
import { lookUpUser, USER_ARGUMENT } from './find-user.ts'
import { onSite } from './on-site.ts'
import { permissionNames } from './permission.ts'

/** `latchkey user show` */
export function addUserShowCommand(program: Command, user: Command): void {
  user
    .command('show')
    .argument('<user>', USER_ARGUMENT)
    .description('shows all data of a user')
    .addHelpText('after', '\nExample:\n  latchkey user show alice')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const account = await lookUpUser(site, name)
        const sessions = await listSessionsOf(site, COMMAND_LINE, account.id)
        const keys = await listKeysOf(site, COMMAND_LINE, account.id)
        output.record({
          ...userRecord(account),
          permissions: permissionNames(account.permission),
          sessions: sessions.length,
          keys: keys.total,
        })
      }),
    )
}
