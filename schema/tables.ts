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
    /** The session for which the latest time step was used up. */
    totpSession: text('totp_session'),
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

/**
 * One row per sign-in; a token is good while its row is here. WITHOUT ROWID (migration 0004), so
 * that a session is one row written.
 */
export const sessions = sqliteTable(
  'sessions',
  {
    /** The token's `jti`. */
    id: text('id').notNull(),
    userId: ownerId(),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
    network: text('network').notNull(),
    userAgent: text('user_agent').notNull(),
    /** When its user last showed a password or a code in it; 0 for never (`access/freshness.ts`). */
    confirmedAt: time('confirmed_at').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
)

/**
 * Failures counted against an account, a network, or both (see throttle/throttle.ts). WITHOUT ROWID
 * (migration 0004), so that a charge is one row written.
 */
export const throttleCounters = sqliteTable('throttle_counters', {
  key: text('key').primaryKey(),
  failures: integer('failures').notNull(),
  /** When the failures that were counted so far are forgotten. */
  expiresAt: time('expires_at').notNull(),
  /** When the latest was counted; a spent counter blocks from then on. */
  chargedAt: time('charged_at').notNull().default(0),
  /** JSON: the counters within this one, each `[failures, expires at, charged at]`. */
  parts: text('parts').notNull().default('{}'),
})

/** Recovery codes, hashed. WITHOUT ROWID (migration 0004). */
export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    userId: ownerId(),
    codeHash: text('code_hash').notNull(),
    /** The session for which it was used up; null while it is good. */
    usedBy: text('used_by'),
  },
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
    // Without AUTOINCREMENT, which writes a second row; nothing refers to the id of an event.
    id: integer('id').primaryKey(),
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
    /** How often it happened; more than once only for refused sign-ins of unknown names. */
    times: integer('times').notNull().default(1),
    /** The admin who did it to somebody; null for the user, for nobody and for the command line. */
    actorId: integer('actor_id'),
    /** What changed, as JSON (audit/changes.ts); null for events that change no record. */
    changes: text('changes'),
  },
  (table) => [
    index('audit_events_user')
      .on(table.userId, table.id)
      .where(sql`${table.userId} is not null`),
    index('audit_events_sign_ins')
      .on(table.userId, table.network, table.at)
      .where(sql`${table.kind} in ('sign_in', 'service_sign_in')`),
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
