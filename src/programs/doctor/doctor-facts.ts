import { and, count, desc, eq, inArray, lt, not, sql } from 'drizzle-orm'
import * as v from 'valibot'
import {
  auditEvents,
  openidClients,
  passkeys,
  sessions,
  settings,
  users,
} from '../../../schema/tables.ts'
import { selectMigrations } from '../../core/database/migrations.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { compareCopy } from '../../capabilities/settings/store.ts'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { selectSigningKeys } from '../../capabilities/openid/keys.ts'
import { isAdmin, isEnabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import type { FileServerState } from '../../capabilities/files/state.ts'
import { hasSecondFactor, mustUseSecondFactor } from '../../core/accounts/second-factor.ts'
import { type PasskeySite, parsePasskeySite } from '../../core/base/passkey-site.ts'
import { checkProvider, PROBLEM_TEXTS } from '../../capabilities/sso/check.ts'
import { listStaleAppPasswords } from '../../capabilities/app-passwords/app-passwords.ts'
import { closedBy, countMadeWithPassword } from '../../core/access/kept-credentials.ts'
import { COMMAND_LINE } from '../../core/access/operators.ts'
import { messageOf, reasonIn } from '../kit/command-error.ts'
import { listSecrets, type Wrangler } from '../site/cloudflare.ts'
import {
  sealCountQuery,
  sealCountsSchema,
  type SealTotals,
  sumSeals,
} from '../site/sealed-content.ts'
import type { MailFacts } from './doctor-mail.ts'
import { askOverHttp, type PlainHttp } from './plain-http.ts'
import {
  bindsEmail,
  customDomains,
  listMigrations,
  readSiteConfig,
  readVars,
  type SiteConfig,
} from '../site/site-config.ts'
import { findFileServer, readStateOf } from '../site/file-server.ts'
import type { Site } from '../site/site.ts'
import { HOUR_MILLISECONDS } from '../../core/base/time.ts'

/** The facts of a site that the checks judge. */
export interface Facts {
  isRemote: boolean
  /** The problem with `SECRET_KEYS` where the site runs. */
  secretProblem: string | undefined
  /** The problem with the copy of production's `SECRET_KEYS` on this machine. */
  copyProblem: string | undefined
  /** `undefined` where `wrangler.toml` leaves it at its default, as below. */
  tokenHours: string | undefined
  freshMinutes: string | undefined
  issuer: string | undefined
  crons: string[]
  mail: MailFacts
  /** What `wrangler.toml` says about passkeys, or what is wrong with it. */
  passkeySite: PasskeySite | string
  /** The host name of a deployed site, without a port, if it is known. */
  host: string | undefined
  /** Only for a deployed site. */
  plainHttp: PlainHttp | undefined
  /** The file server behind the site; `undefined` when none is set. */
  files: FileServerFacts | undefined
  /** File names, in order. */
  migrations: { known: string[]; applied: string[] }
  /** Absent when migrations are missing. */
  data: SiteData | undefined
}

/** A file server, and its state as seen from this machine. */
interface FileServerFacts {
  server: FileServer
  state: FileServerState
}

/** Facts from the database and KV. */
export interface SiteData {
  admins: {
    id: number
    username: string
    disabled: boolean
    hasPassword: boolean
    hasFactor: boolean
  }[]
  /** The value of `require_second_factor`, and the users to whom it applies and who have none. */
  requirement: string
  lacking: string[]
  /** The number of app passwords and SSH keys that this setting closes. */
  closed: number
  /** The number of passkeys by RP ID. */
  passkeys: { rpId: string; total: number }[]
  isGuestEnabled: boolean
  siteTitle: string | undefined
  copy: 'equal' | 'different' | 'missing'
  /** What the identity provider answers, or what is wrong; `undefined` while single sign-on is off. */
  sso: { host: string } | { problem: string } | undefined
  /** What no entry of `SECRET_KEYS` opens, and what an older one opens; absent without a key ring. */
  seals: { lost: SealTotals; old: SealTotals } | undefined
  /** The number of sessions that expired more than two days ago. */
  leftovers: number
  /** The latest sign-ins: by whom, and from which network. */
  signIns: { userId: number | null; network: string }[]
  /** The app passwords that never expire, and the others that nobody has used for long. */
  appPasswords: { endless: number; unused: number }
  /** What each program was told that signs in through this site; empty for none. */
  issuers: string[]
  /** The age of the newest signing key, milliseconds; absent when there is none. */
  signingKeyAge: number | undefined
}

/** The nightly run is once a day. A single missed run is no problem yet. */
const LEFTOVER_MILLISECONDS = 48 * HOUR_MILLISECONDS

const triggersSchema = v.object({ crons: v.array(v.string()) })

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
}

