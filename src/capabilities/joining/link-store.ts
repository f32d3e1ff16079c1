import { and, count, desc, eq, exists, isNotNull, lt, lte, ne, sql, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as v from 'valibot'
import { links, users } from '../../../schema/tables.ts'
import { namesOfGroups } from '../../core/accounts/groups.ts'
import type { UndoSlot } from '../../core/access/undo-slot.ts'
import { keepDeleted } from '../../core/access/undo.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { isEnabled } from '../../core/accounts/conditions.ts'
import { type AuditEvent, insertEvents } from '../../core/audit/events.ts'
import type { PageWindow } from '../../core/base/paging.ts'
import { literal } from '../../core/database/literal.ts'
import {
  asAuthority,
  type Authority,
  THE_SERVICE,
  writing,
} from '../../core/database/statements.ts'
import type { UserId } from '../../core/database/user-id.ts'
import type { Database } from '../../core/deps.ts'
import type { LinkKind, LinkState, LinkUse } from './links.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

export type NewLink = Omit<
  typeof links.$inferInsert,
  'id' | 'kind' | 'used' | 'usedBy' | 'createdBy' | 'groupIds'
> & {
  kind: LinkKind
  createdBy: UserId | null
  /** A JSON array; none when missing. */
  groupIds?: SQL
}

export function insertLink(db: Database, by: Authority, link: NewLink, when?: SQL) {
  return writing(db, by).insert(links, link, { where: when }).returning({ id: links.id })
}

/** Links that are over for so long are of no interest to anybody. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS

export function pruneLinks(db: Database, now: number) {
  return writing(db, THE_SERVICE).delete(links, lte(links.endsAt, now - KEPT_MILLISECONDS))
}

/**
 * Holds for a link that may be used: it has a use and time left, and what it rests on holds. Its
 * maker is still an enabled admin, or was the command line or the user; the account of a link for a
 * new password is enabled and has the password that it had; an address that it was mailed to is
 * still that of the account, and verified unless the link is to verify it; an account that it makes
 * would not have ended.
 *
 * What a link rests on may come back, but the link does not: triggers of migration 0027 delete it
 * with the account, the maker or the address, and `withdrawLinksOf` with the end of the account.
 */
function isLiveLink(db: Database, now: number): SQL {
  const makers = alias(users, 'makers')
  const maker = db
    .select({ id: makers.id })
    .from(makers)
    .where(
      sql`${makers.id} = ${links.createdBy} and ${makers.role} = ${literal(ADMIN)} and ${makers.disabled} = 0`,
    )
  const owner = db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.id, links.userId),
        isEnabled(now),
        sql`(${links.passwordChangedAt} is null or ${links.passwordChangedAt} = ${users.passwordChangedAt})`,
        sql`(${links.email} = '' or (${links.email} = ${users.email} and (${links.kind} = 'email' or ${users.emailVerified} = 1)))`,
      ),
    )
  return sql`(${links.used} < ${links.uses} and ${links.endsAt} > ${now}
    and (${links.accountEndsAt} is null or ${links.accountEndsAt} > ${now})
    and (${links.createdBy} is null or ${exists(maker)})
    and (${links.userId} is null or ${exists(owner)}))`
}

/** Holds for the link whose secret has this hash. */
function isLink({ kind, tokenHash }: Pick<LinkUse, 'kind' | 'tokenHash'>): SQL | undefined {
  return and(eq(links.tokenHash, tokenHash), eq(links.kind, kind))
}

/**
 * Uses a link once: the one statement that does. `isUsedBy` of the same use then holds, and what
 * the link is for stands behind it in the batch, under that condition. A batch is one transaction,
 * so a link is used exactly if that is done.
 *
 * @param when What the purpose of the link depends on, such as a name that is free.
 * @returns A row when the link was live.
 */
export function spendLink(db: Database, use: LinkUse, now: number, when?: SQL) {
  return writing(db, THE_SERVICE)
    .update(
      links,
      { used: sql`${links.used} + 1`, usedBy: use.usedBy },
      and(isLink(use), isLiveLink(db, now), when),
    )
    .returning({ id: links.id })
}

/** Holds once the link with this hash is there. */
export function isLinkMade(db: Database, tokenHash: string): SQL {
  return exists(db.select({ id: links.id }).from(links).where(eq(links.tokenHash, tokenHash)))
}

/** Holds when `spendLink` of this request has used the link. */
export function isUsedBy(db: Database, use: LinkUse): Authority {
  const used = db.select({ id: links.id }).from(links)
  return asAuthority(exists(used.where(and(isLink(use), eq(links.usedBy, use.usedBy)))))
}

/** Selects a link that can be used, of any kind. */
export function selectLive(db: Database, tokenHash: string, now: number) {
  return db
    .select({
      id: links.id,
      kind: sql<LinkKind>`${links.kind}`.as('kind'),
      userId: links.userId,
      name: links.name,
      username: links.username,
      email: links.email,
      permission: links.permission,
      basePath: links.basePath,
      accountEndsAt: links.accountEndsAt,
      accountDays: links.accountDays,
      groupIds: links.groupIds,
      secondFactor: links.secondFactor,
      createdBy: links.createdBy,
      creatorName:
        sql<string>`coalesce((select ${users.username} from ${users} where ${users.id} = ${links.createdBy}), '')`.as(
          'creator_name',
        ),
      ownerName:
        sql<string>`coalesce((select ${users.username} from ${users} where ${users.id} = ${links.userId}), '')`.as(
          'owner_name',
        ),
    })
    .from(links)
    .where(and(eq(links.tokenHash, tokenHash), isLiveLink(db, now)))
}

