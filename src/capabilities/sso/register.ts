import * as base64url from 'jose/base64url'
import { and, sql } from 'drizzle-orm'
import { auditEvents, identities, users } from '../../../schema/tables.ts'
import { type AuditEvent, eventRow } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { mayChooseName } from '../../core/accounts/chosen-names.ts'
import { folderColumns } from '../../core/accounts/folders.ts'
import { usualFolder } from '../../core/accounts/usual-folder.ts'
import { isFreeName, nameAndFolder } from '../../core/accounts/new-names.ts'
import { GENERAL } from '../../core/accounts/roles.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import type { Client } from '../../core/base/network.ts'
import { runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { SsoConfig } from './config.ts'
import { identityText, type ProvenIdentity } from '../../core/access/identities.ts'

/** Names that are tried with a number before one with random characters. */
const NUMBERED_NAMES = 4
const RANDOM_BYTES = 6
const MAX_NAME_CHARACTERS = 64
type NewAccount = NonNullable<SsoConfig['newAccount']>

/**
 * Creates an account for an identity that no user has. It never takes an account or a folder over:
 * a name that is taken or reserved, or leads to the folder of somebody, gets a number. One that a
 * user could not choose is replaced.
 *
 * @param kept Names that a chosen one may not look like (`keptNamesIn`).
 */
export async function registerUser(
  deps: Pick<Deps, 'db' | 'now' | 'randomBytes' | 'fileServer'>,
  identity: ProvenIdentity,
  account: NewAccount,
  kept: readonly string[],
  client: Client,
): Promise<void> {
  const random = base64url.encode(deps.randomBytes(RANDOM_BYTES)).toLowerCase()
  for (const username of namesFor(identity.name, random, kept))
    if (await insertUser(deps, identity, account, username, client)) return
}

/**
 * Returns the names to try, the best first. A name of the provider may break our rules: an address
 * is cut at the `@`, and what nobody may choose becomes `user`.
 */
export function namesFor(name: string, random: string, kept: readonly string[]): string[] {
  // `visible` has put U+FFFD and ↵ in the place of control characters.
  const cleaned = name
    .replace(/[/\\\uFFFD↵\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
  const [local = ''] = cleaned.split('@')
  const base = Array.from(local).slice(0, MAX_NAME_CHARACTERS).join('').trim()
  const wanted = mayChooseName(base, kept) ? base : 'user'
  const numbered = Array.from({ length: NUMBERED_NAMES }, (_, i) => `${wanted}-${i + 2}`)
  const names = [...(wanted === base ? [base] : []), ...numbered, `${wanted}-${random}`]
  return names.filter((item) => mayChooseName(item, kept))
}

/** @returns Whether nothing more is to do: the account is made, or the identity is linked meanwhile. */
async function insertUser(
  { db, now: clock, fileServer }: Pick<Deps, 'db' | 'now' | 'fileServer'>,
  identity: ProvenIdentity,
  account: NewAccount,
  username: string,
  client: Client,
): Promise<boolean> {
  const now = clock()
  const { issuer, subject, platform, name } = identity
  const made: AuditEvent = { ...client, at: now, kind: 'user_made', detail: platform }
  const linked: AuditEvent = { ...made, kind: 'identity_linked', detail: identityText(identity) }
  const isLinked = sql`exists (select 1 from ${identities} where ${identities.issuer} = ${issuer} and ${identities.subject} = ${subject})`
  const { basePath, name: newName } = nameAndFolder(
    account.basePath || usualFolder({ fileServer }),
    username,
    true,
  )
  const written = writing(db, THE_SERVICE)
  const row = {
    username,
    usernameKey: usernameKey(username),
    role: GENERAL,
    permission: account.permission,
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
      .insert(users, row, { where: and(sql`not ${isLinked}`, isFreeName(db, newName)) })
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