/**
 * Reads the facts of a site and changes nothing.
 *
 * @param host The host of a deployed site; by default the one in `wrangler.toml`.
 */
export async function gatherFacts(
  site: Site,
  isRemote: boolean,
  wrangler: Wrangler,
  host?: string,
): Promise<Facts> {
  const config = await readSiteConfig()
  const vars = await readVars(isRemote)
  const ring = await findKeyRing(site)
  const migrations = {
    known: listMigrations(config),
    applied: await selectAppliedMigrations(site.db),
  }
  const isMigrated = migrations.known.every((name) => migrations.applied.includes(name))
  const siteHost = isRemote ? (host ?? customDomains(config)[0]) : undefined
  const ringProblem = typeof ring === 'string' ? ring : undefined
  return {
    isRemote,
    secretProblem: isRemote ? await findDeployedSecretProblem(wrangler, config) : ringProblem,
    copyProblem: isRemote ? ringProblem : undefined,
    tokenHours: textIn(vars['TOKEN_HOURS']),
    freshMinutes: textIn(vars['FRESH_MINUTES']),
    issuer: textIn(vars['ISSUER']),
    crons: v.is(triggersSchema, config['triggers']) ? config['triggers'].crons : [],
    mail: {
      from: textIn(vars['MAIL_FROM']),
      siteAddress: textIn(vars['SITE_ADDRESS']),
      issuer: textIn(vars['ISSUER']),
      hasWay: isRemote ? bindsEmail(config) : Boolean(vars['SMTP_URL']),
    },
    plainHttp: isRemote ? await askOverHttp(siteHost) : undefined,
    passkeySite: parsePasskeySite(textIn(vars['PASSKEY_RP_ID']), textIn(vars['PASSKEY_ORIGINS'])),
    host: siteHost?.replace(/:\d+$/, ''),
    files: await gatherFiles(site, isRemote),
    migrations,
    data: isMigrated
      ? await gatherData(site, typeof ring === 'string' ? undefined : ring)
      : undefined,
  }
}

async function gatherFiles(site: Site, isRemote: boolean): Promise<FileServerFacts | undefined> {
  const server = await findFileServer(isRemote)
  return server && { server, state: await readStateOf(site, server) }
}

/** So many sign-ins tell whether the networks of clients arrive here. */
const LATEST_SIGN_INS = 200

/** @returns The key ring, or what is wrong with `SECRET_KEYS`. */
async function findKeyRing(site: Site): Promise<KeyRing | string> {
  try {
    return await site.keyRing()
  } catch (error) {
    const message = messageOf(error)
    if (message === undefined) throw error
    return message
  }
}

/** Only the names of production's secrets can be read. */
async function findDeployedSecretProblem(
  wrangler: Wrangler,
  config: SiteConfig,
): Promise<string | undefined> {
  const secrets = await listSecrets(wrangler, config)
  if (secrets === undefined) return `there is no Worker "${config.name}"`
  return secrets.includes('SECRET_KEYS') ? undefined : 'the Worker has no SECRET_KEYS'
}

