import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
} from 'drizzle-orm/sqlite-core'

/** Every time in this schema is Unix time in milliseconds. */
const time = (name: string) => integer(name)

/** A row somebody else owns goes when its owner goes. */
const ownerId = () =>
  integer('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

export const users = sqliteTable(
  'users',
  {
    // AUTOINCREMENT: the id of a deleted user never comes back, so neither does what was signed for it.
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** As the user spells it; compared exactly at sign-in. */
    username: text('username').notNull(),
    /** The name without case and normalisation (see `usernameKey`): no two users look alike. */
    usernameKey: text('username_key').notNull(),
    /** PHC string, or null: nobody can sign in with a password. */
    passwordHash: text('password_hash'),
    passwordChangedAt: time('password_changed_at').notNull().default(0),
    role: integer('role').notNull().default(0),
    permission: integer('permission').notNull().default(0),
    basePath: text('base_path').notNull().default('/'),
    disabled: integer('disabled', { mode: 'boolean' }).notNull().default(false),
    ssoId: text('sso_id').notNull().default(''),
    /** Sealed seed of the authenticator in force; null while two-step verification is off. */
    totpSeed: text('totp_seed'),
    /** The latest time step that signed somebody in; only a later one will. */
    totpStep: integer('totp_step').notNull().default(0),
    /** Sealed seed last handed out and not yet confirmed. */
    pendingTotpSeed: text('pending_totp_seed'),
    pendingTotpExpiresAt: time('pending_totp_expires_at').notNull().default(0),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    unique('users_username_key').on(table.usernameKey),
    index('users_role').on(table.role),
    check('users_role_known', sql`${table.role} in (0, 1, 2)`),
    check('users_username_given', sql`${table.username} <> ''`),
  ],
)

export const sshKeys = sqliteTable(
  'ssh_keys',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    userId: ownerId(),
    title: text('title').notNull(),
    /** `SHA256:…` as `ssh-keygen -lf` prints it. */
    fingerprint: text('fingerprint').notNull(),
    type: text('type').notNull(),
    bits: integer('bits').notNull(),
    /** The canonical line: type, blob, comment. */
    line: text('line').notNull(),
    addedAt: time('added_at').notNull(),
    lastUsedAt: time('last_used_at').notNull(),
  },
  (table) => [
    unique('ssh_keys_title').on(table.userId, table.title),
    unique('ssh_keys_fingerprint').on(table.userId, table.fingerprint),
  ],
)

/** One row per sign-in; a token is good while its row is here. */
export const sessions = sqliteTable(
  'sessions',
  {
    /** The token's `jti`. */
    id: text('id').primaryKey(),
    userId: ownerId(),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
    network: text('network').notNull(),
    userAgent: text('user_agent').notNull(),
    /** When its user last showed a password or a code in it; 0 for never (`tokens/freshness.ts`). */
    confirmedAt: time('confirmed_at').notNull().default(0),
  },
  (table) => [
    index('sessions_user').on(table.userId),
    index('sessions_expiry').on(table.expiresAt),
  ],
)

/** Failures counted against an account, a network, or both (see login/throttle.ts). */
export const throttleCounters = sqliteTable(
  'throttle_counters',
  {
    key: text('key').primaryKey(),
    failures: integer('failures').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [index('throttle_counters_expiry').on(table.expiresAt)],
)

/** Unused recovery codes, hashed. */
export const recoveryCodes = sqliteTable(
  'recovery_codes',
  { userId: ownerId(), codeHash: text('code_hash').notNull() },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)

/** What an operator changed; the defaults are code (settings/defaults.ts). */
export const settings = sqliteTable('settings', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
})

/** What happened, kept 90 days. No foreign key: the story of a deleted user stays. */
export const auditEvents = sqliteTable(
  'audit_events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    at: time('at').notNull(),
    kind: text('kind').notNull(),
    /** Whom it happened to; null when nobody of that name exists. */
    userId: integer('user_id'),
    /** Keyed hash of a name that no account has. */
    nameHash: text('name_hash'),
    /** The class of a refusal, the title of a key: never a secret. */
    detail: text('detail').notNull().default(''),
    network: text('network').notNull(),
    userAgent: text('user_agent').notNull(),
    /** The admin who did it to somebody; null for the user, for nobody and for the command line. */
    actorId: integer('actor_id'),
    /** What changed, as JSON (audit/changes.ts); null for events that change no record. */
    changes: text('changes'),
  },
  (table) => [
    index('audit_events_user').on(table.userId, table.id),
    index('audit_events_at').on(table.at),
    index('audit_events_sign_ins')
      .on(table.userId, table.network, table.at)
      .where(sql`${table.kind} = 'sign_in'`),
  ],
)

/** Credentials of servers, not of people: what an SFTP server asks with. */
export const serviceTokens = sqliteTable('service_tokens', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull().unique(),
  tokenHash: text('token_hash').notNull().unique(),
  /** What it may ask, with a blank between two: `sftp:keys sftp:passwords`. */
  scope: text('scope').notNull(),
  createdAt: time('created_at').notNull(),
})

/** The passwords of at least 8 characters among the ten thousand most common, in lower case. */
export const commonPasswords = sqliteTable('common_passwords', {
  password: text('password').primaryKey(),
})
