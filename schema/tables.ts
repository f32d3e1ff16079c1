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
    /**
     * The folder as it is compared (see `folderKey`). Null while it has to be made (`keyFolders`),
     * and perhaps for the root.
     */
    basePathKey: text('base_path_key'),
    disabled: integer('disabled', { mode: 'boolean' }).notNull().default(false),
    ssoId: text('sso_id').notNull().default(''),
    /** Sealed seed of the authenticator app in use; null while two-step verification is off. */
    totpSeed: text('totp_seed'),
    /** The latest time step that was used to sign in; only a later one is accepted. */
    totpStep: integer('totp_step').notNull().default(0),
    createdAt: time('created_at').notNull(),
    /** The session for which the latest time step was used. */
    totpSession: text('totp_session'),
    /** When the name last changed; 0 for never. A trigger sets it (migration 0011). */
    renamedAt: time('renamed_at').notNull().default(0),
    /**
     * Identifies the user to programs (OpenID Connect): 128 random bits, which no other account
     * gets. A trigger fills it (migration 0017).
     */
    sub: text('sub').notNull().default(''),
    /** From this time on, the account counts as disabled; null without an end. */
    endsAt: time('ends_at'),
    /** The end for which the user was told that it is near. */
    endToldFor: time('end_told_for'),
    /** Registered and not approved; such a user is disabled too. */
    waiting: integer('waiting', { mode: 'boolean' }).notNull().default(false),
    /** From where the user registered; empty for an account that an operator made. */
    registeredNetwork: text('registered_network').notNull().default(''),
    /** The e-mail address as the user gave it; empty without one. Not unique. */
    email: text('email').notNull().default(''),
    emailVerified: integer('email_verified', { mode: 'boolean' }).notNull().default(false),
    /** The invitation that the user joined with (`links.id`), which may be gone; null without one. */
    invitationId: integer('invitation_id'),
  },
  (table) => [
    unique('users_username_key').on(table.usernameKey),
    unique('users_sub').on(table.sub),
    index('users_role').on(table.role),
    // The filters of the list of users (users/store.ts).
    index('users_disabled')
      .on(table.id)
      .where(sql`${table.disabled} = 1`),
    index('users_without_two_factor')
      .on(table.id)
      .where(sql`${table.totpSeed} is null and ${table.role} <> 1`),
    index('users_waiting')
      .on(table.id)
      .where(sql`${table.waiting} = 1`),
    // Not partial: SQLite would compile each statement that asks whether an account has ended anew.
    index('users_ends_at').on(table.endsAt),
    // The addresses that a forgotten password may be mailed to (joining/forgotten-store.ts).
    index('users_email')
      .on(sql`lower(${table.email})`)
      .where(sql`${table.emailVerified} = 1`),
    // The texts that an identity of a provider is compared with (sso/store.ts).
    index('users_sso_id')
      .on(table.ssoId)
      .where(sql`${table.ssoId} <> ''`),
    // The folders that a chosen name may lead to (accounts/folders.ts).
    index('users_folder')
      .on(table.basePathKey)
      .where(sql`${table.basePath} <> '/'`),
    // Who joined with an invitation (joining/link-store.ts).
    index('users_invitation')
      .on(table.invitationId)
      .where(sql`${table.invitationId} is not null`),
    check('users_role_known', sql`${table.role} in (0, 1, 2)`),
    check('users_username_given', sql`${table.username} <> ''`),
  ],
)

/**
 * At most one row: a random text that triggers replace whenever the list of accounts of the LDAP
 * door changes (migration 0026). It is random and no number, because a restored backup would count
 * through the same numbers again.
 */