/** @returns None in a database without tables. */
async function selectAppliedMigrations(db: Database): Promise<string[]> {
  const tables = await db.all(
    sql`select name from sqlite_master where type = 'table' and name = 'd1_migrations'`,
  )
  return tables.length === 0 ? [] : selectMigrations(db)
}

async function askProvider(site: Site): Promise<SiteData['sso']> {
  try {
    const checked = await checkProvider(site)
    return 'host' in checked ? checked : { problem: PROBLEM_TEXTS[checked.problem] }
  } catch (error) {
    return { problem: reasonIn(error) }
  }
}

async function gatherData(site: Site, ring: KeyRing | undefined): Promise<SiteData> {
  const { db } = site
  const { changed, lacking, rpIds, ...found } = await runBatch(db, {
    admins: db
      .select({
        id: users.id,
        username: users.username,
        disabled: users.disabled,
        passwordHash: users.passwordHash,
        hasFactor: sql`${hasSecondFactor}`.mapWith(Boolean).as('has_factor'),
      })
      .from(users)
      .where(isAdmin)
      .orderBy(users.id),
    guests: db
      .select({ total: count() })
      .from(users)
      .where(and(eq(users.role, GUEST), isEnabled(site.now()))),
    changed: db
      .select({ key: settings.key, value: settings.value })
      .from(settings)
      .where(inArray(settings.key, ['site_title', 'sso_login_enabled', 'require_second_factor'])),
    lacking: db
      .select({ username: users.username })
      .from(users)
      .where(and(isEnabled(site.now()), isNotGuest, mustUseSecondFactor, not(hasSecondFactor)))
      .orderBy(users.id),
    rpIds: db
      .select({ rpId: passkeys.rpId, total: count() })
      .from(passkeys)
      .groupBy(passkeys.rpId)
      .orderBy(passkeys.rpId),
    clients: db.select({ issuer: openidClients.issuer }).from(openidClients),
    keys: selectSigningKeys(db, site.now()),
    // The latest, whose index the pages of administrators use.
    signIns: db
      .select({ userId: auditEvents.userId, network: auditEvents.network })
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'sign_in'))
      .orderBy(desc(auditEvents.id))
      .limit(LATEST_SIGN_INS),
    expired: db
      .select({ total: count() })
      .from(sessions)
      .where(lt(sessions.expiresAt, site.now() - LEFTOVER_MILLISECONDS)),
  })
  const { admins, guests, clients, keys, expired, signIns } = found
  const setting = (name: string) => changed.find(({ key }) => key === name)?.value
  const requirement = setting('require_second_factor') ?? 'off'
  const made = await countMadeWithPassword(site, COMMAND_LINE)
  const ofDemand = closedBy(requirement, made)
  const [newestKey] = keys
  const stale = await listStaleAppPasswords(site, COMMAND_LINE)
  const endless = stale.filter(({ expiresAt }) => expiresAt === null)
  const seals = v.parse(sealCountsSchema, await db.all(sql.raw(sealCountQuery())))
  return {
    admins: admins.map(({ id, username, disabled, passwordHash, hasFactor }) => ({
      id,
      username,
      disabled,
      hasPassword: passwordHash !== null,
      hasFactor,
    })),
    requirement,
    lacking: lacking.map(({ username }) => username),
    closed: ofDemand.appPasswords + ofDemand.keys,
    passkeys: rpIds,
    isGuestEnabled: (guests[0]?.total ?? 0) > 0,
    siteTitle: setting('site_title'),
    copy: await compareCopy(site),
    sso: setting('sso_login_enabled') === 'true' ? await askProvider(site) : undefined,
    seals: ring && sumSeals(seals, ring),
    signIns,
    leftovers: expired[0]?.total ?? 0,
    appPasswords: { endless: endless.length, unused: stale.length - endless.length },
    issuers: clients.map(({ issuer }) => issuer),
    signingKeyAge: newestKey && site.now() - newestKey.activeFrom,
  }
}
