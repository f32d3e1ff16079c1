import { type SQL, sql } from 'drizzle-orm'
import { auditEvents, links, users } from '../../../schema/tables.ts'
import { isEnabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import { eventRow } from '../../core/audit/events.ts'
import { latestSignIn } from '../../core/audit/sign-in-networks.ts'
import { madeRecently, MAKES_KNOWN } from '../../core/audit/known-networks.ts'
import type { Language } from '../../core/base/language.ts'
import type { Client } from '../../core/base/network.ts'
import { literal } from '../../core/database/literal.ts'
import { THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { insertMail } from '../mail/outbox.ts'
import { chargeResetMails, mayMailReset } from '../../core/throttle/reset-mails.ts'

/** Accounts that one request mails to. */
export const MAX_ACCOUNTS = 5

/** A request for a mail about a forgotten password. */
export interface ForgottenRequest {
  /** The typed text as a user name. */
  username: string
  /** The same as an address; empty when it is none. */
  email: string
  from: Client
  language: Language
  /** As many secrets as accounts may be found: the hash, and the sealed text. */
  secrets: readonly { tokenHash: string; sealed: string }[]
  now: number
  /** When the links end. Unix time, milliseconds. */
  endsAt: number
}

/**
 * The accounts that a request means, those that signed in last first: with this name, or with this
 * verified address. Their columns are `id`, `email`, `has_password`, `changed_at`, `is_known`,
 * `place`.
 */
function accountsOf({ username, email, from, now }: ForgottenRequest): SQL {
  const isKnown = sql`exists (
    select 1 from ${auditEvents}
    where ${MAKES_KNOWN} and ${madeRecently(sql`${users.id}`, from.network, now)}
  )`
  const meant = sql`select ${users.id} from ${users} where ${users.usernameKey} = ${usernameKey(username)}
    union select ${users.id} from ${users} where ${users.emailVerified} = 1 and lower(${users.email}) = lower(${email})`
  return sql`(
    select account.*, row_number() over (order by last_at desc, id) - 1 as place from (
      select ${users.id} as id, ${users.email} as email, ${users.passwordHash} is not null as has_password,
        ${users.passwordChangedAt} as changed_at, ${isKnown} as is_known,
        coalesce(${latestSignIn(sql`${users.id}`)}, 0) as last_at
      from ${users}
      where ${users.id} in (${meant}) and ${users.emailVerified} = 1 and ${users.email} <> ''
        and ${isEnabled(now)} and ${isNotGuest}
    ) as account order by place limit ${literal(MAX_ACCOUNTS)}
  ) as found`
}

/**
 * Returns the statements that mail a link to each account that a request means, as parts of a
 * batch. They are the same whether there is an account or not, and their work nearly so.
 */
export function forgottenParts(db: Database, request: ForgottenRequest) {
  const { secrets, from: client, language, now, endsAt } = request
  const accounts = accountsOf(request)
  const may = mayMailReset(sql`found.id`, sql`found.is_known`, now)
  const secret = sql`json_each(${JSON.stringify(secrets)}) as secret on secret.key = found.place`
  const from = sql`${accounts} join ${secret}`
  const tokenHash = sql`secret.value ->> 'tokenHash'`
  const event = eventRow({ ...client, at: now, kind: 'reset_mail_sent' })
  return {
    links: writing(db, THE_SERVICE).insert(
      links,
      {
        kind: 'reset',
        tokenHash,
        userId: sql`found.id`,
        email: sql`found.email`,
        passwordChangedAt: sql`found.changed_at`,
        createdAt: now,
        endsAt,
      },
      { from, where: sql`found.has_password and ${may}` },
    ),
    mails: insertMail(
      db,
      THE_SERVICE,
      {
        kind: sql`iif(found.has_password, 'reset', 'no_password')`,
        userId: sql`found.id`,
        linkHash: sql`iif(found.has_password, ${tokenHash}, null)`,
        address: sql`found.email`,
        language,
        sealed: sql`iif(found.has_password, secret.value ->> 'sealed', '')`,
        expiresAt: endsAt,
        event: { at: now, network: client.network },
      },
      now,
      { from, where: may },
    ),
    events: writing(db, THE_SERVICE)
      .insert(auditEvents, { ...event, userId: sql`found.id` }, { from: accounts, where: may })
      .returning({ userId: auditEvents.userId }),
    // Last, because it makes `may` false.
    charged: chargeResetMails(db, THE_SERVICE, accounts, now, may),
  }
}