export const accountList = sqliteTable('account_list', {
  id: integer('id').primaryKey(),
  version: text('version').notNull(),
})

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
    /** Where the key was last used from; empty when it was never used or nobody told. */
    lastUsedNetwork: text('last_used_network').notNull().default(''),
    /** With what it was made: see `appPasswords.amr`. */
    amr: text('amr').notNull().default(''),
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
    /**
     * How the user has signed in and what the user has shown since, separated by spaces: `pwd`,
     * `otp`, `recovery`, `passkey`, `sso` (`access/sign-in-methods.ts`).
     */
    amr: text('amr').notNull().default(''),
    /**
     * When the session was last used, to the hour; 0 for a session that was not used since
     * migration 0007.
     */
    lastActiveAt: time('last_active_at').notNull().default(0),
    /**
     * When the user signed in. After a sign-in with an identity provider it is the time at which
     * the provider asked its user, which may be days before; null when the provider does not tell.
     */
    signedInAt: time('signed_in_at'),
    /**
     * The credential that the user signed in with (`access/begun-with.ts`); empty for a session
     * from before there was this column.
     */
    begunWith: text('begun_with').notNull().default(''),
    /** Sealed seed of the latest enrolment of this session that is not confirmed. */
    pendingTotpSeed: text('pending_totp_seed'),
    pendingTotpExpiresAt: time('pending_totp_expires_at').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
)

/**
 * Failures of an account, a network, or both (see throttle/charges.ts). WITHOUT ROWID (migration
 * 0004), so that a charge costs one row written.
 */
export const throttleCounters = sqliteTable(
  'throttle_counters',
  {
    key: text('key').primaryKey(),
    failures: integer('failures').notNull(),
    /** When the counted failures expire. */
    expiresAt: time('expires_at').notNull(),
    /** When the latest failure was counted; a counter at its limit blocks from then on. */
    chargedAt: time('charged_at').notNull().default(0),
    /** JSON: the counters within this one, each `[failures, expires at, charged at]`. */
    parts: text('parts').notNull().default('{}'),
    /** The user whom a block of it stops; null until there was one (throttle/stops.ts). */
    accountId: integer('account_id'),
    /** When the latest such block ends, as far as is known. */
    stopsUntil: time('stops_until').notNull().default(0),
    /**
     * JSON, in the row of an account: the networks where it was stopped, each with the key of its
     * row.
     */
    stops: text('stops').notNull().default('{}'),
  },
  (table) => [
    // Rows of users who are stopped, only: others cost no row more.
    index('throttle_counters_stopped')
      .on(table.stopsUntil, table.accountId)
      .where(sql`${table.accountId} is not null`),
  ],
)

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

