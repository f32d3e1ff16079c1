import type { Command } from 'commander'
import { COMMAND_LINE } from '../../access/operators.ts'
import { cancelUserTwoFactor } from '../../users/manage-users.ts'
import { CommandError } from '../command-error.ts'
import { lookUpUser, USER_ARGUMENT } from './find-user.ts'
import { onSite } from './on-site.ts'

/** `latchkey 2fa cancel`: switches two-step verification off for a user. */
export function addTwoFactorCommands(program: Command, twoFactor: Command): void {
  twoFactor
    .command('cancel')
    .argument('<user>', USER_ARGUMENT)
    .description(
      'switches it off for a user who has lost the phone, and ends all sessions of the user',
    )
    .addHelpText('after', '\nExample:\n  latchkey 2fa cancel alice')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const { id, username, hasTwoFactor } = await lookUpUser(site, name)
        if (!hasTwoFactor) {
          throw new CommandError(
            `Two-step verification of ${username} is off: nothing was changed.`,
          )
        }
        await cancelUserTwoFactor(site, COMMAND_LINE, id)
        const done = `Switched two-step verification of ${username} off; all sessions have ended.`
        output.done(done, { id, username })
      }),
    )
}
