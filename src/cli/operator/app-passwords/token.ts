import { type Command, InvalidArgumentError } from 'commander'
import {
  createAppPasswordOf,
  deleteAppPasswordOf,
  listAppPasswordsOf,
  listStaleAppPasswords,
  UNUSED_DAYS,
} from '../../../app-passwords/app-passwords.ts'
import { appPasswordNameSchema, scopeSchema } from '../../../app-passwords/fields.ts'
import { introspectAsOperator, introspectionRecord } from '../../../app-passwords/introspection.ts'
import { appPasswordRecords } from '../../../app-passwords/record.ts'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { type AppPasswordScope, scopesText } from '../../../access/scopes.ts'
import { Refusal, type RefusalName } from '../../../base/refusals.ts'
import { CommandError, UsageError } from '../../shared/command-error.ts'
import { readLine } from '../../shared/standard-input.ts'
import { addHelp } from '../../shared/help.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { onSite } from '../../site/on-site.ts'
import { parseCount } from '../../shared/paging.ts'
import { parsed } from '../../shared/parsed.ts'

const COLUMNS = ['id', 'name', 'scopes', 'expires_at', 'last_used_at', 'last_network']
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000
const MAX_DAYS = 36_500

type Scopes = [AppPasswordScope, ...AppPasswordScope[]]

interface CreateOptions {
  name: string
  scope: Scopes
  expires?: number | 'never'
}

/** `latchkey token list|create|delete|introspect`: the app passwords of users. */
export function addTokenCommands(program: Command, token: Command): void {
  addListCommand(program, token)
  addCreateCommand(program, token)
  addDeleteCommand(program, token)
  addIntrospectCommand(program, token)
}

function addListCommand(program: Command, token: Command): void {
  addHelp(token.command('list'), { examples: ['token list alice', 'token list --stale'] })
    .argument('[user]', USER_ARGUMENT)
    .description('lists the app passwords of a user; the passwords themselves are not stored')
    .option(
      '--stale',
      `those of all users that never expire, or that nobody used for ${UNUSED_DAYS} days`,
    )
    .action((name: string | undefined, { stale = false }: { stale?: boolean }) => {
      if (stale === (name !== undefined)) throw new UsageError('Name a user, or --stale alone.')
      return onSite(program, async (site, output) => {
        if (name === undefined) {
          const list = await listStaleAppPasswords(site, COMMAND_LINE)
          const content = appPasswordRecords(list).map((record, index) => ({
            username: list[index]?.username ?? '',
            ...record,
          }))
          const columns = ['username', ...COLUMNS]
          return output.list(columns, { content, total: content.length }, 'There are none.')
        }
        const { id, username } = await lookUpUser(site, name)
        const content = appPasswordRecords(await listAppPasswordsOf(site, COMMAND_LINE, id))
        const page = { content, total: content.length }
        output.list(COLUMNS, page, `${username} has no app passwords.`)
      })
    })
}

function addCreateCommand(program: Command, token: Command): void {
  addHelp(token.command('create'), {
    examples: ['token create alice --name rclone --scope files:read --expires 90d'],
  })
    .argument('<user>', USER_ARGUMENT)
    .description('creates an app password and prints it, only once')
    .requiredOption('--name <name>', 'a name, such as the program', parsed(appPasswordNameSchema))
    .requiredOption(
      '--scope <scope>',
      'files:read, files:write, account:read, account:write or admin; can be repeated',
      collectScope,
    )
    .option('--expires <time>', 'when it ends: 90d, or never (default: 365d)', parseDays)
    .action((name: string, options: CreateOptions) =>
      onSite(program, async (site, output) => {
        const { id: userId, username } = await lookUpUser(site, name)
        const { expires: days } = options
        const request = {
          name: options.name,
          scopes: scopesText(options.scope),
          expiresAt: expiryOf(days, site.now()),
        }
        const created = await createAppPasswordOf(site, COMMAND_LINE, userId, request).catch(
          (error: unknown) => {
            throw explained(error, username, options.name)
          },
        )
        // The app password alone, so that a script can use the output.
        output.done(created.token, { username, name: options.name, ...created })
      }),
    )
}

/** What the refusals of the API mean on the command line. */
function explained(error: unknown, username: string, name: string): unknown {
  const texts: Partial<Record<RefusalName, string>> = {
    notAdmin: `${username} is not an admin, so --scope admin is not possible.`,
    accountDisabled: `${username} is disabled: enable the account first.`,
    tokenNameTaken: `${username} has an app password "${name}" already: delete it first.`,
  }
  const text = error instanceof Refusal ? texts[error.refusal] : undefined
  return text === undefined ? error : new CommandError(text)
}

function expiryOf(days: CreateOptions['expires'], now: number): number | null | undefined {
  if (days === 'never') return null
  return days === undefined ? undefined : now + days * DAY_MILLISECONDS
}

function collectScope(scope: string, others?: Scopes): Scopes {
  const name = parsed(scopeSchema)(scope)
  return others === undefined ? [name] : [...others, name]
}

/** @returns A number of days, or `never`: commander would replace null. */
function parseDays(text: string): number | 'never' {
  if (text === 'never') return text
  const days = Number(/^(\d{1,6})d$/.exec(text)?.[1])
  if (days >= 1 && days <= MAX_DAYS) return days
  throw new InvalidArgumentError('It must be a number of days such as 90d, or never.')
}

function addDeleteCommand(program: Command, token: Command): void {
  addHelp(token.command('delete'), { examples: ['token delete alice 3'] })
    .argument('<user>', USER_ARGUMENT)
    .argument('<id>', 'the id that token list shows', parseCount)
    .description('deletes an app password of a user; it stops working at once')
    .action((name: string, id: number) =>
      onSite(program, async (site, output) => {
        const { id: userId, username } = await lookUpUser(site, name)
        await deleteAppPasswordOf(site, COMMAND_LINE, userId, id)
        output.done(`Deleted app password ${id} of ${username}.`, { id, username })
      }),
    )
}

function addIntrospectCommand(program: Command, token: Command): void {
  addHelp(token.command('introspect'), { examples: ['token introspect'] })
    .description(
      'says what a server learns about a token: reads an app password or the token of a session from standard input',
    )
    .action(() =>
      onSite(program, async (site, output) => {
        const text = (await readLine(process.stdin)).trim()
        output.record(introspectionRecord(await introspectAsOperator(site, COMMAND_LINE, text)))
      }),
    )
}
