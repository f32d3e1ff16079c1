import { type Command, InvalidArgumentError } from 'commander'
import * as v from 'valibot'
import {
  answerUriSchema,
  clientNameSchema,
  clientSiteSchema,
  clientUriSchema,
  clientUrisSchema,
} from '../../../openid/client-fields.ts'
import {
  addClient,
  deleteClient,
  getClient,
  listClients,
  type NewClient,
  replaceSecret,
} from '../../../openid/clients.ts'
import type { OpenidClient } from '../../../openid/client-store.ts'
import {
  accessTeamSite,
  pastedSettings,
  type Preset,
  presetClient,
  presetSettings,
} from '../../../openid/presets.ts'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { isoTime } from '../../../base/time.ts'
import { Refusal } from '../../../base/refusals.ts'
import { CommandError, UsageError } from '../../shared/command-error.ts'
import { issuerSchema, readIssuer } from '../../site/issuer.ts'
import type { Site } from '../../site/site.ts'
import { confirm, needTerminal } from '../../shared/confirm.ts'
import type { GlobalOptions } from '../../shared/global-options.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { parsed } from '../../shared/parsed.ts'
import { latchkey } from '../../shared/printed-command.ts'

const COLUMNS = ['name', 'client_id', 'first_party', 'admins_only', 'redirect_uris', 'created_time']

/** `latchkey client add|list|show|delete|secret`: the programs that sign users in through this site. */
export function addClientCommands(program: Command, client: Command): void {
  addAddCommand(program, client)
  addListCommand(program, client)
  addShowCommand(program, client)
  addDeleteCommand(program, client)
  addSecretCommand(program, client)
}

interface AddOptions {
  openlist?: string
  sftpgo?: string
  grafana?: string
  cloudflareAccess?: string
  redirect?: string[]
  postLogout?: string[]
  logoutUri?: string
  public?: boolean
  firstParty?: boolean
  adminsOnly?: boolean
  issuer?: string
}

const ADD_NOTES = `The settings that are printed contain the secret, which is not stored. --openlist and the other programs
know their addresses; other programs need --redirect.`

const NO_PROGRAM =
  'Say which program it is (--openlist, --sftpgo, --grafana, --cloudflare-access), or give --redirect.'
const NO_ISSUER =
  'The program compares the address of this site: give it with --issuer https://account.example.org, or set ISSUER in wrangler.toml, or in .dev.vars for a site of npm start.'

/** How the printed settings are used. */
const NOTES: Record<Preset | 'other', string> = {
  openlist:
    'With sso_auto_register: true, every user of this site gets an account there at the first sign-in. For\nanother Latchkey, enter it only if that is what you want.',
  sftpgo: 'This is a member of httpd.bindings[] in sftpgo.json.',
  grafana:
    'These lines are for a shell, systemd or Docker Compose. docker run --env-file takes no quotes: remove them.',
  'cloudflare-access': '',
  other: '',
}

function addAddCommand(program: Command, client: Command): void {
  const uri = parsed(clientUriSchema)
  const answerUri = parsed(answerUriSchema)
  const site = parsed(clientSiteSchema)
  addHelp(client.command('add'), {
    notes: ADD_NOTES,
    examples: [
      'client add files --openlist https://files.example.org --first-party --issuer https://account.example.org',
      'client add wiki --redirect https://wiki.example.org/callback --issuer https://account.example.org',
    ],
  })
    .argument('<name>', 'a name that users recognise', parsed(clientNameSchema))
    .description('registers a program, and prints its settings, only once')
    .option('--openlist <address>', 'the address of an OpenList', site)
    .option('--sftpgo <address>', 'the address of an SFTPGo web client', site)
    .option('--grafana <address>', 'the address of a Grafana', site)
    .option('--cloudflare-access <team>', 'the name of a Cloudflare Access team', parseTeam)
    .option('--redirect <address>', 'a redirect address; can be repeated', collect(answerUri))
    .option(
      '--post-logout <address>',
      'an address after the sign-out; can be repeated',
      collect(answerUri),
    )
    .option('--logout-uri <address>', 'the address for back-channel logouts', uri)
    .option('--public', 'the program can not keep a secret, so it needs PKCE')
    .option('--first-party', 'users are not asked for their consent')
    .option('--admins-only', 'only admins may sign in to it')
    .option(
      '--issuer <address>',
      'the address of this site, for the printed settings',
      parsed(issuerSchema),
    )
    .action((name: string, options: AddOptions) => {
      const chosen = presetOf(options)
      const { preset, address } = chosen
      const wish = newClientOf(name, options, chosen)
      const isRemote = program.opts<GlobalOptions>().remote
      return onSite(program, async (opened, output) => {
        const issuer = await readIssuer(options.issuer, isRemote)
        if (issuer === undefined) throw new UsageError(NO_ISSUER)
        const { clientId, secret = '' } = await register(opened, { ...wish, issuer })
        const settings = presetSettings(preset, {
          issuer,
          clientId,
          secret,
          site: address,
        })
        output.report(pastedSettings(preset, settings), {
          name,
          client_id: clientId,
          ...(secret !== '' && { client_secret: secret }),
          settings: Object.fromEntries(settings),
        })
        const note = NOTES[preset ?? 'other']
        // On stderr, so that a pipe receives only the settings.
        if (note !== '' && !program.opts<GlobalOptions>().json) console.error(`\n${note}`)
      })
    })
}

