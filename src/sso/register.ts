import * as base64url from 'jose/base64url'
import { and, notExists, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { auditEvents, identities, users } from '../../schema/tables.ts'
import { type AuditEvent, eventRow, logEvent } from '../audit/events.ts'
import { isNameOfFiles } from '../accounts/chosen-names.ts'
import { folderColumns, hasAllKeys } from '../accounts/folders.ts'
import { selectReservation } from '../accounts/reserved-names.ts'
import { GENERAL } from '../accounts/roles.ts'
import { usernameKey, usernameSchema } from '../accounts/username.ts'
import type { Client } from '../base/network.ts'
import { runBatch, THE_SERVICE, writing } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import type { SsoConfig } from './config.ts'
import { identityText } from './identity-text.ts'
import type { ProvenIdentity } from './store.ts'
import { NOBODY } from '../database/user-id.ts'

/** Names that are tried with a number before one with random characters. */
const NUMBERED_NAMES = 4
const RANDOM_BYTES = 6
const MAX_NAME_CHARACTERS = 64
type NewAccount = NonNullable<SsoConfig['newAccount']>

/**
 * Creates an account for an identity that no user has. It never takes an account over: a name that
 * is taken or reserved gets a number.
 */
export async function registerUser(
  deps: Pick<Deps, 'db' | 'now' | 'randomBytes'>,
  identity: ProvenIdentity,
  account: NewAccount,
  client: Client,
): Promise<void> {
  const random = base64url.encode(deps.randomBytes(RANDOM_BYTES)).toLowerCase()
  for (const username of namesFor(identity.name, random))
    if (await insertUser(deps, identity, account, username, client)) return
}

/** Returns the names to try, the best first. A name of the provider may break our rules. */
export function namesFor(name: string, random: string): string[] {
  // `visible` has put U+FFFD and ↵ in the place of control characters.
  const cleaned = name
    .replace(/[/\\\uFFFD↵\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
  const base = Array.from(cleaned).slice(0, MAX_NAME_CHARACTERS).join('').trim()
  const wanted = v.is(usernameSchema, base) && !isNameOfFiles(base) ? base : 'user'
  const numbered = Array.from({ length: NUMBERED_NAMES }, (_, i) => `${wanted}-${i + 2}`)
  return [...(wanted === base ? [base] : []), ...numbered, `${wanted}-${random}`]
}

/** @returns Whether nothing more is to do: the account is made, or the identity is linked meanwhile. */
async function insertUser(
  { db, now: clock }: Pick<Deps, 'db' | 'now'>,
  identity: ProvenIdentity,
  { basePath, permission }: NewAccount,
  username: string,
  client: Client,
): Promise<boolean> {
  const now = clock()
  const { issuer, subject, platform, name } = identity
  const made: AuditEvent = { ...client, at: now, kind: 'user_made', detail: platform }
  const linked: AuditEvent = { ...made, kind: 'identity_linked', detail: identityText(identity) }
  const isLinked = sql`exists (select 1 from ${identities} where ${identities.issuer} = ${issuer} and ${identities.subject} = ${subject})`
  const isFree = notExists(selectReservation(db, username, NOBODY))
  const written = writing(db, THE_SERVICE)
  const row = {
    username,
    usernameKey: usernameKey(username),
    role: GENERAL,
    permission,
    ...folderColumns(basePath),
    ssoId: subject,
    createdAt: now,
  }
  // `changes()` and `last_insert_rowid()` are those of the statement before. A table WITHOUT ROWID
  // leaves the latter as it is, and each statement runs only after the one before has changed a row.
  const userId = sql`last_insert_rowid()`
  const { inserted, existing } = await runBatch(db, {
    existing: db
      .select({ isLinked: sql`${isLinked}`.mapWith(Boolean).as('linked') })
      .from(sql`(select 1)`),
    inserted: written
      .insert(users, row, { where: and(sql`not ${isLinked}`, isFree, hasAllKeys(db)) })
      .onConflictDoNothing()
      .returning({ id: users.id }),
    linked: written.insert(
      identities,
      {
        issuer,
        subject,
        userId,
        platform,
        name,
        linkedAt: now,
        linkedBy: 'registration',
        lastUsedAt: null,
      },
      { where: sql`changes() = 1` },
    ),
    events: written.insert(
      auditEvents,
      {
        ...eventRow(made),
        userId: sql`${identities.userId}`,
        kind: sql`event.value ->> 0`,
        detail: sql`event.value ->> 1`,
      },
      {
        from: sql`${identities}, json_each(${JSON.stringify([made, linked].map(({ kind, detail }) => [kind, detail]))}) as event`,
        where: sql`changes() = 1 and ${identities.issuer} = ${issuer} and ${identities.subject} = ${subject}`,
      },
    ),
  })
  const [user] = inserted
  if (user === undefined) return existing[0]?.isLinked === true
  for (const event of [made, linked]) logEvent({ ...event, userId: user.id })
  return true
}
