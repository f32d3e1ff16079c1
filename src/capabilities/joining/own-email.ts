import { and } from 'drizzle-orm'
import type { SessionActor } from '../../core/access/act-as.ts'
import { act, change, type ChangeDeps, own, type OwnAccount } from '../../core/access/subject.ts'
import { insertEvent } from '../../core/audit/events.ts'
import { mailboxKey } from '../../core/base/email.ts'
import type { Language } from '../../core/base/language.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { hashName } from '../../core/crypto/key-ring.ts'
import type { Deps } from '../../core/deps.ts'
import { type MailSiteDeps, mailSiteOf } from '../mail/mail-site.ts'
import { insertMail } from '../mail/outbox.ts'
import { sealSecret } from '../mail/sealed-secret.ts'
import { areOpen, selectBlocks } from '../../core/throttle/blocks.ts'
import { chargeUnspent } from '../../core/throttle/charges.ts'
import { confirmationCounters } from '../../core/throttle/counters.ts'
import { tooManyAttempts } from '../../core/throttle/gate.ts'
import {
  hasOtherEmail,
  isUnverified,
  mailToOldAddress,
  updateEmail,
  verifyEmail,
} from '../users/email-store.ts'
import { selectDetails } from '../users/details-store.ts'
import { insertLink, isLinkMade, isLinkOf, isUsedBy, selectLive, spendLink } from './link-store.ts'
import { LIFETIMES, linkUse, newSecret } from './links.ts'

type EmailDeps = ChangeDeps & MailSiteDeps

const NO_ADDRESS = { email: '', emailVerified: false }

/** @throws {Refusal} `mailOff`, but first what an ended session is told. */
async function requireMail(
  deps: EmailDeps,
  subject: OwnAccount<number>,
  demand: { fresh?: boolean } = {},
): Promise<void> {
  if (mailSiteOf(deps) !== undefined) return
  await act(deps, subject, demand, () => ({}))
  throw new Refusal('mailOff')
}

/**
 * Replaces the address of the actor, which is not verified then. A verified address that is taken
 * away is told.
 *
 * @param email Empty for none.
 * @throws {Refusal} `mailOff`, `confirmationNeeded`.
 */
export async function changeOwnEmail(
  deps: EmailDeps,
  actor: SessionActor,
  email: string,
  language: Language,
): Promise<void> {
  const { db } = deps
  const { userId } = actor
  await requireMail(deps, own(actor), { fresh: true })
  // An address that is taken away mails no link any more.
  const demand = { fresh: true, ends: email === '' }
  await change(deps, own(actor), { kind: 'email_changed', ...demand }, ({ by, event }) => ({
    event: insertEvent(db, by, event, hasOtherEmail(db, userId, email)),
    mailed: mailToOldAddress(db, by, userId, email, language, event),
    changed: updateEmail(db, by, userId, email),
  }))
}

/**
 * Mails a link that confirms the address of the actor.
 *
 * @throws {Refusal} `mailOff`, `noAddressToConfirm`, `tooManyRequests`.
 */
export async function sendConfirmation(
  deps: EmailDeps & Pick<Deps, 'randomBytes' | 'keyRing'>,
  actor: SessionActor,
  language: Language,
): Promise<void> {
  await requireMail(deps, own(actor))
  const { db } = deps
  const { userId } = actor
  const { details } = await act(deps, own(actor), {}, () => ({
    details: selectDetails(db, userId),
  }))
  const [{ email, emailVerified } = NO_ADDRESS] = details
  if (email === '' || emailVerified) throw new Refusal('noAddressToConfirm')
  const ring = await deps.keyRing()
  const { secret, tokenHash } = await newSecret(deps)
  const sealed = await sealSecret(deps, ring, secret)
  const counters = confirmationCounters(userId, await hashName(ring, `to ${mailboxKey(email)}`))
  const now = deps.now()
  const endsAt = now + LIFETIMES.email.milliseconds
  const isMade = isLinkMade(db, tokenHash)
  const link = {
    kind: 'email',
    tokenHash,
    createdBy: null,
    userId,
    email,
    createdAt: now,
    endsAt,
  } as const
  const mail = { kind: 'confirm', userId, linkHash: tokenHash, address: email } as const
  const { made, blocks } = await act(deps, own(actor), {}, ({ by }) => ({
    blocks: selectBlocks(db, counters, now),
    made: insertLink(db, by, link, and(isUnverified(db, userId, email), areOpen(counters, now))),
    queued: insertMail(db, by, { ...mail, language, sealed, expiresAt: endsAt }, now, {
      where: isMade,
    }),
    charged: chargeUnspent(db, by, counters, now, isMade),
  }))
  if (made.length > 0) return
  if (blocks.length > 0) throw tooManyAttempts(blocks, now, 'tooManyRequests')
  // The address was changed or confirmed meanwhile.
  throw new Refusal('noAddressToConfirm')
}

/**
 * Verifies the address of the actor with the link that was mailed there. Only a session of the
 * account may: a stranger who opens the link would verify what somebody else has claimed.
 *
 * @param secret 43 characters.
 * @throws {Refusal} `linkInvalid`, and `linkOfOther`, which leaves the link unused.
 */
export async function confirmOwnEmail(
  deps: ChangeDeps & Pick<Deps, 'randomBytes'>,
  actor: SessionActor,
  secret: string,
): Promise<void> {
  const { db } = deps
  const { userId } = actor
  const use = await linkUse(deps, 'email', secret)
  const isUsed = isUsedBy(db, use)
  const { found, spent } = await change(
    deps,
    own(actor),
    { kind: 'email_verified' },
    ({ now, by, event }) => ({
      found: selectLive(db, use.tokenHash, now),
      spent: spendLink(db, use, now, and(isLinkOf(userId), by)),
      event: insertEvent(db, isUsed, event),
      verified: verifyEmail(db, isUsed, userId),
    }),
  )
  if (spent.length > 0) return
  const [link] = found
  const isOfOther = link?.kind === 'email' && link.userId !== userId
  throw new Refusal(isOfOther ? 'linkOfOther' : 'linkInvalid')
}
