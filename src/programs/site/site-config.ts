import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parse } from 'smol-toml'
import * as v from 'valibot'
import { CommandError } from '../kit/command-error.ts'
import { installed, isPacked } from '../kit/places.ts'
import { readPackedMigrations } from './packed.ts'
import { readLocalVars } from './dev-vars.ts'

const text = v.pipe(v.string(), v.minLength(1))

/** The required part of `wrangler.toml`; everything else is passed on unchanged. */
const configSchema = v.looseObject({
  name: text,
  main: text,
  assets: v.looseObject({ directory: text }),
  /** Module names, and the files that replace them. */
  alias: v.optional(v.record(text, text), {}),
  d1_databases: v.tuple([
    v.looseObject({
      binding: v.literal('DB'),
      database_name: text,
      database_id: v.optional(text),
      preview_database_id: v.optional(text),
      migrations_dir: text,
    }),
  ]),
  kv_namespaces: v.tuple([
    v.looseObject({
      binding: v.literal('SETTINGS'),
      id: v.optional(text),
      preview_id: v.optional(text),
    }),
  ]),
})
export type SiteConfig = v.InferOutput<typeof configSchema>

/** The ids of a site's database and namespace at Cloudflare; `undefined` when they don't exist. */
export interface Resources {
  databaseId: string | undefined
  namespaceId: string | undefined
}

/** @throws {CommandError} When `wrangler.toml` is missing, is no TOML, or lacks a required part. */
export async function readSiteConfig(): Promise<SiteConfig> {
  const parsed = v.safeParse(configSchema, readConfigFile())
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new CommandError(
    `wrangler.toml is not the configuration of a Latchkey site (${v.getDotPath(issue) ?? ''}: ${issue.message}).`,
  )
}

/** Reads the file without wrangler, because loading wrangler takes a second. */
function readConfigFile(): unknown {
  try {
    return parse(readFileSync(installed('wrangler.toml'), 'utf8'))
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : '').split('\n')
    throw new CommandError(
      `wrangler.toml can't be read: ${message}. git diff wrangler.toml shows what was changed.`,
    )
  }
}

const varsSchema = v.record(v.string(), v.unknown())

/**
 * Reads the variables of a site. Those of a local site may stand in `.dev.vars`, which git ignores,
 * and some in the environment (`readLocalVars`). They count before those of `wrangler.toml`, as
 * wrangler reads them. A deployment never gets them.
 */
export async function readVars(isRemote: boolean): Promise<Record<string, unknown>> {
  const { vars: set } = await readSiteConfig()
  const vars = v.is(varsSchema, set) ? set : {}
  return isRemote ? vars : { ...vars, ...readLocalVars() }
}

/** @returns The text of a variable; `undefined` for an empty one, and for a value of another type. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

const domainSchema = v.looseObject({ pattern: text, custom_domain: v.literal(true) })

/**
 * Lists the hosts that `wrangler.toml` names as custom domains, in `routes` or `route`. A
 * workers.dev address does not stand in that file.
 */
export function customDomains({ routes, route }: SiteConfig): string[] {
  const all: unknown[] = Array.isArray(routes) ? routes : [route]
  return all.flatMap((item) => (v.is(domainSchema, item) ? [item.pattern] : []))
}

const emailSchema = v.pipe(
  v.array(v.looseObject({ name: v.string() })),
  v.someItem(({ name }) => name === 'EMAIL'),
)

/** Tells whether the Worker has the binding with which it sends e-mails. */
export function bindsEmail(config: SiteConfig): boolean {
  return v.is(emailSchema, config['send_email'])
}

/** Returns the title of the KV namespace, the same that wrangler would choose. */
export function namespaceTitle({ name }: SiteConfig): string {
  return `${name}-settings`
}

/** Returns the ids under which wrangler keeps the local data. */
export function localIds({ d1_databases: [database], kv_namespaces: [namespace] }: SiteConfig): {
  database: string
  namespace: string
} {
  return {
    database: database.preview_database_id ?? database.database_id ?? database.binding,
    namespace: namespace.preview_id ?? namespace.id ?? namespace.binding,
  }
}

/** Lists the file names of the migrations, in order. */
export function listMigrations({ d1_databases: [database] }: SiteConfig): string[] {
  if (isPacked()) return Object.keys(readPackedMigrations())
  return readdirSync(installed(database.migrations_dir))
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
}

/** Returns those of the applied migrations that this version does not know. */
export function laterMigrations(known: readonly string[], applied: readonly string[]): string[] {
  return applied.filter((name) => !known.includes(name))
}

/**
 * @param explain Makes the sentence of the error from the names of the migrations.
 * @throws {CommandError} When a later version has migrated the database: this one can't know how.
 */
export function refuseLaterMigrations(
  known: readonly string[],
  applied: readonly string[],
  explain: (names: string) => string,
): void {
  const later = laterMigrations(known, applied)
  if (later.length > 0) throw new CommandError(explain(later.join(', ')))
}

/** @param remedy Completes the sentence about a database that serves a site. */
export function leftAsItIs(remedy: string): (names: string) => string {
  return (names) =>
    `A later version of Latchkey has changed the database (${names}), and this one left it as it is: ${remedy}.`
}

/**
 * Writes a `wrangler.json` into a temporary folder, and calls a function with it. The ids are in
 * that file and not in `wrangler.toml`, because that is part of the repository.
 */
export async function withConfigFile<Result>(
  config: object,
  use: (path: string, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-production-'))
  try {
    const path = join(folder, 'wrangler.json')
    writeFileSync(path, JSON.stringify(config))
    return await use(path, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Returns the configuration of an upload: with ids, and with absolute paths, so that it works in
 * any folder.
 */
export function uploadConfig(config: SiteConfig, { databaseId, namespaceId }: Resources) {
  const [database] = config.d1_databases
  const [namespace] = config.kv_namespaces
  // Variables that were set in the dashboard stay; an empty one of the file would replace them.
  const { vars } = config
  const set = Object.entries(v.is(varsSchema, vars) ? vars : {}).filter(([, value]) => value !== '')
  return {
    ...config,
    keep_vars: true,
    vars: Object.fromEntries(set),
    assets: { ...config.assets, directory: resolve(config.assets.directory) },
    d1_databases: [
      {
        ...database,
        database_id: databaseId,
        migrations_dir: resolve(database.migrations_dir),
      },
    ],
    kv_namespaces: [{ ...namespace, id: namespaceId }],
  }
}

/**
 * Returns the configuration of a command that works on production: its database and namespace only.
 *
 * @throws {CommandError} When the site isn't deployed.
 */
export function remoteConfig(config: SiteConfig, { databaseId, namespaceId }: Resources) {
  const [{ binding, database_name }] = config.d1_databases
  if (databaseId === undefined || namespaceId === undefined) {
    const missing = databaseId === undefined ? `database "${database_name}"` : 'KV namespace'
    throw new CommandError(
      `This Cloudflare account has no ${missing} of the site: run npm run deploy first.`,
    )
  }
  return {
    name: config.name,
    compatibility_date: config['compatibility_date'],
    ...('account_id' in config && { account_id: config['account_id'] }),
    d1_databases: [{ binding, database_name, database_id: databaseId, remote: true }],
    kv_namespaces: [{ binding: 'SETTINGS', id: namespaceId, remote: true }],
  }
}