/** @throws {UsageError} When there is no redirect URI, or there are too many addresses. */
function newClientOf(name: string, options: AddOptions, { preset, address }: Chosen): NewClient {
  const known = preset && presetClient(preset, address)
  const redirects = [...(known?.redirectUris ?? []), ...(options.redirect ?? [])]
  if (redirects.length === 0) throw new UsageError(NO_PROGRAM)
  return {
    name,
    redirectUris: parseUris('--redirect', redirects),
    postLogoutUris: parseUris('--post-logout', [
      ...(known?.postLogoutUris ?? []),
      ...(options.postLogout ?? []),
    ]),
    logoutUri: options.logoutUri ?? '',
    isPublic: options.public ?? false,
    firstParty: options.firstParty ?? false,
    adminsOnly: options.adminsOnly ?? false,
  }
}

/** @throws {UsageError} For too many addresses. */
function parseUris(option: string, uris: string[]): string[] {
  const parsedUris = v.safeParse(clientUrisSchema, uris)
  if (parsedUris.success) return parsedUris.output
  throw new UsageError(`The number of ${option} ${parsedUris.issues[0].message}.`)
}

/** @throws {CommandError} When a program has the name. */
function register(site: Site, client: NewClient) {
  return addClient(site, COMMAND_LINE, client).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.refusal !== 'clientNameTaken') throw error
    throw new CommandError(`There is a program "${client.name}" already: delete it first.`)
  })
}

/** A program that this site knows; without one, `preset` is `undefined` and `address` empty. */
interface Chosen {
  preset: Preset | undefined
  address: string
}

/** @throws {UsageError} For two programs at once. */
function presetOf(options: AddOptions): Chosen {
  const given = [
    ['openlist', options.openlist],
    ['sftpgo', options.sftpgo],
    ['grafana', options.grafana],
    ['cloudflare-access', options.cloudflareAccess],
  ] satisfies [Preset, string | undefined][]
  const [first, second] = given.flatMap(([preset, address]) =>
    address === undefined ? [] : [{ preset, address }],
  )
  if (second !== undefined) throw new UsageError('Name one program.')
  return first ?? { preset: undefined, address: '' }
}

function parseTeam(team: string): string {
  if (/^[a-z\d-]+$/.test(team)) return accessTeamSite(team)
  throw new InvalidArgumentError('It must be the name before .cloudflareaccess.com.')
}

function collect(parse: (text: string) => string) {
  return (text: string, others: string[] = []) => [...others, parse(text)]
}

function addListCommand(program: Command, client: Command): void {
  addHelp(client.command('list'), { examples: ['client list'] })
    .description('lists the programs that sign users in through this site')
    .action(() =>
      onSite(program, async (site, output) => {
        const content = (await listClients(site, COMMAND_LINE)).map(recordOf)
        output.list(COLUMNS, { content, total: content.length }, 'There are no programs.')
      }),
    )
}

function addShowCommand(program: Command, client: Command): void {
  addHelp(client.command('show'), { examples: ['client show files'] })
    .argument('<name>', NAME)
    .description('shows a program; its secret is not stored')
    .action((name: string) =>
      onSite(program, async (site, output) => output.record(recordOf(await lookUp(site, name)))),
    )
}

function addDeleteCommand(program: Command, client: Command): void {
  addHelp(client.command('delete'), {
    examples: ['client delete files', 'client delete files --yes'],
  })
    .argument('<name>', NAME)
    .description('deletes a program; its tokens end at once')
    .option('--yes', 'do not ask')
    .action((name: string, { yes = false }: { yes?: boolean }) => {
      if (!yes) needTerminal()
      return onSite(program, async (site, output) => {
        const found = await lookUp(site, name)
        if (!yes)
          await confirm(
            `Its users can no longer sign in to it, and its tokens end at once.\nDelete ${found.name} (client_id ${found.id})?`,
          )
        await deleteClient(site, COMMAND_LINE, found)
        output.done(`Deleted the program ${found.name}.`, { name: found.name })
      })
    })
}

function addSecretCommand(program: Command, client: Command): void {
  addHelp(client.command('secret'), { examples: ['client secret files'] })
    .argument('<name>', NAME)
    .description('makes a new secret for a program and prints it; the old one ends at once')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const found = await lookUp(site, name)
        if (found.secretHash === null)
          throw new CommandError(`${found.name} is public: it has no secret.`)
        const secret = await replaceSecret(site, COMMAND_LINE, found)
        // The secret alone, so that a script can use the output.
        output.done(secret, { name: found.name, client_id: found.id, client_secret: secret })
      }),
    )
}

const NAME = 'the name or the client_id that client list shows'

async function lookUp(site: Site, name: string): Promise<OpenidClient> {
  return getClient(site, COMMAND_LINE, name).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.refusal !== 'clientNotFound') throw error
    throw new CommandError(`There is no program "${name}": see ${latchkey('client', 'list')}`)
  })
}

function recordOf(client: OpenidClient) {
  return {
    name: client.name,
    client_id: client.id,
    redirect_uris: client.redirectUris,
    post_logout_uris: client.postLogoutUris,
    logout_uri: client.logoutUri,
    is_public: client.secretHash === null,
    issuer: client.issuer,
    first_party: client.firstParty,
    admins_only: client.adminsOnly,
    created_time: isoTime(client.createdAt),
  }
}
