import * as v from 'valibot'
import { logEvent } from '../../core/audit/audit-event.ts'
import { parseEmail } from '../../core/base/email.ts'
import type { Language } from '../../core/base/language.ts'
import type { Client } from '../../core/base/network.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps, MakeMails } from '../../core/deps.ts'
import { getMailSite, type MailSiteDeps } from '../mail/mail-site.ts'
import { insertMail } from '../mail/outbox.ts'
import { sealSecret } from '../mail/sealed-secret.ts'
import { chargeRequest } from '../../core/throttle/requests.ts'
import { forgottenParts, MAX_ACCOUNTS } from './forgotten-store.ts'
import { LIFETIMES, newSecret } from './links.ts'

type ForgottenDeps = MailSiteDeps & Pick<Deps, 'db' | 'now' | 'randomBytes' | 'keyRing'>

const requestSchema = v.object({ name: v.string(), network: v.string(), userAgent: v.string() })

/**
 * Takes a request for a new password. It is written down as it is, sealed, and looked at after the
 * answer: so the answer takes the same work whether there is an account or not.
 *
 * @throws {Refusal} `mailOff`, `tooManyRequests`.
 */
export async function mailForgotten(
  deps: ForgottenDeps,
  name: string,
  { network, userAgent }: Client,
  language: Language,
): Promise<void> {
  const ring = await deps.keyRing()
  getMailSite(deps)
  await chargeRequest(deps, 'forgotten', { network, userAgent })
  const now = deps.now()
  const sealed = await sealSecret(deps, ring, JSON.stringify({ name, network, userAgent }))
  const expiresAt = now + LIFETIMES.mailedReset.milliseconds
  const request = { kind: 'forgotten', userId: null, linkHash: null, address: '' } as const
  const mail = { ...request, language, sealed, expiresAt }
  await runBatch(deps.db, { mail: insertMail(deps.db, THE_SERVICE, mail, now) })
}

/**
 * Makes mails of a request: a link for a new password to each account of the name or the address.
 *
 * The mail goes to the address that is stored, never to the text that was typed: two addresses that
 * compare as equal may lead to two mailboxes.
 */
export const makeMails: MakeMails = async (deps, text, language) => {
  const { name, ...from } = v.parse(requestSchema, JSON.parse(text))
  const ring = await deps.keyRing()
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
  for (const { userId } of events)
    if (userId !== null) logEvent({ ...from, at: now, kind: 'reset_mail_sent', userId })
}
