import { logEvent } from '../audit/events.ts'
import { parseEmail } from '../base/email.ts'
import type { Language } from '../base/language.ts'
import type { Client } from '../base/network.ts'
import { runBatch } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import { getMailSite, type MailSiteDeps } from '../mail/mail-site.ts'
import { sealSecret } from '../mail/sealed-secret.ts'
import { chargeRequest } from '../throttle/throttle.ts'
import { forgottenParts, MAX_ACCOUNTS } from './forgotten-store.ts'
import { LIFETIMES, newSecret } from './links.ts'

export type ForgottenDeps = MailSiteDeps &
  Pick<Deps, 'db' | 'now' | 'randomBytes' | 'keyRing' | 'outbox'>

/**
 * Mails a link for a new password to the accounts of a name or an address. The answer tells nobody
 * whether there are any: the same statements run, as many secrets are made, and mails are sent
 * after it.
 *
 * The mail goes to the address that is stored, never to the text that was typed: two addresses that
 * compare as equal may lead to two mailboxes.
 *
 * @throws {Refusal} `mailOff`, `tooManyRequests`.
 */
export async function mailForgotten(
  deps: ForgottenDeps,
  name: string,
  from: Client,
  language: Language,
): Promise<void> {
  const ring = await deps.keyRing()
  getMailSite(deps)
  await chargeRequest(deps, 'forgotten', from)
  const secrets = await Promise.all(
    Array.from({ length: MAX_ACCOUNTS }, async () => {
      const { secret, tokenHash } = await newSecret(deps)
      return { tokenHash, sealed: await sealSecret(deps, ring, secret) }
    }),
  )
  const now = deps.now()
  const endsAt = now + LIFETIMES.mailedReset.milliseconds
  const request = { username: name, email: parseEmail(name) ?? '', from, language, secrets }
  const { events } = await runBatch(deps.db, forgottenParts(deps.db, { ...request, now, endsAt }))
  deps.outbox.hasMails = true
  for (const { userId } of events)
    if (userId !== null) logEvent({ ...from, at: now, kind: 'reset_mail_sent', userId })
}
