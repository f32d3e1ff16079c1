import {
  and,
  eq,
  gt,
  isNull,
  lte,
  or,
  type Placeholder,
  type SQL,
  sql,
  type SQLWrapper,
} from 'drizzle-orm'
import { appPasswords, auditEvents, users } from '../../../schema/tables.ts'
import { deletionOf } from '../audit/deletions.ts'
import { type AuditEvent, insertEvent } from '../audit/events.ts'
import { logEvent } from '../audit/audit-event.ts'
import { madeRecently, MAKES_KNOWN, REPORTS_NETWORK } from '../audit/known-networks.ts'
import type { Client } from '../base/network.ts'
import type { Database } from '../database/database.ts'
import type { Given } from '../database/prepared.ts'
import { type Authority, runBatch, THE_SERVICE, writing } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import type { Deps } from '../deps.ts'
import { isEnabled } from '../accounts/conditions.ts'
import { accountColumns } from '../accounts/accounts.ts'
import { GROUP_NAMES } from '../accounts/groups.ts'
import type { AppPasswordActor } from './actor.ts'
import {
  type AppPasswordState,
  isUseNoted,
  readAppPasswordState,
  USE_MILLISECONDS,
} from './app-password-state.ts'
import { includesScope } from './includes-scope.ts'
import { isMadeWithEnough } from './sign-in-methods.ts'

/** An app password that a client or a server shows. */
type Shown = Pick<AppPasswordActor, 'tokenHash' | 'username'>

/** Holds for the row of an app password. With a user name, the owner must have exactly it. */
export function isAppPasswordOf({ tokenHash, username }: Given<Shown>): SQL | undefined {
  const name = username ?? null
  const isOwners = sql`(${name} is null or ${users.username} = ${name})`
  return and(eq(appPasswords.tokenHash, tokenHash), isOwners)
}

/**
 * Returns the state of a row of `app_passwords` as one column.
 *
 * @param network The client's network; `undefined` when it is not known, as at a file server.
 */
export function appPasswordState(
  network: string | SQLWrapper | undefined,
  now: number | Placeholder,
): SQL<AppPasswordState | null> {
  const { id, name, scopes, createdAt, expiresAt, lastUsedAt, lastNetwork } = appPasswords
  const isElsewhere =
    network === undefined
      ? sql`0`
      : sql`iif(${lastNetwork} is ${network}, 0, ${isUnknownNetwork(appPasswords.userId, network, now)})`
  return sql`json_array(${id}, ${name}, ${scopes}, ${createdAt}, ${expiresAt}, ${lastUsedAt}, ${isElsewhere})`.mapWith(
    readAppPasswordState,
  )
}

/**
 * Holds when the user is not known from a network, and no event reports it yet. Every request with
 * an app password contains it, so it is written out: to build it from parts takes longer than to
 * run it.
 */
function isUnknownNetwork(
  userId: SQLWrapper | number,
  network: string | SQLWrapper,
  now: number | Placeholder,
): SQL {
  const ofUser = madeRecently(userId, network, now)
  return sql`not (exists (select 1 from ${auditEvents} where ${MAKES_KNOWN} and ${ofUser})
    or exists (select 1 from ${auditEvents} where ${REPORTS_NETWORK} and ${ofUser}))`
}

/**
 * Selects the account with its groups, and the state of an app password that a server shows for its
 * owner, while it is in force.
 */
export function selectShown(
  db: Database,
  shown: Shown & { network: string | SQLWrapper | undefined },
  now: number,
) {
  return db
    .select({
      ...accountColumns,
      groupNames: GROUP_NAMES,
      appPassword: appPasswordState(shown.network, now).as('app_password'),
    })
    .from(users)
    .innerJoin(appPasswords, eq(appPasswords.userId, users.id))
    .where(
      and(
        isAppPasswordOf(shown),
        isEnabled(now),
        isUnexpired(now),
        isMadeWithEnough(appPasswords.amr),
      ),
    )
}

function isUnexpired(now: number): SQL | undefined {
  return or(isNull(appPasswords.expiresAt), gt(appPasswords.expiresAt, now))
}

/**
 * Selects the row of an app password that is in force and has the scope that the request needs.
 * Inside `exists` it is a condition.
 */
export function selectLiveAppPassword(
  db: Database,
  actor: AppPasswordActor,
  now: number,
  when?: SQL,
) {
  const { needs } = actor
  return db
    .select({ id: appPasswords.id })
    .from(appPasswords)
    .innerJoin(users, eq(users.id, appPasswords.userId))
    .where(
      and(
        isAppPasswordOf(actor),
        isUnexpired(now),
        needs === 'session' ? sql`false` : includesScope(appPasswords.scopes, needs),
        isEnabled(now),
        isMadeWithEnough(appPasswords.amr),
        when,
      ),
    )
}

/**
 * Records that an app password was used, after the answer. The time moves at most once an hour. The
 * first use from a network that the owner is not known from is an event.
 *
 * @param client The network is `undefined` when it is not known, as at a file server.
 */
export function noteUse(
  deps: Pick<Deps, 'db' | 'defer'>,
  { network, userAgent }: { network: string | undefined; userAgent: string },
  used: AppPasswordState & { userId: number },
  now: number,
): void {
  if (isUseNoted(used, now)) return
  // When this fails, the next use is recorded.
  deps.defer(recordUse(deps.db, { network, userAgent }, used, now).catch(() => undefined))
}

/** Records a use that `isUseNoted` does not find recorded. */
export async function recordUse(
  db: Database,
  { network, userAgent }: { network: string | undefined; userAgent: string },
  { id, name, userId, isElsewhere }: AppPasswordState & { userId: number },
  now: number,
): Promise<void> {
  const elsewhere: Client | undefined =
    network !== undefined && isElsewhere ? { network, userAgent } : undefined
  const isDue = or(
    isNull(appPasswords.lastUsedAt),
    lte(appPasswords.lastUsedAt, now - USE_MILLISECONDS),
  )
  const event: AuditEvent | undefined = elsewhere && {
    ...elsewhere,
    at: now,
    kind: 'token_used_elsewhere',
    userId,
    detail: name,
  }
  const { reported } = await runBatch(db, {
    reported:
      event && insertEvent(db, THE_SERVICE, event, isUnknownNetwork(userId, event.network, now)),
    used: writing(db, THE_SERVICE).update(
      appPasswords,
      { lastUsedAt: now, ...(network !== undefined && { lastNetwork: network }) },
      and(eq(appPasswords.id, id), isDue),
    ),
  })
  if (event !== undefined && reported !== undefined && reported.length > 0) logEvent(event)
}

/** Holds for every app password of a user. */
export function isAppPasswordOfUser(userId: UserId): SQL {
  return eq(appPasswords.userId, userId)
}

/** Returns the statements that delete app passwords and write an event for each. */
export function appPasswordDeletion(
  db: Database,
  by: Authority,
  which: SQL | undefined,
  event: AuditEvent,
) {
  return deletionOf(db, by, appPasswords, which, event, appPasswords.name)
}

/** Deletes the app passwords that expired before a time. Until then the owner sees them in the list. */
export function pruneAppPasswords(db: Database, before: number) {
  return writing(db, THE_SERVICE).delete(appPasswords, lte(appPasswords.expiresAt, before))
}