/** Events, kept as long as the operator has set. No foreign key: the events of a deleted user stay. */
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
    /** ISO 3166-1 alpha-2, as the platform tells it; empty when it is not known. */
    country: text('country').notNull().default(''),
  },
  (table) => [
    index('audit_events_user')
      .on(table.userId, table.id)
      .where(sql`${table.userId} is not null`),
    index('audit_events_sign_ins')
      .on(table.userId, table.network, table.at)
      .where(sql`${table.kind} in ('sign_in', 'service_sign_in')`),
    index('audit_events_elsewhere')
      .on(table.userId, table.network, table.at)
      .where(sql`${table.kind} = 'token_used_elsewhere'`),
    index('audit_events_checked')
      .on(table.userId, table.detail, table.at)
      .where(sql`${table.kind} = 'account_checked'`),
    // Only events that are rare, because every other event would cost a second written row.
    index('audit_events_rare')
      .on(table.kind, table.id)
      .where(
        sql`${table.kind} not in ('sign_in', 'sign_in_refused', 'service_sign_in', 'session_ended', 'key_used')`,
      ),
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

/** Passkeys (W3C WebAuthn). WITHOUT ROWID (migration 0008). */
export const passkeys = sqliteTable(
  'passkeys',
  {
    /** Base64url. Unique over all users. */
    credentialId: text('credential_id').primaryKey(),
    userId: ownerId(),
    /** COSE_Key, base64url. */
    publicKey: text('public_key').notNull(),
    /** COSE algorithm: -7, -8 or -257. */
    algorithm: integer('algorithm').notNull(),
    /** The latest signature counter; 0 when the authenticator does not count. */
    signCount: integer('sign_count').notNull(),
    /** Whether it may be synced; null for an imported passkey that has not been used here. */
    backupEligible: integer('backup_eligible', { mode: 'boolean' }),
    /** Whether it was synced when it was last used. */
    backedUp: integer('backed_up', { mode: 'boolean' }).notNull(),
    /** Separated by spaces: `internal hybrid`. */
    transports: text('transports').notNull(),
    /** The model of the authenticator, 32 hexadecimal digits. Not proven. */
    aaguid: text('aaguid').notNull(),
    /** The host name that it was made for. */
    rpId: text('rp_id').notNull(),
    name: text('name').notNull(),
    createdAt: time('created_at').notNull(),
    /** Null until the first sign-in. */
    lastUsedAt: time('last_used_at'),
    /** False for an imported passkey that may not be found without the user name. */
    discoverable: integer('discoverable', { mode: 'boolean' }).notNull().default(true),
  },
  (table) => [index('passkeys_user').on(table.userId)],
)

/**
 * The challenges of passkeys, and the proofs for programs (openid/proof.ts), that were used, until
 * they expire, so that each is used once. WITHOUT ROWID (migration 0008).
 */
export const usedChallenges = sqliteTable('used_challenges', {
  /** SHA-256 of the challenge, base64url, or the random id of the proof. */
  hash: text('hash').primaryKey(),
  /** Names the request that used it: only its statements find the row by this text. */
  usedBy: text('used_by').notNull(),
  expiresAt: time('expires_at').notNull(),
})

/** The passwords of at least 8 characters among the ten thousand most common, in lower case. */
export const commonPasswords = sqliteTable('common_passwords', {
  password: text('password').primaryKey(),
})

/**
 * Accounts of users at identity providers, with which they sign in here. WITHOUT ROWID (migration
 * 0012).
 */
export const identities = sqliteTable(
  'identities',
  {
    /** The provider, as OpenID Connect names it: `https://accounts.google.com`. */
    issuer: text('issuer').notNull(),
    /** The provider's id for the user. It never changes, and no other user gets it. */
    subject: text('subject').notNull(),
    userId: ownerId(),
    /** `sso_login_platform` when it was linked. */
    platform: text('platform').notNull(),
    /** The provider's name of the user at the time of linking; shown, never compared. */
    name: text('name').notNull(),
    linkedAt: time('linked_at').notNull(),
    /** The origin of the link: `user`, `registration` or `import`. */
    linkedBy: text('linked_by').notNull(),
    /** Null until the first sign-in with it. */
    lastUsedAt: time('last_used_at'),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    index('identities_user').on(table.userId),
  ],
)

/** Passwords for the programs of a user (access/app-password.ts). */
export const appPasswords = sqliteTable(
  'app_passwords',
  {
    // AUTOINCREMENT: the id of a deleted app password never names another one.
    id: integer('id').primaryKey({ autoIncrement: true }),
    userId: ownerId(),
    name: text('name').notNull(),
    /** SHA-256, hexadecimal. */
    tokenHash: text('token_hash').notNull().unique('app_passwords_token'),
    /** Sorted and separated by spaces: `files:read account:read`. */
    scopes: text('scopes').notNull(),
    createdAt: time('created_at').notNull(),
    /** Null when the user has chosen that it never expires. */
    expiresAt: time('expires_at'),
    /** Moves at most once an hour; null until the first use. */
    lastUsedAt: time('last_used_at'),
    /**
     * The network of the last use that showed one: a server that asks whether it is good shows
     * none.
     */
    lastNetwork: text('last_network'),
    /**
     * With what it was made: the methods of the session (`sessions.amr`), or `operator` for the
     * command line. Empty when that is not known.
     */
    amr: text('amr').notNull().default(''),
  },
  (table) => [unique('app_passwords_name').on(table.userId, table.name)],
)

/** The keys that sign ID tokens. WITHOUT ROWID (migration 0011). */
export const openidKeys = sqliteTable('openid_keys', {
  /** The `kid`: the key's thumbprint (RFC 7638). */
  id: text('id').primaryKey(),
  /** PKCS #8, sealed. */
  sealed: text('sealed').notNull(),
  /** JWK, as JSON. */
  publicKey: text('public_key').notNull(),
  /** When it begins to sign. Clients can read it before. */
  activeFrom: time('active_from').notNull(),
})

/** The programs that sign users in through this site (OpenID Connect). WITHOUT ROWID. */
export const openidClients = sqliteTable(
  'openid_clients',
  {
    /** The `client_id`. */
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** SHA-256, hexadecimal; null for a public client. */
    secretHash: text('secret_hash'),
    /** Compared exactly. */
    redirectUris: text('redirect_uris', { mode: 'json' }).$type<string[]>().notNull(),
    postLogoutUris: text('post_logout_uris', { mode: 'json' })
      .$type<string[]>()
      .notNull()
      .default([]),
    /** Gets back-channel logouts; empty for none. */
    logoutUri: text('logout_uri').notNull().default(''),
    /** Users are not asked for their consent. */
    firstParty: integer('first_party', { mode: 'boolean' }).notNull().default(false),
    adminsOnly: integer('admins_only', { mode: 'boolean' }).notNull().default(false),
    /** The ID token has the e-mail address too; without it, only userinfo has it. */
    emailInIdToken: integer('email_in_id_token', { mode: 'boolean' }).notNull().default(false),
    createdAt: time('created_at').notNull(),
    /** The issuer that it was told when it was registered; empty for one from before migration 0018. */
    issuer: text('issuer').notNull().default(''),
  },
  (table) => [unique('openid_clients_name').on(table.name)],
)

const clientId = () =>
  text('client_id')
    .notNull()
    .references(() => openidClients.id, { onDelete: 'cascade' })

/**
 * One row per sign-in at a client: the code, and the tokens that came of it. Deleting the row ends
 * them all. Triggers of migration 0011 do so with the session. WITHOUT ROWID.
 */
export const openidGrants = sqliteTable(
  'openid_grants',
  {
    id: text('id').primaryKey(),
    /** The issuer that the client knows. */
    issuer: text('issuer').notNull(),
    clientId: clientId(),
    userId: ownerId(),
    /** Empty when the session has ended and a refresh token outlives it. */
    sessionId: text('session_id').notNull(),
    /** Separated by spaces. */
    scope: text('scope').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    nonce: text('nonce'),
    /** PKCE, S256. */
    challenge: text('challenge'),
    /** When the user last proved who they are; 0 when an identity provider does not tell. */
    authTime: time('auth_time').notNull(),
    /** The methods of the session (`access/sign-in-methods.ts`). */
    amr: text('amr').notNull(),
    /** That of the session, which the row may outlive. */
    begunWith: text('begun_with').notNull().default(''),
    codeHash: text('code_hash').notNull(),
    codeExpiresAt: time('code_expires_at').notNull(),
    used: integer('used', { mode: 'boolean' }).notNull().default(false),
    createdAt: time('created_at').notNull(),
    accessHash: text('access_hash'),
    /** Of a refresh that asked for less than `scope`, which stays that of the refresh token. */
    accessScope: text('access_scope'),
    accessExpiresAt: time('access_expires_at').notNull().default(0),
    /** The part that all refresh tokens of this row share; it tells an old one from a guess. */
    familyHash: text('family_hash'),
    refreshHash: text('refresh_hash'),
    refreshExpiresAt: time('refresh_expires_at').notNull().default(0),
  },
  (table) => [
    index('openid_grants_session').on(table.userId, table.sessionId),
    // For the limit on codes, which must not read the used rows of a session.
    index('openid_grants_unused')
      .on(table.userId, table.sessionId, table.createdAt)
      .where(sql`${table.used} = 0`),
    // For the programs of one user, whose rows may be few of a program's.
    index('openid_grants_client').on(table.clientId, table.userId, table.createdAt),
  ],
)

/** The scopes that users have allowed to clients. WITHOUT ROWID. */
export const openidConsents = sqliteTable(
  'openid_consents',
  {
    userId: ownerId(),
    clientId: clientId(),
    scope: text('scope').notNull(),
    givenAt: time('given_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.clientId] })],
)

/** Back-channel logouts that are to be sent. Triggers of migration 0011 write them. WITHOUT ROWID. */
export const openidLogouts = sqliteTable(
  'openid_logouts',
  {
    clientId: text('client_id').notNull(),
    sessionId: text('session_id').notNull(),
    userId: integer('user_id').notNull(),
    issuer: text('issuer').notNull(),
    /** Of the user, who may be deleted. A trigger fills it (migration 0017). */
    sub: text('sub').notNull().default(''),
    attempts: integer('attempts').notNull().default(0),
    triedAt: time('tried_at').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.clientId, table.sessionId] }),
    index('openid_logouts_due').on(table.triedAt),
  ],
)

