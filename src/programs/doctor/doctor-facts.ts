import { and, count, desc, eq, inArray, lt, not, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { auditEvents, sessions, settings, users } from '../../../schema/tables.ts'
import { selectMigrations } from '../../core/database/migrations.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { compareCopy } from '../../capabilities/settings/store.ts'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { isAdmin, isEnabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import { hasSecondFactor, mustUseSecondFactor } from '../../core/accounts/second-factor.ts'
import { closedBy, countMadeWithPassword } from '../../core/access/kept-credentials.ts'
import { COMMAND_LINE } from '../../core/access/operators.ts'
import { messageOf } from '../kit/command-error.ts'
import { listSecrets, type Wrangler } from '../site/cloudflare.ts'
import {
  sealCountQuery,
  sealCountsSchema,
  type SealTotals,
  sumSeals,
} from '../site/sealed-content.ts'
import { askOverHttp, type PlainHttp } from './plain-http.ts'
import {
  customDomains,
  listMigrations,
  readSiteConfig,
  readVars,
  type SiteConfig,
} from '../site/site-config.ts'
import type { Setup } from '../site/in-programs.ts'
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
  crons: string[]
  /** Only for a deployed site. */
  plainHttp: PlainHttp | undefined
  /** File names, in order. */
  migrations: { known: string[]; applied: string[] }
  /** Absent when migrations are missing. */
  data: SiteData | undefined
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
  isGuestEnabled: boolean
  siteTitle: string | undefined
  copy: 'equal' | 'different' | 'missing'
  /** Texts that no entry of `SECRET_KEYS` opens, or only an old one; absent without a key ring. */
  seals: { lost: SealTotals; old: SealTotals } | undefined
  /** The number of sessions that expired more than two days ago. */
  leftovers: number
  /** The latest sign-ins: by whom, and from which network. */
  signIns: { userId: number | null; network: string }[]
}

/** The nightly run is once a day. A single missed run is no problem yet. */
const LEFTOVER_MILLISECONDS = 48 * HOUR_MILLISECONDS

const triggersSchema = v.object({ crons: v.array(v.string()) })

/**
 * Reads how a site is set up.
 *
 * @param host The host of a deployed site; by default the one in `wrangler.toml`.
 */
export async function readSetup(isRemote: boolean, host?: string): Promise<DoctorSetup> {
  const config = await readSiteConfig()
  const vars = await readVars(isRemote)
  const address = isRemote ? (host ?? customDomains(config)[0]) : undefined
  return {
    isRemote,
    config,
    address,
    host: address?.replace(/:\d+$/, ''),
    variable(name) {
      const value = vars[name]
      return typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
    },
  }
}

/** With the host and the port of a deployed site. */
interface DoctorSetup extends Setup {
  address: string | undefined
}

/** Reads the facts of a site and changes nothing. */
export async function gatherFacts(
  site: Site,
  setup: DoctorSetup,
  wrangler: Wrangler,
): Promise<Facts> {
  const { isRemote, config } = setup
  const ring = await findKeyRing(site)
  const migrations = {
    known: listMigrations(config),
    applied: await selectAppliedMigrations(site.db),
  }
  const isMigrated = migrations.known.every((name) => migrations.applied.includes(name))
  const ringProblem = typeof ring === 'string' ? ring : undefined
  return {
    isRemote,
    secretProblem: isRemote ? await findDeployedSecretProblem(wrangler, config) : ringProblem,
    copyProblem: isRemote ? ringProblem : undefined,
    tokenHours: setup.variable('TOKEN_HOURS'),
    freshMinutes: setup.variable('FRESH_MINUTES'),
    crons: v.is(triggersSchema, config['triggers']) ? config['triggers'].crons : [],
    plainHttp: isRemote ? await askOverHttp(setup.address) : undefined,
    migrations,
    data: isMigrated
      ? await gatherData(site, typeof ring === 'string' ? undefined : ring)
      : undefined,
  }
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

async function gatherData(site: Site, ring: KeyRing | undefined): Promise<SiteData> {
  const { db } = site
  const { changed, lacking, ...found } = await runBatch(db, {
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
      .where(inArray(settings.key, ['site_title', 'require_second_factor'])),
    lacking: db
      .select({ username: users.username })
      .from(users)
      .where(and(isEnabled(site.now()), isNotGuest, mustUseSecondFactor, not(hasSecondFactor)))
      .orderBy(users.id),
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
  const { admins, guests, expired, signIns } = found
  const setting = (name: string) => changed.find(({ key }) => key === name)?.value
  const requirement = setting('require_second_factor') ?? 'off'
  const made = await countMadeWithPassword(site, COMMAND_LINE)
  const ofDemand = closedBy(requirement, made)
  const seals = v.parse(sealCountsSchema, await db.all(sql.raw(await sealCountQuery())))
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
    isGuestEnabled: (guests[0]?.total ?? 0) > 0,
    siteTitle: setting('site_title'),
    copy: await compareCopy(site),
    seals: ring && sumSeals(seals, ring),
    signIns,
    leftovers: expired[0]?.total ?? 0,
  }
}
