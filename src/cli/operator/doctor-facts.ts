import { and, count, eq, isNotNull, lt, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { sessions, settings, users } from '../../../schema/tables.ts'
import type { Database } from '../../deps.ts'
import { compareCopy } from '../../settings/store.ts'
import type { KeyRing } from '../../crypto/key-ring.ts'
import { ADMIN, GUEST } from '../../accounts/roles.ts'
import { messageOf } from '../command-error.ts'
import { listSecrets, type Wrangler } from '../deploy/cloudflare.ts'
import { askOverHttp, findHost, type PlainHttp } from './plain-http.ts'
import { listMigrations, readSiteConfig, type SiteConfig } from '../deploy/site-config.ts'
import type { Site } from '../site.ts'

/** What is known of a site before anything is judged. */
export interface Facts {
  isRemote: boolean
  /** What is wrong with `SECRET_KEYS` where the site runs. */
  secretProblem: string | undefined
  /** What keeps this machine from using production's `SECRET_KEYS`. */
  copyProblem: string | undefined
  /** `undefined` where `wrangler.toml` leaves it at its default, as below. */
  tokenHours: string | undefined
  freshMinutes: string | undefined
  crons: string[]
  /** Asked of a deployed site only. */
  plainHttp: PlainHttp | undefined
  /** Names of files, in order. */
  migrations: { known: string[]; applied: string[] }
  /** Absent while the database lacks tables. */
  data: SiteData | undefined
}

/** What the database and KV say. */
export interface SiteData {
  admins: { username: string; disabled: boolean; hasPassword: boolean; hasTwoFactor: boolean }[]
  isGuestEnabled: boolean
  siteTitle: string | undefined
  copy: 'equal' | 'different' | 'missing'
  /** Users whose seed no entry of `SECRET_KEYS` opens; absent while there is no key ring. */
  sealedOut: number | undefined
  /** Sessions that ran out more than two days ago. */
  leftovers: number
}

export interface Finding {
  check: string
  status: 'ok' | 'warn' | 'fail'
  text: string
  /** What mends it. */
  fix?: string
}

/** The nightly run is once a day; one that was missed is no illness yet. */
const LEFTOVER_MILLISECONDS = 48 * 60 * 60 * 1000

const varsSchema = v.record(v.string(), v.unknown())
const triggersSchema = v.object({ crons: v.array(v.string()) })

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
}

/**
 * Looks at a site; changes nothing.
 *
 * @param host Where a deployed one answers; otherwise as `wrangler.toml` says.
 */
export async function gatherFacts(
  site: Site,
  isRemote: boolean,
  wrangler: Wrangler,
  host?: string,
): Promise<Facts> {
  const config = await readSiteConfig()
  const vars = v.is(varsSchema, config['vars']) ? config['vars'] : {}
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
    tokenHours: textIn(vars['TOKEN_HOURS']),
    freshMinutes: textIn(vars['FRESH_MINUTES']),
    crons: v.is(triggersSchema, config['triggers']) ? config['triggers'].crons : [],
    plainHttp: isRemote ? await askOverHttp(host ?? findHost(config)) : undefined,
    migrations,
    data: isMigrated
      ? await gatherData(site, typeof ring === 'string' ? undefined : ring)
      : undefined,
  }
}

/** @returns What is wrong, where there is none. */
async function findKeyRing(site: Site): Promise<KeyRing | string> {
  try {
    return await site.keyRing()
  } catch (error) {
    const message = messageOf(error)
    if (message === undefined) throw error
    return message
  }
}

/** Of production only the names of its secrets can be seen. */
async function findDeployedSecretProblem(
  wrangler: Wrangler,
  config: SiteConfig,
): Promise<string | undefined> {
  const secrets = await listSecrets(wrangler, config)
  if (secrets === undefined) return `there is no Worker "${config.name}"`
  return secrets.includes('SECRET_KEYS') ? undefined : 'the Worker has no SECRET_KEYS'
}

/** As wrangler notes them down. */
async function selectAppliedMigrations(db: Database): Promise<string[]> {
  const tables = await db.all(
    sql`select name from sqlite_master where type = 'table' and name = 'd1_migrations'`,
  )
  if (tables.length === 0) return []
  const rows = await db.all<{ name: string }>(sql`select name from d1_migrations order by id`)
  return rows.map(({ name }) => name)
}

async function gatherData(site: Site, ring: KeyRing | undefined): Promise<SiteData> {
  const { db } = site
  const [admins, [guest], [title], seals, [expired]] = await db.batch([
    db
      .select({
        username: users.username,
        disabled: users.disabled,
        passwordHash: users.passwordHash,
        seed: users.totpSeed,
      })
      .from(users)
      .where(eq(users.role, ADMIN))
      .orderBy(users.id),
    db
      .select({ total: count() })
      .from(users)
      .where(and(eq(users.role, GUEST), eq(users.disabled, false))),
    db.select({ value: settings.value }).from(settings).where(eq(settings.key, 'site_title')),
    db
      .select({
        keyId: sql<string>`substr(${users.totpSeed}, 1, instr(${users.totpSeed}, '.') - 1)`.as(
          'key_id',
        ),
        total: count(),
      })
      .from(users)
      .where(isNotNull(users.totpSeed))
      .groupBy(sql`key_id`),
    db
      .select({ total: count() })
      .from(sessions)
      .where(lt(sessions.expiresAt, site.now() - LEFTOVER_MILLISECONDS)),
  ])
  const sealedOut = seals
    .filter(({ keyId }) => ring?.find(keyId) === undefined)
    .reduce((sum, { total }) => sum + total, 0)
  return {
    admins: admins.map(({ username, disabled, passwordHash, seed }) => ({
      username,
      disabled,
      hasPassword: passwordHash !== null,
      hasTwoFactor: seed !== null,
    })),
    isGuestEnabled: (guest?.total ?? 0) > 0,
    siteTitle: title?.value,
    copy: await compareCopy(site),
    sealedOut: ring === undefined ? undefined : sealedOut,
    leftovers: expired?.total ?? 0,
  }
}
