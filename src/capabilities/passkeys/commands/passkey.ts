import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import { visible } from '../../../core/base/text.ts'
import { listPasskeys, removePasskey } from '../manage.ts'
import { operatorPasskeyRecord } from '../record.ts'
import { CommandError } from '../../../programs/kit/command-error.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { latchkey, userWord } from '../../../programs/kit/printed-command.ts'
import { USER } from '../../../programs/site/find-user.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import type { Site } from '../../../programs/site/site.ts'

const COLUMNS = ['id', 'name', 'created_at', 'last_used_at', 'rp_id', 'backed_up']

const list = onSite({
  about: 'lists the passkeys of a user',
  zh: '列出用户的通行密钥',
  takes: { user: USER },
  examples: ['passkey list alice'],
  async run(site, { user }, { output }) {
    output.list(COLUMNS, await recordsOf(site, user.id), `${user.username} has no passkeys.`)
  },
})

async function recordsOf(site: Site, userId: number) {
  return (await listPasskeys(site, of(COMMAND_LINE, userId))).map(operatorPasskeyRecord)
}

const remove = onSite({
  about: 'deletes a passkey of a user, who can no longer sign in with it',
  zh: '删除用户的一个通行密钥，之后不能再用它登录',
  takes: {
    user: USER,
    beginning: takes(
      '<id>',
      'the id of the passkey, as passkey list shows it, or its beginning',
      '通行密钥的 id（见 passkey list），或 id 的开头部分',
    ),
  },
  notes: [
    `Sessions that were begun with the passkey end, and what apps got in them. App passwords and SSH keys
stay: see token list and key list.`,
    '用该通行密钥登录的设备会退出，应用在其中得到的访问权限也会失效。应用专用密码和 SSH 公钥保留，见 token list 和 key list。',
  ],
  examples: ["passkey delete alice 'q83vEjRWeJA='", 'passkey delete alice q83v'],
  async run(site, { user, beginning }, { output }) {
    const { username } = user
    const { id, name } = findMeant(await recordsOf(site, user.id), beginning, user)
    await removePasskey(site, of(COMMAND_LINE, user.id), id)
    output.done(`Deleted passkey "${visible(name)}" of ${username}.`, { id, name, username })
  },
})

/**
 * Finds a passkey by its id or the beginning of its id. Ids can have over a thousand characters, of
 * which a list shows the first.
 *
 * @throws {CommandError} When no passkey fits, or several do.
 */
function findMeant<Passkey extends { id: string }>(
  passkeys: readonly Passkey[],
  beginning: string,
  user: { id: number; username: string },
): Passkey {
  const start = beginning.replace(/…$/, '')
  const [meant, another] = passkeys.filter(({ id }) => start !== '' && id.startsWith(start))
  if (meant === undefined)
    throw new CommandError(
      `${user.username} has no passkey with this id, see: ${latchkey('passkey', 'list', userWord(user))}`,
    )
  if (another === undefined || meant.id === start) return meant
  throw new CommandError(
    `Several passkeys of ${user.username} have an id that begins with ${start}: give more of it.`,
  )
}

/** `latchkey passkey …`: the passkeys of users. */
export const passkeyCommands = { list, delete: remove }
