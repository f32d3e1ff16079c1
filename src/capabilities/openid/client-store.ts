import { and, eq, exists, notExists, type SQL, sql } from 'drizzle-orm'
import { openidClients } from '../../../schema/tables.ts'
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

export function updateSecret(db: Database, by: Authority, clientId: string, secretHash: string) {
  const isConfidential = sql`${openidClients.secretHash} is not null`
  return writing(db, by)
    .update(openidClients, { secretHash }, and(eq(openidClients.id, clientId), isConfidential))
    .returning({ id: openidClients.id })
}

export function deleteClientRow(db: Database, by: Authority, clientId: string) {
  return writing(db, by)
    .delete(openidClients, eq(openidClients.id, clientId))
    .returning({ id: openidClients.id })
}