/** Names that accounts had, which nobody else may get. Triggers write them. WITHOUT ROWID. */
export const reservedNames = sqliteTable(
  'reserved_names',
  {
    /** With a slash before it while the key has to be made (`keyFolders`). */
    usernameKey: text('username_key').primaryKey(),
    username: text('username').notNull(),
    /** The user who may have the name again. */
    userId: integer('user_id').notNull(),
    reservedAt: time('reserved_at').notNull(),
    /** Only because a folder of the name may hold files. Operators may give such a name. */
    ofFolder: integer('of_folder', { mode: 'boolean' }).notNull().default(false),
  },
  // The names that a user holds (users/profile-store.ts).
  (table) => [index('reserved_names_user').on(table.userId)],
)

/** Where notices are sent (notices/channels.ts). */
export const noticeChannels = sqliteTable(
  'notice_channels',
  {
    // AUTOINCREMENT: a notice that waits for a deleted channel never goes to a new one.
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** The user who is told about their own account; null for the channels of the operators. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    kind: text('kind').notNull(),
    name: text('name').notNull(),
    /** The host or the e-mail address, to be shown. */
    target: text('target').notNull(),
    /** Sealed: the address and its credentials, because the address of a webhook is one. */
    config: text('config').notNull(),
    /** Sorted and separated by spaces: `new_country new_network`. */
    topics: text('topics').notNull(),
    language: text('language').notNull(),
    /** Where this site answers, for links; empty for none. */
    origin: text('origin').notNull(),
    /** Only later events are told. */
    sinceEventId: integer('since_event_id').notNull(),
    createdAt: time('created_at').notNull(),
    lastSentAt: time('last_sent_at'),
    lastFailedAt: time('last_failed_at'),
    /** Why the last attempt failed, a code (notices/post.ts); empty after a success. */
    failure: text('failure').notNull().default(''),
    /** The number of notices that were given up after a day. */
    lost: integer('lost').notNull().default(0),
  },
  (table) => [unique('notice_channels_user').on(table.userId)],
)

