import type { BatchItem } from 'drizzle-orm/batch'
import { insertEvent } from '../../core/audit/events.ts'
import { type Parts, runBatch } from '../../core/database/statements.ts'
import { hashAsOpenList, staticDigest } from '../../core/passwords/passwords.ts'
import { saveSettings } from '../../capabilities/settings/manage-settings.ts'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { COMMAND_LINE, isOperator } from '../../core/access/operators.ts'
import { sealSeed } from '../../capabilities/two-factor/sealed.ts'
import { folderColumns } from '../../core/accounts/folders.ts'
import { GENERAL } from '../../core/accounts/roles.ts'
import type { Site } from '../site/site.ts'
import type { Account } from './accounts.ts'
import type { Counts, Plan } from './plan.ts'
import type { OldFolderRule, StricterRule } from './groups.ts'
import type { Item } from './source.ts'
import { type OldGroup, type OldMember, tooManyGroups } from './source-groups.ts'
import type { OldReservedName } from './reserved-names.ts'
import type { OldServiceToken } from './service-tokens.ts'
import {
  type AccountRow,
  completeAccount,
  insertAccountEvents,
  type FileUserRow,
  insertAccounts,
  insertKeys,
  insertOldCodes,
  insertOldFileUsers,
  insertOldFolderRules,
  insertGroupEvents,
  insertOldGroups,
  insertOldIdentities,
  insertOldMembers,
  insertOldReservedNames,
  insertOldServiceTokens,
  insertPasskeys,
  type Owned,
  replaceBuiltIn,
  selectMissingMembers,
  selectMissingRules,
  selectWritten,
  updateRules,
} from './store.ts'

/** The rows that were written, and those that another writer kept out. */
export interface Written {
  imported: Counts
  /** The number of users who were here, and got password, second factor and keys. */
  completed: number
  serviceTokens: number
  reservedNames: number
  fileUsers: number
  groups: number
  folderRules: number
  refused: Item[]
}

/** A batch is one transaction: large batches are faster, small ones lose less when one fails. */
const ACCOUNTS_PER_BATCH = 1000
/** D1 takes 2 MB as one parameter. */
const MAX_PARAMETER_BYTES = 1_000_000

/**
 * Writes a plan, in batches of accounts with their keys. A batch is written whole or not at all.
 * When an import ends early, the next one keeps the accounts that were written.
 *
 * @param ring Seals the seeds.
 * @param now The time of the plan (Unix time, milliseconds).
 * @param advance Receives the number of accounts done by each batch.
 */
export async function writePlan(
  site: Site,
  ring: KeyRing,
  plan: Plan,
  now: number,
  advance: (accounts: number) => void,
): Promise<Written> {
  const written: Written = {
    imported: { users: 0, keys: 0, settings: 0, passkeys: 0 },
    completed: 0,
    serviceTokens: 0,
    reservedNames: 0,
    fileUsers: 0,
    groups: 0,
    folderRules: 0,
    refused: [],
  }
  // Groups and rules come first: an import that ends early must not leave users who see more.
  const { rules } = plan.groups
  written.groups = await writeGroups(site, plan.groups.groups, now)
  const stricter = await tightenRules(site, plan.groups.stricter, now)
  const ofOthers = rules.filter((rule) => !isOfUser(rule))
  written.folderRules = stricter + (await writeRules(site, ofOthers, written, now))
  for (const accounts of chunk(plan.accounts, ACCOUNTS_PER_BATCH)) {
    const ids = new Set(accounts.map(({ id }) => id))
    const members = plan.groups.members.filter(({ userId }) => ids.has(userId))
    const made = await writeAccounts(site, ring, { accounts, members }, now)
    for (const account of accounts) countIn(written, account, made.has(account.id))
    advance(accounts.length)
  }
  if (Object.keys(plan.settings).length > 0) {
    const saved = await saveSettings(site, COMMAND_LINE, plan.settings)
    written.imported.settings = saved.length
  }
  written.serviceTokens = await writeServiceTokens(site, plan.serviceTokens, now)
  written.reservedNames = (await writeReservedNames(site, plan.reservedNames, now)).length
  written.fileUsers = await writeFileUsers(site, plan.fileUsers, now)
  written.folderRules += await writeRules(site, rules.filter(isOfUser), written, now)
  written.refused.push(...(await missingMembers(site, plan.groups.members, now)))
  const { keys, passkeys } = written.imported
  const users = written.imported.users + written.completed
  if (users > 0) {
    const also = passkeys > 0 ? `, ${passkeys} passkeys` : ''
    const detail = `${users} users, ${keys} SSH keys${also}`
    const by = isOperator(site.db, COMMAND_LINE, now)
    await insertEvent(site.db, by, { at: now, kind: 'users_imported', detail, ...COMMAND_LINE })
  }
  return written
}

