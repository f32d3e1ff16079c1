import { and, desc, eq, isNotNull, ne, or, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import { isEnabled, isNotGuest } from '../accounts/conditions.ts'
import { isNamed } from '../accounts/store.ts'
import { type AuditEvent, insertEvent, latestSignIn, logEvent } from '../audit/events.ts'
import type { Client } from '../base/network.ts'
import { runBatch, THE_SERVICE } from '../database/statements.ts'
import { mailSite } from '../mail/available.ts'
import { type ForgottenRequest, queueMail, sealMail } from '../mail/outbox.ts'
import type { MailLanguage } from '../mail/texts.ts'
import { isKnownNetwork } from '../throttle/known-networks.ts'
import { chargeRequest, chargeUnspent, mailCounter } from '../throttle/throttle.ts'
import { insertLink } from './link-store.ts'
import { LIFETIMES, linkAddress, newSecret } from './links.ts'
import { type MailDeps, prepareMail } from './mails.ts'

/** Accounts of one address that get a mail each. */
const MAX_ACCOUNTS = 5

/**
 * Takes a request for a new password. Nobody has looked whose it is when this returns, so the
 * answer and its time tell nothing about who has an account.
 *
 * @param name A user name or an address.
 * @throws {Refusal} `mailOff`, `tooManyRequests`.
 */
export async function requestReset(
  deps: MailDeps,
  name: string,
  language: MailLanguage,
  client: Client,
): Promise<void> {
  mailSite(deps)
  await chargeRequest(deps, 'forgotten', client)
  const { network, userAgent } = client
  const now = deps.now()
  const item = { forgotten: { name, language, network, userAgent } }
  const sealed = await sealMail(deps, item, now + LIFETIMES.mailedReset.milliseconds)
  await runBatch(deps.db, { queued: queueMail(deps, THE_SERVICE, sealed, now) })
}

/** Makes the mails of a request for a new password, after its answer. */
export async function mailResets(deps: MailDeps, request: ForgottenRequest): Promise<void> {
  const found = await findAccounts(deps, request)
  for (const account of found) await mailReset(deps, account, request)
}

type Found = Awaited<ReturnType<typeof findAccounts>>[number]

/**
 * Finds the enabled accounts with a verified address that a name means: as a user name or as the
 * address. Those who signed in last come first.
 */
async function findAccounts(deps: MailDeps, { name, network }: ForgottenRequest) {
  const now = deps.now()
  const address = name.trim()
  const isMeant = or(
    isNamed(name),
    // ASCII case only: SQLite's `lower` knows no other.
    sql`lower(${users.email}) = ${address.replace(/[A-Z]/g, (one) => one.toLowerCase())}`,
  )
  const { found } = await runBatch(deps.db, {
    found: deps.db
      .select({
        id: users.id,
        username: users.username,
        email: users.email,
        hasPassword: sql`${isNotNull(users.passwordHash)}`.mapWith(Boolean).as('has_password'),
        passwordChangedAt: users.passwordChangedAt,
        lastSignInAt: latestSignIn(sql`${users.id}`).as('last_sign_in_at'),
      })
      .from(users)
      .where(
        and(
          isMeant,
          sql`${users.emailVerified} = 1`,
          ne(users.email, ''),
          isEnabled(now),
          isNotGuest,
        ),
      )
      .orderBy(desc(sql`coalesce(last_sign_in_at, 0)`), users.id)
      .limit(MAX_ACCOUNTS),
  })
  return Promise.all(
    found.map(async (account) => {
      const isKnown = isKnownNetwork({ username: account.username, network }, now)
      const { known } = await runBatch(deps.db, {
        known: deps.db
          .select({ isKnown: sql`${isKnown}`.mapWith(Boolean).as('is_known') })
          .from(sql`(select 1)`),
      })
      return { ...account, isKnown: known[0]?.isKnown === true }
    }),
  )
}

/** Mails one account, unless it has had mails enough: the link sent before still works. */
async function mailReset(
  deps: MailDeps,
  account: Found,
  { language, network, userAgent }: ForgottenRequest,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const { id: userId, username: user, email: to, hasPassword, isKnown } = account
  const ofDay = isKnown ? 'knownResetMails' : 'resetMails'
  const counters = [mailCounter('resetMail', String(userId)), mailCounter(ofDay, String(userId))]
  const { charged } = await runBatch(db, {
    charged: chargeUnspent(db, THE_SERVICE, counters, now),
  })
  if (charged.length === 0) return
  const event: AuditEvent = { at: now, kind: 'reset_mail_sent', userId, network, userAgent }
  const { milliseconds } = LIFETIMES.mailedReset
  const { secret, tokenHash } = await newSecret(deps)
  const address = linkAddress(mailSite(deps), secret)
  const mail = await prepareMail(deps, {
    to,
    language,
    user,
    ...(hasPassword
      ? { kind: 'reset', link: { address, milliseconds } }
      : { kind: 'resetWithoutPassword' }),
  })
  const isSame = sql`exists (select 1 from ${users} where ${and(eq(users.id, userId), eq(users.email, to))})`
  await runBatch(db, {
    event: insertEvent(db, THE_SERVICE, event, isSame),
    link: hasPassword
      ? insertLink(
          db,
          THE_SERVICE,
          {
            kind: 'reset',
            tokenHash,
            createdBy: null,
            userId,
            email: to,
            passwordChangedAt: account.passwordChangedAt,
            createdAt: now,
            endsAt: now + milliseconds,
          },
          isSame,
        )
      : undefined,
    mail: queueMail(deps, THE_SERVICE, mail, now, isSame),
  })
  logEvent(event)
}