/**
 * The outbox: notices that are to be sent, and those that were sent in this hour. WITHOUT ROWID
 * (migration 0020).
 */
export const notices = sqliteTable(
  'notices',
  {
    channelId: integer('channel_id')
      .notNull()
      .references(() => noticeChannels.id, { onDelete: 'cascade' }),
    /**
     * Identifies events that share a notice: the user, the topic, the kind and the hour
     * (notices/outbox.ts).
     */
    about: text('about').notNull(),
    /**
     * Random, so that a receiver recognises a repeat. It changes when the notice gets another
     * event.
     */
    id: text('id').notNull(),
    /** The latest event; null for a test. */
    eventId: integer('event_id'),
    /** The number of events that were not told. */
    events: integer('events').notNull(),
    topic: text('topic').notNull(),
    /** 0: waits, for operators; 1: waits, for a user; 2: was sent. */
    queue: integer('queue').notNull(),
    attempts: integer('attempts').notNull(),
    /** When it is sent, if it is not being sent now; after it was sent, the end of its hour. */
    nextAt: time('next_at').notNull(),
    /** When it is given up. */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.about] }),
    index('notices_due').on(table.queue, table.nextAt),
  ],
)

/** One row: the last event for which notices were made. */
export const noticeCursor = sqliteTable(
  'notice_cursor',
  {
    id: integer('id').primaryKey(),
    eventId: integer('event_id').notNull(),
  },
  (table) => [check('notice_cursor_one', sql`${table.id} = 1`)],
)

/**
 * Mails to users that wait to be sent (mail/outbox.ts): the outbox of notices has those of
 * channels. WITHOUT ROWID (migration 0023).
 */
export const mails = sqliteTable(
  'mails',
  {
    /** Random, so that a receiver recognises a repeat. */
    id: text('id').primaryKey(),
    kind: text('kind').notNull(),
    /** The user whom it concerns; null for an invitation. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The link in it, by its hash; null for none. It is sent only while the link is live. */
    linkHash: text('link_hash'),
    address: text('address').notNull(),
    language: text('language').notNull(),
    /** Sealed: the secret of the link; empty for none. */
    sealed: text('sealed').notNull().default(''),
    attempts: integer('attempts').notNull().default(0),
    /** When it is sent, if it is not being sent now. */
    nextAt: time('next_at').notNull(),
    /** When it is given up. */
    expiresAt: time('expires_at').notNull(),
    /** When happened what it tells; null for a mail that tells of no event. */
    at: time('at'),
    /** Where the user or a stranger did it; empty where that is not told. */
    network: text('network').notNull().default(''),
  },
  (table) => [index('mails_due').on(table.nextAt), index('mails_user').on(table.userId)],
)

