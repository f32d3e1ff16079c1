import { InvalidArgumentError } from 'commander'
import * as v from 'valibot'
import {
  answerUriSchema,
  clientNameSchema,
  clientSiteSchema,
  clientUriSchema,
  clientUrisSchema,
} from '../client-fields.ts'
import {
  addClient,
  changeClient,
  deleteClient,
  getClient,
  listClients,
  type NewClient,
  replaceSecret,
} from '../clients.ts'
import type { ClientFields, OpenidClient } from '../client-store.ts'
import {
  accessTeamSite,
  pastedSettings,
  type Preset,
  presetClient,
  presetSettings,
} from '../presets.ts'
import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { readReason, wordsOf } from '../../../core/base/reasons.ts'
import { isoTime } from '../../../core/base/time.ts'
import { CommandError, explained, UsageError } from '../../../programs/kit/command-error.ts'
import { issuerSchema, readIssuer } from '../../../programs/site/issuer.ts'
import type { Site } from '../../../programs/site/site.ts'
import { confirm, needTerminal, YES } from '../../../programs/kit/confirm.ts'
import { choice, type Given, repeated, takes } from '../../../programs/kit/declaration.ts'
import { onSite, sought } from '../../../programs/site/on-site.ts'
import { parsed } from '../../../programs/kit/parsed.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'

const COLUMNS = ['name', 'client_id', 'first_party', 'admins_only', 'redirect_uris', 'created_time']

const NO_PROGRAM =
  'Say which app it is (--openlist, --sftpgo, --grafana, --cloudflare-access), or give --redirect.'
const NO_ISSUER =
  'The app compares the address of this site: give it with --issuer https://account.example.org, or set ISSUER in wrangler.toml, or in .dev.vars for a site of npm start.'

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

const ADD_OPTIONS = {
  openlist: takes(
    '--openlist <address>',
    'the address of an OpenList',
    'OpenList 的地址',
    parsed(clientSiteSchema),
  ),
  sftpgo: takes(
    '--sftpgo <address>',
    'the address of an SFTPGo web client',
    'SFTPGo 网页端的地址',
    parsed(clientSiteSchema),
  ),
  grafana: takes(
    '--grafana <address>',
    'the address of a Grafana',
    'Grafana 的地址',
    parsed(clientSiteSchema),
  ),
  cloudflareAccess: takes(
    '--cloudflare-access <team>',
    'the name of a Cloudflare Access team',
    'Cloudflare Access 团队的名称',
    parseTeam,
  ),
  redirect: repeated(
    '--redirect <address>',
    'a redirect address; can be repeated',
    '回调地址；可以写多次',
    parsed(answerUriSchema),
  ),
  postLogout: repeated(
    '--post-logout <address>',
    'an address after the sign-out; can be repeated',
    '退出后的地址；可以写多次',
    parsed(answerUriSchema),
  ),
  logoutUri: takes(
    '--logout-uri <address>',
    'the address for back-channel logouts',
    '后端退出通知的地址',
    parsed(clientUriSchema),
  ),
  isPublic: takes(
    '--public',
    'the app can not keep a secret, so it needs PKCE',
    '应用无法保存密钥，因此需要 PKCE',
  ),
  firstParty: takes('--first-party', 'users are not asked for their consent', '不询问用户是否同意'),
  emailInIdToken: takes(
    '--email-in-id-token',
    'the app reads the e-mail address from the ID token alone',
    '应用只从 ID 令牌中读取邮箱地址',
  ),
  adminsOnly: takes('--admins-only', 'only admins may sign in to it', '只有管理员可以登录'),
  issuer: takes(
    '--issuer <address>',
    'the address of this site, for the printed settings',
    '本站的地址，用于显示的设置',
    parsed(issuerSchema),
  ),
}

type AddOptions = Given<typeof ADD_OPTIONS>

