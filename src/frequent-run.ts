import type { Deps } from './deps.ts'
import { type FileRunDeps, writeFileUsersInTime } from './files/http/gateway.ts'
import { runMails } from './joining/mail-run.ts'
import type { MailDeps } from './joining/mails.ts'
import { sendNotices, type SendDeps } from './notices/send.ts'
import { watchParts } from './notices/watch.ts'
import { type LogoutDeps, selectAnyLogout, sendLogouts } from './openid/back-channel.ts'

/** The cron trigger of this run (`wrangler.toml`). Every other trigger is that of the nightly run. */
export const FREQUENT_CRON = '*/5 * * * *'

/**
 * Runs every five minutes: looks for locked accounts and networks and for many refused sign-ins,
 * and sends notices and logouts that were not delivered before. It takes one round trip to D1 when
 * there is nothing to send.
 */
export async function runFrequently(
  deps: SendDeps & LogoutDeps & FileRunDeps & MailDeps & Pick<Deps, 'db' | 'now'>,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const { logout } = await sendNotices(deps, {
    ...watchParts(db, now),
    logout: selectAnyLogout(db, now),
  })
  if (logout.length > 0) await sendLogouts(deps)
  await runMails(deps)
  await writeFileUsersInTime(deps)
}