/**
 * The user of the file server (OpenList) that a user of this site acts as (`files/`). The row
 * outlives its user, because the other user has to be deleted there; ids are never used again.
 */
export const fileUsers = sqliteTable(
  'file_users',
  {
    userId: integer('user_id').primaryKey(),
    /** The id there. */
    remoteId: integer('remote_id').notNull(),
    /** The name there; it differs where another user had the name. */
    remoteName: text('remote_name').notNull(),
    /** The name that it is being given there, until the file server has answered. */
    nextName: text('next_name'),
    /** The values that were last written there; null while nothing was written. */
    username: text('username'),
    permission: integer('permission'),
    basePath: text('base_path'),
    disabled: integer('disabled', { mode: 'boolean' }),
    /** Counts the writes, so that of two at once the one recorded last writes again. */
    writes: integer('writes').notNull().default(0),
    /** The sealed token of the user there; null while there is none. */
    token: text('token'),
    tokenMadeAt: time('token_made_at').notNull().default(0),
    /** That of the user here, from which the password there is derived, for when the user is gone. */
    sub: text('sub'),
    /** When the user there was deleted after the user here: a backup there may bring it back. */
    goneAt: time('gone_at'),
  },
  (table) => [unique('file_users_remote_id').on(table.remoteId)],
)

/**
 * Held while a user is written to the file server (`files/lease.ts`): two writes at once could
 * overtake each other there.
 */
export const fileLeases = sqliteTable('file_leases', {
  userId: integer('user_id').primaryKey(),
  /** Random. */
  holder: text('holder').notNull(),
  /** When it ends, if its holder has ended without giving it back. */
  endsAt: time('ends_at').notNull(),
})

/**
 * Requests that the file server may still work on: a change of rights waits for those that began
 * before it (`groups/requests-under-way.ts`).
 */
export const fileRequests = sqliteTable('file_requests', {
  /** Random. */
  id: text('id').primaryKey(),
  /** No reference: the file server works on when the user is deleted. */
  userId: integer('user_id').notNull(),
  /** JSON: the version of the rules, and what the account might do, when it began. */
  rights: text('rights').notNull(),
  /** When it is taken to be over, if nobody has seen its end. */
  endsAt: time('ends_at').notNull(),
})

/** Links that admit who has them: invitations, new passwords, confirmations of addresses (joining/). */
export const links = sqliteTable(
  'links',
  {
    // AUTOINCREMENT: the id of a withdrawn link never names another one.
    id: integer('id').primaryKey({ autoIncrement: true }),
    kind: text('kind').notNull(),
    /** SHA-256 of the secret, hexadecimal. */
    tokenHash: text('token_hash').notNull().unique('links_token'),
    /** The admin who made it; null for the command line, and for a user's own request. */
    createdBy: integer('created_by'),
    /** The account that it is for; null for an invitation. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The note of an invitation. */
    name: text('name').notNull().default(''),
    /** The fixed name of an invited user; empty when the user chooses. */
    username: text('username').notNull().default(''),
    /** The address that the link was mailed to; empty for one that was handed over. */
    email: text('email').notNull().default(''),
    permission: integer('permission').notNull().default(0),
    basePath: text('base_path').notNull().default('/'),
    accountEndsAt: time('account_ends_at'),
    accountDays: integer('account_days'),
    /** JSON: the ids of the groups of a new user. Those that were deleted since are left out. */
    groupIds: text('group_ids').notNull().default('[]'),
    /** Whether a new password also takes off two-step verification. */
    secondFactor: integer('second_factor', { mode: 'boolean' }).notNull().default(false),
    /** `users.password_changed_at` when it was made, for a new password. */
    passwordChangedAt: time('password_changed_at'),
    uses: integer('uses').notNull().default(1),
    used: integer('used').notNull().default(0),
    /** Names the request that used it last: only its statements find the row by this text. */
    usedBy: text('used_by').notNull().default(''),
    createdAt: time('created_at').notNull(),
    endsAt: time('ends_at').notNull(),
  },
  (table) => [index('links_user').on(table.userId), index('links_ends_at').on(table.endsAt)],
)

