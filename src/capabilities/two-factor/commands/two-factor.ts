import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import { listPasskeys } from '../../passkeys/manage.ts'
import { cancelUserTwoFactor } from '../../users/manage-users.ts'
import { CommandError } from '../../../programs/kit/command-error.ts'
import { agrees } from '../../../programs/kit/confirm.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { latchkey, userWord } from '../../../programs/kit/printed-command.ts'
import { USER } from '../../../programs/site/find-user.ts'
import { onSite } from '../../../programs/site/on-site.ts'

const cancel = onSite({
  about: 'switches it off for a user who has lost the phone, and ends all sessions of the user',
  zh: '为丢失手机的用户取消双重验证，并退出该用户的所有设备',
  takes: {
    user: USER,
    isChosen: takes(
      '--passkeys',
      'also delete the passkeys of the user',
      '同时删除该用户的通行密钥',
    ),
  },
  notes: [
    `A passkey is a second factor too. On a terminal the command asks whether to delete the passkeys of the
user; elsewhere it keeps them without --passkeys.`,
    `通行密钥也是第二验证因素。在终端中，命令会询问是否同时删除该用户的通行密钥；
在其他环境中，不带 --passkeys 时会保留。`,
  ],
  examples: ['2fa cancel alice', '2fa cancel alice --passkeys'],
  async run(site, { user, isChosen }, { output, json }) {
    const { id, username, hasTwoFactor } = user
    const total = (await listPasskeys(site, of(COMMAND_LINE, id))).length
    const mayAsk = process.stdin.isTTY && !json
    const withPasskeys =
      total > 0 &&
      (isChosen || (mayAsk && (await agrees(`Delete ${countOf(total)} of ${username} too?`))))
    if (!hasTwoFactor && !withPasskeys) {
      const rest = total === 0 ? '' : ` ${keptText(user, total)}`
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
    if (total > 0 && !withPasskeys) console.error(keptText(user, total))
  },
})

function keptText(user: { id: number; username: string }, total: number): string {
  const command = latchkey('2fa', 'cancel', userWord(user), '--passkeys')
  return `${user.username} still has ${countOf(total)}; to delete ${total === 1 ? 'it' : 'them'}: ${command}`
}

function countOf(passkeys: number): string {
  return passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`
}

/** `latchkey 2fa cancel`: switches two-step verification off for a user. */
export const twoFactorCommands = { cancel }
