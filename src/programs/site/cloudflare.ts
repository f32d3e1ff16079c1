import * as v from 'valibot'
import { CommandError, messageOf } from '../kit/command-error.ts'
import { namespaceTitle, type Resources, type SiteConfig } from './site-config.ts'
import type { runWrangler } from './wrangler.ts'

/** The function that runs wrangler; tests pass their own. */
export type Wrangler = typeof runWrangler

const text = v.pipe(v.string(), v.minLength(1))
const id = text
const databasesSchema = v.array(v.object({ name: v.string(), uuid: id }))
const secretsSchema = v.array(v.object({ name: v.string() }))
const namespacesSchema = v.array(v.object({ title: v.string(), id }))

/** Finds the site's database and namespace: by the ids in `wrangler.toml`, else by name. */
export async function findResources(wrangler: Wrangler, config: SiteConfig): Promise<Resources> {
  const [{ database_name, database_id }] = config.d1_databases
  const [{ id: namespace_id }] = config.kv_namespaces
  const [databases, namespaces] = await Promise.all([
    database_id ? [] : readJson(wrangler, ['d1', 'list', '--json'], databasesSchema),
    namespace_id ? [] : readJson(wrangler, ['kv', 'namespace', 'list'], namespacesSchema),
  ])
  return {
    databaseId: database_id ?? databases.find(({ name }) => name === database_name)?.uuid,
    namespaceId:
      namespace_id ?? namespaces.find(({ title }) => title === namespaceTitle(config))?.id,
  }
}

/** Lists the names of the deployed Worker's secrets; `undefined` when there is no such Worker. */
export async function listSecrets(
  wrangler: Wrangler,
  { name }: SiteConfig,
): Promise<string[] | undefined> {
  const args = ['secret', 'list', '--name', name, '--format', 'json']
  try {
    return (await readJson(wrangler, args, secretsSchema)).map((secret) => secret.name)
  } catch (error) {
    if (error instanceof Error && /Worker ".*" not found/.test(error.message)) return undefined
    throw error
  }
}

const tokenSchema = v.object({ token: text })
const domainsSchema = v.object({
  result: v.array(v.object({ hostname: text, service: text })),
})

/**
 * Lists the hosts of custom domains that lead to a Worker. wrangler has no command for it.
 *
 * @see https://developers.cloudflare.com/api/resources/workers/subresources/domains/methods/list/
 */
export async function listDomains(
  wrangler: Wrangler,
  accountId: string,
  worker: string,
): Promise<string[]> {
  const { token } = await readJson(wrangler, ['auth', 'token', '--json'], tokenSchema)
  const api = process.env['CLOUDFLARE_API_BASE_URL'] ?? 'https://api.cloudflare.com/client/v4'
  const query = new URLSearchParams({ service: worker })
  const response = await fetch(`${api}/accounts/${accountId}/workers/domains?${query.toString()}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const answer = v.safeParse(domainsSchema, await response.json().catch(() => undefined))
  if (!answer.success)
    throw new CommandError(
      `Cloudflare does not list the custom domains of this account (HTTP ${response.status}): the API token needs Workers Scripts (edit).`,
    )
  return answer.output.result
    .filter(({ service }) => service === worker)
    .map(({ hostname }) => hostname)
}

/**
 * Runs wrangler and parses the JSON that it prints.
 *
 * @throws {CommandError} When wrangler fails, or prints something unexpected.
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

function lacksRight(name: string): string {
  return `This sign-in may not use ${name}: give its API token the permission ${name} (edit). For Workers Builds: My Profile, API Tokens.`
}

/** Patterns of wrangler's messages, each with an explanation for the operator. */
const EXPLANATIONS: [RegExp, string][] = [
  [
    /More than one account/,
    'This sign-in has several Cloudflare accounts: choose one with CLOUDFLARE_ACCOUNT_ID=<id>; npx wrangler whoami lists them.',
  ],
  [/code: 7403|^wrangler d1 [^]*code: 10000/, lacksRight('D1')],
  // `whoami` came before, so here the operator is signed in.
  [/^wrangler kv [^]*code: 10000/, lacksRight('Workers KV Storage')],
  [/^wrangler (?:deploy|secret) [^]*code: 10000/, lacksRight('Workers Scripts')],
  [
    /CLOUDFLARE_API_TOKEN|wrangler login|not authenticated|"loggedIn":false|Authentication error|Invalid access token|code: 10000/i,
    'Not signed in to Cloudflare: run npx wrangler login, or set CLOUDFLARE_API_TOKEN.',
  ],
  [
    /Unable to resolve|fetch failed|failed to lookup address|ECONNREFUSED|ENOTFOUND|ETIMEDOUT/,
    "Can't reach Cloudflare: check this machine's network and try again.",
  ],
]

/** Makes an error for the operator from a failure at Cloudflare. */
export function explain(error: unknown): CommandError {
  const known = messageOf(error)
  const message = known ?? (error instanceof Error ? error.message : String(error))
  const [, explanation] = EXPLANATIONS.find(([pattern]) => pattern.test(message)) ?? []
  return new CommandError(explanation ?? known ?? `Cloudflare reported an error: ${message}`, {
    cause: error,
  })
}
