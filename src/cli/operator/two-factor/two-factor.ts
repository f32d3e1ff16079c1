import type { Command } from 'commander'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { listPasskeysOf } from '../../../passkeys/manage.ts'
import { cancelUserTwoFactor } from '../../../users/manage-users.ts'
import { CommandError } from '../../shared/command-error.ts'
import type { GlobalOptions } from '../../shared/global-options.ts'
import { agrees } from '../../shared/confirm.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { latchkey, userWord } from '../../shared/printed-command.ts'

const NOTES = `A passkey is a second factor too. On a terminal the command asks whether to delete the passkeys of the
user; elsewhere it keeps them without --passkeys.`

/** `latchkey 2fa cancel`: switches two-step verification off for a user. */
export function addTwoFactorCommands(program: Command, twoFactor: Command): void {
  addHelp(twoFactor.command('cancel'), {
    notes: NOTES,
    examples: ['2fa cancel alice', '2fa cancel alice --passkeys'],
  })
    .argument('<user>', USER_ARGUMENT)
    .description(
      'switches it off for a user who has lost the phone, and ends all sessions of the user',
    )
    .option('--passkeys', 'also delete the passkeys of the user')
    .action((name: string, { passkeys: isChosen = false }: { passkeys?: boolean }) =>
      onSite(program, async (site, output) => {
        const { id, username, hasTwoFactor } = await lookUpUser(site, name)
        const total = (await listPasskeysOf(site, COMMAND_LINE, id)).length
        const mayAsk = process.stdin.isTTY && !program.opts<GlobalOptions>().json
        const withPasskeys =
          total > 0 &&
          (isChosen || (mayAsk && (await agrees(`Delete ${countOf(total)} of ${username} too?`))))
        if (!hasTwoFactor && !withPasskeys) {
          const rest = total === 0 ? '' : ` ${keptText({ id, username }, total)}`
          throw new CommandError(
            `Two-step verification of ${username} is off: nothing was changed.${rest}`,
          )
        }
        await cancelUserTwoFactor(site, COMMAND_LINE, id, { withPasskeys })
        const changes = [
          ...(hasTwoFactor ? [`Switched two-step verification of ${username} off`] : []),
          ...(withPasskeys ? [`deleted ${countOf(total)} of ${username}`] : []),
        ].join(' and ')
        const done = `${changes.charAt(0).toUpperCase()}${changes.slice(1)}; all sessions have ended.`
        output.done(done, { id, username, deleted_passkeys: withPasskeys ? total : 0 })
        if (total > 0 && !withPasskeys) console.error(keptText({ id, username }, total))
      }),
    )
}

function keptText(user: { id: number; username: string }, total: number): string {
  const command = latchkey('2fa', 'cancel', userWord(user), '--passkeys')
  return `${user.username} still has ${countOf(total)}; to delete ${total === 1 ? 'it' : 'them'}: ${command}`
}

function countOf(passkeys: number): string {
  return passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`
}