const add = onSite({
  about: 'registers an app, and prints its settings, only once',
  zh: '注册应用，并显示其设置，只显示一次',
  takes: {
    name: takes(
      '<name>',
      'a name that users recognise',
      '用户认得的名称',
      parsed(clientNameSchema),
    ),
    ...ADD_OPTIONS,
  },
  notes: [
    `The settings that are printed contain the secret, which is not stored. --openlist and the other apps
know their addresses; other apps need --redirect.`,
    '显示的设置中含有密钥，密钥不会保存。--openlist 等应用的回调地址是已知的，其他应用需要 --redirect。',
  ],
  examples: [
    'client add files --openlist https://files.example.org --first-party --issuer https://account.example.org',
    'client add wiki --redirect https://wiki.example.org/callback --issuer https://account.example.org',
  ],
  before({ name, ...options }) {
    const chosen = presetOf(options)
    return { ...chosen, client: newClientOf(name, options, chosen) }
  },
  async run(site, { name, issuer: given }, { output, remote, json }, { preset, address, client }) {
    const issuer = await readIssuer(given, remote)
    if (issuer === undefined) throw new UsageError(NO_ISSUER)
    const { clientId, secret = '' } = await register(site, { ...client, issuer })
    const settings = presetSettings(preset, { issuer, clientId, secret, site: address })
    output.report(pastedSettings(preset, settings), {
      name,
      client_id: clientId,
      ...(secret !== '' && { client_secret: secret }),
      settings: Object.fromEntries(settings),
    })
    const note = NOTES[preset ?? 'other']
    // On stderr, so that a pipe receives only the settings.
    if (note !== '' && !json) console.error(`\n${note}`)
  },
})

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
    isPublic: options.isPublic,
    firstParty: options.firstParty,
    adminsOnly: options.adminsOnly,
    emailInIdToken: options.emailInIdToken || known?.emailInIdToken === true,
  }
}

/** @throws {UsageError} For too many addresses. */
function parseUris(option: string, uris: string[]): string[] {
  const result = v.safeParse(clientUrisSchema, uris)
  if (result.success) return result.output
  const words = wordsOf(readReason(result.issues[0].message))
  throw new UsageError(`The number of ${option} ${words}.`)
}