function isOfUser({ userId }: OldFolderRule): boolean {
  return userId !== null && userId > 0
}

/** @returns The ids of the accounts that were created or replaced. */
async function writeAccounts(
  site: Site,
  ring: KeyRing,
  { accounts, members }: { accounts: Account[]; members: OldMember[] },
  now: number,
): Promise<Set<number>> {
  const { db } = site
  const toRows = (some: Account[]) => Promise.all(some.map((account) => rowOf(site, ring, account)))
  const newRows = await toRows(accounts.filter(isNew))
  const replacements = await toRows(accounts.filter(({ takesOver }) => takesOver))
  const completions = await toRows(accounts.filter(({ completes }) => completes))
  const events = accounts
    .filter(({ role, completes }) => role !== GENERAL || completes)
    .map((account) => ({
      userId: account.id,
      kind: isNew(account) ? ('user_made' as const) : ('user_changed' as const),
    }))
  const by = isOperator(db, COMMAND_LINE, now)
  const keys = chunk(accounts.flatMap((account) => owned(account, account.keys)))
  const passkeys = chunk(accounts.flatMap((account) => owned(account, account.passkeys)))
  const identities = chunk(accounts.flatMap((account) => owned(account, account.identities)))
  const codes = accounts.flatMap((account) =>
    owned(
      account,
      account.recoveryCodes.map((codeHash) => ({ codeHash })),
    ),
  )
  await runBatch(db, {
    accounts: insertAccounts(db, by, newRows, now),
    ...numbered('replaced', replacements, (row) => replaceBuiltIn(db, by, row, now)),
    ...numbered('completed', completions, (row) => completeAccount(db, by, row, now)),
    // An event makes an account a used one, so none stands before `replaceBuiltIn`.
    events: insertAccountEvents(db, by, events, now),
    ...numbered('keys', keys, (some) => insertKeys(db, by, some, now)),
    ...numbered('passkeys', passkeys, (some) => insertPasskeys(db, by, some, now)),
    ...numbered('identities', identities, (some) => insertOldIdentities(db, by, some, now)),
    codes: codes.length === 0 ? undefined : insertOldCodes(db, by, codes, now),
    ...numbered('members', chunk(members), (some) => insertOldMembers(db, by, some, now)),
  })
  const made = await selectWritten(
    db,
    accounts.map(({ id }) => id),
    now,
  )
  return new Set(made.map(({ id }) => id))
}

function isNew({ takesOver, completes }: Account): boolean {
  return !takesOver && !completes
}

/** Parts of a batch for any number of rows, each with a name of its own. */
function numbered<Row>(
  name: string,
  rows: Row[],
  toPart: (row: Row) => BatchItem<'sqlite'>,
): Parts {
  return Object.fromEntries(rows.map((row, index) => [`${name} ${index}`, toPart(row)]))
}

async function rowOf(site: Site, ring: KeyRing, account: Account): Promise<AccountRow> {
  const { password, seed } = account
  return {
    id: account.id,
    username: account.username,
    usernameKey: account.usernameKey,
    passwordHash: await hashOf(site, password),
    passwordChangedAt: account.passwordChangedAt,
    role: account.role,
    permission: account.permission,
    ...folderColumns(account.basePath),
    disabled: account.disabled,
    ssoId: account.ssoId,
    sub: account.sub,
    email: account.email,
    emailVerified: account.emailVerified,
    endsAt: account.endsAt,
    waiting: account.waiting,
    totpSeed: seed ? await sealSeed(site, ring, seed, account.id) : null,
  }
}

/**
 * Returns the hash to store. A clear-text password gets the fast hash, because scrypt takes minutes
 * for thousands.
 */
async function hashOf(site: Site, password: Account['password']): Promise<string | null> {
  if (password === undefined) return null
  if ('hash' in password) return password.hash
  const digest = 'digest' in password ? password.digest : await staticDigest(password.plain)
  return hashAsOpenList(site, digest)
}

function owned<Row>({ id, usernameKey }: Account, rows: Row[]): Owned<Row>[] {
  return rows.map((row) => ({ ...row, userId: id, usernameKey }))
}

