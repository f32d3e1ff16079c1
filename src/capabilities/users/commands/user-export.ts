import { eq } from 'drizzle-orm'
import { links as linksOfUsers, reservedNames, sshKeys, users } from '../../../../schema/tables.ts'
import { DAY_MILLISECONDS, isoTime } from '../../../core/base/time.ts'
import { runBatch } from '../../../core/database/statements.ts'
import { selectAnyClient } from '../../../core/accounts/known-names.ts'
import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import { eventRetention } from '../../settings/store.ts'
import { listKeys } from '../../ssh-keys/keys.ts'
import { keyRecords } from '../../ssh-keys/record.ts'
import { countUnusedCodes } from '../../two-factor/store.ts'
import type { Site } from '../../../programs/site/site.ts'
import { USER } from '../../../programs/site/find-user.ts'
import type { Account } from '../../../core/accounts/accounts.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import { permissionNames } from '../../../programs/kit/permission.ts'
import { loadPartsOfUser, mergedParts } from './parts-of-user.ts'
import { fullUserRecord } from './user-text.ts'
import { terminalJson } from '../../../core/base/text.ts'

/** `latchkey user export`: everything that is kept of a person, as JSON. */
export const exportUser = onSite({
  about: 'prints everything that is kept of a user, as JSON',
  zh: '以 JSON 输出保存的关于一个用户的全部内容',
  takes: { user: USER },
  notes: [
    `Hashes of passwords, codes and tokens, public keys of passkeys, and what is sealed (seeds, addresses of
channels) are left out: nobody can read anything in them. What an administrator did to others is in their events.
Files are at the file server, not here. Backups hold what they held when they were made.`,
    `密码、代码和令牌的哈希、通行密钥的公钥以及加密的内容（种子、渠道的地址）不会导出：没有人能从中读出任何内容。
管理员对他人的操作在他人的事件中。文件在文件服务器上，不在这里。备份保留其创建时的内容。`,
  ],
  examples: ['user export alice > alice.json'],
  async run(site, { user }) {
    console.log(terminalJson(await everythingOf(site, user), 2))
  },
})

async function everythingOf(site: Site, account: Account) {
  const { id } = account
  const { keys } = await listKeys(site, of(COMMAND_LINE, id))
  const { times, names, lines, codes, given } = await runBatch(site.db, {
    times: site.db
      .select({
        createdAt: users.createdAt,
        renamedAt: users.renamedAt,
        email: users.email,
        emailVerified: users.emailVerified,
        endsAt: users.endsAt,
      })
      .from(users)
      .where(eq(users.id, id)),
    names: site.db.select().from(reservedNames).where(eq(reservedNames.userId, id)),
    lines: site.db
      .select({ id: sshKeys.id, line: sshKeys.line, network: sshKeys.lastUsedNetwork })
      .from(sshKeys)
      .where(eq(sshKeys.userId, id)),
    codes: countUnusedCodes(site.db, id),
    given: site.db.select().from(linksOfUsers).where(eq(linksOfUsers.userId, id)),
  })
  return {
    exported_at: isoTime(site.now()),
    account: { ...fullUserRecord(account), permissions: permissionNames(account.permission) },
    created_at: timeOrNull(times[0]?.createdAt),
    renamed_at: timeOrNull(times[0]?.renamedAt),
    email: times[0]?.email ?? '',
    email_verified: times[0]?.emailVerified ?? false,
    ends_at: timeOrNull(times[0]?.endsAt),
    links: given.map(({ kind, createdAt, endsAt, used }) => ({
      kind,
      created_at: isoTime(createdAt),
      ends_at: isoTime(endsAt),
      used,
    })),
    reserved_names: names.map(({ username: name, reservedAt }) => ({
      username: name,
      reserved_at: isoTime(reservedAt),
    })),
    password_changed_at: timeOrNull(account.passwordChangedAt),
    unused_recovery_codes: codes[0]?.total ?? 0,
    ssh_keys: keyRecords(keys).map((record) => ({
      ...record,
      key: lines.find((line) => line.id === record.id)?.line ?? '',
      last_used_network: lines.find((line) => line.id === record.id)?.network ?? '',
    })),
    ...(await mergedParts(({ exported }) => exported?.(site, account))),
  }
}

/** @param time Unix time, milliseconds; 0 or nothing for never. */
function timeOrNull(time: number | null | undefined): string | null {
  return time ? isoTime(time) : null
}

/** Says what a deleted user leaves, and for how long. */
export async function whatStays(
  site: Site,
  account: Account,
): Promise<{ sentence: string; days: number }> {
  const days = (await eventRetention(site.db)) / DAY_MILLISECONDS
  const [client] = await selectAnyClient(site.db)
  const parts = await loadPartsOfUser()
  const staying = await Promise.all(parts.map(async (part) => part.staying?.(site, account)))
  const sentences = [
    'Keys, passkeys, app passwords, linked accounts, sessions, access given to apps and notices go.',
    `The events of the account stay for up to ${days} days; the event of the deletion names it.`,
    ...(client === undefined
      ? []
      : ['The name stays reserved until reserved-name release, because apps know it.']),
    ...staying.filter((sentence) => sentence !== undefined),
    'Backups keep what they hold, and files stay at the file server.',
  ]
  return { sentence: sentences.join(' '), days }
}
