import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import type { Resources } from './cloudflare.ts'
import { CommandError } from '../command-error.ts'

const text = v.pipe(v.string(), v.minLength(1))

/** What `wrangler.toml` must say; all else of it is passed on as it is. */
const configSchema = v.looseObject({
  name: text,
  main: text,
  assets: v.looseObject({ directory: text }),
  /** Module names, and the files that stand in for them. */
  alias: v.optional(v.record(text, text), {}),
  d1_databases: v.tuple([
    v.looseObject({
      binding: v.literal('DB'),
      database_name: text,
      database_id: v.optional(text),
      migrations_dir: text,
    }),
  ]),
  kv_namespaces: v.tuple([v.looseObject({ binding: v.literal('SETTINGS'), id: v.optional(text) })]),
})
export type SiteConfig = v.InferOutput<typeof configSchema>

/** @throws {CommandError} When `wrangler.toml` is missing or has lost what a site needs. */
export async function readSiteConfig(): Promise<SiteConfig> {
  const { experimental_readRawConfig } = await import('wrangler')
  const parsed = v.safeParse(
    configSchema,
    experimental_readRawConfig({ config: 'wrangler.toml' }).rawConfig,
  )
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new CommandError(
    `wrangler.toml is not that of a Latchkey site (${v.getDotPath(issue) ?? ''}: ${issue.message}).`,
  )
}

/** The title of the namespace; as wrangler would choose it. */
export function namespaceTitle({ name }: SiteConfig): string {
  return `${name}-settings`
}

/** The names of the files of migrations, in order. */
export function listMigrations({ d1_databases: [database] }: SiteConfig): string[] {
  return readdirSync(database.migrations_dir)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
}

/**
 * Lends a folder with a `wrangler.json` for this work; the folder is gone afterwards. Ids go there
 * and not into `wrangler.toml`, which is the repository's.
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

/** The configuration of an upload, from any folder: the ids filled in, the paths absolute. */
export function uploadConfig(config: SiteConfig, { databaseId, namespaceId }: Resources) {
  const [database] = config.d1_databases
  const [namespace] = config.kv_namespaces
  return {
    ...config,
    main: resolve(config.main),
    assets: { ...config.assets, directory: resolve(config.assets.directory) },
    alias: Object.fromEntries(
      Object.entries(config.alias).map(([name, file]) => [name, resolve(file)]),
    ),
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
 * The configuration of a command that works on production: its database and namespace, nothing
 * else.
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