/** @throws {CommandError} When a program has the name. */
function register(site: Site, client: NewClient) {
  return explained(addClient(site, COMMAND_LINE, client), {
    clientNameTaken: `There is an app "${client.name}" already: change it with client set, or delete it first.`,
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
  if (second !== undefined) throw new UsageError('Name one app.')
  return first ?? { preset: undefined, address: '' }
}

function parseTeam(team: string): string {
  if (/^[a-z\d-]+$/.test(team)) return accessTeamSite(team)
  throw new InvalidArgumentError('It must be the name before .cloudflareaccess.com.')
}

const CLIENT = sought(
  takes(
    '<name>',
    'the name or the client_id that client list shows',
    '名称或 client_id（见 client list）',
  ),
  lookUp,
)

async function lookUp(site: Site, name: string): Promise<OpenidClient> {
  return explained(getClient(site, COMMAND_LINE, name), {
    clientNotFound: `There is no app "${name}": see ${latchkey('client', 'list')}`,
  })
}

const list = onSite({
  about: 'lists the apps that sign users in through this site',
  zh: '列出通过本站登录的应用',
  examples: ['client list'],
  async run(site, _, { output }) {
    const content = (await listClients(site, COMMAND_LINE)).map(recordOf)
    output.list(COLUMNS, content, 'There are no apps.')
  },
})

const show = onSite({
  about: 'shows an app; its secret is not stored',
  zh: '显示应用；密钥不会保存',
  takes: { client: CLIENT },
  examples: ['client show files'],
  run: (_, { client }, { output }) => output.record(recordOf(client)),
})

const ON_OFF = ['on', 'off'] as const

const SET_OPTIONS = {
  newName: takes('--new-name <name>', 'a new name', '新名称', parsed(clientNameSchema)),
  redirect: ADD_OPTIONS.redirect,
  postLogout: ADD_OPTIONS.postLogout,
  logoutUri: takes(
    '--logout-uri <address>',
    'the address for back-channel logouts; empty for none',
    '后端退出通知的地址；留空则不通知',
    parsed(v.union([v.literal(''), clientUriSchema])),
  ),
  firstParty: choice(
    '--first-party <choice>',
    'on: users are not asked for their consent',
    'on 表示不询问用户是否同意',
    ON_OFF,
  ),
  adminsOnly: choice(
    '--admins-only <choice>',
    'on: only admins may sign in to it',
    'on 表示只有管理员可以登录',
    ON_OFF,
  ),
  emailInIdToken: choice(
    '--email-in-id-token <choice>',
    'on: the ID token has the e-mail address too',
    'on 表示 ID 令牌中也有邮箱地址',
    ON_OFF,
  ),
}

const set = onSite({
  about: 'changes an app, which keeps its client_id and its secret',
  zh: '修改应用，client_id 和密钥不变',
  takes: { client: CLIENT, ...SET_OPTIONS },
  notes: [
    `--redirect and --post-logout replace all addresses. What the app got at an address that it loses ends at
once; so does what users who are no admins have, with --admins-only on, and everything, with
--first-party off.`,
    `--redirect 和 --post-logout 会替换所有地址。应用在被移除的地址得到的权限立即失效；--admins-only on 使非管理员
的权限失效，--first-party off 使所有权限失效。`,
  ],
  examples: [
    'client set files --redirect https://files.example.org/callback',
    'client set files --new-name "Family files" --first-party on',
  ],
  before(options) {
    const changes = changesOf(options)
    if (Object.keys(changes).length === 0) throw new UsageError('Say what to change, see --help.')
    return changes
  },
  async run(site, { client }, { output }, changes) {
    const fields: ClientFields = {
      name: client.name,
      redirectUris: client.redirectUris,
      postLogoutUris: client.postLogoutUris,
      logoutUri: client.logoutUri,
      firstParty: client.firstParty,
      adminsOnly: client.adminsOnly,
      emailInIdToken: client.emailInIdToken,
      ...changes,
    }
    await explained(changeClient(site, COMMAND_LINE, client, fields), {
      clientNameTaken: `There is an app "${fields.name}" already.`,
    })
    output.done(`Changed the app ${fields.name}.`, { name: fields.name, client_id: client.id })
  },
})

/** Returns the fields that the options name. */
function changesOf(options: Given<typeof SET_OPTIONS>): Partial<ClientFields> {
  const { newName, redirect, postLogout, logoutUri } = options
  const { firstParty, adminsOnly, emailInIdToken } = options
  return {
    ...(newName !== undefined && { name: newName }),
    ...(redirect !== undefined && { redirectUris: parseUris('--redirect', redirect) }),
    ...(postLogout !== undefined && { postLogoutUris: parseUris('--post-logout', postLogout) }),
    ...(logoutUri !== undefined && { logoutUri }),
    ...(firstParty !== undefined && { firstParty: firstParty === 'on' }),
    ...(adminsOnly !== undefined && { adminsOnly: adminsOnly === 'on' }),
    ...(emailInIdToken !== undefined && { emailInIdToken: emailInIdToken === 'on' }),
  }
}

const remove = onSite({
  about: 'deletes an app; its tokens end at once',
  zh: '删除应用，它的令牌立即失效',
  takes: { client: CLIENT, yes: YES },
  examples: ['client delete files', 'client delete files --yes'],
  before({ yes }) {
    if (!yes) needTerminal()
  },
  async run(site, { client, yes }, { output }) {
    if (!yes)
      await confirm(
        `Its users can no longer sign in to it, and its tokens end at once.\nDelete ${client.name} (client_id ${client.id})?`,
      )
    await deleteClient(site, COMMAND_LINE, client)
    output.done(`Deleted the app ${client.name}.`, { name: client.name })
  },
})

const secret = onSite({
  about: 'makes a new secret for an app and prints it; the old one ends at once',
  zh: '为应用生成新密钥并显示，旧密钥立即失效',
  takes: { client: CLIENT },
  examples: ['client secret files'],
  async run(site, { client }, { output }) {
    if (client.secretHash === null)
      throw new CommandError(`${client.name} is public: it has no secret.`)
    const made = await replaceSecret(site, COMMAND_LINE, client)
    // The secret alone, so that a script can use the output.
    output.done(made, { name: client.name, client_id: client.id, client_secret: made })
  },
})

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
    email_in_id_token: client.emailInIdToken,
    created_time: isoTime(client.createdAt),
  }
}

/** `latchkey client …`: the programs that sign users in through this site. */
export const clientCommands = { add, list, show, set, delete: remove, secret }
