import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { CommandError } from './command-error.ts'
import { runWrangler } from './wrangler.ts'

/** How a command reaches wrangler; tests put their own here. */
export type Wrangler = typeof runWrangler

const text = v.pipe(v.string(), v.minLength(1))

/** What `wrangler.toml` must say; all else of it is passed on as it is. */
const configSchema = v.looseObject({
  name: text,
  main: text,
  assets: v.looseObject({ directory: text }),
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

const databasesSchema = v.array(v.object({ name: v.string(), uuid: text }))
const namespacesSchema = v.array(v.object({ title: v.string(), id: text }))

/** The ids of a site's database and namespace at Cloudflare, as far as they exist. */
export interface Resources {
  databaseId: string | undefined
  namespaceId: string | undefined
}

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

/** Finds what belongs to the site: by the ids in `wrangler.toml`, else by name. */
export async function findResources(wrangler: Wrangler, config: SiteConfig): Promise<Resources> {
  const [{ database_name, database_id }] = config.d1_databases
  const [{ id }] = config.kv_namespaces
  const [databases, namespaces] = await Promise.all([
    database_id ? [] : readJson(wrangler, ['d1', 'list', '--json'], databasesSchema),
    id ? [] : readJson(wrangler, ['kv', 'namespace', 'list'], namespacesSchema),
  ])
  return {
    databaseId: database_id ?? databases.find(({ name }) => name === database_name)?.uuid,
    namespaceId: id ?? namespaces.find(({ title }) => title === namespaceTitle(config))?.id,
  }
}

/**
 * Runs wrangler for its JSON.
 *
 * @throws {CommandError} When it failed, or answers what this version doesn't know.
 */
export async function readJson<Schema extends v.GenericSchema>(
  wrangler: Wrangler,
  args: string[],
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const printed = await wrangler(args)
  try {
    return v.parse(schema, JSON.parse(printed))
  } catch {
    throw new CommandError(`wrangler ${args.join(' ')} printed something unexpected.`)
  }
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

/** What wrangler says when it reaches Cloudflare in vain, and what to do about it. */
const EXPLANATIONS: [RegExp, string][] = [
  [
    /More than one account/,
    'This sign-in reaches several Cloudflare accounts: choose one of those that npx wrangler whoami lists, with CLOUDFLARE_ACCOUNT_ID=<id>.',
  ],
  [
    /CLOUDFLARE_API_TOKEN|wrangler login|not authenticated|Authentication error|Invalid access token|code: 10000/i,
    'Not signed in to Cloudflare: run npx wrangler login, or set CLOUDFLARE_API_TOKEN.',
  ],
  [
    /Unable to resolve|fetch failed|ECONNREFUSED|ENOTFOUND|ETIMEDOUT/,
    "Can't reach Cloudflare: look at this machine's network and try again.",
  ],
]

/** One line for a failure at Cloudflare, whatever wrangler printed around it. */
export function explain(error: unknown): CommandError {
  const message = error instanceof Error ? error.message : String(error)
  const [, explanation] = EXPLANATIONS.find(([pattern]) => pattern.test(message)) ?? []
  return new CommandError(explanation ?? message)
}
