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

/** The owner of a row; the row is deleted together with the owner. */
const ownerId = () =>
  integer('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

export const users = sqliteTable(
  'users',
  {
    // AUTOINCREMENT: the id of a deleted user is never used again, so an old token never fits a new user.
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** The spelling of the user; compared exactly at sign-in. */
    username: text('username').notNull(),
    /**
     * The name without differences of case and Unicode form (see `usernameKey`), so that no two
     * names look alike.
     */
    usernameKey: text('username_key').notNull(),
    /** PHC string; null means that the user can't sign in with a password. */
    passwordHash: text('password_hash'),
    passwordChangedAt: time('password_changed_at').notNull().default(0),
    role: integer('role').notNull().default(0),
    permission: integer('permission').notNull().default(0),
    basePath: text('base_path').notNull().default('/'),
    disabled: integer('disabled', { mode: 'boolean' }).notNull().default(false),
    ssoId: text('sso_id').notNull().default(''),
    /** Sealed seed of the authenticator app in use; null while two-step verification is off. */
    totpSeed: text('totp_seed'),
    /** The latest time step that was used to sign in; only a later one is accepted. */
    totpStep: integer('totp_step').notNull().default(0),
    /** Sealed seed of the latest enrolment that is not confirmed. */
    pendingTotpSeed: text('pending_totp_seed'),
    pendingTotpExpiresAt: time('pending_totp_expires_at').notNull().default(0),
    createdAt: time('created_at').notNull(),
    /** The session for which the latest time step was used. */
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
    /** `SHA256:…`, the form that `ssh-keygen -lf` prints. */
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
 * One row per sign-in; a token is valid while its row exists. WITHOUT ROWID (migration 0004), so
 * that a new session costs one row written.
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
    /**
     * When the user last gave a password or a code in this session; 0 for never
     * (`access/freshness.ts`).
     */
    confirmedAt: time('confirmed_at').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
)

/**
 * Failures of an account, a network, or both (see throttle/throttle.ts). WITHOUT ROWID (migration
 * 0004), so that a charge costs one row written.
 */
export const throttleCounters = sqliteTable('throttle_counters', {
  key: text('key').primaryKey(),
  failures: integer('failures').notNull(),
  /** When the counted failures expire. */
  expiresAt: time('expires_at').notNull(),
  /** When the latest failure was counted; a counter at its limit blocks from then on. */
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
    /** The session for which it was used; null while it is unused. */
    usedBy: text('used_by'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)

/** The settings that an operator has changed; the defaults are in code (settings/defaults.ts). */
export const settings = sqliteTable('settings', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
})

/** Events, kept for 90 days. No foreign key: the events of a deleted user stay. */
export const auditEvents = sqliteTable(
  'audit_events',
  {
    // Without AUTOINCREMENT, which writes a second row; nothing refers to the id of an event.
    id: integer('id').primaryKey(),
    at: time('at').notNull(),
    kind: text('kind').notNull(),
    /** The user it happened to; null when no user has that name. */
    userId: integer('user_id'),
    /** Keyed hash of a name that no account has. */
    nameHash: text('name_hash'),
    /** For example the class of a refusal or the title of a key; never a secret. */
    detail: text('detail').notNull().default(''),
    network: text('network').notNull(),
    userAgent: text('user_agent').notNull(),
    /** How often it happened; above 1 only for refused sign-ins of unknown names. */
    times: integer('times').notNull().default(1),
    /**
     * The admin who did it to another user; null for the user, an unknown caller and the command
     * line.
     */
    actorId: integer('actor_id'),
    /** The changed fields, as JSON (audit/changes.ts); null for events that change no record. */
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

/** Credentials of servers, such as SFTP servers. */
export const serviceTokens = sqliteTable('service_tokens', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull().unique(),
  tokenHash: text('token_hash').notNull().unique(),
  /** The permitted requests, separated by spaces: `sftp:keys sftp:passwords`. */
  scope: text('scope').notNull(),
  createdAt: time('created_at').notNull(),
})

/** The passwords of at least 8 characters among the ten thousand most common, in lower case. */
export const commonPasswords = sqliteTable('common_passwords', {
  password: text('password').primaryKey(),
})
