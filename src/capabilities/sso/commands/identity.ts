import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import { visible } from '../../../core/base/text.ts'
import { type ListedIdentity, listIdentities, unlinkIdentity } from '../manage.ts'
import { operatorIdentityRecord } from '../record.ts'
import { CommandError, explained } from '../../../programs/kit/command-error.ts'
import { confirm, needTerminal, YES } from '../../../programs/kit/confirm.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { latchkey, userWord } from '../../../programs/kit/printed-command.ts'
import { USER } from '../../../programs/site/find-user.ts'
import { onSite } from '../../../programs/site/on-site.ts'

const COLUMNS = ['subject', 'name', 'platform', 'issuer', 'linked_at', 'linked_by', 'last_used_at']

const list = onSite({
  about: 'lists the accounts at identity providers that a user is linked with',
  zh: '列出用户在登录平台上的关联账户',
  takes: { user: USER },
  examples: ['identity list alice'],
  async run(site, { user }, { output }) {
    const identities = await listIdentities(site, of(COMMAND_LINE, user.id))
    const content = identities.map(operatorIdentityRecord)
    output.list(COLUMNS, content, `${user.username} has no linked accounts.`)
  },
})

const remove = onSite({
  about: 'unlinks an account of a user, who can no longer sign in with it',
  zh: '取消用户的一个关联账户，之后不能再用它登录',
  takes: {
    user: USER,
    subject: takes(
      '<subject>',
      'the id at the provider, as identity list shows it',
      '登录平台上的 id（见 identity list）',
    ),
    issuer: takes(
      '--issuer <address>',
      'the provider, when two have the same id for the user',
      '登录平台（两个平台上的 id 相同时需要）',
    ),
    yes: YES,
  },
  notes: [
    `The command asks before it unlinks the only way in of a user, who then can not sign in until user password
sets a password. Sessions that were begun with the account end, and what apps got in them. App passwords
and SSH keys stay: see token list and key list.`,
    `取消用户唯一的登录方式之前，命令会先询问；之后该用户无法登录，直到用 user password 设置密码。
用该账户登录的设备会退出，应用在其中得到的访问权限也会失效。应用专用密码和 SSH 公钥保留，见 token list 和 key list。`,
  ],
  examples: [
    'identity delete alice 583231',
    'identity delete alice 583231 --issuer https://github.com/login/oauth',
  ],
  async run(site, { user, subject, issuer, yes }, { output }) {
    const { id, username } = user
    const identities = await listIdentities(site, of(COMMAND_LINE, id))
    const meant = findMeant(identities, subject, issuer, user)
    if (meant.isLastWayIn && !yes) {
      needTerminal()
      await confirm(`It is the only way in of ${username}. Unlink it?`)
    }
    const mayBeLast = meant.isLastWayIn
    const unlinked = unlinkIdentity(site, of(COMMAND_LINE, id), meant, { mayBeLast })
    // The password or the passkey of the user may have gone since the list was read.
    await explained(unlinked, {
      lastWayInOf: 'It has just become the only way in of the user: run this again.',
    })
    const shown = visible(meant.name || meant.subject)
    const hint = meant.isLastWayIn
      ? ` ${username} can not sign in: ${latchkey('user', 'password', userWord(user))}`
      : ''
    const done = `Unlinked "${shown}" at ${meant.platform} from ${username}.${hint}`
    output.done(done, { issuer: meant.issuer, subject: meant.subject, username })
  },
})

/** @throws {CommandError} When no identity fits, or several do. */
function findMeant(
  identities: readonly ListedIdentity[],
  subject: string,
  issuer: string | undefined,
  user: { id: number; username: string },
): ListedIdentity {
  const [meant, another] = identities.filter(
    (identity) =>
      identity.subject === subject && (issuer === undefined || identity.issuer === issuer),
  )
  if (meant === undefined)
    throw new CommandError(
      `${user.username} has no linked account with this id, see: ${latchkey('identity', 'list', userWord(user))}`,
    )
  if (another === undefined) return meant
  throw new CommandError(`${user.username} has this id at several providers: add --issuer.`)
}

/** `latchkey identity …`: the linked accounts of users at identity providers. */
export const identityCommands = { list, delete: remove }
