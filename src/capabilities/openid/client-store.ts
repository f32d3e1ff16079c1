import { and, eq, exists, ne, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import { openidClients, openidGrants, users } from '../../../schema/tables.ts'
import { deleteGrants } from '../../core/access/endings.ts'
import type { UndoSlot } from '../../core/access/undo-slot.ts'
import { keepDeleted } from '../../core/access/undo.ts'
import { isAdmin } from '../../core/accounts/conditions.ts'
import { asAuthority, type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/database/database.ts'

/** A client as it is stored. */
export type OpenidClient = typeof openidClients.$inferSelect

export function selectClient(db: Database, clientId: string) {
  return db.select().from(openidClients).where(eq(openidClients.id, clientId))
}

export function selectClientNamed(db: Database, name: string) {
  return db.select().from(openidClients).where(eq(openidClients.name, name))
}

export function selectClients(db: Database) {
  return db.select().from(openidClients).orderBy(openidClients.name)
}

/** The credentials that a client has shown. The hash is null for a public client. */
export interface Credentials {
  clientId: string
  /** SHA-256, hexadecimal. */
  secretHash: string | null
}

/** Holds when the client exists and the secret is right. */
export function isClient(db: Database, { clientId, secretHash }: Credentials): Authority {
  const { id, secretHash: stored } = openidClients
  const found = db.select({ id }).from(openidClients)
  return asAuthority(exists(found.where(and(eq(id, clientId), sql`${stored} is ${secretHash}`))))
}

/** Holds for a row of `openid_clients` that has this redirect URI, byte by byte. */
export function hasRedirectUri(uri: string): SQL {
  return sql`exists (select 1 from json_each(${openidClients.redirectUris}) as uri where uri.value = ${uri})`
}

export function insertClient(db: Database, by: Authority, client: OpenidClient) {
  const isFree = notExists(selectClientNamed(db, client.name))
  return writing(db, by)
    .insert(openidClients, client, { where: isFree })
    .returning({ id: openidClients.id })
}

/** What an operator may change of a client. Its id, and whether it has a secret, stay. */
export type ClientFields = Pick<
  OpenidClient,
  | 'name'
  | 'redirectUris'
  | 'postLogoutUris'
  | 'logoutUri'
  | 'firstParty'
  | 'adminsOnly'
  | 'emailInIdToken'
>

/** Holds while the client exists, and no other one has the new name. */
export function canBecome(db: Database, clientId: string, { name }: ClientFields): SQL | undefined {
  const others = db
    .select({ id: openidClients.id })
    .from(openidClients)
    .where(and(eq(openidClients.name, name), ne(openidClients.id, clientId)))
  return and(exists(selectClient(db, clientId)), notExists(others))
}

/** Holds while a field of the client differs from these. */
export function differs(db: Database, clientId: string, fields: ClientFields): SQL {
  const different = or(
    ne(openidClients.name, fields.name),
    ne(openidClients.redirectUris, fields.redirectUris),
    ne(openidClients.postLogoutUris, fields.postLogoutUris),
    ne(openidClients.logoutUri, fields.logoutUri),
    ne(openidClients.firstParty, fields.firstParty),
    ne(openidClients.adminsOnly, fields.adminsOnly),
    ne(openidClients.emailInIdToken, fields.emailInIdToken),
  )
  const { id } = openidClients
  return exists(
    db
      .select({ id })
      .from(openidClients)
      .where(and(eq(id, clientId), different)),
  )
}

/**
 * Deletes what the client may not have after this change: what it got at an address that it loses,
 * of users who may no longer sign in there, and everything when its users are to be asked from now
 * on. The statement stands before `updateClient`.
 */
export function endLostGrants(
  db: Database,
  by: Authority,
  clientId: string,
  fields: ClientFields,
  when: SQL | undefined,
) {
  const { userId, redirectUri } = openidGrants
  const isLost = sql`${redirectUri} not in (select value from json_each(${JSON.stringify(fields.redirectUris)}))`
  const isOfAdmin = exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isAdmin)),
  )
  const wasFirstParty = exists(selectFirstParty(db, clientId))
  const ends = or(
    isLost,
    fields.adminsOnly ? not(isOfAdmin) : undefined,
    fields.firstParty ? undefined : wasFirstParty,
  )
  return deleteGrants(db, by, and(eq(openidGrants.clientId, clientId), ends, when))
}

function selectFirstParty(db: Database, clientId: string) {
  const { id, firstParty } = openidClients
  return db
    .select({ id })
    .from(openidClients)
    .where(and(eq(id, clientId), eq(firstParty, true)))
}

export function updateClient(
  db: Database,
  by: Authority,
  clientId: string,
  fields: ClientFields,
  when: SQL | undefined,
) {
  return writing(db, by)
    .update(openidClients, fields, and(eq(openidClients.id, clientId), when))
    .returning({ id: openidClients.id })
}

export function updateSecret(db: Database, by: Authority, clientId: string, secretHash: string) {
  const isConfidential = sql`${openidClients.secretHash} is not null`
  return writing(db, by)
    .update(openidClients, { secretHash }, and(eq(openidClients.id, clientId), isConfidential))
    .returning({ id: openidClients.id })
}

/** Keeps a client that is about to be deleted. See `keepDeleted`. */
export function keepClient(
  db: Database,
  by: Authority,
  slot: UndoSlot | undefined,
  clientId: string,
  now: number,
) {
  const which = eq(openidClients.id, clientId)
  const name = sql`(select ${openidClients.name} from ${openidClients} where ${which})`
  const rows = [[openidClients, which]] as const
  return keepDeleted(db, by, slot, { kind: 'client', name, rows }, now)
}

export function deleteClientRow(db: Database, by: Authority, clientId: string) {
  return writing(db, by)
    .delete(openidClients, eq(openidClients.id, clientId))
    .returning({ id: openidClients.id })
}
