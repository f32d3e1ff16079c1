import { keyFolders, withoutKeyParts } from './core/accounts/folder-keys.ts'
import type { Deps } from './core/deps.ts'
import { type FileRunDeps, writeFileUsersInTime } from './capabilities/files/http/gateway.ts'
import { becomeMails, type ForgottenDeps } from './capabilities/joining/forgotten.ts'
import { dueMailParts, type MailDeps, sendTaken } from './capabilities/mail/send.ts'
import { sendNotices, type SendDeps } from './capabilities/notices/send.ts'
import { watchParts } from './capabilities/notices/watch.ts'
import {
  type LogoutDeps,
  selectAnyLogout,
  sendLogouts,
} from './capabilities/openid/back-channel.ts'

/** The cron trigger of this run (`wrangler.toml`). Every other trigger is that of the nightly run. */
export const FREQUENT_CRON = '*/5 * * * *'

/**
 * Runs every five minutes: looks for locked accounts and networks and for many refused sign-ins,
 * sends notices, mails and logouts that were not delivered before, and makes missing keys of
 * folders. It takes one round trip to D1 when there is nothing to do.
 */
export async function runFrequently(
  deps: SendDeps & MailDeps & ForgottenDeps & LogoutDeps & FileRunDeps & Pick<Deps, 'db' | 'now'>,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const { logout, expiredMails, dueMails, folders, names } = await sendNotices(deps, {
    ...watchParts(db, now),
    logout: selectAnyLogout(db, now),
    ...dueMailParts(deps, now),
    ...withoutKeyParts(db),
  })
  await sendTaken(deps, expiredMails, dueMails, becomeMails(deps))
  await keyFolders(deps, { folders, names })
  if (logout.length > 0) await sendLogouts(deps)
  await writeFileUsersInTime(deps)
}
