import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import type { Account } from '../../../core/accounts/accounts.ts'
import { selectVerifiedAddress } from '../../../core/accounts/store.ts'
import { listKeys, removeKeys } from '../../ssh-keys/keys.ts'
import { keyRecords } from '../../ssh-keys/record.ts'
import { changeUser } from '../manage-users.ts'
import { agrees } from '../../../programs/kit/confirm.ts'
import { USER } from '../../../programs/site/find-user.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import type { Output } from '../../../programs/kit/output.ts'
import { NO_PASSWORD_ARGUMENT, PASSWORD_OPTIONS, passwordSource } from './password.ts'
import { loadPartsOfUser } from './parts-of-user.ts'
import type { Remaining } from '../../../programs/site/in-programs.ts'
import type { Site } from '../../../programs/site/site.ts'
import { latchkey, userWord } from '../../../programs/kit/printed-command.ts'

/** `latchkey user password` */
export const setPassword = onSite({
  about: 'sets a new password, and ends all sessions of the user',
  zh: '设置新密码，并退出该用户的所有设备',
  takes: {
    user: USER,
    ...PASSWORD_OPTIONS,
    deleteKeys: takes(
      '--delete-keys',
      'also delete the SSH keys of the user',
      '同时删除该用户的 SSH 公钥',
    ),
  },
  notes: [
    `Without an option, the command asks for the password and does not show it. What still works with a
new password is listed: passkeys, linked accounts, app passwords, the user's channel for notices, the confirmed
e-mail address and SSH keys. On a terminal the command asks whether to delete the SSH keys.`,
    `不带选项时，命令会询问密码，输入时不显示。命令会列出更换密码后仍然有效的内容：
通行密钥、关联的第三方账户、应用专用密码、该用户的通知渠道、已确认的邮箱地址和 SSH 公钥。
在终端中还会询问是否删除 SSH 公钥。`,
  ],
  instead: NO_PASSWORD_ARGUMENT,
  examples: ['user password alice', 'user password alice --generate --delete-keys'],
  before: (options) => passwordSource(options),
  async run(site, { user, deleteKeys }, { output, json }, readPassword) {
    const { id, username } = user
    const { password, shownOnce } = await readPassword(site)
    await changeUser(site, COMMAND_LINE, id, { password })
    const deleted = deleteKeys ? await removeKeys(site, of(COMMAND_LINE, id)) : 0
    const { remaining, keys } = await findRemaining(site, user)
    const record = Object.assign(
      { id, username, deleted_keys: deleted },
      ...remaining.map((part) => part.record),
    )
    const gone = deleted === 0 ? '' : ` Deleted ${countOf(deleted)}.`
    const done = `Set a new password for ${username}; all sessions have ended.${gone}`
    output.done(done, record, shownOnce)
    if (json || remaining.every(({ content }) => content.length === 0)) return
    list(output, remaining)
    if (process.stdin.isTTY && keys > 0) await offerToDelete(site, output, user, keys)
  },
})

/** Finds what still opens the account, in the order in which it is listed. */
async function findRemaining(
  site: Site,
  user: Account,
): Promise<{ remaining: Remaining[]; keys: number }> {
  const parts = await loadPartsOfUser()
  const found = await Promise.all(
    parts.map(async ({ remaining }) => (await remaining?.(site, user)) ?? []),
  )
  const addresses = await selectVerifiedAddress(site.db, user.id)
  const { keys } = await listKeys(site, of(COMMAND_LINE, user.id))
  const word = userWord(user)
  const remaining = [
    ...found.flat(),
    {
      record: { addresses: addresses.map(({ email }) => email) },
      title: 'E-mail address, to which a link for a new password can be mailed',
      how: latchkey('user', 'set', word, '--email', 'none'),
      columns: ['email'],
      content: addresses,
    },
    // Last, because the question that may follow is about them.
    {
      record: { keys: keys.map(({ id }) => String(id)) },
      title: 'SSH keys',
      how: latchkey('key', 'delete', word, 'ID'),
      columns: ['id', 'title', 'fingerprint', 'added_time'],
      content: keyRecords(keys),
    },
  ]
  return { remaining, keys: keys.length }
}

/** Lists what remains, by kind, as the pages do; leaves empty kinds out. */
function list(output: Output, remaining: readonly Remaining[]): void {
  console.error('\nThis still works. Delete what the user does not recognise.')
  for (const { title, how, columns, content } of remaining) {
    if (content.length === 0) continue
    console.error(`\n${title} (${how}):`)
    output.list(columns, { content }, '')
  }
}

async function offerToDelete(
  site: Site,
  output: Output,
  { id, username }: { id: number; username: string },
  count: number,
): Promise<void> {
  if (!(await agrees(`Delete ${countOf(count)}?`))) return
  const deleted = await removeKeys(site, of(COMMAND_LINE, id))
  output.done(`Deleted ${countOf(deleted)} of ${username}.`, { id, username })
}

function countOf(keys: number): string {
  return keys === 1 ? '1 SSH key' : `${keys} SSH keys`
}