/** Selects links, the newest first. */
export function selectLinks(
  db: Database,
  kind: LinkKind | undefined,
  { limit, offset }: PageWindow,
  now: number,
) {
  const owners = alias(users, 'owners')
  const creators = alias(users, 'creators')
  const isLive = isLiveLink(db, now)
  return db
    .select({
      id: links.id,
      kind: sql<LinkKind>`${links.kind}`.as('kind'),
      name: links.name,
      username: sql<string>`coalesce(${owners.username}, ${links.username})`.as('for_name'),
      email: links.email,
      permission: links.permission,
      basePath: links.basePath,
      uses: links.uses,
      used: links.used,
      groupNames: namesOfGroups(links.groupIds).as('group_names'),
      joinedAsJson: joinedAsJson(),
      createdBy: links.createdBy,
      createdByName: sql<string | null>`${creators.username}`.as('by_name'),
      createdAt: links.createdAt,
      endsAt: links.endsAt,
      state:
        sql<LinkState>`iif(${isLive}, 'live', iif(${links.used} >= ${links.uses}, 'used', 'ended'))`.as(
          'state',
        ),
    })
    .from(links)
    .leftJoin(owners, eq(owners.id, links.userId))
    .leftJoin(creators, eq(creators.id, links.createdBy))
    .where(isKind(kind))
    .orderBy(desc(links.id))
    .limit(limit)
    .offset(offset)
}

/** The users of an invitation that a list names; further ones are only counted. */
const MAX_JOINED = 10

/** Selects, as JSON, the first users who joined with the invitation of a row. */
function joinedAsJson() {
  const joined = alias(users, 'joined')
  return sql<string>`(
    select json_group_array(json_object('id', "id", 'name', "username")) from (
      select ${joined.id}, ${joined.username} from ${users} as ${sql.identifier('joined')}
      where ${joined.invitationId} = ${links.id} order by ${joined.id} limit ${literal(MAX_JOINED)}
    )
  )`.as('joined')
}

const joinedSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ id: v.number(), name: v.string() })),
)

/** Reads the users of `joinedAsJson`. */
export function readJoined({ joinedAsJson: json }: ListedLink) {
  return v.parse(joinedSchema, json)
}

/** Selects the note of the invitation that a user joined with; null once the link is gone. */
export function selectInvitationOf(db: Database, userId: number) {
  return db
    .select({ name: links.name })
    .from(users)
    .leftJoin(links, eq(links.id, users.invitationId))
    .where(and(eq(users.id, userId), isNotNull(users.invitationId)))
}

export type ListedLink = ReturnType<typeof selectLinks>['_']['result'][number]

export function countLinks(db: Database, kind: LinkKind | undefined) {
  return db.select({ total: count() }).from(links).where(isKind(kind))
}

function isKind(kind: LinkKind | undefined) {
  return kind === undefined ? undefined : eq(links.kind, kind)
}

/** Writes the event of a link that is about to be withdrawn, with its note. */
export function insertEventOfLink(db: Database, by: Authority, id: number, event: AuditEvent) {
  const columns = { detail: links.name, userId: links.userId }
  return insertEvents(db, by, event, columns, { from: links, where: isLinkWithId(id) })
}

/**
 * Keeps an invitation that is about to be withdrawn. See `keepDeleted`. A link for a new password
 * or an address is not kept: it opens an account.
 */
export function keepInvitation(
  db: Database,
  by: Authority,
  slot: UndoSlot | undefined,
  id: number,
  now: number,
) {
  const which = and(isLinkWithId(id), isKind('invitation'))
  const { name, username, email } = links
  const known = sql`coalesce(nullif(${name}, ''), nullif(${username}, ''), nullif(${email}, ''), '#' || ${links.id})`
  const named = sql`(select ${known} from ${links} where ${which})`
  const rows = [[links, which]] as const
  return keepDeleted(db, by, slot, { kind: 'invitation', name: named, rows }, now)
}

/** Holds for a link that an operator withdraws. */
export function isLinkWithId(id: number): SQL {
  return eq(links.id, id)
}

/** Holds for an invitation that was mailed and is not used up. It may have ended by its time. */
export function isMailedInvitation(id: number): SQL | undefined {
  return and(
    isLinkWithId(id),
    isKind('invitation'),
    ne(links.email, ''),
    lt(links.used, links.uses),
  )
}

/** Puts a new link in the place of an old one, which ends. */
export function renewLink(
  db: Database,
  by: Authority,
  link: { tokenHash: string; createdBy: UserId | null; at: number; endsAt: SQL },
  which: SQL | undefined,
) {
  const { tokenHash, createdBy, at, endsAt } = link
  return writing(db, by)
    .update(links, { tokenHash, createdBy, createdAt: at, endsAt }, which)
    .returning({ id: links.id })
}

/** Holds for a link of this user. */
export function isLinkOf(userId: number): SQL {
  return eq(links.userId, userId)
}

export function deleteLinks(db: Database, by: Authority, which: SQL | undefined) {
  return writing(db, by).delete(links, which).returning({ id: links.id })
}
