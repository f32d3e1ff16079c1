import { and, eq, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import { type ActorDeps, actAs, actFreshAs } from '../access/act-as.ts'
import type { SessionActor } from '../access/actor.ts'
import { type FreshnessDeps } from '../access/freshness.ts'
import { isFresh, isLive } from '../access/session-store.ts'
import { logEvents } from '../audit/change-events.ts'
import { eventOf, insertEvent, logEvent } from '../audit/events.ts'
import { Refusal } from '../base/refusals.ts'
import { hashName } from '../crypto/key-ring.ts'
import { asAuthority, runBatch, writing } from '../database/statements.ts'
import { mailSite } from '../mail/available.ts'
import { queueMail } from '../mail/outbox.ts'
import type { MailLanguage } from '../mail/texts.ts'
import { chargeAll, mailCounter } from '../throttle/throttle.ts'
import { insertEventOfAddress, selectDetails, updateAddress } from './address-store.ts'
import { insertLink, isUsedBy, selectLive, spendLink } from './link-store.ts'
import { LIFETIMES, linkAddress, linkUse, newSecret } from './links.ts'
import { type MailDeps, prepareMail } from './mails.ts'

type AddressDeps = ActorDeps & FreshnessDeps & MailDeps

/**
 * Sets or removes the address of the user. A new one is not verified; the one before is told of it,
 * if it was.
 *
 * @throws {Refusal} `mailOff`, `confirmationNeeded`, and the refusals of `actAs`.
 */
export async function setOwnAddress(
  deps: AddressDeps,
  actor: SessionActor,
  email: string,
  language: MailLanguage,
): Promise<void> {
  const { db } = deps
  const { userId } = actor
  const now = deps.now()
  const { found } = await actFreshAs(deps, actor, now, { found: selectDetails(db, userId) })
  const [before] = found
  // Without mail an address can be removed, because it is of no use.
  if (email !== '') mailSite(deps)
  const isTold = before?.emailVerified === true && before.email !== email
  const mail =
    isTold && deps.mailer() !== undefined
      ? await prepareMail(deps, {
          to: before.email,
          kind: 'addressChanged',
          language,
          user: before.username,
        })
      : undefined
  const by = isFresh(deps, actor, now)
  const event = eventOf(actor, 'email_changed', now)
  // The mail goes to the address that was read, so that one must still be there.
  const when = eq(users.email, before?.email ?? '')
  const { events } = await actFreshAs(deps, actor, now, {
    events: insertEventOfAddress(db, by, userId, email, event, when),
    mail: mail && queueMail(deps, by, mail, now),
    updated: updateAddress(db, by, userId, email, when),
  })
  logEvents(event, events)
}

/**
 * Mails a link that confirms the address of the user.
 *
 * @throws {Refusal} `mailOff`, `noAddressToConfirm`, `tooManyRequests`, and those of `actAs`.
 */
export async function sendConfirmation(
  deps: AddressDeps,
  actor: SessionActor,
  language: MailLanguage,
): Promise<void> {
  const { db } = deps
  const { userId } = actor
  const { found } = await actAs(deps, actor, { found: selectDetails(db, userId) })
  const [details] = found
  const site = mailSite(deps)
  if (details === undefined || details.email === '' || details.emailVerified)
    throw new Refusal('noAddressToConfirm')
  const { email } = details
  const now = deps.now()
  // The address itself is not kept in a counter: anybody may have claimed it.
  const address = await hashName(await deps.keyRing(), `address/${email.toLowerCase()}`)
  const owner = String(details.id)
  await chargeAll(
    db,
    [
      mailCounter('confirmation', owner),
      mailCounter('confirmations', owner),
      mailCounter('address', address),
    ],
    now,
  )
  const { secret, tokenHash } = await newSecret(deps)
  const { milliseconds } = LIFETIMES.email
  const mail = await prepareMail(deps, {
    to: email,
    kind: 'confirmation',
    language,
    link: { address: linkAddress(site, secret), milliseconds },
  })
  const by = isLive(db, actor, now)
  await actAs(deps, actor, {
    link: insertLink(db, by, {
      kind: 'email',
      tokenHash,
      createdBy: null,
      userId: details.id,
      email,
      createdAt: now,
      endsAt: now + milliseconds,
    }),
    mail: queueMail(deps, by, mail, now),
  })
}

/**
 * Confirms the address of the user with a link. It works in a session of that account only:
 * otherwise the click of a stranger would confirm an address that somebody else has claimed.
 *
 * @throws {Refusal} `linkInvalid`, `linkOfOther`, and the refusals of `actAs`.
 */
export async function confirmAddress(
  deps: ActorDeps & MailDeps,
  actor: SessionActor,
  secret: string,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const use = await linkUse(deps, 'email', secret)
  const { account, live } = await actAs(deps, actor, { live: selectLive(db, use.tokenHash, now) })
  const [link] = live
  if (link?.kind !== 'email') throw new Refusal('linkInvalid')
  if (link.userId !== account.id) throw new Refusal('linkOfOther')
  const by = asAuthority(sql`(${and(isUsedBy(db, use), isLive(db, actor, now))})`)
  const event = eventOf(actor, 'email_verified', now)
  const { spent } = await actAs(deps, actor, {
    spent: spendLink(db, use, now, isLive(db, actor, now)),
    event: insertEvent(db, by, event),
    verified: writing(db, by).update(users, { emailVerified: true }, eq(users.id, account.id)),
  })
  if (spent.length === 0) throw new Refusal('linkInvalid')
  logEvent(event)
}

/**
 * Finds a link that can be used, for its page, which changes nothing. @throws {Refusal}
 * `linkInvalid`.
 */
export async function readLink(deps: Pick<ActorDeps, 'db' | 'now'> & MailDeps, secret: string) {
  const { tokenHash } = await linkUse(deps, 'invitation', secret)
  const { live } = await runBatch(deps.db, { live: selectLive(deps.db, tokenHash, deps.now()) })
  const [link] = live
  if (link === undefined) throw new Refusal('linkInvalid')
  return link
}