async function writeServiceTokens({ db }: Site, tokens: OldServiceToken[], now: number) {
  if (tokens.length === 0) return 0
  const by = isOperator(db, COMMAND_LINE, now)
  const made = await insertOldServiceTokens(db, by, tokens)
  for (const { name } of made)
    await insertEvent(db, by, {
      at: now,
      kind: 'service_token_made',
      detail: name,
      ...COMMAND_LINE,
    })
  return made.length
}

/** @returns The names that were free. */
export async function writeReservedNames({ db }: Site, names: OldReservedName[], now: number) {
  const by = isOperator(db, COMMAND_LINE, now)
  const made = await Promise.all(chunk(names).map((some) => insertOldReservedNames(db, by, some)))
  return made.flat().map(({ username }) => username)
}

/** @returns The number of groups that were made. */
async function writeGroups({ db }: Site, groups: OldGroup[], now: number): Promise<number> {
  const by = isOperator(db, COMMAND_LINE, now)
  const made = await insertOldGroups(db, by, groups, now)
  if (made.length > 0) await insertGroupEvents(db, by, made, now)
  return made.length
}

/** @returns The number of rules that were made. Refuses by name those that another writer kept out. */
async function writeRules(
  site: Site,
  rules: OldFolderRule[],
  { refused }: Written,
  now: number,
): Promise<number> {
  if (rules.length === 0) return 0
  const { db } = site
  const by = isOperator(db, COMMAND_LINE, now)
  const parts = numbered('rules', chunk(rules), (some) => insertOldFolderRules(db, by, some, now))
  const made = Object.values(await runBatch(db, parts)).flat().length
  await noteRules(site, 'folder_rule_created', made, now)
  for (const some of chunk(rules))
    for (const { path: name } of await selectMissingRules(db, some))
      refused.push({ kind: 'folder rule', name, reason: CHANGED_MEANWHILE })
  return made
}

const CHANGED_MEANWHILE = 'groups or rules were changed during the import: run it again'

/** @returns The number of rules that were changed. */
async function tightenRules(site: Site, rules: StricterRule[], now: number): Promise<number> {
  if (rules.length === 0) return 0
  const { db } = site
  const by = isOperator(db, COMMAND_LINE, now)
  const changed = (await updateRules(db, by, rules)).length
  await noteRules(site, 'folder_rule_changed', changed, now)
  return changed
}

async function noteRules(
  { db }: Site,
  kind: 'folder_rule_created' | 'folder_rule_changed',
  count: number,
  now: number,
): Promise<void> {
  const event = { at: now, kind, detail: `${count} by import`, ...COMMAND_LINE }
  if (count > 0) await insertEvent(db, isOperator(db, COMMAND_LINE, now), event)
}

async function missingMembers({ db }: Site, members: OldMember[], now: number): Promise<Item[]> {
  const missing = await Promise.all(
    chunk(members).map((some) => selectMissingMembers(db, some, now)),
  )
  return missing.flat().map(({ nameKey, username }) => {
    return { kind: 'group', name: nameKey, reason: tooManyGroups(username) }
  })
}

/** @returns The number of links. */
async function writeFileUsers({ db }: Site, rows: FileUserRow[], now: number): Promise<number> {
  const by = isOperator(db, COMMAND_LINE, now)
  const made = await Promise.all(chunk(rows).map((some) => insertOldFileUsers(db, by, some, now)))
  return made.flat().length
}

function countIn(written: Written, account: Account, isMade: boolean): void {
  const { imported, refused } = written
  if (isMade) {
    if (account.completes) written.completed += 1
    else imported.users += 1
    imported.keys += account.keys.length
    imported.passkeys += account.passkeys.length
    return
  }
  const reason = 'the name or the id was taken or reserved during the import: run it again'
  refused.push({ kind: 'user', name: account.username, reason })
  for (const { title } of account.keys) refused.push({ kind: 'key', name: title, reason })
  for (const { name } of account.passkeys) refused.push({ kind: 'passkey', name, reason })
}

/** Divides rows into parts that fit into one parameter; a row is never divided. */
function chunk<Row>(rows: Row[], maxRows = Infinity): Row[][] {
  const chunks: Row[][] = []
  let room = 0
  for (const row of rows) {
    const bytes = Buffer.byteLength(JSON.stringify(row))
    const last = chunks.at(-1)
    if (last === undefined || bytes > room || last.length >= maxRows) {
      chunks.push([row])
      room = MAX_PARAMETER_BYTES - bytes
    } else {
      last.push(row)
      room -= bytes
    }
  }
  return chunks
}