/** Deleted things that can be brought back for some minutes (core/access/undo.ts). WITHOUT ROWID. */
export const deletedItems = sqliteTable(
  'deleted_items',
  {
    /** The user who deleted it, and the session: only this session brings it back. */
    userId: ownerId(),
    sessionId: text('session_id').notNull(),
    /** Random. */
    id: text('id').notNull(),
    /** `DeletedKind`. */
    kind: text('kind').notNull(),
    /** How pages call it. */
    name: text('name').notNull(),
    /** JSON: the deleted rows, as a list for each table. */
    rows: text('rows').notNull(),
    deletedAt: time('deleted_at').notNull(),
    /** True only within the transaction that brings it back and deletes this row. */
    claimed: integer('claimed', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.id] }),
    index('deleted_items_at').on(table.deletedAt),
  ],
)

/** Groups of users (groups/). `user`, `guest` and `admin` are built in and have no row. */
export const groups = sqliteTable('groups', {
  // AUTOINCREMENT: the id of a deleted group never names another one.
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  /** The name as it is compared (`groupNameKey`). */
  nameKey: text('name_key').notNull().unique('groups_name_key'),
  note: text('note').notNull().default(''),
  createdAt: time('created_at').notNull(),
})

/** The members of groups. WITHOUT ROWID (migration 0039). */
export const groupMembers = sqliteTable(
  'group_members',
  {
    groupId: integer('group_id')
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
    userId: ownerId(),
    addedAt: time('added_at').notNull(),
    /** The id of the admin who added them; null for the other sources. */
    addedBy: integer('added_by'),
    /** `MemberSource` (core/accounts/groups.ts). */
    source: text('source').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.userId] }),
    index('group_members_user').on(table.userId),
  ],
)

/**
 * The rights of a user or a group in a folder and all below it (groups/decision.ts). One of
 * `built_in`, `group_id` and `user_id` says whose.
 */
export const folderRules = sqliteTable(
  'folder_rules',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** Full and clean. */
    path: text('path').notNull(),
    /** `user` or `guest`. */
    builtIn: text('built_in'),
    // No cascade: a group that rules name is not deleted.
    groupId: integer('group_id').references(() => groups.id),
    /** No reference: the rules of a deleted user stay, or their folders would open. */
    userId: integer('user_id'),
    access: text('access').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    // Two of the three are null, and nulls differ: no folder has two rules of one user or group.
    unique('folder_rules_built_in').on(table.path, table.builtIn),
    unique('folder_rules_group').on(table.groupId, table.path),
    unique('folder_rules_user').on(table.userId, table.path),
    check(
      'folder_rules_one',
      sql`(${table.builtIn} is not null) + (${table.groupId} is not null) + (${table.userId} is not null) = 1`,
    ),
    check('folder_rules_built_in', sql`${table.builtIn} in ('user', 'guest')`),
    check('folder_rules_access', sql`${table.access} in ('none', 'read', 'write')`),
  ],
)

/**
 * One row: a random text that triggers replace whenever the lists of readers at the file server may
 * have to change (migration 0039), and the text for which they were last written. While they
 * differ, something waits to be written. Without a row, nothing was ever to be written.
 */
export const folderState = sqliteTable(
  'folder_state',
  {
    id: integer('id').primaryKey(),
    version: text('version').notNull(),
    written: text('written').notNull(),
  },
  (table) => [check('folder_state_one', sql`${table.id} = 1`)],
)

/** The metas of the file server (OpenList) that have our lists of readers (groups/writer.ts). */
export const folderMetas = sqliteTable('folder_metas', {
  path: text('path').primaryKey(),
  /** The id there. */
  remoteId: integer('remote_id').notNull(),
  /** Whether we made it, so that it is deleted with the last rule. */
  isOwn: integer('is_own', { mode: 'boolean' }).notNull(),
  /** JSON: the ids there as they were last written; null while a write may be under way. */
  readUsers: text('read_users'),
  writeUsers: text('write_users'),
})
